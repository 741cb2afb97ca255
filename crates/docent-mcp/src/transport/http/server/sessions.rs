//! All sessions: how one begins, is found again by its own client only, and ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use ring::rand::SecureRandom as _;

use super::reply::Refusal;
use super::session::Session;
use super::store::EventStore;
use crate::limits::Limits;
use crate::server::{Core, ServerSession};
use crate::session::Peer;

pub(super) struct Sessions {
    limits: Arc<Limits>,
    store: Arc<dyn EventStore>,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    by_id: HashMap<Arc<str>, Arc<Session>>,
    by_principal: HashMap<Arc<str>, usize>,
    sweeping: bool,
    closed: bool,
}

impl Sessions {
    pub(super) fn new(limits: Arc<Limits>, store: Arc<dyn EventStore>) -> Arc<Self> {
        Arc::new(Sessions { limits, store, table: Mutex::default() })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().expect("no panic while locked")
    }

    /// Begins a session, unless there are too many.
    pub(super) fn begin(
        self: &Arc<Self>,
        core: &Arc<Core>,
        principal: Option<Arc<str>>,
    ) -> Result<Arc<Session>, Refusal> {
        let id = random_id();
        let limits = &self.limits.http;
        let mut table = self.table();
        if table.closed {
            let message = "the server is shutting down";
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message));
        }
        if table.by_id.len() >= limits.sessions_max {
            let message = format!("{} sessions are open: try again later", limits.sessions_max);
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message));
        }
        if let Some(principal) = &principal {
            let own = table.by_principal.entry(principal.clone()).or_default();
            let max = limits.sessions_per_principal_max;
            if *own >= max {
                let message = format!("{max} of your sessions are open: end one with DELETE");
                return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, message));
            }
            *own += 1;
        }
        let peer = Peer::known_as(principal, self.limits.clone());
        let role = ServerSession::new(core.clone(), peer.clone());
        let session = Session::new(id.clone(), role, peer, self.store.clone());
        table.by_id.insert(id, session.clone());
        let start_sweeping = !std::mem::replace(&mut table.sweeping, true);
        drop(table);
        if start_sweeping {
            let often = limits.session_idle_timeout.min(limits.resume_timeout) / 4;
            let often = often.clamp(Duration::from_millis(10), Duration::from_secs(30));
            tokio::spawn(sweep(Arc::downgrade(self), often));
        }
        Ok(session)
    }

    /// The session of this id, if it belongs to this principal.
    pub(super) fn find(&self, id: &str, principal: Option<&Arc<str>>) -> Option<Arc<Session>> {
        let session = self.table().by_id.get(id).cloned()?;
        (session.peer.principal.as_ref() == principal).then(|| {
            session.touch();
            session
        })
    }

    /// Ends a session.
    pub(super) fn end(&self, session: &Session) {
        let mut table = self.table();
        if table.by_id.remove(&session.id).is_none() {
            return;
        }
        if let Some(principal) = &session.peer.principal
            && let Some(own) = table.by_principal.get_mut(principal)
        {
            *own -= 1;
            if *own == 0 {
                table.by_principal.remove(principal);
            }
        }
        if table.by_id.is_empty() {
            table.by_id.shrink_to_fit();
        }
        drop(table);
        session.end();
    }

    /// Ends all sessions: their streams end once what is running was answered.
    pub(super) fn close(&self) {
        let mut table = self.table();
        table.closed = true;
        let all: Vec<_> = table.by_id.values().cloned().collect();
        drop(table);
        for session in all {
            session.wind_down();
        }
    }

    fn sweep(&self) {
        let all: Vec<_> = self.table().by_id.values().cloned().collect();
        for session in all {
            if session.sweep(&self.limits.http) {
                tracing::debug!("a session was left alone and ends");
                self.end(&session);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.table().by_id.len()
    }
}

/// Ends what was left alone, as long as there is a server.
async fn sweep(sessions: Weak<Sessions>, often: Duration) {
    loop {
        tokio::time::sleep(often).await;
        let Some(sessions) = sessions.upgrade() else { return };
        sessions.sweep();
    }
}

/// 128 bits that nobody can guess.
pub(super) fn random_id() -> Arc<str> {
    let mut bytes = [0; 16];
    ring::rand::SystemRandom::new().fill(&mut bytes).expect("the system has random numbers");
    URL_SAFE_NO_PAD.encode(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Server;
    use crate::limits::HttpLimits;
    use crate::transport::http::server::store::MemoryEvents;

    fn sessions(http: HttpLimits) -> (Arc<Sessions>, Arc<Core>) {
        let limits = Limits { http, ..Limits::default() };
        let store = Arc::new(MemoryEvents::new(&limits.http));
        let core = Arc::new(Core::new(Server::new("test", "1").limits(limits.clone())));
        (Sessions::new(Arc::new(limits), store), core)
    }

    /// [SRV-SESS-05] [SEC-03] ids are unguessable, visible ASCII, and never the same (A9).
    #[test]
    fn ids_are_unguessable() {
        let ids: std::collections::HashSet<_> = (0..100_000).map(|_| random_id()).collect();
        assert_eq!(ids.len(), 100_000);
        for id in ids.iter().take(1000) {
            assert_eq!(id.len(), 22, "128 bits in Base64");
            assert!(id.bytes().all(|byte| byte.is_ascii_graphic()), "{id}");
        }
    }

    /// [SEC-03] a session is found by its own principal only.
    #[tokio::test]
    async fn sessions_belong_to_their_principal() {
        let (sessions, core) = sessions(HttpLimits::default());
        let (ada, bob): (Arc<str>, Arc<str>) = ("ada".into(), "bob".into());
        let session = sessions.begin(&core, Some(ada.clone())).unwrap();
        assert!(sessions.find(&session.id, Some(&ada)).is_some());
        assert!(sessions.find(&session.id, Some(&bob)).is_none());
        assert!(sessions.find(&session.id, None).is_none());
        sessions.end(&session);
        assert!(sessions.find(&session.id, Some(&ada)).is_none());
    }

    #[tokio::test]
    async fn caps_in_total_and_for_each_principal() {
        let (sessions, core) = sessions(HttpLimits {
            sessions_max: 3,
            sessions_per_principal_max: 2,
            ..HttpLimits::default()
        });
        let ada: Option<Arc<str>> = Some("ada".into());
        let first = sessions.begin(&core, ada.clone()).unwrap();
        sessions.begin(&core, ada.clone()).unwrap();
        let status =
            |result: Result<Arc<Session>, Refusal>| result.err().map(|r| r.status.as_u16());
        assert_eq!(status(sessions.begin(&core, ada.clone())), Some(429));
        sessions.begin(&core, None).unwrap();
        assert_eq!(status(sessions.begin(&core, None)), Some(503));
        sessions.end(&first);
        assert_eq!(status(sessions.begin(&core, ada)), None);
    }

    /// Row 3: a session that nobody uses does not stay.
    #[tokio::test(start_paused = true)]
    async fn row_03_idle_sessions_end() {
        let (sessions, core) = sessions(HttpLimits::default());
        for _ in 0..1000 {
            sessions.begin(&core, None).unwrap();
        }
        assert_eq!(sessions.len(), 1000);
        tokio::time::sleep(HttpLimits::default().session_idle_timeout / 2).await;
        let used = sessions.begin(&core, None).unwrap();
        tokio::time::sleep(HttpLimits::default().session_idle_timeout * 3 / 4).await;
        assert_eq!(sessions.len(), 1, "only the one that was used later");
        assert!(sessions.find(&used.id, None).is_some());
    }
}
