//! What a legacy session over HTTP repeats with every request.

use std::sync::{Mutex, MutexGuard};

use http::{HeaderMap, HeaderValue};
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::transport::http::headers::{PROTOCOL_VERSION, SESSION_ID};
use crate::types::Revision;

/// The session, as far as it is known.
#[derive(Default)]
pub(super) struct Session(Mutex<State>);

#[derive(Default)]
struct State {
    id: Option<HeaderValue>,
    revision: Option<Revision>,
    gone: bool,
}

impl Session {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no panic while locked")
    }

    /// Takes the id from the headers of the answer to `initialize`.
    pub(super) fn begin(&self, answer: &HeaderMap) -> Result<()> {
        let Some(id) = answer.get(SESSION_ID) else { return Ok(()) };
        if id.is_empty() || !id.as_bytes().iter().all(u8::is_ascii_graphic) {
            return Err(Error::invalid_response("the server's session id is not visible ASCII"));
        }
        let mut id = id.clone();
        // Whoever knows it can act in the session.
        id.set_sensitive(true);
        self.state().id = Some(id);
        Ok(())
    }

    /// Takes the revision from the answer to `initialize`.
    pub(super) fn agree(&self, frame: &[u8]) {
        #[derive(Deserialize)]
        struct Answer {
            result: Agreed,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Agreed {
            protocol_version: String,
        }
        if let Ok(answer) = serde_json::from_slice::<Answer>(frame) {
            self.state().revision = answer.result.protocol_version.parse().ok();
        }
    }

    /// Adds what the session repeats. Returns whether that includes an id.
    pub(super) fn apply(&self, headers: &mut HeaderMap) -> bool {
        let state = self.state();
        // 2025-03-26 did not have the header yet.
        if let Some(revision) = state.revision.filter(|one| *one >= Revision::V2025_06_18) {
            headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(revision.as_str()));
        }
        if let Some(id) = &state.id {
            headers.insert(SESSION_ID, id.clone());
        }
        state.id.is_some()
    }

    /// Whether there is a session that the server would like to hear the end of.
    pub(super) fn needs_end(&self) -> bool {
        let state = self.state();
        state.id.is_some() && !state.gone
    }

    /// Whether a session was agreed on.
    pub(super) fn exists(&self) -> bool {
        self.state().revision.is_some()
    }

    pub(super) fn is_gone(&self) -> bool {
        self.state().gone
    }

    /// The server does not know the session any more. Returns whether that is news.
    pub(super) fn lose(&self) -> bool {
        !std::mem::replace(&mut self.state().gone, true)
    }
}
