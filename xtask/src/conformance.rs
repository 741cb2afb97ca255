//! `cargo xtask conformance`: the official conformance suite of MCP against the fixtures of
//! `conformance/`, as one table.
//!
//! The suite's own exit status counts only what a revision requires, and no warnings; here every
//! check of every scenario counts. `conformance/expected.txt` names what may still fail, and an
//! entry that is no longer true fails the run too.

mod expected;
mod results;
mod server;
mod suite;
mod table;

use std::fmt;
use std::path::Path;
use std::time::Instant;

use self::expected::Expected;
use self::results::Ran;
use self::server::Fixture;
use self::suite::Suite;
use crate::workspace::Workspace;
use crate::{Outcome, process};

/// Which side of the protocol is examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Server,
    Client,
    /// The authorization server of the test kit.
    Authorization,
}

impl Side {
    const ALL: [Side; 3] = [Side::Server, Side::Client, Side::Authorization];
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Server => "server",
            Side::Client => "client",
            Side::Authorization => "authorization",
        })
    }
}

/// The revisions that the suite knows. It does not know 2024-11-05.
const REVISIONS: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// The revision that extensions are tried with.
const NEWEST: &str = REVISIONS[3];

/// Which scenarios one run of the suite is for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Selection {
    /// What a revision requires, and what its set reports beside that.
    Requirements,
    /// Everything that the suite has for a revision without a set of its own.
    All,
    /// One scenario.
    One(String),
}

/// One run of the suite.
#[derive(Clone, Debug)]
struct Run {
    side: Side,
    revision: &'static str,
    selection: Selection,
}

impl Run {
    fn new(side: Side, revision: &'static str, selection: Selection) -> Run {
        Run { side, revision, selection }
    }

    /// Its name, also that of its folder.
    fn name(&self) -> String {
        let name = format!("{}-{}", self.side, self.revision);
        match &self.selection {
            Selection::One(scenario) => format!("{name}-{}", scenario.replace('/', "-")),
            Selection::Requirements | Selection::All => name,
        }
    }
}

/// What was asked for on the command line.
struct Wish {
    sides: Vec<Side>,
    scenario: Option<String>,
    /// The server is examined through the gateway.
    gateway: bool,
}

impl Wish {
    /// Whether it is a wish for everything.
    fn is_complete(&self) -> bool {
        self.scenario.is_none() && self.sides.len() == Side::ALL.len()
    }
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let wish = read(arguments)?;
    let workspace = Workspace::load()?;
    match Suite::install(&workspace)? {
        Ok(suite) => {
            let (ran, good) = examine(&workspace, &suite, &wish)?;
            if good && wish.is_complete() {
                write_document(&workspace, &wish, &ran)?;
            }
            Ok(good)
        }
        Err(reason) => Err(reason),
    }
}

/// Runs everything, for `cargo xtask test`. The inner error says what this machine lacks.
pub(crate) fn all(workspace: &Workspace) -> Result<Result<bool, String>, String> {
    fulfill(workspace, &Wish { sides: Side::ALL.into(), scenario: None, gateway: false })
}

/// The same for the server behind the gateway.
pub(crate) fn through_gateway(workspace: &Workspace) -> Result<Result<bool, String>, String> {
    fulfill(workspace, &Wish { sides: vec![Side::Server], scenario: None, gateway: true })
}

fn fulfill(workspace: &Workspace, wish: &Wish) -> Result<Result<bool, String>, String> {
    match Suite::install(workspace)? {
        Ok(suite) => examine(workspace, &suite, wish).map(|(_, good)| Ok(good)),
        Err(reason) => Ok(Err(reason)),
    }
}

fn read(arguments: &[String]) -> Result<Wish, String> {
    let mut wish = Wish { sides: Side::ALL.into(), scenario: None, gateway: false };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--server" => wish.sides = vec![Side::Server],
            "--client" => wish.sides = vec![Side::Client],
            "--authorization" => wish.sides = vec![Side::Authorization],
            "--gateway" => {
                wish.sides = vec![Side::Server];
                wish.gateway = true;
            }
            "--scenario" => {
                let name = words.next().ok_or("`--scenario` needs the name of a scenario")?;
                wish.scenario = Some(name.clone());
            }
            unknown => {
                return Err(format!("`{unknown}` is not understood; see `cargo xtask help`"));
            }
        }
    }
    Ok(wish)
}

/// Runs what was wished for and prints the table; `false` when something is wrong.
fn examine(workspace: &Workspace, suite: &Suite, wish: &Wish) -> Result<(Vec<Ran>, bool), String> {
    let started = Instant::now();
    let runs = plan(suite, wish)?;
    process::run(process::cargo().args(["build", "--package", "docent-conformance"]))?;
    if wish.gateway {
        let example = ["build", "--package", "docent-host", "--example", "gateway"];
        process::run(process::cargo().args(example))?;
    }
    let programs = workspace.target.join("debug");
    let folder = workspace.target.join("conformance");
    let ran = perform(suite, &programs, &folder, &runs, wish.gateway)?;
    let good =
        table::print(&ran, &expected(workspace, wish)?, wish.scenario.is_none(), &wish.sides);
    let seconds = started.elapsed().as_secs();
    println!("{seconds} s; what was said is kept in {}", folder.display());
    Ok((ran, good))
}

fn expected(workspace: &Workspace, wish: &Wish) -> Result<Expected, String> {
    let file = match wish.gateway {
        true => "conformance/expected-gateway.txt",
        false => "conformance/expected.txt",
    };
    Expected::load(&workspace.root.join(file))
}

fn write_document(workspace: &Workspace, wish: &Wish, ran: &[Ran]) -> Result<(), String> {
    let path = workspace.root.join("docs/tables/conformance.md");
    let text = table::document(ran, &expected(workspace, wish)?);
    std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The runs that a wish takes: as few as possible, for the suite starts slowly.
fn plan(suite: &Suite, wish: &Wish) -> Result<Vec<Run>, String> {
    let mut runs = Vec::new();
    for &side in &wish.sides {
        let scenarios = suite.scenarios(side)?;
        match &wish.scenario {
            Some(name) => {
                let known = scenarios.iter().filter(|scenario| scenario.name == *name);
                runs.extend(known.flat_map(|scenario| {
                    let revisions = REVISIONS.into_iter().filter(|one| scenario.applies(one));
                    revisions.map(|one| Run::new(side, one, Selection::One(name.clone())))
                }));
            }
            // These have no sets of requirements.
            None if side == Side::Authorization => {
                let all = REVISIONS.into_iter();
                runs.extend(all.map(|one| Run::new(side, one, Selection::All)));
            }
            // What each set requires; extensions other than tasks do not pass the gateway.
            None if wish.gateway => {
                runs.push(Run::new(side, REVISIONS[2], Selection::Requirements));
                runs.push(Run::new(side, REVISIONS[3], Selection::Requirements));
            }
            None => {
                runs.push(Run::new(side, REVISIONS[0], Selection::All));
                runs.push(Run::new(side, REVISIONS[1], Selection::All));
                runs.push(Run::new(side, REVISIONS[2], Selection::Requirements));
                runs.push(Run::new(side, REVISIONS[3], Selection::Requirements));
                // The sets leave out what is still in review.
                let skills = scenarios.iter().filter(|one| one.name.starts_with("sep-2640-"));
                runs.extend(
                    skills.map(|one| Run::new(side, NEWEST, Selection::One(one.name.clone()))),
                );
            }
        }
    }
    match runs.is_empty() {
        true => Err("the suite has no such scenario".to_owned()),
        false => Ok(runs),
    }
}

fn perform(
    suite: &Suite,
    programs: &Path,
    folder: &Path,
    runs: &[Run],
    gateway: bool,
) -> Result<Vec<Ran>, String> {
    let start = |side, program| match runs.iter().any(|run| run.side == side) {
        true => Fixture::start(&programs.join(program)).map(Some),
        false => Ok(None),
    };
    let server = start(Side::Server, "conformance-server")?;
    let authority = start(Side::Authorization, "conformance-authority")?;
    let before = match (gateway, &server) {
        (true, Some(server)) => Some(Fixture::before(&programs.join("examples/gateway"), server)?),
        _ => None,
    };
    let examined = before.as_ref().or(server.as_ref());
    let mut ran = Vec::new();
    for run in runs {
        let started = Instant::now();
        let output = folder.join(run.name());
        let fixture = match run.side {
            Side::Server => examined,
            Side::Authorization => authority.as_ref(),
            Side::Client => None,
        };
        let target = fixture.map_or("./conformance-client", |fixture| fixture.url.as_str());
        let scenarios = suite.run(run, target, programs, &output)?;
        let found = results::read(run, &output)?;
        println!(
            "{}: {} scenarios in {:.1} s",
            run.name(),
            found.len(),
            started.elapsed().as_secs_f64()
        );
        if found.len() != scenarios {
            return Err(format!(
                "{}: the suite began {scenarios} scenarios and left results of {}; see {}",
                run.name(),
                found.len(),
                output.display()
            ));
        }
        ran.extend(found);
    }
    Ok(ran)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn all_sides_are_examined_unless_one_is_named() {
        assert_eq!(read(&[]).unwrap().sides, Side::ALL);
        let wish = read(&words("--client --scenario initialize")).unwrap();
        assert_eq!(
            (wish.sides, wish.scenario.as_deref()),
            (vec![Side::Client], Some("initialize"))
        );
        assert!(read(&words("--scenario")).is_err());
        assert!(read(&words("--fast")).is_err());
    }

    #[test]
    fn a_run_is_named_after_what_it_runs() {
        let run = |selection| Run::new(Side::Client, NEWEST, selection).name();
        assert_eq!(run(Selection::Requirements), "client-2026-07-28");
        assert_eq!(run(Selection::One("auth/dpop".into())), "client-2026-07-28-auth-dpop");
    }
}
