//! The project's own commands. `cargo xtask help` lists them; each lives in the file of its name.
//!
//! Reading order: `test` calls everything else, so it is the best place to start.

#![expect(clippy::print_stdout, reason = "this program talks to people on stdout")]

mod bench;
mod breadth;
mod check_code;
mod conformance;
mod dist;
mod exactness;
mod gate;
mod peers;
mod process;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

/// `Ok(false)` is a failure that has already been explained on stdout.
type Outcome = Result<bool, String>;

/// One command of this program.
struct Task {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Outcome,
}

const TASKS: &[Task] = &[
    Task {
        name: "test",
        arguments: "[--fast]",
        about: "everything CI checks; --fast leaves out docs, peers and gates",
        run: test::run,
    },
    Task {
        name: "tidy",
        arguments: "",
        about: "what the compiler cannot see: names in prose, tags, words",
        run: tidy::run,
    },
    Task {
        name: "peers",
        arguments: "",
        about: "install the programs of other SDKs that the interop tests talk to",
        run: peers::run,
    },
    Task {
        name: "conformance",
        arguments: "[--server|--client|--authorization|--gateway] [--scenario NAME]",
        about: "run the official conformance suite against our fixtures",
        run: conformance::run,
    },
    Task {
        name: "dist",
        arguments: "",
        about: "build docent as it is released, for what it was seen to do; tells where it is",
        run: dist::run,
    },
    Task {
        name: "gate",
        arguments: "NAME [--seed N] [--quick]",
        about: "run one measured promise; the last line is its result as JSON",
        run: gate::run,
    },
    Task {
        name: "bench",
        arguments: "stdio [--build] | http | gateway [stdio|http|backends] | clients | packages | project",
        about: "measure beside other SDKs, or the engine beside parsers",
        run: bench::run,
    },
    Task {
        name: "exactness",
        arguments: "[npm|python|go|rust] [--only NAME]",
        about: "compare extracted APIs with what TypeScript, Python, Go and rustdoc say",
        run: exactness::run,
    },
    Task {
        name: "check-code",
        arguments: "[npm|python]",
        about: "check files that are right and files with one invented name each",
        run: check_code::run,
    },
    Task {
        name: "breadth",
        arguments: "[all|npm|python|go|rust|swift|cargo-cache] [--checkouts DIR] [--limit N]",
        about: "load the most used packages from the registries",
        run: breadth::run,
    },
    Task { name: "help", arguments: "", about: "this text", run: help },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = match arguments.split_first() {
        Some((name, rest)) => (name.trim_start_matches("--"), rest),
        None => ("help", &[][..]),
    };
    let outcome = match TASKS.iter().find(|task| task.name == name) {
        Some(task) => (task.run)(rest),
        None => Err(format!("`{name}` is not a command; `cargo xtask help` lists them")),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn help(_: &[String]) -> Outcome {
    const COLUMN: usize = 32;
    let row = |left: &str, about: &str| {
        // What does not fit has a line to itself.
        let gap = if left.len() < COLUMN { "" } else { &format!("\n  {:COLUMN$}", "") };
        println!("  {left:<COLUMN$}{gap}{about}");
    };
    println!("cargo xtask COMMAND\n");
    for task in TASKS {
        row(&format!("{} {}", task.name, task.arguments), task.about);
    }
    println!("\ngates:");
    for gate in gate::GATES {
        row(gate.name, gate.about);
    }
    Ok(true)
}

/// Refuses arguments that a command does not know, so that a typing error is not ignored.
fn accept(arguments: &[String], known: &[&str]) -> Result<(), String> {
    match arguments.iter().find(|argument| !known.contains(&argument.as_str())) {
        Some(unknown) => Err(format!("`{unknown}` is not understood here; see `cargo xtask help`")),
        None => Ok(()),
    }
}
