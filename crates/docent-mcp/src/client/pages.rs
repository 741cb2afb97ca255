//! Lists, page by page.

use serde_json::Value;

use super::{Client, RequestOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::RawJson;
use crate::types::JsonObject;

/// Decodes one page of a list: its entries and the cursor of the next page.
pub(crate) type DecodePage<T> =
    fn(&Client, &RawJson) -> serde_json::Result<(Vec<T>, Option<String>)>;

/// The pages of a list, fetched one at a time.
pub struct Pages<T> {
    client: Client,
    method: &'static str,
    decode: DecodePage<T>,
    params: JsonObject,
    options: RequestOptions,
    /// The cursor of the next page; `None` when there is none.
    next: Option<Option<String>>,
    left: usize,
}

impl<T> Pages<T> {
    pub(crate) fn new(client: &Client, method: &'static str, decode: DecodePage<T>) -> Self {
        Pages {
            client: client.clone(),
            method,
            decode,
            params: JsonObject::new(),
            options: RequestOptions::default(),
            next: Some(None),
            left: client.limits().pages_max,
        }
    }

    /// The same list of something: parameters that every page is asked for with.
    #[cfg(feature = "skills")]
    pub(crate) fn with_params(self, params: JsonObject) -> Self {
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
            params.insert("cursor".to_owned(), Value::String(cursor.clone()));
        }
        let page = self.client.offered(self.method, params, self.options.clone()).await?;
        let (entries, next) = (self.decode)(&self.client, &page).map_err(|error| {
            Error::invalid_response(format!("the answer to {} cannot be read", self.method))
                .with_source(error)
        })?;
        self.left -= 1;
        if next.is_some() && next == cursor {
            let message = format!("the server sent the same cursor of {} twice", self.method);
            return Err(Error::invalid_response(message));
        }
        // Any string is a cursor, also the empty one.
        self.next = next.map(Some);
        Ok(Some(entries))
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
