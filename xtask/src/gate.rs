//! `cargo xtask gate`: promises as numbers. A gate is a program that measures one.
//!
//! The program prints what it likes and, as its last line, a JSON object with `pass`, `value` and
//! `limit`. This adds `name` and `seconds`, so that every gate ends in one line of one shape.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::workspace::Workspace;
use crate::{Outcome, process};

/// A measured promise.
pub(crate) struct Gate {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Built in release mode beforehand.
    packages: &'static [&'static str],
    /// The binary that measures, and its arguments; `{release}` is where the binaries are.
    program: &'static str,
    full: &'static [&'static str],
    quick: &'static [&'static str],
    /// Whether the program takes `--seed`.
    random: bool,
}

pub(crate) const GATES: &[Gate] = &[
    Gate {
        name: "eof",
        about: "100,000 pipelined calls, then end of input: every answer arrives",
        packages: &["docent-bench", "echo-docent"],
        program: "docent-bench",
        full: &["eof", "--server", "docent={release}/echo-docent", "--load", "2", "--runs", "20"],
        quick: &["eof", "--server", "docent={release}/echo-docent", "--load", "2", "--runs", "3"],
        random: false,
    },
    Gate {
        name: "children",
        about: "stubborn children, killed parents, taps and gateways: no process is left",
        packages: &["docent-gates", "docent"],
        program: "docent-gates",
        full: &["children"],
        quick: &["children", "--quick"],
        random: true,
    },
    Gate {
        name: "cancel",
        about: "100,000 calls cancelled at random moments: nothing hangs, nothing answers late",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["cancel"],
        quick: &["cancel", "--quick"],
        random: true,
    },
    Gate {
        name: "secrets",
        about: "12 credentials through 40 flows: none shows where it does not belong",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["secrets"],
        quick: &["secrets", "--quick"],
        random: false,
    },
    Gate {
        name: "oauth",
        about: "attacks on logins, tokens and authorization servers: each refused, and why",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["oauth"],
        quick: &["oauth", "--quick"],
        random: false,
    },
    Gate {
        name: "ssrf",
        about: "60 private targets through every fetch that others can steer: no canary hears of it",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["ssrf"],
        quick: &["ssrf", "--quick"],
        random: false,
    },
    Gate {
        name: "cache",
        about: "damage on disk and wire, two processes racing 1,000 times: nothing wrong is served",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["cache"],
        quick: &["cache", "--quick"],
        random: true,
    },
    Gate {
        name: "crashloop",
        about: "500 kills and every disk error: nothing corrupt is served, nothing needs repair",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["crashloop"],
        quick: &["crashloop", "--quick"],
        random: true,
    },
    Gate {
        name: "archives",
        about: "hostile archives: refused or without effect, and real ones opened",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["archives"],
        quick: &["archives", "--quick"],
        random: false,
    },
    Gate {
        name: "parsers",
        about: "input of any depth and length: nothing dies, time grows with size",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["parsers"],
        quick: &["parsers", "--quick"],
        random: false,
    },
    Gate {
        name: "exec",
        about: "200 hostile names: no shell, and no argument that anybody else has written",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["exec"],
        quick: &["exec", "--quick"],
        random: false,
    },
    Gate {
        name: "sessions",
        about: "10,000 sessions over HTTP: at most 80 MB, calls within 20 ms, gone when left alone",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["sessions"],
        quick: &["sessions", "--quick"],
        random: true,
    },
    Gate {
        name: "streams",
        about: "2,000 subscriptions over HTTP: one change reaches all, a stalled reader hurts nobody",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["streams"],
        quick: &["streams", "--quick"],
        random: false,
    },
    Gate {
        name: "rebind",
        about: "60 hostile hosts, origins and types over 3 kinds of HTTP: no handler runs",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["rebind"],
        quick: &["rebind", "--quick"],
        random: false,
    },
    Gate {
        name: "http",
        about: "1,000 slow connections, smuggling, resets, swelling: cut off, and nobody else waits",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["http"],
        quick: &["http", "--quick"],
        random: false,
    },
    Gate {
        name: "shutdown",
        about: "500 requests in flight at SIGTERM, 100 times: each is answered",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["shutdown"],
        quick: &["shutdown", "--quick"],
        random: true,
    },
    Gate {
        name: "tenants",
        about: "50 principals who all use id 1 over shared connections and a gateway: no foreign byte",
        packages: &["docent-gates"],
        program: "docent-gates",
        full: &["tenants"],
        quick: &["tenants", "--quick"],
        random: false,
    },
];

pub(crate) fn find(name: &str) -> Option<&'static Gate> {
    GATES.iter().find(|gate| gate.name == name)
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (name, rest) = arguments.split_first().ok_or_else(|| format!("which gate? {}", names()))?;
    let gate = find(name).ok_or_else(|| format!("`{name}` is not a gate; {}", names()))?;
    let (mut quick, mut seed) = (false, None);
    let mut rest = rest.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--quick" => quick = true,
            "--seed" => {
                let number = rest.next().and_then(|number| number.parse().ok());
                seed = Some(number.ok_or("--seed needs a number")?);
            }
            unknown => return Err(format!("a gate has no option `{unknown}`")),
        }
    }
    measure(&Workspace::load()?, gate, quick, seed.unwrap_or_else(self::seed))
}

fn names() -> String {
    let names: Vec<&str> = GATES.iter().map(|gate| gate.name).collect();
    format!("gates: {}", names.join(", "))
}

/// Builds and runs a gate, and prints its result as the last line.
pub(crate) fn measure(workspace: &Workspace, gate: &Gate, quick: bool, seed: u64) -> Outcome {
    for package in gate.packages {
        build(package)?;
    }
    let release = release(workspace);
    let arguments = if quick { gate.quick } else { gate.full };
    let arguments =
        arguments.iter().map(|word| word.replace("{release}", &release.to_string_lossy()));
    let mut command = process::program(release.join(gate.program));
    command.args(arguments);
    if gate.random {
        println!("seed {seed}");
        command.arg("--seed").arg(seed.to_string());
    }
    let started = Instant::now();
    let (success, last) = watch(&mut command)?;
    let result = result(gate.name, success, &last, started.elapsed().as_secs_f64());
    println!("{result}");
    Ok(result["pass"] == true)
}

/// Builds one package alone: built together, packages share the features of their dependencies,
/// and what is measured would depend on what it was built with.
pub(crate) fn build(package: &str) -> Result<(), String> {
    build_with(package, &[])
}

pub(crate) fn build_with(package: &str, options: &[&str]) -> Result<(), String> {
    let build = ["build", "--quiet", "--release", "--package", package];
    process::run(process::cargo().args(build).args(options))
}

pub(crate) fn release(workspace: &Workspace) -> PathBuf {
    workspace.target.join("release")
}

/// A seed for a run that was given none.
pub(crate) fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_nanos())
}

/// Runs a program, passing its lines on, except the last, which is returned.
fn watch(command: &mut Command) -> Result<(bool, String), String> {
    let name = process::line(command);
    let failed = |error: std::io::Error| format!("`{name}`: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut last = String::new();
    for line in BufReader::new(child.stdout.take().ok_or("no stdout")?).lines() {
        let line = line.map_err(failed)?;
        if !last.is_empty() {
            println!("{last}");
        }
        last = line;
    }
    Ok((child.wait().map_err(failed)?.success(), last))
}

/// A gate passes when its program says so *and* ends well: silence is a failure.
fn result(name: &str, success: bool, last: &str, seconds: f64) -> Value {
    let mut said: Value = serde_json::from_str(last).unwrap_or_default();
    if !said.is_object() {
        said = json!({ "value": format!("no result, but: {last}") });
    }
    json!({
        "name": name,
        "pass": success && said["pass"] == true,
        "value": said["value"],
        "limit": said["limit"],
        "seconds": (seconds * 10.0).round() / 10.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(success: bool, last: &str, expected: &str) {
        assert_eq!(result("eof", success, last, 1.26).to_string(), expected);
    }

    #[test]
    fn a_gate_passes_when_its_program_says_so_and_ends_well() {
        let said = r#"{"pass":true,"value":0,"limit":0,"more":1}"#;
        check(true, said, r#"{"name":"eof","pass":true,"value":0,"limit":0,"seconds":1.3}"#);
        check(false, said, r#"{"name":"eof","pass":false,"value":0,"limit":0,"seconds":1.3}"#);
    }

    #[test]
    fn a_gate_that_fails_or_says_nothing_fails() {
        let said = r#"{"pass":false,"value":3,"limit":0}"#;
        check(true, said, r#"{"name":"eof","pass":false,"value":3,"limit":0,"seconds":1.3}"#);
        let silent = r#"{"name":"eof","pass":false,"value":"no result, but: oh","limit":null,"seconds":1.3}"#;
        check(true, "oh", silent);
    }

    #[test]
    fn unknown_gates_and_options_are_refused() {
        for (words, expected) in [
            (
                &["oef"][..],
                "`oef` is not a gate; gates: eof, children, cancel, secrets, oauth, ssrf, cache, crashloop, archives, \
                 parsers, exec, sessions, streams, rebind, http, shutdown, tenants",
            ),
            (
                &[],
                "which gate? gates: eof, children, cancel, secrets, oauth, ssrf, cache, crashloop, archives, \
                 parsers, exec, sessions, streams, rebind, http, shutdown, tenants",
            ),
            (&["eof", "--fast"], "a gate has no option `--fast`"),
            (&["eof", "--seed", "x"], "--seed needs a number"),
        ] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(run(&words), Err(expected.to_owned()));
        }
    }
}
