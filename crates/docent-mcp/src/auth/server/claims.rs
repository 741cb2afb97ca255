//! What a token says once it was verified: who, what for, until when.
//!
//! Made by a [`TokenVerifier`](super::TokenVerifier); read by the [`Policy`](super::Policy) and by
//! handlers. The token itself stays behind.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::TokenError;
use crate::types::JsonObject;

/// The claims of a token that was verified. Clones are the same claims.
///
/// Handlers read them with [`Context::claims`](crate::server::Context::claims). Whoever
/// authenticates in a layer of their own can put them into the extensions of the request.
#[derive(Clone)]
pub struct Claims(Arc<Inner>);

struct Inner {
    subject: Arc<str>,
    scopes: BTreeSet<String>,
    all: JsonObject,
}

impl Claims {
    /// Reads claims, which need a subject (`sub`), or at least a client (`client_id`) that acts for
    /// itself. Scopes are taken from `scope` or `scp`.
    ///
    /// ```
    /// use docent_mcp::auth::Claims;
    ///
    /// let claims = serde_json::json!({ "sub": "ada", "scope": "read write" });
    /// let claims = Claims::new(claims.as_object().unwrap().clone()).unwrap();
    /// assert_eq!(claims.subject(), "ada");
    /// assert!(claims.has_scope("write"));
    /// ```
    pub fn new(all: JsonObject) -> Result<Claims, TokenError> {
        let text =
            |name: &str| all.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let subject = match (text("sub"), text("client_id")) {
            (Some(subject), _) => subject.into(),
            (None, Some(client)) => format!("client:{client}").into(),
            (None, None) => return Err(TokenError::invalid("the token names no subject")),
        };
        let scopes =
            scopes(all.get("scope")).or_else(|| scopes(all.get("scp"))).unwrap_or_default();
        Ok(Claims(Arc::new(Inner { subject, scopes, all })))
    }

    /// Who it is. Also the [`Context::principal`](crate::server::Context::principal).
    pub fn subject(&self) -> &str {
        &self.0.subject
    }

    pub(crate) fn principal(&self) -> Arc<str> {
        self.0.subject.clone()
    }

    /// What the token allows.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        self.0.scopes.iter().map(String::as_str)
    }

    /// Whether the token allows this.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.0.scopes.contains(scope)
    }

    /// Any claim, by its name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.all.get(name)
    }

    pub(super) fn all(&self) -> &JsonObject {
        &self.0.all
    }

    /// The same claims with these scopes on top.
    pub(super) fn with_scopes(&self, more: impl IntoIterator<Item = String>) -> Claims {
        let mut scopes = self.0.scopes.clone();
        scopes.extend(more);
        let (subject, all) = (self.0.subject.clone(), self.0.all.clone());
        Claims(Arc::new(Inner { subject, scopes, all }))
    }

    /// The key that the token is bound to (`cnf.jkt`). Any other binding is one that cannot be
    /// checked here.
    pub(super) fn bound_to(&self) -> Result<Option<&str>, TokenError> {
        let Some(binding) = self.get("cnf") else { return Ok(None) };
        match binding.get("jkt").and_then(Value::as_str) {
            Some(thumbprint) => Ok(Some(thumbprint)),
            None => Err(TokenError::invalid("the token is bound in a way that is not known here")),
        }
    }
}

/// Scopes are a text with spaces between, or a list.
fn scopes(value: Option<&Value>) -> Option<BTreeSet<String>> {
    match value? {
        Value::String(text) => Some(text.split_ascii_whitespace().map(str::to_owned).collect()),
        Value::Array(list) => {
            Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        }
        _ => None,
    }
}

impl fmt::Debug for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claims")
            .field("subject", &self.0.subject)
            .field("scopes", &self.0.scopes)
            .finish_non_exhaustive()
    }
}

/// The claims of one request, and what turned out to be missing while it was answered.
pub(crate) struct Access {
    pub(crate) claims: Claims,
    missing: Mutex<BTreeSet<String>>,
}

impl Access {
    pub(crate) fn new(claims: Claims) -> Arc<Access> {
        Arc::new(Access { claims, missing: Mutex::default() })
    }

    /// Notes that the request needs these scopes, for the status and the challenge of its answer.
    pub(super) fn lacks(&self, scopes: impl IntoIterator<Item = String>) {
        self.missing.lock().expect("no panic while locked").extend(scopes);
    }

    /// All scopes that the request would have needed, if it lacked any.
    pub(crate) fn missing(&self) -> Option<Vec<String>> {
        let missing = self.missing.lock().expect("no panic while locked");
        (!missing.is_empty()).then(|| missing.iter().cloned().collect())
    }
}
