//! Opening a connection: which era the server is of, and which revision both speak.
//!
//! A modern request, `server/discover`, is sent first. A discovery result or a modern error means
//! a modern server. *Anything else* means a legacy one: another error, an answer that makes no
//! sense, silence, or a process that exits because it expected `initialize`; in that last case it
//! is started again. A modern error, once seen, is never followed by `initialize`. Over HTTP there
//! is more to tell them apart by: see `connect_http`.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tokio::task::JoinHandle;

use super::builder::Settings;
use super::cache::Cache;
use super::link::{Link, ServerDescription};
use super::listens::Listens;
use super::source::Source;
use crate::error::{Error, Result};
use crate::jsonrpc::{ErrorObject, RawJson, code};
use crate::session::{CallOptions, Peer, encode_for, run};
use crate::transport::Transport;
use crate::types::{
    DiscoverResult, InitializeRequestParams, InitializeResult, Meta, Revision,
    UnsupportedProtocolVersionData, method, notification,
};

/// Opens a connection and starts its loop.
pub(crate) async fn connect(
    settings: &Settings,
    source: &Source,
    cache: &Arc<Cache>,
) -> Result<Connected> {
    #[cfg(feature = "http")]
    if let Some(http) = source.http() {
        return super::connect_http::connect(settings, http, cache).await;
    }
    let connected = open(settings, source, cache).await?;
    let link = &connected.link;
    let Some(newest) = settings.revisions.modern().last().copied() else {
        let outcome = handshake(settings, link).await;
        return connected.unless_failed(outcome).await;
    };
    let legacy = !settings.revisions.legacy().is_empty();
    let outcome = match probe(settings, link, newest).await {
        Ok(Probe::Modern(server)) => {
            link.describe(*server);
            Ok(())
        }
        Ok(Probe::Legacy(_)) if legacy => handshake(settings, link).await,
        Ok(Probe::Legacy(reason)) => Err(too_old(newest, &reason)),
        Ok(Probe::Gone(reason)) => Err(Error::closed().with_source(reason)),
        Err(error) => Err(error),
    };
    match connected.unless_failed(outcome).await {
        // Some legacy servers exit on anything that comes before `initialize`, a few of them only
        // after they have answered it.
        Err(error) if error.is_closed() && legacy && source.is_reusable() => {
            let connected = open(settings, source, cache).await?;
            let outcome = handshake(settings, &connected.link).await;
            connected.unless_failed(outcome).await
        }
        outcome => outcome,
    }
}

pub(super) fn too_old(newest: Revision, reason: &Error) -> Error {
    Error::unsupported(format!(
        "the server does not speak {newest}, and nothing older is allowed here: {reason:#}"
    ))
}

/// A connection whose loop is running. Dropping it closes the connection.
pub(crate) struct Connected {
    link: Arc<Link>,
    running: Option<JoinHandle<Result<()>>>,
}

impl Connected {
    pub(crate) fn link(&self) -> Arc<Link> {
        self.link.clone()
    }

    /// Hands the connection over. The second part resolves when it has ended.
    pub(crate) fn release(mut self) -> (Arc<Link>, JoinHandle<Result<()>>) {
        let running = self.running.take().expect("taken only here and when it is closed");
        (self.link.clone(), running)
    }

    /// The connection, or why it is of no use; then all of it is gone.
    pub(super) async fn unless_failed(mut self, outcome: Result<()>) -> Result<Self> {
        if let Err(error) = outcome {
            self.link.peer.close();
            if let Some(running) = self.running.take() {
                let _ = running.await;
            }
            return Err(error);
        }
        Ok(self)
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        if self.running.is_some() {
            self.link.peer.close();
        }
    }
}

async fn open(settings: &Settings, source: &Source, cache: &Arc<Cache>) -> Result<Connected> {
    let transport = source.open(&settings.limits).await?;
    Ok(start(settings, transport, cache))
}

/// Starts the loop of a connection.
pub(super) fn start(settings: &Settings, transport: Transport, cache: &Arc<Cache>) -> Connected {
    let peer = Peer::new(settings.limits.clone());
    let link = Arc::new(Link {
        peer: peer.clone(),
        handlers: settings.handlers.clone(),
        limits: settings.limits.clone(),
        server: OnceLock::new(),
        meta: OnceLock::new(),
        cache: cache.clone(),
        ended: AtomicBool::new(false),
        listens: Listens::default(),
    });
    let running = tokio::spawn(run(peer, transport, link.clone()));
    Connected { link, running: Some(running) }
}

/// What the first request found out.
pub(super) enum Probe {
    Modern(Box<ServerDescription>),
    /// No modern server answers like this.
    Legacy(Error),
    Gone(Error),
}

pub(super) async fn probe(settings: &Settings, link: &Link, newest: Revision) -> Result<Probe> {
    let mut revision = newest;
    for last_try in [false, true] {
        let error = match discover(settings, link, revision).await {
            Ok(raw) => match raw.decode::<DiscoverResult>() {
                // Servers with sessions that know the request may say so (the Go SDK's do).
                Ok(result) if settings.only_legacy_of(&result.supported_versions) => {
                    return Ok(Probe::Legacy(Error::unsupported(format!(
                        "the server speaks only {}",
                        result.supported_versions.join(", ")
                    ))));
                }
                Ok(result) => {
                    return describe(settings, result)
                        .map(|server| Probe::Modern(Box::new(server)));
                }
                Err(error) => {
                    Error::invalid_response("`server/discover` was answered with something else")
                        .with_source(error)
                }
            },
            Err(error) => error,
        };
        match error.rpc() {
            Some(rpc) if rpc.code == code::UNSUPPORTED_PROTOCOL_VERSION => {
                let offered = offered(rpc);
                revision = match settings.newest_of(&offered) {
                    Some(common) if !last_try => common,
                    _ => return Err(nothing_in_common(settings, &offered).with_rpc(rpc.clone())),
                };
            }
            Some(rpc)
                if matches!(rpc.code, code::MISSING_CLIENT_CAPABILITY | code::HEADER_MISMATCH) =>
            {
                return Err(error);
            }
            // Only a modern server says which revisions it speaks, whatever it says afterwards.
            _ if last_try => return Err(error),
            None if error.is_closed() => return Ok(Probe::Gone(error)),
            _ => return Ok(Probe::Legacy(error)),
        }
    }
    unreachable!("the second try returns")
}

async fn discover(settings: &Settings, link: &Link, revision: Revision) -> Result<RawJson> {
    let params = settings.modern_params(revision);
    let options = CallOptions {
        timeout: Some(settings.limits.probe_timeout),
        // A server that does not know the request may not know its cancellation either.
        uncancellable: true,
        ..Default::default()
    };
    link.peer.request(method::SERVER_DISCOVER, Box::new(move |_| Ok(Some(params))), options).await
}

/// The revisions that the server offers in its error.
fn offered(rpc: &ErrorObject) -> Vec<String> {
    let data = rpc.data.clone().and_then(|data| serde_json::from_value(data).ok());
    data.map(|data: UnsupportedProtocolVersionData| data.supported).unwrap_or_default()
}

fn nothing_in_common(settings: &Settings, offered: &[String]) -> Error {
    Error::unsupported(format!(
        "no protocol revision in common: the server speaks {}, this client {}",
        offered.join(", "),
        settings.revisions,
    ))
}

fn describe(settings: &Settings, result: DiscoverResult) -> Result<ServerDescription> {
    let Some(revision) = settings.newest_of(&result.supported_versions) else {
        return Err(nothing_in_common(settings, &result.supported_versions));
    };
    Ok(ServerDescription {
        revision,
        info: result.meta.as_ref().and_then(Meta::server_info),
        capabilities: result.capabilities,
        instructions: result.instructions,
    })
}

/// The handshake of a legacy session.
pub(super) async fn handshake(settings: &Settings, link: &Link) -> Result<()> {
    let server = match initialize(settings, link).await {
        // A modern server that was too slow for the probe: now it has told what it is.
        Err(error) if error.code() == Some(code::UNSUPPORTED_PROTOCOL_VERSION) => {
            let offered = error.rpc().map(offered).unwrap_or_default();
            let Some(revision) = settings.newest_of(&offered) else {
                return Err(nothing_in_common(settings, &offered).with_source(error));
            };
            return match probe(settings, link, revision).await? {
                Probe::Modern(server) => {
                    link.describe(*server);
                    Ok(())
                }
                Probe::Legacy(reason) => Err(Error::unsupported(format!("{reason:#}"))),
                Probe::Gone(reason) => Err(reason),
            };
        }
        outcome => outcome?,
    };
    tracing::debug!(revision = %server.revision, "session initialized");
    // Before the server hears of it, because requests of its own may follow at once.
    link.describe(server);
    link.peer.notify(notification::INITIALIZED, None).await
}

async fn initialize(settings: &Settings, link: &Link) -> Result<ServerDescription> {
    let legacy = settings.revisions.legacy();
    let Some(newest) = legacy.last().copied() else {
        return Err(Error::invalid_input("no protocol revision is allowed"));
    };
    let params = InitializeRequestParams {
        protocol_version: newest.to_string(),
        capabilities: settings.handlers.capabilities(),
        client_info: settings.info.clone(),
        ..Default::default()
    };
    let params = encode_for(params, newest)?;
    let options = CallOptions {
        timeout: Some(settings.limits.connect_timeout),
        uncancellable: true,
        ..Default::default()
    };
    let answer =
        link.peer.request(method::INITIALIZE, Box::new(move |_| Ok(Some(params))), options).await?;
    let result: InitializeResult = answer.decode().map_err(|error| {
        Error::invalid_response("the server's answer to `initialize` cannot be read")
            .with_source(error)
    })?;
    let revision =
        result.protocol_version.parse().ok().filter(|revision| legacy.contains(revision));
    let Some(revision) = revision else {
        return Err(Error::unsupported(format!(
            "the server wants to speak {:?}, this client speaks {}",
            result.protocol_version, settings.revisions,
        )));
    };
    Ok(ServerDescription {
        revision,
        info: Some(result.server_info),
        capabilities: result.capabilities,
        instructions: result.instructions,
    })
}

impl Settings {
    /// Parameters that hold nothing but what every modern request says about its maker.
    pub(crate) fn modern_params(&self, revision: Revision) -> RawJson {
        let mut params = serde_json::Map::new();
        params.insert("_meta".to_owned(), Value::Object(self.modern_meta(revision).into_inner()));
        RawJson::from(&Value::Object(params))
    }

    /// What every modern request says about its maker.
    pub(crate) fn modern_meta(&self, revision: Revision) -> Meta {
        let mut capabilities = self.handlers.capabilities();
        crate::types::Adapt::adapt(&mut capabilities, revision);
        let mut info = self.info.clone();
        crate::types::Adapt::adapt(&mut info, revision);
        let mut meta = Meta::new();
        meta.set_protocol_version(revision.as_str());
        meta.set_client_capabilities(&capabilities);
        meta.set_client_info(&info);
        meta
    }
}
