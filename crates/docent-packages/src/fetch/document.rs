//! Metadata: from the cache while it is fresh, else asked for, with what is known already.
//!
//! The cache is a private one: an entry belongs to the address, the kinds of answer that were
//! accepted, and the credential it was got with. A copy that is no longer fresh is still better
//! than nothing when the network is down.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use reqwest::Response;
use reqwest::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, LAST_MODIFIED,
};
use serde::{Deserialize, Serialize};
use url::Url;

use super::address::{plain, shown, without_user};
use super::inflate::Body;
use super::request::{Answer, Known, Question, is_delimited, is_outage, too_long};
use super::retry::{Failure, retry};
use super::{Access, Document, Inner, blocking};
use crate::cache::Bucket;
use crate::cache::entry::hex;
use crate::{Error, ErrorKind};

/// How long an answer is fresh if its server does not say.
const FRESH: Duration = Duration::from_secs(5 * 60);
/// How long at most, whatever its server says.
const FRESH_MAX: Duration = Duration::from_secs(10 * 60);

/// A request that lives as long as its work.
#[derive(Clone)]
pub(super) struct Wish {
    pub(super) url: Url,
    pub(super) accept: String,
    pub(super) access: Access,
}

/// What is stored before the body.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Head {
    url: String,
    content_type: String,
    etag: Option<String>,
    modified: Option<String>,
    /// Seconds since 1970 at which it was last known to be current.
    date_s: u64,
    fresh_s: u64,
}

/// A copy in the cache.
#[derive(Clone)]
struct Stored {
    head: Head,
    body: Bytes,
}

impl Wish {
    /// What tells its copies from others; credentials are in it only as a digest.
    pub(super) fn key(&self) -> String {
        let identity = hex(&self.access.identity(&self.url));
        format!("{}\n{}\n{identity}", without_user(&self.url), self.accept)
    }
}

impl Inner {
    pub(super) async fn document(self: Arc<Self>, wish: Wish) -> Result<Document, Error> {
        let key = wish.key();
        let stored = {
            let (this, key) = (Arc::clone(&self), key.clone());
            blocking(move || read(this.cache.read(Bucket::Metadata, &key)?)).await?
        };
        match stored {
            Some(stored) if self.offline || stored.head.is_fresh(now_s()) => stored.document(false),
            None if self.offline => Err(offline(&wish.url)),
            stored => self.renew(&wish, key, stored).await,
        }
    }

    /// Asks the registry, and keeps what it says.
    async fn renew(
        self: Arc<Self>,
        wish: &Wish,
        key: String,
        stored: Option<Stored>,
    ) -> Result<Document, Error> {
        let asked = retry(&self.limits, || self.attempt(wish, stored.as_ref())).await;
        let (stored, keep) = match (asked, stored) {
            (Ok(renewed), _) => renewed,
            (Err(error), Some(stored)) if is_outage(&error) => return stored.document(true),
            (Err(error), _) => {
                if error.kind() == ErrorKind::PackageNotFound {
                    let this = Arc::clone(&self);
                    blocking(move || this.cache.remove(Bucket::Metadata, &key)).await?;
                }
                return Err(error);
            }
        };
        if keep {
            let bytes = stored.bytes();
            // A cache that cannot be written makes things slow, not wrong.
            blocking(move || self.cache.write(Bucket::Metadata, &key, &bytes).ok()).await?;
        }
        stored.document(false)
    }

    /// One attempt: the copy to use from now on, and whether to keep it.
    async fn attempt(
        &self,
        wish: &Wish,
        stored: Option<&Stored>,
    ) -> Result<(Stored, bool), Failure> {
        let known = stored.map(|stored| &stored.head).map(|head| Known {
            url: &head.url,
            etag: head.etag.as_deref(),
            modified: head.modified.as_deref(),
        });
        let mut question = Question {
            url: &wish.url,
            accept: &wish.accept,
            encoding: "gzip",
            access: &wish.access,
            known: known.filter(|known| known.etag.is_some() || known.modified.is_some()),
        };
        self.in_time(&wish.url, async {
            let mut answer = self.ask(&question).await?;
            if matches!(answer, Answer::Confused) {
                question.known = None;
                answer = self.ask(&question).await?;
            }
            match (answer, stored) {
                (Answer::Body(url, response), _) => self.load(&url, *response).await,
                (Answer::Unchanged, Some(stored)) => {
                    let mut same = stored.clone();
                    same.head.date_s = now_s();
                    Ok((same, true))
                }
                _ => {
                    let message = format!("{} says that nothing changed", shown(&wish.url));
                    let message = message + ", though nothing was known";
                    Err(Failure::never(Error::new(ErrorKind::Network, message)))
                }
            }
        })
        .await
    }

    async fn load(&self, url: &Url, mut response: Response) -> Result<(Stored, bool), Failure> {
        let bytes_max = self.limits.metadata_bytes_max;
        self.check_length(url, &response, bytes_max)?;
        let broken = |error: std::io::Error| {
            if error.kind() == std::io::ErrorKind::FileTooLarge {
                return too_long(url, bytes_max);
            }
            let message = format!("{} sent what cannot be decoded: {error}", shown(url));
            Failure::soon(Error::new(ErrorKind::Network, message))
        };
        let encoding = text(&response, &CONTENT_ENCODING).unwrap_or_default();
        let mut body = Body::new(&encoding, bytes_max).map_err(broken)?;
        while let Some(bytes) = self.next_bytes(url, &mut response).await? {
            body.add(&bytes).map_err(broken)?;
        }
        let finished = body.finish().map_err(broken)?;
        let control = text(&response, &CACHE_CONTROL).unwrap_or_default();
        let (fresh, keep) = freshness(&control);
        let content_type = text(&response, &CONTENT_TYPE).unwrap_or_default();
        let content_type = content_type.split(';').next().unwrap_or_default();
        let head = Head {
            url: plain(url).into(),
            content_type: content_type.trim().to_ascii_lowercase(),
            etag: text(&response, &ETAG),
            modified: text(&response, &LAST_MODIFIED),
            date_s: now_s(),
            fresh_s: fresh.as_secs(),
        };
        let stored = Stored { head, body: Bytes::from(finished) };
        Ok((stored, keep && is_delimited(&response)))
    }
}

impl Head {
    fn is_fresh(&self, now_s: u64) -> bool {
        // A date in the future says nothing.
        now_s.checked_sub(self.date_s).is_some_and(|age| age < self.fresh_s)
    }
}

impl Stored {
    fn document(self, stale: bool) -> Result<Document, Error> {
        let url = Url::parse(&self.head.url).map_err(|_| {
            Error::new(ErrorKind::Network, "a stored answer has no address to come from")
        })?;
        Ok(Document { url, content_type: self.head.content_type, body: self.body, stale })
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = postcard::to_stdvec(&self.head).unwrap_or_default();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

fn read(bytes: Vec<u8>) -> Option<Stored> {
    let (head, body) = postcard::take_from_bytes(&bytes).ok()?;
    let head_bytes = bytes.len() - body.len();
    Some(Stored { head, body: Bytes::from(bytes).slice(head_bytes..) })
}

fn text(response: &Response, name: &HeaderName) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// How long an answer is fresh, and whether it may be kept at all.
fn freshness(control: &str) -> (Duration, bool) {
    let (mut fresh, mut keep) = (FRESH, true);
    for directive in control.split(',') {
        let directive = directive.trim().to_ascii_lowercase();
        match directive.split_once('=').unwrap_or((&directive, "")) {
            ("no-store", _) => keep = false,
            ("no-cache", _) => return (Duration::ZERO, keep && !control.contains("no-store")),
            ("max-age", seconds) => {
                let seconds = seconds.trim_matches('"').parse().unwrap_or(0);
                fresh = Duration::from_secs(seconds).min(FRESH_MAX);
            }
            _ => {}
        }
    }
    (fresh, keep)
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

pub(super) fn offline(url: &Url) -> Error {
    let message = format!("{} is not in the cache, and going online is not allowed", shown(url));
    Error::new(ErrorKind::Offline, message)
        .hint("install the package, or ask once with the network allowed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freshness_follows_the_server_within_bounds() {
        for (control, seconds, keep) in [
            ("", 300, true),
            ("public, max-age=60", 60, true),
            ("Max-Age=\"60\"", 60, true),
            ("max-age=86400, immutable", 600, true),
            ("max-age=0", 0, true),
            ("max-age=x", 0, true),
            ("no-cache", 0, true),
            ("no-store", 300, false),
            ("no-cache, no-store, max-age=9", 0, false),
            ("private", 300, true),
        ] {
            assert_eq!(freshness(control), (Duration::from_secs(seconds), keep), "{control}");
        }
    }

    #[test]
    fn copies_age() {
        let head = |date_s, fresh_s| Head {
            url: String::new(),
            content_type: String::new(),
            etag: None,
            modified: None,
            date_s,
            fresh_s,
        };
        for (date_s, fresh_s, fresh) in [
            (1000, 300, true),
            (701, 300, true),
            (700, 300, false),
            (1001, 300, false),
            (1000, 0, false),
        ] {
            assert_eq!(head(date_s, fresh_s).is_fresh(1000), fresh, "{date_s} {fresh_s}");
        }
    }
}
