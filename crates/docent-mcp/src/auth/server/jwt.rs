//! Tokens that can be verified here: signed by the authorization server (RFC 9068).

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::check::Expected;
use super::fetch::Way;
use super::jws::Jws;
use super::keys::{Keys, Source, candidates};
use super::{Claims, TokenError, TokenVerifier};
use crate::auth::{Reach, Secret};
use crate::limits::VerifierLimits;
use crate::transport::BoxFuture;

/// Verifies signed tokens with the public keys of the authorization server that issued them.
///
/// Signature, issuer, audience, and times are checked. Accepted algorithms are ES256, ES384, RS256,
/// PS256 and EdDSA. Keys are fetched from where the issuer's metadata says, cached, and fetched
/// again when a token names an unknown one.
///
/// ```
/// use docent_mcp::auth::JwtVerifier;
///
/// let verifier = JwtVerifier::new("https://auth.example");
/// ```
pub struct JwtVerifier {
    issuer: String,
    audience: Option<String>,
    shared: bool,
    source: Source,
    limits: VerifierLimits,
    way: Way,
    keys: Arc<Keys>,
}

impl JwtVerifier {
    /// Takes tokens of this issuer, as its identifier is written in its metadata.
    pub fn new(issuer: impl Into<String>) -> Self {
        let issuer = issuer.into();
        let (source, limits) = (Source::Issuer(issuer.clone()), VerifierLimits::default());
        let way = Way::default();
        let keys = Keys::new(source.clone(), limits.clone(), way.clone());
        JwtVerifier { issuer, audience: None, shared: false, source, limits, way, keys }
    }

    /// Fetches the keys from this address, and no metadata.
    #[must_use]
    pub fn keys_at(mut self, address: impl Into<String>) -> Self {
        self.source = Source::Url(address.into());
        self.anew()
    }

    /// Where the issuer may send us for its keys. By default a private address is asked only if the
    /// issuer has one itself. Call it before [`JwtVerifier::keys`].
    #[must_use]
    pub fn reach(mut self, reach: Reach) -> Self {
        self.way.reach = reach;
        self.anew()
    }

    /// Trusts these certificates (PEM) besides those of the machine, for issuers that the public
    /// authorities do not know. Call it before [`JwtVerifier::keys`].
    #[cfg(feature = "tls")]
    pub fn root_certificates(mut self, pem: &[u8]) -> crate::error::Result<Self> {
        self.way.certificates.extend(crate::transport::http::certificates(pem)?);
        Ok(self.anew())
    }

    fn anew(mut self) -> Self {
        self.keys = Keys::new(self.source.clone(), self.limits.clone(), self.way.clone());
        self
    }

    /// Takes these keys (a JSON Web Key Set), and fetches none.
    #[must_use]
    pub fn keys(mut self, set: &Value) -> Self {
        self.source = Source::Fixed;
        self.keys = Keys::fixed(set, self.limits.clone());
        self
    }

    /// For authorization servers that know this server by another name than its address: the
    /// audience that tokens must have.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// Also takes tokens that are meant for others as well, which those others could use here.
    #[must_use]
    pub fn shared_audience(mut self) -> Self {
        self.shared = true;
        self
    }

    /// Sets what verifying may cost. Call it before [`JwtVerifier::keys`].
    #[must_use]
    pub fn limits(mut self, limits: VerifierLimits) -> Self {
        self.limits = limits;
        self.anew()
    }

    async fn claims(&self, token: &str, resource: &str) -> Result<Claims, TokenError> {
        let token = Jws::read(token)?;
        // Proofs and logout tokens are signed by the same keys, and are no access tokens.
        if !matches!(token.kind.as_deref(), None | Some("jwt" | "at+jwt")) {
            return Err(TokenError::invalid("it is another kind of token"));
        }
        let id = token.key_id.as_deref();
        let keys = self.keys.find(id, token.algorithm).await?;
        let mut refused = TokenError::invalid("it was signed with an unknown key");
        for key in candidates(&keys, id, token.algorithm) {
            match token.verify(key) {
                Ok(claims) => {
                    let audience = self.audience.as_deref().unwrap_or(resource);
                    let (issuer, skew) = (self.issuer.as_str(), self.limits.clock_skew);
                    Expected { issuer, audience, shared: self.shared, skew }.check(&claims)?;
                    return Claims::new(claims);
                }
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }
}

impl TokenVerifier for JwtVerifier {
    fn verify<'a>(
        &'a self,
        token: &'a Secret,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<Claims, TokenError>> {
        Box::pin(self.claims(token.expose(), resource))
    }

    fn issuers(&self) -> Vec<String> {
        vec![self.issuer.clone()]
    }
}

impl fmt::Debug for JwtVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JwtVerifier").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}
