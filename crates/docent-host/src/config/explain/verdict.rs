//! What other clients would make of an entry that is copied into their files as it is.
//!
//! The entry is read by the owner's rules and by the other's; the verdict is the difference.

use serde::Serialize;

use crate::config::dialect::{COPIED, Dialect, Field, ROWS};
use crate::config::draft::{Draft, DraftTransport, Manner, draft};
use crate::config::entry::{Client, HttpKind};
use crate::config::expand::Reference;
use crate::config::machine::Machine;
use crate::config::survey::Occurrence;

/// What one client would make of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// The client.
    pub client: &'static str,
    /// Whether it could use the entry at all.
    pub usable: bool,
    /// What would be different; nothing if it would do the same.
    pub differences: Vec<String>,
}

/// The verdicts of all other clients.
pub(super) fn all(occurrence: &Occurrence, own: &Draft, machine: &Machine) -> Vec<Verdict> {
    let others = ROWS.iter().filter(|row| row.client != occurrence.origin.client);
    others.map(|other| verdict(occurrence, own, other, machine)).collect()
}

fn verdict(
    occurrence: &Occurrence,
    own: &Draft,
    other: &'static Dialect,
    machine: &Machine,
) -> Verdict {
    let platform = machine.platform();
    match draft(&occurrence.node, other, platform, Manner::AsOwner, &mut Vec::new()) {
        Err(fault) => {
            // What it does not know is worth saying where the entry hangs on it.
            let vital = |field| matches!(field, Field::Command | Field::Url(_));
            let ignored = ignored(occurrence, other, vital);
            let mut differences = vec![fault.message];
            if !ignored.is_empty() && !other.strict {
                differences.push(format!("it does not know {}", ignored.join(", ")));
            }
            Verdict { client: other.name, usable: false, differences }
        }
        Ok(theirs) => {
            let mut differences = Vec::new();
            let ignored = ignored(occurrence, other, |field| field != Field::Type);
            if !ignored.is_empty() {
                differences.push(format!("ignores {}", ignored.join(", ")));
            }
            differences.extend(transport(own, &theirs));
            differences.extend(references(own, &theirs));
            if let (Some(ours), Some(theirs)) = (own.call_timeout, theirs.call_timeout)
                && ours != theirs
            {
                differences.push(format!("takes the timeout for {} s", theirs.as_secs_f64()));
            }
            Verdict { client: other.name, usable: true, differences }
        }
    }
}

/// The fields that mean something to the owner and nothing to the other.
fn ignored(
    occurrence: &Occurrence,
    other: &Dialect,
    counts: impl Fn(Field) -> bool,
) -> Vec<String> {
    let owner = Dialect::of(occurrence.origin.client);
    let entries = occurrence.node.table().unwrap_or_default();
    let understood = |name: &str| {
        let copied =
            other.client == Client::Docent && COPIED.iter().any(|(known, _)| *known == name);
        copied || other.field(name).is_some()
    };
    let lost = entries.iter().filter(|(key, _)| {
        let ours = owner.field(&key.text).filter(|field| *field != Field::Ignored);
        ours.is_some_and(&counts) && !understood(&key.text)
    });
    lost.map(|(key, _)| format!("`{}`", key.text)).collect()
}

fn transport(own: &Draft, theirs: &Draft) -> Option<String> {
    match (&own.transport, &theirs.transport) {
        (DraftTransport::Http { kind: ours, .. }, DraftTransport::Http { kind, .. }) => {
            match (ours, kind) {
                (HttpKind::Auto | HttpKind::Streamable, HttpKind::Sse) => {
                    Some("takes the address for one of HTTP+SSE".to_owned())
                }
                (HttpKind::Sse, HttpKind::Streamable) => {
                    Some("takes the address for one of Streamable HTTP".to_owned())
                }
                _ => None,
            }
        }
        (DraftTransport::Stdio(ours), DraftTransport::Stdio(command)) => {
            // A whole command line in one text, which only we take apart.
            (ours.line.len() != command.line.len())
                .then(|| "takes all of `command` for the name of a program".to_owned())
        }
        (DraftTransport::Http { .. }, DraftTransport::Stdio(_)) => {
            Some("takes it for a command".to_owned())
        }
        (DraftTransport::Stdio(_), DraftTransport::Http { .. }) => {
            Some("takes it for an address".to_owned())
        }
    }
}

/// References that one of the two expands and the other does not.
fn references(own: &Draft, theirs: &Draft) -> Vec<String> {
    let expands = |reference: &Reference| *reference != Reference::Foreign;
    let (mut literal, mut expanded, mut elsewhere) = (Vec::new(), Vec::new(), Vec::new());
    let theirs = theirs.templates();
    for (field, ours) in own.templates() {
        let Some((_, theirs)) = theirs.iter().find(|(other, _)| *other == field) else { continue };
        if ours.raw != theirs.raw {
            continue;
        }
        for (raw, reference) in ours.references().filter(|(_, reference)| expands(reference)) {
            let note = format!("`{raw}`");
            match theirs.references().find(|(other, _)| *other == raw) {
                Some((_, other)) if other == reference => {}
                Some((_, other)) if expands(other) => elsewhere.push(note),
                _ => literal.push(note),
            }
        }
        for (raw, _) in theirs.references().filter(|(_, reference)| expands(reference)) {
            let same = |(other, reference): (&str, &Reference)| other == raw && expands(reference);
            if !ours.references().any(same) {
                expanded.push(format!("`{raw}`"));
            }
        }
    }
    let mut said = Vec::new();
    for (mut found, before, after) in [
        (literal, "passes", " on as it is"),
        (expanded, "expands", ""),
        (elsewhere, "takes", " for something else"),
    ] {
        found.sort();
        found.dedup();
        if !found.is_empty() {
            said.push(format!("{before} {}{after}", found.join(", ")));
        }
    }
    said
}
