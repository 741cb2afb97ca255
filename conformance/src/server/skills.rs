//! Skills: one with a file in a folder of its own, and one that is a single file.

use docent_mcp::skills::{ServerSkill, Skills};
use docent_mcp::{Result, Server};

const REVIEW: &str = "---
name: code-review
description: Reviews a change before it is merged
license: MIT
---

# Code review

Read [the checklist](references/checklist.md) first.
";

const CHECKLIST: &str = "- Does a test fail without the change?\n- Is every new name needed?\n";

const GREETING: &str = "---
name: greeting
description: Greets people by their name
---

Say hello.
";

pub(crate) fn add(server: Server) -> Result<Server> {
    let review = ServerSkill::new(REVIEW)?.file("references/checklist.md", CHECKLIST)?;
    let skills = Skills::new().with(review).with(ServerSkill::new(GREETING)?);
    Ok(server.extension(skills))
}
