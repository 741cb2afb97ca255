//! Opening a connection: which era the server is of, and which revision both speak.
//!
//! A modern request, `server/discover`, is sent first. A discovery result or a modern error means
//! a modern server. *Anything else* means a legacy one: another error, an answer that makes no
//! sense, silence, or a process that exits because it expected `initialize`; in that last case it
//! is started again.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::builder::Settings;
use super::cache::Cache;
use super::link::{Link, ServerDescription};
use super::source::Source;
use crate::error::{Error, Result};
use crate::jsonrpc::{ErrorObject, RawJson, code};
use crate::session::{CallOptions, Peer, encode_for, run};
use crate::types::{
    DiscoverResult, InitializeRequestParams, InitializeResult, Meta, Revision,
    UnsupportedProtocolVersionData, method, notification,
};

/// Opens a connection and starts its loop. The second part resolves when the connection ends.
pub(crate) async fn connect(
    settings: &Settings,
    source: &Source,
    cache: &Arc<Cache>,
) -> Result<Connected> {
    let legacy = settings.legacy();
    let connected = open(settings, source, cache).await?;
    if let Some(newest) = settings.modern().last() {
        match probe(settings, &connected.link, *newest).await? {
            Probe::Modern(server) => return Ok(connected.of(*server)),
            Probe::Legacy(reason) if legacy.is_empty() => {
                return Err(Error::unsupported(format!(
                    "the server does not speak {newest}, and nothing older is allowed here: {reason}"
                )));
            }
            Probe::Legacy(_) => {}
            Probe::Gone(reason) if legacy.is_empty() || !source.is_reusable() => {
                return Err(Error::closed().with_source(reason));
            }
            Probe::Gone(_) => {
                connected.end().await;
                let connected = open(settings, source, cache).await?;
                return handshake(settings, connected).await;
            }
        }
    }
    handshake(settings, connected).await
}

/// A connection whose loop is running.
pub(crate) struct Connected {
    pub(crate) link: Arc<Link>,
    pub(crate) running: tokio::task::JoinHandle<Result<()>>,
}

impl Connected {
    fn of(self, server: ServerDescription) -> Self {
        let _ = self.link.server.set(server);
        self
    }

    /// Closes the connection and waits until all of it is gone.
    pub(crate) async fn end(self) {
        self.link.peer.close();
        let _ = self.running.await;
    }
}

async fn open(settings: &Settings, source: &Source, cache: &Arc<Cache>) -> Result<Connected> {
    let transport = source.open(&settings.limits).await?;
    let peer = Peer::new(settings.limits.clone());
    let link = Arc::new(Link {
        peer: peer.clone(),
        handlers: settings.handlers.clone(),
        limits: settings.limits.clone(),
        server: OnceLock::new(),
        cache: cache.clone(),
        ended: AtomicBool::new(false),
        acknowledged: tokio::sync::watch::Sender::new(()),
    });
    let running = tokio::spawn(run(peer, transport, link.clone()));
    Ok(Connected { link, running })
}

enum Probe {
    Modern(Box<ServerDescription>),
    Legacy(String),
    Gone(Error),
}

async fn probe(settings: &Settings, link: &Link, newest: Revision) -> Result<Probe> {
    let mut revision = newest;
    for last_try in [false, true] {
        let error = match discover(settings, link, revision).await {
            Ok(raw) => match raw.decode::<DiscoverResult>() {
                Ok(result) => {
                    return describe(settings, result)
                        .map(|server| Probe::Modern(Box::new(server)));
                }
                Err(error) => {
                    return Ok(Probe::Legacy(format!("it answered something else: {error}")));
                }
            },
            Err(error) => error,
        };
        match error.rpc() {
            Some(rpc) if rpc.code == code::UNSUPPORTED_PROTOCOL_VERSION => {
                revision = pick(settings, rpc).filter(|_| !last_try).ok_or(error)?;
            }
            Some(rpc)
                if matches!(rpc.code, code::MISSING_CLIENT_CAPABILITY | code::HEADER_MISMATCH) =>
            {
                return Err(error);
            }
            Some(_) => return Ok(Probe::Legacy(error.to_string())),
            None if error.is_closed() => return Ok(Probe::Gone(error)),
            None => return Ok(Probe::Legacy(error.to_string())),
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

/// The newest revision that the server offers in its error and that is spoken here.
fn pick(settings: &Settings, rpc: &ErrorObject) -> Option<Revision> {
    let data = serde_json::from_value::<UnsupportedProtocolVersionData>(rpc.data.clone()?).ok()?;
    settings.newest_of(&data.supported)
}

fn describe(settings: &Settings, result: DiscoverResult) -> Result<ServerDescription> {
    let Some(revision) = settings.newest_of(&result.supported_versions) else {
        return Err(Error::unsupported(format!(
            "no protocol revision in common: the server speaks {}, this client {}",
            result.supported_versions.join(", "),
            settings.spoken(),
        )));
    };
    Ok(ServerDescription {
        revision,
        info: result.meta.as_ref().and_then(Meta::server_info),
        capabilities: result.capabilities,
        instructions: result.instructions,
    })
}

/// The handshake of a legacy session.
async fn handshake(settings: &Settings, connected: Connected) -> Result<Connected> {
    match initialize(settings, &connected.link).await {
        Ok(server) => {
            let connected = connected.of(server);
            connected.link.peer.notify(notification::INITIALIZED, None).await?;
            Ok(connected)
        }
        // A modern server that was too slow for the probe: now it has told what it is.
        Err(error) if error.code() == Some(code::UNSUPPORTED_PROTOCOL_VERSION) => {
            let revision = error.rpc().and_then(|rpc| pick(settings, rpc)).ok_or(error)?;
            match probe(settings, &connected.link, revision).await? {
                Probe::Modern(server) => Ok(connected.of(*server)),
                Probe::Legacy(reason) => Err(Error::unsupported(reason)),
                Probe::Gone(reason) => Err(reason),
            }
        }
        Err(error) => {
            connected.end().await;
            Err(error)
        }
    }
}

async fn initialize(settings: &Settings, link: &Link) -> Result<ServerDescription> {
    let legacy = settings.legacy();
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
            result.protocol_version,
            settings.spoken(),
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
