//! The role of a parent: starts children of every kind and waits to be killed.

use std::ffi::OsString;
use std::path::Path;

use docent_mcp::Client;
use serde_json::json;

use super::kinds::KINDS;
use crate::Result;

/// What a parent says when all of its children answer.
pub(super) const READY: &str = "ready";

/// Says that only children are wanted that mind the end of their input.
const MINDFUL: &str = "mindful";
const ALL: &str = "all";

/// The command line of a parent.
pub(super) fn arguments(scripts: &Path, mark: &str, mindful: bool) -> [OsString; 4] {
    let which = if mindful { MINDFUL } else { ALL };
    ["parent".into(), scripts.into(), mark.into(), which.into()]
}

pub(crate) fn run(words: &[String]) -> Result<()> {
    let [scripts, mark, which] = words else { return Err("parent SCRIPTS MARK WHICH".into()) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut clients = Vec::new();
        for kind in KINDS.iter().filter(|kind| which == ALL || kind.minds_end_of_input) {
            let client = Client::start(kind.command(Path::new(scripts), mark)?).await?;
            client.call("echo", json!({ "message": kind.name })).await?;
            clients.push(client);
        }
        println!("{READY}");
        std::future::pending::<()>().await;
        Ok(())
    })
}
