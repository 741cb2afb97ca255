//! What is wrong with servers, told to whoever started a gateway: its clients see only what is there.

use std::collections::HashMap;
use std::sync::Arc;

use docent_host::{Collision, Host, HostBuilder, HostEvent, ServerStatus, State};
use tokio::sync::Notify;

use crate::warnings::warn;

/// Names of one round that are told each by itself.
const NAMES_MAX: usize = 5;

/// Has what happens at the servers of a host to come looked at; see [`Trouble::tell_of`].
pub(super) fn watched(builder: HostBuilder) -> (HostBuilder, Trouble) {
    let news = Arc::new(Notify::new());
    let told = news.clone();
    let builder = builder.on_event(move |event| {
        if matches!(event, HostEvent::State(_) | HostEvent::Changed) {
            told.notify_one();
        }
    });
    (builder, Trouble { news, failed: HashMap::new(), collisions: Vec::new() })
}

/// What was told already.
pub(super) struct Trouble {
    news: Arc<Notify>,
    failed: HashMap<String, String>,
    collisions: Vec<Collision>,
}

impl Trouble {
    /// Tells of servers that fail and of names that several want, as long as the process runs.
    pub(super) fn tell_of(mut self, host: Host) {
        tokio::spawn(async move {
            loop {
                for text in self.look(&host.servers(), host.collisions()) {
                    warn(text);
                }
                self.news.notified().await;
            }
        });
    }

    /// What is new.
    fn look(&mut self, servers: &[ServerStatus], collisions: Vec<Collision>) -> Vec<String> {
        let mut texts = Vec::new();
        for ServerStatus { name, state, .. } in servers {
            match state {
                State::Failed(failure) => {
                    let why = failure.to_string();
                    if self.failed.get(name) != Some(&why) {
                        texts.push(format!("{name}: {why}"));
                        self.failed.insert(name.clone(), why);
                    }
                }
                // If it fails once more, that is news, too.
                State::Ready(_) => drop(self.failed.remove(name)),
                _ => {}
            }
        }
        let new: Vec<_> =
            collisions.iter().filter(|one| !self.collisions.contains(one)).map(said).collect();
        let more = new.len().saturating_sub(NAMES_MAX);
        texts.extend(new.into_iter().take(NAMES_MAX));
        if more > 0 {
            texts.push(format!("and {more} more names; `docent servers` has all of them"));
        }
        self.collisions = collisions;
        texts
    }
}

/// A name that several wanted, in words.
pub(crate) fn said(collision: &Collision) -> String {
    let Collision { kind, name, kept, renamed, to } = collision;
    if kept == renamed {
        return format!("{renamed}: lists the {kind} `{name}` twice, and the first one counts");
    }
    match to.as_str() {
        "" => format!("{renamed}: its {kind} `{name}` is left out, because {kept} has that name"),
        to => format!("{renamed}: its {kind} `{name}` is `{to}` here, because {kept} has that one"),
    }
}
