//! One HTTP client for each way of reaching a registry: what is trusted, what is shown, and through
//! which proxy.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::SystemTime;

use reqwest::redirect::Policy;
use reqwest::{Client, Proxy};
use url::Url;

use super::Access;
use super::address::origin;
use super::certificate::Identity;
use super::route::Route;
use super::tls::Trust;
use crate::{Error, ErrorKind, Limits};

/// What registries know us as.
const USER_AGENT: &str = concat!("docent/", env!("CARGO_PKG_VERSION"));

/// A way of reaching a registry.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Way {
    trust: Trust,
    route: Route,
    /// The certificate that is shown, and when its files were written.
    identity: Option<(Identity, [Option<SystemTime>; 2])>,
}

/// The clients, made when they are first needed; connections are kept by each, so that one which has
/// shown a certificate serves no request but those for where it may be shown.
#[derive(Default)]
pub(super) struct Clients(Mutex<HashMap<Way, Client>>);

impl Clients {
    pub(super) fn of(&self, url: &Url, access: &Access, limits: &Limits) -> Result<Client, Error> {
        let trust = Trust { authorities: access.trusted(url), insecure: access.insecure };
        let identity = access.certificate(url).cloned();
        let identity = identity.map(|identity| {
            let changed = identity.changed();
            (identity, changed)
        });
        let way = Way { trust, route: Route::to(url, access), identity };
        let mut clients = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(client) = clients.get(&way) {
            return Ok(client.clone());
        }
        let client = build(&way, limits)?;
        // What was made with files that have been renewed since is of no more use.
        let same = |one: &Way| Way { identity: None, ..one.clone() };
        let named = |one: &Way| one.identity.as_ref().map(|(identity, _)| identity.clone());
        clients.retain(|one, _| {
            one.identity.is_none() || named(one) != named(&way) || same(one) != same(&way)
        });
        clients.insert(way, client.clone());
        Ok(client)
    }
}

fn build(way: &Way, limits: &Limits) -> Result<Client, Error> {
    let identity = way.identity.as_ref().map(|(identity, _)| identity);
    if let (Some(_), Route::Proxy(proxy)) = (identity, &way.route)
        && proxy.scheme() == "https"
    {
        // One configuration of TLS serves both, so that the proxy would be shown it too.
        let message = format!(
            "a client certificate is not used through {}, which is reached over TLS itself",
            origin(proxy)
        );
        return Err(Error::new(ErrorKind::Refused, message)
            .hint("use the proxy over `http://`: what goes through it is encrypted all the same"));
    }
    // Redirects are ours to follow: each hop decides anew who one is there.
    let builder = Client::builder()
        .redirect(Policy::none())
        .referer(false)
        .user_agent(USER_AGENT)
        .connect_timeout(limits.stall_timeout)
        .tls_backend_preconfigured(way.trust.config(identity, limits)?);
    let builder = match &way.route {
        Route::Direct => builder.no_proxy(),
        Route::System => builder,
        Route::Proxy(url) => {
            let proxy = Proxy::all(url.clone()).map_err(|_| {
                let message = format!("the proxy {} cannot be used", origin(url));
                Error::new(ErrorKind::Network, message)
                    .hint("a proxy is an `http://` or `https://` address")
            })?;
            builder.proxy(proxy)
        }
    };
    builder.build().map_err(|error| {
        let message = format!("the HTTP client cannot be set up: {}", error.without_url());
        Error::new(ErrorKind::Network, message)
    })
}
