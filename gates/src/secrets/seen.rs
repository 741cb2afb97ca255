//! All that somebody else could read: requests but for the one place where a secret belongs, errors,
//! and what `Debug` shows.

use std::fmt::Debug;

use crate::realm::Realm;

/// Texts, and where they were.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) texts: Vec<(String, String)>,
}

impl Seen {
    pub(super) fn add(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.texts.push((place.into(), text.into()));
    }

    pub(super) fn debug(&mut self, what: &str, value: &dyn Debug) {
        self.add(format!("{what} by Debug"), format!("{value:?} {value:#?}"));
    }

    pub(super) fn error(&mut self, flow: &str, error: &docent_mcp::Error) {
        let mut text = format!("{error} {error:#} {error:?}");
        let mut behind = std::error::Error::source(error);
        while let Some(error) = behind {
            text += &format!(" {error} {error:?}");
            behind = error.source();
        }
        self.add(format!("{flow}: the error"), text);
    }

    /// What was sent to a realm, without what belongs there: a token in its header, a grant in the
    /// body of a token request.
    pub(super) fn requests(&mut self, flow: &str, realm: &Realm) {
        for seen in &realm.rules().seen {
            let mut text = format!("{} {}?{}\n", seen.method, seen.path, seen.query);
            for (name, value) in &seen.headers {
                if !["authorization", "dpop"].contains(&name.as_str()) {
                    text += &format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes()));
                }
            }
            if !["/token", "/introspect"].contains(&seen.path.as_str()) {
                text += &seen.body;
            }
            self.add(format!("{flow}: {} {}", seen.method, seen.path), text);
        }
    }

    /// What was sent to somebody who should have been sent nothing.
    pub(super) fn thief(&mut self, flow: &str, thief: &Realm) {
        for seen in &thief.rules().seen {
            self.add(format!("{flow}: sent to a thief"), format!("{seen:?}"));
        }
    }
}
