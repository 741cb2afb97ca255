//! Skills, both sides in one program: a server offers instructions for a model, and a client loads
//! them, but only if they are what was listed.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;

use docent_mcp::skills::{ServerSkill, Skills};
use docent_mcp::{Client, Server, transport};

const SKILL: &str = "\
---
name: release-notes
description: Write release notes the way this team does
---

Take the style from references/style.md.
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // From values here; `Skills::from_folder` takes every folder with a SKILL.md.
    let skill = ServerSkill::new(SKILL)?.file("references/style.md", "Short sentences.\n")?;
    let server = Server::new("writer", "1.0").extension(Skills::new().with(skill));
    let (near, far) = transport::memory();
    tokio::spawn(server.serve(far));

    let client = Client::start(near).await?;
    for skill in client.skills().await? {
        // Nothing was read yet. Show this to the user before anything is.
        println!("{}: {}", skill.uri, skill.frontmatter["description"]);
        let loaded = client.load_skill(&skill).await?;
        println!("{} bytes of instructions", loaded.text().len());
        let style = loaded.read("references/style.md").await?;
        print!("{}", String::from_utf8_lossy(&style));
        if let Err(error) = loaded.read("references/other.md").await {
            println!("{error}");
        }
    }
    for entry in client.read_directory("skill://release-notes").await? {
        println!("{} ({})", entry.name, entry.mime_type.unwrap_or_default());
    }
    client.close().await;
    Ok(())
}
