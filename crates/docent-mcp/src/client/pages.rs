//! Lists, page by page.

use super::{Client, RequestOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::{RawJson, RawObject};
use crate::types::CacheScope;

/// Decodes one page of a list: its entries and the cursor of the next page.
pub(crate) type DecodePage<T> =
    fn(&Client, &RawJson) -> serde_json::Result<(Vec<T>, Option<String>)>;

/// The pages of a list, fetched one at a time.
pub struct Pages<T> {
    client: Client,
    method: &'static str,
    decode: DecodePage<T>,
    params: RawObject,
    options: RequestOptions,
    /// The cursor of the next page; `None` when there is none.
    next: Option<Option<String>>,
    left: usize,
    freshness: Option<Freshness>,
}

/// How long, and for whom, what a server sent stays fresh (2026-07-28).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freshness {
    /// For how many milliseconds.
    pub ttl_ms: u64,
    /// For whom.
    pub scope: CacheScope,
}

impl Freshness {
    /// What a result says; nothing if it says nothing that can be used.
    pub fn of(result: &RawJson) -> Option<Self> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Hints {
            ttl_ms: u64,
            #[serde(default)]
            cache_scope: CacheScope,
        }
        let Hints { ttl_ms, cache_scope: scope } = result.decode().ok()?;
        Some(Freshness { ttl_ms, scope })
    }

    /// Both in one: as long as the shorter one, and for everybody only if both are.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let public = self.scope == CacheScope::Public && other.scope == CacheScope::Public;
        Freshness {
            ttl_ms: self.ttl_ms.min(other.ttl_ms),
            scope: if public { CacheScope::Public } else { CacheScope::Private },
        }
    }
}

impl<T> Pages<T> {
    pub(crate) fn new(client: &Client, method: &'static str, decode: DecodePage<T>) -> Self {
        Pages {
            client: client.clone(),
            method,
            decode,
            params: RawObject::new(),
            options: RequestOptions::default(),
            next: Some(None),
            left: client.limits().pages_max,
            freshness: None,
        }
    }

    /// The same list of something: parameters that every page is asked for with.
    #[cfg(feature = "skills")]
    pub(crate) fn with_params(self, params: RawObject) -> Self {
        Pages { params, ..self }
    }

    /// The next page, or `None` after the last one. After an error the same page can be asked for
    /// again.
    pub async fn next(&mut self) -> Result<Option<Vec<T>>> {
        let Some(cursor) = self.next.clone() else { return Ok(None) };
        if self.left == 0 {
            let message =
                format!("{} has more than {} pages", self.method, self.client.limits().pages_max);
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let mut params = self.params.clone();
        if let Some(cursor) = &cursor {
            params.insert("cursor", RawJson::of(cursor));
        }
        let page = self.client.offered(self.method, params, self.options.clone()).await?;
        let (entries, next) = (self.decode)(&self.client, &page).map_err(|error| {
            Error::invalid_response(format!("the answer to {} cannot be read", self.method))
                .with_source(error)
        })?;
        self.left -= 1;
        let freshness = Freshness::of(&page);
        self.freshness = match (self.freshness.take(), freshness) {
            (Some(before), Some(now)) => Some(before.and(now)),
            (before, now) => before.or(now),
        };
        if next.is_some() && next == cursor {
            let message = format!("the server sent the same cursor of {} twice", self.method);
            return Err(Error::invalid_response(message));
        }
        // Any string is a cursor, also the empty one.
        self.next = next.map(Some);
        Ok(Some(entries))
    }

    /// How long the pages that were fetched so far stay fresh, if the server said so.
    pub fn freshness(&self) -> Option<&Freshness> {
        self.freshness.as_ref()
    }

    /// All remaining pages in one list.
    pub async fn collect(mut self) -> Result<Vec<T>> {
        let mut all = Vec::new();
        while let Some(page) = self.next().await? {
            all.extend(page);
        }
        Ok(all)
    }
}

impl<T> std::fmt::Debug for Pages<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pages").field("method", &self.method).finish_non_exhaustive()
    }
}
