//! The task that keeps one server going: connect, list, listen for changes, and after a failure all
//! of it again.

use std::sync::Arc;
use std::time::Duration;

use docent_mcp::Client;
use docent_mcp::client::ServerEvent;
use tokio::time::Instant;

use super::catalog::{Catalog, Kind};
use super::failure::Failure;
use super::{Backend, BackendEvent, Role, State, source};

/// Drives a server until its host is closed.
pub(super) async fn drive(backend: Arc<Backend>) {
    let mut failures = 0;
    loop {
        let begun = Instant::now();
        let mut lived = Duration::ZERO;
        let role = backend.role.lock().expect("no panic while locked").clone();
        match open(&backend, &role, true).await {
            Ok(client) => {
                {
                    let mut status = backend.status();
                    status.state = State::Ready(Box::new(client.server()));
                    status.client = Some(client.clone());
                    status.took = Some(begun.elapsed());
                }
                backend.refresh(&Kind::ALL);
                let opened = Instant::now();
                let failure = keep_listed(&backend, &client).await;
                lived = opened.elapsed();
                fail(&backend, failure);
                client.close().await;
            }
            Err(failure) => fail(&backend, failure),
        }
        let pause_max = backend.settings.limits.retry_pause_max;
        if lived >= pause_max && backend.catalog().is_some() {
            // It worked for longer than the longest pause: this is a trouble of its own.
            failures = 0;
        }
        failures += 1;
        tokio::time::sleep(pause(failures, pause_max)).await;
        let mut status = backend.status();
        if let State::Failed(failure) = &status.state
            && !failure.is_permanent()
        {
            // Others see the failure until there is something better to see.
            drop(status);
            continue;
        }
        status.client = None;
        return;
    }
}

fn fail(backend: &Backend, failure: Failure) {
    tracing::warn!(server = backend.name(), %failure, "a server is not available");
    {
        let mut status = backend.status();
        status.state = State::Failed(Arc::new(failure));
        status.client = None;
    }
    backend.told_state();
}

fn pause(failures: u32, max: Duration) -> Duration {
    Duration::from_secs(1).saturating_mul(1 << failures.saturating_sub(1).min(10)).min(max)
}

/// Opens a connection: the one that all share, or another one.
pub(super) async fn open(
    backend: &Arc<Backend>,
    role: &Role,
    shared: bool,
) -> Result<Client, Failure> {
    let settings = &backend.settings;
    let witness = &backend.witness;
    witness.forget();
    let unusable = |error: docent_mcp::Error| witness.explain(&error, &backend.entry);
    let source = source::source(&backend.entry, settings, witness).map_err(unusable)?;
    let listener = Arc::downgrade(backend);
    let seen = witness.clone();
    let events = role.events.clone();
    let mut builder = Client::builder(&settings.name, &settings.version)
        .limits(settings.limits.connection.clone())
        .on_event(move |event| {
            if let ServerEvent::Stray(line) = &event {
                seen.stray(line);
            }
            if let Some(events) = &events {
                events(&event);
            }
            // A server may tell of a change only on the connection where it was made.
            let change = matches!(
                event,
                ServerEvent::ToolsChanged
                    | ServerEvent::PromptsChanged
                    | ServerEvent::ResourcesChanged
                    | ServerEvent::ResourceUpdated(_)
            );
            if let Some(backend) = listener.upgrade().filter(|_| shared || change) {
                backend.heard(event);
            }
        });
    if let Some(configure) = &settings.configure {
        builder = configure(backend.name(), builder);
    }
    if let Some((capabilities, relay)) = &role.questions {
        let relay = relay.clone();
        builder = builder.relay_questions(capabilities.clone(), move |question| relay(question));
    }
    let patience = backend.entry.startup_timeout.unwrap_or(settings.limits.startup_timeout);
    let connecting = builder.connect(source);
    match tokio::time::timeout(patience, connecting).await {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(error)) => Err(witness.explain(&error, &backend.entry)),
        Err(_) => Err(witness.silent(&backend.entry, patience)),
    }
}

/// Fetches lists as often as they change. Returns why that is over.
async fn keep_listed(backend: &Arc<Backend>, client: &Client) -> Failure {
    // Not every server tells of changes, and it is no failure if one does not.
    let watching = {
        let client = client.clone();
        tokio::spawn(async move {
            let _ = client.watch_lists().await;
        })
    };
    let patience = backend.entry.startup_timeout.unwrap_or(backend.settings.limits.startup_timeout);
    loop {
        let dirty = std::mem::take(&mut *backend.dirty.lock().expect("no panic while locked"));
        let kinds: Vec<_> = dirty.iter().map(|(kind, _)| *kind).collect();
        let told: Vec<_> = dirty.iter().filter(|(_, told)| *told).map(|(kind, _)| *kind).collect();
        if !kinds.is_empty() {
            let before = backend.catalog();
            let fetching =
                Catalog::fetch(client, |tool| backend.admits(tool), before.as_deref(), &kinds);
            match tokio::time::timeout(patience, fetching).await {
                Ok(Ok(catalog)) => settle(backend, before.as_deref(), catalog, &told),
                // A server that is busy is not ended for that: what it listed before is shown.
                Ok(Err(error)) if before.is_some() && !error.is_closed() => {
                    tracing::warn!(server = backend.name(), "lists are not refreshed: {error:#}");
                }
                Err(_) if before.is_some() => {
                    tracing::warn!(server = backend.name(), "lists are not refreshed: no answer");
                }
                Ok(Err(error)) => {
                    watching.abort();
                    return backend.witness.explain(&error, &backend.entry);
                }
                Err(_) => {
                    watching.abort();
                    return backend.witness.silent(&backend.entry, patience);
                }
            }
            tokio::time::sleep(backend.settings.limits.refresh_pause).await;
        }
        backend.wake.notified().await;
    }
}

/// Shows new lists, and tells which are others than before, or are said to be.
fn settle(backend: &Arc<Backend>, before: Option<&Catalog>, catalog: Catalog, told: &[Kind]) {
    let differing = catalog.differs(before);
    let first = before.is_none();
    backend.status().catalog = Some(Arc::new(catalog));
    if first {
        backend.told_state();
    } else {
        backend.notify();
    }
    for kind in Kind::ALL {
        if told.contains(&kind) || differing.contains(&kind) {
            backend.tell(&BackendEvent::Listed(kind, told.contains(&kind)));
        }
    }
}

impl Backend {
    /// Something that the server told.
    fn heard(&self, event: ServerEvent) {
        let changed: &[Kind] = match &event {
            ServerEvent::ToolsChanged => &[Kind::Tools],
            ServerEvent::PromptsChanged => &[Kind::Prompts],
            // The files of skills are resources.
            ServerEvent::ResourcesChanged => &[Kind::Resources, Kind::Templates, Kind::Skills],
            _ => &[],
        };
        if !changed.is_empty() {
            self.refresh_as(changed, true);
        } else if matches!(event, ServerEvent::Restarted) {
            self.refresh(&Kind::ALL);
        }
        self.tell(&BackendEvent::Told(event));
    }
}
