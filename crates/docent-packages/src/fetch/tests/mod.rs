//! Fetching, against a registry on this machine that misbehaves on command.
//!
//! `certificates` (who one is in TLS), `documents` (metadata and its copies), `downloads`
//! (artifacts), `hops` (redirects and who one is at each), `secrets` (that no credential is ever where
//! it should not be).

mod certificates;
mod documents;
mod downloads;
mod hops;
mod secrets;

use std::sync::Arc;
use std::time::Duration;

use docent_testkit::folder::Folder;
use docent_testkit::registry::{Answer, Builder, Registry};

use super::*;

/// A registry, a cache, and limits that make waiting short.
struct World {
    registry: Registry,
    folder: Folder,
    limits: Limits,
    access: Access,
}

impl World {
    async fn new(builder: Builder) -> Self {
        let limits = Limits {
            metadata_bytes_max: 100_000,
            download_bytes_max: 100_000,
            stall_timeout: Duration::from_millis(500),
            download_timeout: Duration::from_secs(10),
            retries_max: 2,
            retry_after_max: Duration::from_secs(1),
            ..Limits::default()
        };
        // Whatever proxy this machine has, it is not for itself.
        let access = Access { no_proxy: Some("*".to_owned()), ..Access::default() };
        Self { registry: builder.start().await, folder: Folder::new(), limits, access }
    }

    fn cache(&self) -> Arc<Cache> {
        Arc::new(Cache::open(self.folder.path(), &self.limits).unwrap())
    }

    fn fetcher(&self) -> Fetcher {
        Fetcher::new(&self.limits, self.cache(), false)
    }

    fn offline(&self) -> Fetcher {
        Fetcher::new(&self.limits, self.cache(), true)
    }

    async fn get(&self, path: &str) -> Result<Document, Error> {
        self.get_from(&self.fetcher(), &self.registry.url(path)).await
    }

    async fn get_from(&self, fetcher: &Fetcher, url: &str) -> Result<Document, Error> {
        let url = Url::parse(url).unwrap();
        fetcher.document(&Request { url, accept: "application/json", access: &self.access }).await
    }

    fn login(&mut self, scope: &str, token: &str) {
        let credential = Credential::Bearer(Secret(token.to_owned()));
        self.access.logins.push(Login { scope: Url::parse(scope).unwrap(), credential });
    }
}

fn json(body: &str) -> Answer {
    Answer::body("Application/JSON; charset=utf-8", body)
}

/// An answer that has to be asked for again each time.
fn stale(body: &str) -> Answer {
    json(body).header("cache-control", "max-age=0")
}

fn text(document: Result<Document, Error>) -> String {
    match document {
        Ok(document) => String::from_utf8(document.body.to_vec()).unwrap(),
        Err(error) => format!("{:?}", error.kind()),
    }
}
