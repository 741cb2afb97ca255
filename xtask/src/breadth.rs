//! `cargo xtask breadth`: loads the packages listed below `breadth/` from the machine's registries.
//! A run over all lists in full writes `docs/tables/breadth.md`. Swift packages live in repositories:
//! `cargo xtask breadth swift --checkouts FOLDER` reads them from a folder of checkouts.

use crate::workspace::Workspace;
use crate::{Outcome, gate, process};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let workspace = Workspace::load()?;
    let (chosen, rest): (Vec<&String>, Vec<&String>) = arguments
        .iter()
        .partition(|word| ["npm", "python", "go", "swift"].contains(&word.as_str()));
    println!("building docent-exactness");
    gate::build("docent-exactness")?;
    let mut command = process::program(gate::release(&workspace).join("docent-exactness"));
    command.arg("breadth");
    for name in ["npm", "python", "go", "swift"] {
        let by_default = chosen.is_empty() && name != "swift";
        if by_default || chosen.iter().any(|chosen| *chosen == name) {
            let list = workspace.root.join("breadth").join(format!("{name}.txt"));
            command.arg("--list").arg(format!("{name}={}", list.display()));
        }
    }
    if arguments.is_empty() {
        let day = process::version("date", &["--utc", "+%Y-%m-%d"]).unwrap_or_default();
        command.arg("--write").arg(workspace.root.join("docs/tables/breadth.md"));
        command.arg("--note").arg(format!("`cargo xtask breadth` on {day}"));
    }
    Ok(process::run(command.args(rest)).is_ok())
}
