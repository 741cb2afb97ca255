//! `cargo xtask check-code`: checks the files below `exactness/check`, of which half are right and
//! half use one thing each that does not exist. `docs/check.md` has the figures.
//!
//! The packages are those that `cargo xtask exactness` has pinned and installs; those of Rust are
//! pinned beside the files.

use crate::exactness::Side;
use crate::workspace::Workspace;
use crate::{Outcome, accept, gate, process};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    const ECOSYSTEMS: &[&str] = &["npm", "python", "rust", "go", "swift"];
    accept(arguments, ECOSYSTEMS)?;
    let workspace = Workspace::load()?;
    println!("building docent-exactness");
    gate::build("docent-exactness")?;
    let mut good = true;
    for name in ECOSYSTEMS {
        if !arguments.is_empty() && !arguments.iter().any(|chosen| chosen == name) {
            continue;
        }
        let set = workspace.root.join("exactness/check").join(name);
        let mut check = process::program(gate::release(&workspace).join("docent-exactness"));
        check.arg("check").arg(&set);
        if *name == "rust" {
            // The set is a package, so that cargo can say that what is right is.
            let mut fetch = process::program("cargo");
            process::run(fetch.args(["fetch", "--locked", "--quiet"]).current_dir(&set))?;
            check.arg("--project").arg(&set);
        } else {
            let side = Side::install(name, &workspace)?;
            check.arg("--project").arg(&side.project);
            if let Some(environment) = &side.environment {
                check.arg("--environment").arg(environment);
            }
        }
        good &= process::run(&mut check).is_ok();
    }
    Ok(good)
}
