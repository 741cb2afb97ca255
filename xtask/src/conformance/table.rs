//! The table, and the verdict on it.

use std::collections::{BTreeMap, BTreeSet};

use super::expected::{Expected, Kind};
use super::results::Ran;
use super::{REVISIONS, Side};

/// Prints what was found and returns whether all of it is good. `complete` says that every scenario
/// was run, so that entries of `expected` for scenarios that are gone can be told.
pub(super) fn print(ran: &[Ran], expected: &Expected, complete: bool, sides: &[Side]) -> bool {
    println!("\npassed/failed/warnings of each scenario and revision\n");
    for line in lines(ran, expected) {
        println!("{line}");
    }
    let problems = problems(ran, expected, complete, sides);
    for problem in &problems {
        println!("{problem}");
    }
    let checks: usize = ran.iter().map(|ran| ran.passed).sum();
    let words = match problems.len() {
        0 => "no problems".to_owned(),
        1 => "1 problem".to_owned(),
        more => format!("{more} problems"),
    };
    println!("\n{} scenarios, {checks} checks passed, {words}", ran.len());
    problems.is_empty()
}

/// Whether something other than what is expected happened.
fn surprising(ran: &Ran, expected: Option<Kind>) -> bool {
    match expected {
        Some(Kind::Failing) => false,
        Some(Kind::Skipped) => !ran.good(),
        None => !ran.good() || !ran.examined,
    }
}

/// The rows of a table: scenarios of a side with a cell for each revision.
type Rows<'a> = BTreeMap<(Option<Side>, &'a str), BTreeMap<&'a str, String>>;

fn rows(ran: &[Ran]) -> Rows<'_> {
    let mut rows = Rows::new();
    for one in ran {
        let cells = rows.entry((one.side, &one.scenario)).or_default();
        cells.insert(one.revision, cell(one));
    }
    rows
}

fn note(expected: &Expected, side: Option<Side>, scenario: &str) -> &'static str {
    match side.and_then(|side| expected.of(side, scenario)) {
        Some(Kind::Failing) => "expected",
        Some(Kind::Skipped) => "skipped by the suite",
        None => "",
    }
}

fn lines(ran: &[Ran], expected: &Expected) -> Vec<String> {
    let rows = rows(ran);
    let width = rows.keys().map(|(_, name)| name.len()).max().unwrap_or_default().max(6);
    let mut lines = Vec::new();
    let mut last = None;
    for ((side, name), cells) in &rows {
        if last != Some(*side) {
            let title = side.map(|side| side.to_string()).unwrap_or_default();
            let revisions = REVISIONS.map(|one| format!("{one:>12}")).concat();
            lines.push(format!("{title:<width$}{revisions}"));
            last = Some(*side);
        }
        let cell = |one: &str| format!("{:>12}", cells.get(one).map_or("", String::as_str));
        let (cells, note) = (REVISIONS.map(cell).concat(), note(expected, *side, name));
        lines.push(format!("{name:<width$}{cells}  {note}").trim_end().to_owned());
    }
    lines
}

/// The table as a document.
pub(super) fn document(ran: &[Ran], expected: &Expected) -> String {
    let mut text = "# What the conformance suite says\n\nWritten by `cargo xtask conformance`; \
        [conformance.md](../conformance.md) tells how to read it. Each cell has the\nnumbers of \
        checks that passed, failed and warned.\n"
        .to_owned();
    let mut last = None;
    for ((side, name), cells) in &rows(ran) {
        if last != Some(*side) {
            let title = side.map(|side| side.to_string()).unwrap_or_default();
            text += &format!("\n## {title}\n\n| scenario | {} | |\n", REVISIONS.join(" | "));
            text += &format!("|---|{}---|\n", "---:|".repeat(REVISIONS.len()));
            last = Some(*side);
        }
        let cell = |one: &str| cells.get(one).map_or("", String::as_str).to_owned();
        let note = note(expected, *side, name);
        text += &format!("| {name} | {} | {note} |\n", REVISIONS.map(cell).join(" | "));
    }
    text
}

fn cell(ran: &Ran) -> String {
    match ran.examined || !ran.good() {
        true => format!("{}/{}/{}", ran.passed, ran.failed.len(), ran.warned.len()),
        false => "no checks".to_owned(),
    }
}

fn problems(ran: &[Ran], expected: &Expected, complete: bool, sides: &[Side]) -> Vec<String> {
    let mut problems = Vec::new();
    for one in ran {
        let Some(side) = one.side else { continue };
        if !surprising(one, expected.of(side, &one.scenario)) {
            continue;
        }
        let mut text = format!("\n{side} {} {}", one.scenario, one.revision);
        let found = one.failed.iter().map(|what| format!("\n  failed: {what}"));
        text.extend(found.chain(one.warned.iter().map(|what| format!("\n  warning: {what}"))));
        if one.good() {
            text += "\n  no check was made";
        }
        problems.push(text);
    }
    let seen: BTreeSet<_> = ran.iter().map(|one| (one.side, one.scenario.as_str())).collect();
    let entries = expected.0.iter().filter(|entry| sides.contains(&entry.side));
    for entry in entries {
        let key = (Some(entry.side), entry.scenario.as_str());
        let mut same = ran.iter().filter(|one| (one.side, one.scenario.as_str()) == key);
        let stale = match entry.kind {
            Kind::Failing => same.all(|one| one.good() && one.examined),
            Kind::Skipped => same.any(|one| one.examined),
        };
        if (complete || seen.contains(&key)) && stale {
            problems.push(format!(
                "\n{} {}: conformance/expected.txt says otherwise; remove the line",
                entry.side, entry.scenario
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::expected::Entry;
    use super::*;

    fn ran(scenario: &str, passed: usize, failed: &[&str], warned: &[&str]) -> Ran {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        Ran {
            side: Some(Side::Server),
            scenario: scenario.to_owned(),
            revision: REVISIONS[3],
            passed,
            failed: texts(failed),
            warned: texts(warned),
            examined: passed + failed.len() + warned.len() > 0,
        }
    }

    fn expected(kind: Kind, scenario: &str) -> Expected {
        Expected(vec![Entry { kind, side: Side::Server, scenario: scenario.to_owned() }])
    }

    fn found(ran: &[Ran], expected: &Expected) -> Vec<String> {
        problems(ran, expected, true, &[Side::Server])
    }

    #[test]
    fn failures_warnings_and_missing_checks_are_problems() {
        let none = Expected::default();
        assert!(found(&[ran("a", 1, &[], &[])], &none).is_empty());
        for one in [ran("a", 1, &["x"], &[]), ran("a", 1, &[], &["x"]), ran("a", 0, &[], &[])] {
            assert_eq!(found(&[one], &none).len(), 1);
        }
    }

    #[test]
    fn what_is_expected_is_no_problem_until_it_is_no_longer_true() {
        let failing = expected(Kind::Failing, "a");
        assert!(found(&[ran("a", 1, &["x"], &[])], &failing).is_empty());
        assert_eq!(found(&[ran("a", 1, &[], &[])], &failing).len(), 1);
        assert_eq!(found(&[], &failing).len(), 1, "a scenario that is gone");
        let skipped = expected(Kind::Skipped, "a");
        assert!(found(&[ran("a", 0, &[], &[])], &skipped).is_empty());
        assert_eq!(found(&[ran("a", 1, &[], &[])], &skipped).len(), 1);
    }

    #[test]
    fn the_table_has_a_row_for_each_scenario() {
        let lines =
            lines(&[ran("a", 3, &["x"], &[]), ran("bb", 0, &[], &[])], &Expected::default());
        assert!(lines[0].starts_with("server "), "{lines:?}");
        assert!(lines[1].starts_with("a ") && lines[1].ends_with("3/1/0"), "{lines:?}");
        assert!(lines[2].ends_with("no checks"), "{lines:?}");
        let document = document(&[ran("a", 3, &[], &[])], &expected(Kind::Failing, "a"));
        assert!(document.contains("\n## server\n"), "{document}");
        assert!(document.contains("\n| a |  |  |  | 3/0/0 | expected |\n"), "{document}");
    }
}
