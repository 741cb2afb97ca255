//! How a request is refused: the status, and the challenge that tells a client what to do about it
//! (RFC 6750, RFC 9449, RFC 9728).

use http::header::WWW_AUTHENTICATE;
use http::{HeaderName, HeaderValue, StatusCode};

use super::TokenError;
use super::jwk::ALGORITHMS;

pub(super) const NONCE: HeaderName = HeaderName::from_static("dpop-nonce");

/// A request that does not get through.
pub(crate) struct Denied {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// What all challenges of a server have in common.
#[derive(Debug)]
pub(super) struct Challenges {
    /// Where the metadata of the server is.
    pub(super) metadata: String,
    /// The scopes that every request needs.
    pub(super) scopes: Vec<String>,
    /// Whether tokens have to be bound to keys.
    pub(super) bound: bool,
}

impl Challenges {
    /// No token: which one to get.
    pub(super) fn no_token(&self) -> Denied {
        let message = "authorization is needed: send a token";
        self.deny(StatusCode::UNAUTHORIZED, message, None, &self.scopes, self.bound)
    }

    /// The request cannot be understood.
    pub(super) fn malformed(&self, message: &str) -> Denied {
        let error = Some("invalid_request");
        self.deny(StatusCode::BAD_REQUEST, message, error, &[], self.bound)
    }

    /// A token that is not taken, or nobody can tell.
    pub(super) fn token(&self, error: &TokenError, bound: bool) -> Denied {
        self.refused(error, "invalid_token", bound)
    }

    /// A proof that is not taken.
    pub(super) fn proof(&self, error: &TokenError) -> Denied {
        self.refused(error, "invalid_dpop_proof", true)
    }

    fn refused(&self, error: &TokenError, code: &'static str, bound: bool) -> Denied {
        match error {
            TokenError::Invalid(reason) => {
                self.deny(StatusCode::UNAUTHORIZED, reason, Some(code), &self.scopes, bound)
            }
            TokenError::Unavailable(reason) => {
                tracing::warn!(%reason, "a token could not be verified");
                let message = "tokens cannot be verified at the moment: try again later";
                let (status, headers) = (StatusCode::SERVICE_UNAVAILABLE, Vec::new());
                Denied { status, message: message.to_owned(), headers }
            }
        }
    }

    /// A proof that needs this nonce.
    pub(super) fn nonce(&self, nonce: &str) -> Denied {
        let message = "the proof needs the nonce of the `DPoP-Nonce` header";
        let error = Some("use_dpop_nonce");
        let mut denied = self.deny(StatusCode::UNAUTHORIZED, message, error, &[], true);
        let nonce = HeaderValue::try_from(nonce).expect("a nonce is visible ASCII");
        denied.headers.push((NONCE, nonce));
        denied
    }

    /// A good token that does not allow enough: everything that is needed, in one challenge.
    pub(super) fn more_scopes(&self, needed: &[String], bound: bool) -> Denied {
        let mut scopes = self.scopes.clone();
        scopes.extend(needed.iter().filter(|scope| !self.scopes.contains(scope)).cloned());
        let message = format!("the token does not allow this; needed: {}", scopes.join(" "));
        let error = Some("insufficient_scope");
        self.deny(StatusCode::FORBIDDEN, &message, error, &scopes, bound)
    }

    fn deny(
        &self,
        status: StatusCode,
        message: &str,
        error: Option<&str>,
        scopes: &[String],
        bound: bool,
    ) -> Denied {
        let mut parts = Vec::new();
        if bound {
            parts.push(format!("algs=\"{}\"", ALGORITHMS.join(" ")));
        }
        if let Some(error) = error {
            parts.push(format!("error=\"{error}\", error_description=\"{}\"", quotable(message)));
        }
        if !scopes.is_empty() {
            parts.push(format!("scope=\"{}\"", scopes.join(" ")));
        }
        parts.push(format!("resource_metadata=\"{}\"", self.metadata));
        let scheme = if bound { "DPoP" } else { "Bearer" };
        let value = HeaderValue::try_from(format!("{scheme} {}", parts.join(", ")));
        // All of it was checked or made here; a challenge that cannot be written is left out.
        let headers = value.into_iter().map(|value| (WWW_AUTHENTICATE, value)).collect();
        Denied { status, message: message.to_owned(), headers }
    }
}

/// Text that can stand between quotation marks in a challenge.
fn quotable(text: &str) -> String {
    text.chars()
        .map(|c| if matches!(c, ' '..='~') && c != '"' && c != '\\' { c } else { '\'' })
        .collect()
}
