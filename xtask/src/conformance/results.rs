//! What the suite left behind: one folder for each scenario, with its checks and, for a client, with
//! what the client said.

use std::path::Path;

use serde_json::Value;

use super::{Run, Side};

/// How the suite names the check that it makes of every message, whatever the scenario is about.
const EVERY_MESSAGE: &str = "wire-schema-valid";

/// What a client says when it did what the scenario wants.
const DONE: &str = "done";

/// One scenario that was run.
#[derive(Debug, Default)]
pub(super) struct Ran {
    pub(super) side: Option<Side>,
    pub(super) scenario: String,
    pub(super) revision: &'static str,
    pub(super) passed: usize,
    /// What is wrong: checks that failed, a client that gave up, checks that are missing.
    pub(super) failed: Vec<String>,
    pub(super) warned: Vec<String>,
    /// Whether any check was made that belongs to this scenario.
    pub(super) examined: bool,
}

impl Ran {
    pub(super) fn good(&self) -> bool {
        self.failed.is_empty() && self.warned.is_empty()
    }

    fn count(&mut self, check: &Value) {
        let text = |key: &str| check[key].as_str().unwrap_or_default();
        let told =
            || format!("{}: {}", text("id"), first_line(text("errorMessage"), text("description")));
        match text("status") {
            "SUCCESS" => self.passed += 1,
            "FAILURE" => self.failed.push(told()),
            "WARNING" => self.warned.push(told()),
            _ => return,
        }
        self.examined |= text("id") != EVERY_MESSAGE;
    }
}

fn first_line<'a>(message: &'a str, otherwise: &'a str) -> &'a str {
    let text = if message.is_empty() { otherwise } else { message };
    text.lines().next().unwrap_or_default()
}

/// Everything that a run left below `output`.
pub(super) fn read(run: &Run, output: &Path) -> Result<Vec<Ran>, String> {
    let mut found = Vec::new();
    for (name, folder) in folders(output)? {
        let Some(scenario) = scenario(run.side, &name) else { continue };
        found.push(one(run, scenario, &folder)?);
    }
    found.sort_by(|a, b| a.scenario.cmp(&b.scenario));
    Ok(found)
}

fn one(run: &Run, scenario: &str, folder: &Path) -> Result<Ran, String> {
    let mut ran = Ran {
        side: Some(run.side),
        scenario: scenario.to_owned(),
        revision: run.revision,
        ..Ran::default()
    };
    match std::fs::read_to_string(folder.join("checks.json")) {
        Ok(text) => {
            let checks: Vec<Value> = serde_json::from_str(&text)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
            checks.iter().for_each(|check| ran.count(check));
        }
        Err(_) => ran.failed.push("the suite could not run it".to_owned()),
    }
    if run.side == Side::Client {
        let said = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        if said("stdout.txt").trim() != DONE {
            let reason = said("stderr.txt");
            ran.failed.push(format!("the client did not finish: {}", reason.trim()));
        }
    }
    Ok(ran)
}

/// The folders with results, by their path below `output`. Scenarios with a `/` in their name have
/// one folder inside of another.
fn folders(output: &Path) -> Result<Vec<(String, std::path::PathBuf)>, String> {
    let (mut found, mut open) = (Vec::new(), vec![(String::new(), output.to_path_buf())]);
    while let Some((prefix, folder)) = open.pop() {
        let entries = std::fs::read_dir(&folder);
        let entries = entries.map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            match has_time(&name) {
                true => found.push((name, entry.path())),
                false => open.push((format!("{name}/"), entry.path())),
            }
        }
    }
    Ok(found)
}

/// The end of a folder's name, when the scenario began: `-2026-11-16T04-19-44-123Z`.
const TIME_LENGTH: usize = 25;

fn has_time(name: &str) -> bool {
    let time = name.len().checked_sub(TIME_LENGTH).and_then(|at| name.get(at..));
    time.is_some_and(|time| time.starts_with("-2") && time.ends_with('Z'))
}

fn scenario(side: Side, folder: &str) -> Option<&str> {
    let name = folder.get(..folder.len().checked_sub(TIME_LENGTH)?)?;
    match side {
        Side::Server => name.strip_prefix("server-"),
        Side::Authorization => name.strip_prefix("authorization-server-"),
        Side::Client => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Selection;
    use super::*;

    #[test]
    fn folders_are_named_after_scenarios() {
        let time = "-2026-11-16T04-19-44-123Z";
        for (side, folder, name) in [
            (Side::Server, format!("server-ping{time}"), Some("ping")),
            (Side::Client, format!("auth/dpop{time}"), Some("auth/dpop")),
            (Side::Authorization, format!("authorization-server-x{time}"), Some("x")),
            (Side::Server, format!("ping{time}"), None),
        ] {
            assert!(has_time(&folder));
            assert_eq!(scenario(side, &folder), name, "{folder}");
        }
        assert!(!has_time("auth"));
    }

    #[test]
    fn checks_are_counted_by_their_status() {
        let check =
            |id: &str, status: &str| json!({ "id": id, "status": status, "description": "d" });
        let mut ran = Ran::default();
        for status in ["SUCCESS", "INFO", "SKIPPED"] {
            ran.count(&check(EVERY_MESSAGE, status));
        }
        assert!(ran.good() && !ran.examined, "nothing of the scenario itself was checked");
        for status in ["SUCCESS", "WARNING", "FAILURE"] {
            ran.count(&check("a", status));
        }
        assert_eq!(
            (ran.passed, ran.failed, ran.warned),
            (2, vec!["a: d".to_owned()], vec!["a: d".to_owned()])
        );
        assert!(ran.examined);
    }

    #[test]
    fn a_client_that_says_nothing_did_not_finish() {
        let folder =
            std::env::temp_dir().join(format!("docent-conformance-{}", std::process::id()));
        let inner = folder.join("auth/x-2026-11-16T04-19-44-123Z");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(inner.join("checks.json"), r#"[{"id":"a","status":"SUCCESS"}]"#).unwrap();
        let run = Run::new(Side::Client, super::super::NEWEST, Selection::All);
        let found = read(&run, &folder).unwrap();
        assert_eq!(found[0].scenario, "auth/x");
        assert_eq!(found[0].failed, ["the client did not finish: "]);
        std::fs::write(inner.join("stdout.txt"), "done\n").unwrap();
        assert!(read(&run, &folder).unwrap()[0].good());
        std::fs::remove_file(inner.join("checks.json")).unwrap();
        assert_eq!(read(&run, &folder).unwrap()[0].failed, ["the suite could not run it"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
