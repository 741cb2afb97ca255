//! Opening a connection over HTTP: which era the server is of, and which way it speaks.
//!
//! The same question as on a pipe, `server/discover`, with more to read from the answer. A
//! discovery result or a modern error means a modern server; any other refusal that is about the
//! message means a session, asked for by `initialize`; and if that is refused as well, the server
//! may be one of the first, which had a stream and an address for messages. Who may not come in
//! (401, 403), a server that fails (5xx) and a network that does say nothing about any of this, and
//! whoever connects is told. What was found out is remembered until it turns out wrong.

use std::sync::Arc;

use super::builder::Settings;
use super::cache::Cache;
use super::connect::{Connected, Probe, handshake, probe, start, too_old};
use super::source::{HttpSource, Verdict};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::code;

pub(super) async fn connect(
    settings: &Settings,
    source: &HttpSource,
    cache: &Arc<Cache>,
) -> Result<Connected> {
    let known = *source.verdict.lock().expect("no panic while locked");
    let legacy = !settings.revisions.legacy().is_empty();
    let remembered = match known.filter(|_| legacy) {
        Some(Verdict::Session) => Some(session(settings, source, cache).await),
        Some(Verdict::OldSse) => Some(old_sse(settings, source, cache).await),
        Some(Verdict::Modern) | None => None,
    };
    match remembered {
        Some(Err(error)) if tells_the_era(&error) => {
            tracing::debug!("the server is not what it was: {error:#}");
            source.remember(None);
        }
        Some(outcome) => return outcome,
        None => {}
    }
    find_out(settings, source, cache).await
}

async fn find_out(
    settings: &Settings,
    source: &HttpSource,
    cache: &Arc<Cache>,
) -> Result<Connected> {
    let legacy = !settings.revisions.legacy().is_empty();
    if let Some(newest) = settings.revisions.modern().last().copied() {
        let connected = open(settings, source, cache)?;
        let link = connected.link();
        let refused = match probe(settings, &link, newest).await {
            Ok(Probe::Modern(server)) => {
                link.describe(*server);
                source.remember(Some(Verdict::Modern));
                return Ok(connected);
            }
            Ok(Probe::Legacy(error)) if tells_the_era(&error) => error,
            Ok(Probe::Legacy(error) | Probe::Gone(error)) | Err(error) => {
                return connected.unless_failed(Err(error)).await;
            }
        };
        // Closed before the next one is opened: nothing of it may reach a session.
        if !legacy {
            return connected.unless_failed(Err(too_old(newest, &refused))).await;
        }
        drop(connected);
    }
    match session(settings, source, cache).await {
        Err(error) if may_be_older(&error) => {
            old_sse(settings, source, cache).await.map_err(|older| {
                tracing::debug!("and it is none of the first servers either: {older:#}");
                error
            })
        }
        outcome => outcome,
    }
}

fn open(settings: &Settings, source: &HttpSource, cache: &Arc<Cache>) -> Result<Connected> {
    let transport = source.endpoint.open(&settings.limits, &source.mirrored)?;
    Ok(start(settings, transport, cache))
}

/// A session over Streamable HTTP.
async fn session(
    settings: &Settings,
    source: &HttpSource,
    cache: &Arc<Cache>,
) -> Result<Connected> {
    let connected = open(settings, source, cache)?;
    let outcome = handshake(settings, &connected.link()).await;
    let connected = connected.unless_failed(outcome).await?;
    let modern = connected.link().is_modern();
    source.remember(Some(if modern { Verdict::Modern } else { Verdict::Session }));
    Ok(connected)
}

/// A session over HTTP+SSE.
async fn old_sse(
    settings: &Settings,
    source: &HttpSource,
    cache: &Arc<Cache>,
) -> Result<Connected> {
    let transport = source.endpoint.open_old_sse(&settings.limits, &source.mirrored).await?;
    let connected = start(settings, transport, cache);
    let outcome = handshake(settings, &connected.link()).await;
    let connected = connected.unless_failed(outcome).await?;
    source.remember(Some(Verdict::OldSse));
    Ok(connected)
}

/// Whether a refusal is about the message, and so about what the server speaks.
fn tells_the_era(error: &Error) -> bool {
    match error.http_status() {
        // Who is asking, how often and how fast is another matter.
        Some(401 | 403 | 407 | 408 | 425 | 429) => false,
        Some(status) => (400..500).contains(&status),
        None => matches!(
            error.kind(),
            ErrorKind::Rpc | ErrorKind::InvalidResponse | ErrorKind::Unsupported
        ),
    }
}

/// Whether a server that refuses a session like this may be one of the first.
fn may_be_older(error: &Error) -> bool {
    let modern = matches!(
        error.code(),
        Some(
            code::HEADER_MISMATCH
                | code::MISSING_CLIENT_CAPABILITY
                | code::UNSUPPORTED_PROTOCOL_VERSION
        )
    );
    matches!(error.http_status(), Some(400 | 404 | 405)) && !modern
}

impl HttpSource {
    fn remember(&self, verdict: Option<Verdict>) {
        *self.verdict.lock().expect("no panic while locked") = verdict;
    }
}
