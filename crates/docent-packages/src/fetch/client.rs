//! One HTTP client for each way of reaching a registry: what is trusted, and through which proxy.

use std::collections::HashMap;
use std::sync::Mutex;

use reqwest::redirect::Policy;
use reqwest::{Client, Proxy};
use url::Url;

use super::Access;
use super::address::origin;
use super::route::Route;
use super::tls::Trust;
use crate::{Error, ErrorKind, Limits};

/// What registries know us as.
const USER_AGENT: &str = concat!("docent/", env!("CARGO_PKG_VERSION"));

/// The clients, made when they are first needed; connections are kept by each.
#[derive(Default)]
pub(super) struct Clients(Mutex<HashMap<(Trust, Route), Client>>);

impl Clients {
    pub(super) fn of(&self, url: &Url, access: &Access, limits: &Limits) -> Result<Client, Error> {
        let trust = Trust {
            files: access.ca_files.clone(),
            pem: access.ca_pem.clone(),
            insecure: access.insecure,
        };
        let route = Route::to(url, access);
        let key = (trust, route);
        let mut clients = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(client) = clients.get(&key) {
            return Ok(client.clone());
        }
        let client = build(&key.0, &key.1, limits)?;
        clients.insert(key, client.clone());
        Ok(client)
    }
}

fn build(trust: &Trust, route: &Route, limits: &Limits) -> Result<Client, Error> {
    // Redirects are ours to follow: each hop decides anew who one is there.
    let builder = Client::builder()
        .redirect(Policy::none())
        .referer(false)
        .user_agent(USER_AGENT)
        .connect_timeout(limits.stall_timeout)
        .tls_backend_preconfigured(trust.config(limits)?);
    let builder = match route {
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
