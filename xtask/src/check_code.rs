//! `cargo xtask check-code`: checks the files below `exactness/check`, of which half are right and
//! half use one thing each that does not exist. `docs/check.md` has the figures.
//!
//! The packages are those that `cargo xtask exactness` has pinned and installs.

use crate::exactness::Side;
use crate::workspace::Workspace;
use crate::{Outcome, accept, gate, process};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    const ECOSYSTEMS: &[&str] = &["npm", "python", "go", "swift"];
    accept(arguments, ECOSYSTEMS)?;
    let workspace = Workspace::load()?;
    println!("building docent-exactness");
    gate::build("docent-exactness")?;
    let mut good = true;
    for name in ECOSYSTEMS {
        if !arguments.is_empty() && !arguments.iter().any(|chosen| chosen == name) {
            continue;
        }
        let side = Side::install(name, &workspace)?;
        let mut check = process::program(gate::release(&workspace).join("docent-exactness"));
        check.arg("check").arg(workspace.root.join("exactness/check").join(side.name));
        check.arg("--project").arg(&side.project);
        if let Some(environment) = &side.environment {
            check.arg("--environment").arg(environment);
        }
        good &= process::run(&mut check).is_ok();
    }
    Ok(good)
}
