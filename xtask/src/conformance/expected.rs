//! What may fail for now: `conformance/expected.txt`, one line with a reason for each scenario.

use std::path::Path;

use super::Side;

/// Why a scenario does not have to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It fails, because something is not built yet.
    Failing,
    /// The suite makes no check in it.
    Skipped,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) side: Side,
    pub(super) scenario: String,
}

/// The whole file.
#[derive(Debug, Default)]
pub(super) struct Expected(pub(super) Vec<Entry>);

impl Expected {
    pub(super) fn load(path: &Path) -> Result<Expected, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Expected::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn parse(text: &str) -> Result<Expected, String> {
        let lines = text.lines().enumerate();
        let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let entries = lines.map(|(index, line)| {
            entry(line).ok_or_else(|| {
                format!(
                    "line {}: write `failing|skipped server|client|authorization SCENARIO: REASON`",
                    index + 1
                )
            })
        });
        entries.collect::<Result<_, _>>().map(Expected)
    }

    pub(super) fn of(&self, side: Side, scenario: &str) -> Option<Kind> {
        let same = |entry: &&Entry| entry.side == side && entry.scenario == scenario;
        self.0.iter().find(same).map(|entry| entry.kind)
    }
}

fn entry(line: &str) -> Option<Entry> {
    let (head, reason) = line.split_once(": ")?;
    let mut words = head.split_whitespace();
    let kind = match words.next()? {
        "failing" => Kind::Failing,
        "skipped" => Kind::Skipped,
        _ => return None,
    };
    let side = match words.next()? {
        "server" => Side::Server,
        "client" => Side::Client,
        "authorization" => Side::Authorization,
        _ => return None,
    };
    let scenario = words.next()?.to_owned();
    let complete = words.next().is_none() && !reason.trim().is_empty();
    complete.then_some(Entry { kind, side, scenario })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_says_what_where_and_why() {
        let text =
            "# comment\n\nfailing client auth/dpop: not built\nskipped server x: no checks\n";
        let expected = Expected::parse(text).unwrap();
        assert_eq!(expected.of(Side::Client, "auth/dpop"), Some(Kind::Failing));
        assert_eq!(expected.of(Side::Server, "auth/dpop"), None);
        assert_eq!(expected.of(Side::Server, "x"), Some(Kind::Skipped));
        for bad in ["failing client x", "failing client x: ", "wrong client x: y", "failing x: y"] {
            assert!(Expected::parse(bad).is_err(), "{bad}");
        }
    }
}
