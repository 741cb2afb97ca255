//! `cargo xtask test`: everything CI checks, as one list of steps.
//!
//! All steps run even after one has failed, so that one run shows everything there is to mend;
//! only what cannot be built is left alone, because it would repeat the same errors each time.

use std::process::Command;
use std::time::Instant;

use crate::peers::{self, PEERS, State};
use crate::workspace::Workspace;
use crate::{Outcome, conformance, gate, process, tidy};

/// How a step ended. The texts say how to see a failure again, or why a step was left out.
enum End {
    Passed,
    Failed(String),
    Skipped(String),
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    crate::accept(arguments, &["--fast"])?;
    let fast = arguments.iter().any(|argument| argument == "--fast");
    let workspace = Workspace::load()?;
    let all = selection(&workspace);
    let cargo = |words: &str| cargo(&words.replace("ALL", &all));

    let mut steps = Steps { fast, ..Steps::default() };
    steps.always("format", || cargo("fmt --all --check").end());
    steps.always("tidy", || end("cargo xtask tidy", tidy::run(&[])));
    steps.build("build tests and examples", || cargo("test ALL --all-features --no-run").end());
    steps.built("lint", || {
        cargo("clippy ALL --all-targets --all-features -- --deny warnings").end()
    });
    steps.built("unit, integration and doc tests", || {
        cargo("test ALL --all-features --no-fail-fast").end()
    });
    steps.slow("without default features", || {
        cargo("clippy --package docent-mcp --no-default-features -- --deny warnings").end()
    });
    steps.slow("documentation", || {
        cargo("doc ALL --all-features --no-deps").env("RUSTDOCFLAGS", "--deny warnings").end()
    });
    for peer in PEERS {
        steps.slow(&format!("install peer: {}", peer.name), || match peer.install(&workspace) {
            Ok(State::Ready) => End::Passed,
            Ok(State::Skipped(reason)) => End::Skipped(reason),
            Err(reason) => End::Failed(reason),
        });
    }
    steps.slow("interoperability", || {
        let peers = peers::folder(&workspace);
        // Built with the tests, because the tests of its own package run it.
        let docent = workspace.target.join("debug/docent");
        let tests = cargo("test --package docent-interop").env(peers::VARIABLE, peers);
        tests.env("DOCENT_PROGRAM", docent).end()
    });
    let verdict = |again: &str, ran: Result<Outcome, String>| match ran {
        Ok(Err(reason)) => End::Skipped(reason),
        Ok(Ok(good)) => end(again, Ok(good)),
        Err(reason) => end(again, Err(reason)),
    };
    steps.slow("conformance", || verdict("cargo xtask conformance", conformance::all(&workspace)));
    steps.slow("conformance through the gateway", || {
        let ran = conformance::through_gateway(&workspace);
        verdict("cargo xtask conformance --gateway", ran)
    });
    for gate in gate::GATES {
        let seed = gate::seed();
        let again = format!("cargo xtask gate {} --quick --seed {seed}", gate.name);
        steps.slow(&format!("gate: {}", gate.name), || {
            end(&again, gate::measure(&workspace, gate, true, seed))
        });
    }
    Ok(steps.summary())
}

/// Every package but those that only measure: they build other SDKs, and gates build them anyway.
fn selection(workspace: &Workspace) -> String {
    let excluded = workspace.benches().map(|name| format!(" --exclude {name}"));
    format!("--workspace{}", excluded.collect::<String>())
}

/// A cargo command that is remembered as it was written.
struct Cargo {
    command: Command,
    variables: String,
}

fn cargo(words: &str) -> Cargo {
    let mut command = process::cargo();
    command.args(words.split_whitespace());
    Cargo { command, variables: String::new() }
}

impl Cargo {
    fn env(mut self, key: &str, value: impl AsRef<std::path::Path>) -> Cargo {
        let value = value.as_ref();
        self.command.env(key, value);
        self.variables += &format!("{key}='{}' ", value.display());
        self
    }

    /// What to type to run it again.
    fn again(&self) -> String {
        format!("{}{}", self.variables, process::line(&self.command))
    }

    fn end(mut self) -> End {
        let again = self.again();
        end(&again, Ok(process::run(&mut self.command).is_ok()))
    }
}

fn end(again: &str, outcome: Outcome) -> End {
    match outcome {
        Ok(true) => End::Passed,
        Ok(false) => End::Failed(format!("again: {again}")),
        Err(reason) => End::Failed(format!("{reason}\n    again: {again}")),
    }
}

/// Runs steps and keeps their ends.
#[derive(Default)]
struct Steps {
    fast: bool,
    unbuildable: bool,
    ended: Vec<(String, End)>,
}

impl Steps {
    fn always(&mut self, name: &str, step: impl FnOnce() -> End) {
        println!("\n== {name}");
        let started = Instant::now();
        let end = step();
        let word = match &end {
            End::Passed => "passed".to_owned(),
            End::Failed(_) => "FAILED".to_owned(),
            End::Skipped(reason) => format!("skipped: {reason}"),
        };
        println!("== {name}: {word} ({:.1} s)", started.elapsed().as_secs_f64());
        self.ended.push((name.to_owned(), end));
    }

    /// A step without which those that need a build make no sense.
    fn build(&mut self, name: &str, step: impl FnOnce() -> End) {
        self.always(name, step);
        self.unbuildable = matches!(self.ended.last(), Some((_, End::Failed(_))));
    }

    fn built(&mut self, name: &str, step: impl FnOnce() -> End) {
        if self.unbuildable {
            self.always(name, || End::Skipped("the build failed".into()));
        } else {
            self.always(name, step);
        }
    }

    /// A step that needs a build and that `--fast` leaves out.
    fn slow(&mut self, name: &str, step: impl FnOnce() -> End) {
        if self.fast {
            self.always(name, || End::Skipped("--fast".into()));
        } else {
            self.built(name, step);
        }
    }

    /// Prints what needs attention and, as the last line, the counts.
    fn summary(&self) -> bool {
        println!();
        let [mut passed, mut failed, mut skipped] = [0; 3];
        for (name, end) in &self.ended {
            match end {
                End::Passed => passed += 1,
                End::Skipped(reason) => {
                    skipped += 1;
                    println!("skipped: {name}: {reason}");
                }
                End::Failed(reason) => {
                    failed += 1;
                    println!("FAILED: {name}: {reason}");
                }
            }
        }
        println!("{passed} passed, {failed} failed, {skipped} skipped");
        failed == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Package;

    fn ends(steps: &Steps) -> Vec<String> {
        let text = |(name, end): &(String, End)| match end {
            End::Passed => format!("{name}: passed"),
            End::Failed(reason) => format!("{name}: failed, {reason}"),
            End::Skipped(reason) => format!("{name}: skipped, {reason}"),
        };
        steps.ended.iter().map(text).collect()
    }

    #[test]
    fn a_failure_does_not_stop_the_rest_unless_nothing_can_be_built() {
        let mut steps = Steps::default();
        steps.always("a", || end("x", Ok(false)));
        steps.built("b", || end("x", Ok(true)));
        steps.build("c", || end("x", Err("why".into())));
        steps.built("d", || unreachable!());
        steps.slow("e", || unreachable!());
        assert!(!steps.summary());
        assert_eq!(
            ends(&steps),
            [
                "a: failed, again: x",
                "b: passed",
                "c: failed, why\n    again: x",
                "d: skipped, the build failed",
                "e: skipped, the build failed",
            ]
        );
    }

    #[test]
    fn what_fast_leaves_out_is_named() {
        let mut steps = Steps { fast: true, ..Steps::default() };
        steps.slow("a", || unreachable!());
        assert!(steps.summary());
        assert_eq!(ends(&steps), ["a: skipped, --fast"]);
    }

    #[test]
    fn packages_that_only_measure_are_left_out() {
        let package = |name: &str, folder: &str| Package {
            name: name.into(),
            folder: folder.into(),
            ..Package::default()
        };
        let packages =
            vec![package("a", "bench"), package("b", "bench/b"), package("c", "crates/bench")];
        let workspace = Workspace { packages, ..Workspace::default() };
        assert_eq!(selection(&workspace), "--workspace --exclude a --exclude b");
    }

    #[test]
    fn a_failed_command_can_be_repeated_as_printed() {
        let again = cargo("test --workspace").env("A", "b c").again();
        assert_eq!(again, "A='b c' cargo test --workspace");
    }
}
