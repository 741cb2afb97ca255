//! A record, taken apart: sessions, and the steps of each.
//!
//! A record that was written by one run of `docent tap` after the other, or by several at a time,
//! holds several sessions, each with ids of its own. Their lines say to which they belong; those of
//! older records do not, and are told apart by what cannot happen within one session.

use std::collections::{HashSet, VecDeque};

use serde_json::Value;

use crate::failure::Failure;

/// What happened, in its order: only that says which answers the client waited for.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    Sent(Value),
    Answered(Value),
}

/// One conversation with one server, from its start to its end.
#[derive(Debug, Default)]
pub(super) struct Session {
    name: Option<String>,
    pub(super) steps: VecDeque<Step>,
    /// The ids of the client's requests so far, as text.
    ids: HashSet<String>,
    /// When the last message passed, since the start.
    ms: u64,
}

/// The sessions in the order in which they began.
pub(super) fn sessions(text: &str) -> Result<Vec<Session>, Failure> {
    let mut sessions: Vec<Session> = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let entry: Value = serde_json::from_str(line).map_err(|error| {
            Failure::new(format!("line {} of the record is damaged: {error}", number + 1))
        })?;
        let Some(message) = entry.get("message") else { continue };
        let at = match entry.get("session").and_then(Value::as_str) {
            Some(name) => sessions.iter().position(|one| one.name.as_deref() == Some(name)),
            None => {
                let last = sessions.len().checked_sub(1);
                last.filter(|at| sessions[*at].name.is_none() && sessions[*at].goes_on(&entry))
            }
        };
        let at = at.unwrap_or_else(|| {
            let name = entry.get("session").and_then(Value::as_str).map(str::to_owned);
            sessions.push(Session { name, ..Session::default() });
            sessions.len() - 1
        });
        sessions[at].add(&entry, message);
    }
    Ok(sessions)
}

impl Session {
    /// Whether a line that does not say where it belongs can be the next one here.
    fn goes_on(&self, entry: &Value) -> bool {
        // The clock starts with the tap. No client uses an id twice.
        ms(entry) >= self.ms && request(entry).is_none_or(|id| !self.ids.contains(&id))
    }

    fn add(&mut self, entry: &Value, message: &Value) {
        self.ms = ms(entry);
        self.ids.extend(request(entry));
        match entry.get("from").and_then(Value::as_str) {
            Some("client") => self.steps.push_back(Step::Sent(message.clone())),
            _ if message.get("method").is_none() => {
                self.steps.push_back(Step::Answered(message.clone()));
            }
            _ => {}
        }
    }
}

fn ms(entry: &Value) -> u64 {
    entry.get("ms").and_then(Value::as_u64).unwrap_or_default()
}

/// The id of a request that the client made.
fn request(entry: &Value) -> Option<String> {
    let message = entry.get("message").filter(|_| entry.get("from") == Some(&"client".into()))?;
    message.get("method")?;
    message.get("id").map(Value::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many steps each session of a record has; a line is `session ms from id`, or `-` for a
    /// record without names.
    fn check(lines: &[&str], expected: &[usize]) {
        let line = |line: &&str| {
            let [session, ms, from, id] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let session =
                if session == "-" { String::new() } else { format!(r#""session":"{session}","#) };
            let what = if from == "client" { r#""method":"ping""# } else { r#""result":{}"# };
            format!(r#"{{{session}"ms":{ms},"from":"{from}","message":{{"id":{id},{what}}}}}"#)
        };
        let text: Vec<String> = lines.iter().map(line).collect();
        let found = sessions(&text.join("\n")).unwrap_or_else(|failure| panic!("{failure}"));
        let steps: Vec<usize> = found.iter().map(|session| session.steps.len()).collect();
        assert_eq!(steps, expected, "{lines:?}");
    }

    #[test]
    fn lines_say_where_they_belong() {
        check(&["a 1 client 1", "b 0 client 1", "a 2 server 1", "b 3 server 1"], &[2, 2]);
        check(&["a 1 client 1", "a 0 client 2", "b 9 client 3"], &[2, 1]);
        check(&[], &[]);
    }

    #[test]
    fn older_records_are_told_apart_by_ids_and_clocks() {
        check(&["- 0 client 1", "- 1 server 1", "- 1 client 2", "- 2 server 2"], &[4]);
        // The same id again, long after.
        check(&["- 0 client 1", "- 1 server 1", "- 9 client 1", "- 9 server 1"], &[2, 2]);
        // A clock that starts anew.
        check(&["- 5 client 1", "- 5 server 1", "- 0 client 2", "- 0 server 2"], &[2, 2]);
        check(&["- 5 client 1", "a 6 client 2", "- 7 client 3"], &[1, 1, 1]);
    }
}
