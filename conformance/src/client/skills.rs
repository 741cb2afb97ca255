//! Skills: listed without reading a file, and not used when a file is not what was listed.

use docent_mcp::ErrorKind;

use super::{Failure, Task};

/// Lists skills and leaves.
pub(crate) async fn list(task: &Task) -> Result<(), Failure> {
    let client = task.connect().await?;
    let skills = client.skills().await?;
    client.close().await;
    match skills.is_empty() {
        true => Err("the server lists no skills".into()),
        false => Ok(()),
    }
}

/// Loads every skill with its files. The server has changed one, so that must come to an end early.
pub(crate) async fn verify(task: &Task) -> Result<(), Failure> {
    let client = task.connect().await?;
    for skill in client.skills().await? {
        match client.load_skill(&skill).await {
            Ok(_) => return Err("a skill was loaded that is not what was listed".into()),
            Err(error) if error.kind() == ErrorKind::InvalidResponse => {}
            Err(error) => return Err(error.into()),
        }
    }
    client.close().await;
    Ok(())
}
