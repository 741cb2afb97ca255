//! What a protected server wants to see. It becomes the `gate` that every request passes.

use std::fmt;
use std::sync::Arc;

use super::TokenVerifier;
use super::challenge::Challenges;
use super::fetch::address_of;
use super::gate::Gate;
use super::metadata::{self, Document};
use super::proof::Proofs;
use crate::error::{Error, Result};
use crate::limits::VerifierLimits;

/// Lets only requests with a valid token through; for
/// [`HttpOptions::protect`](crate::transport::http::HttpOptions::protect).
///
/// The token is verified with every request and goes no further: handlers see its
/// [`Claims`](super::Claims). Clients that come without one are told where to get it.
///
/// ```
/// use docent_mcp::auth::{JwtVerifier, Protection};
///
/// let protection =
///     Protection::new("https://mcp.example/mcp", JwtVerifier::new("https://auth.example"))
///         .needs_scope("notes")
///         .offers_scope("notes:write")
///         .scope_includes("notes:write", "notes");
/// ```
#[derive(Clone)]
pub struct Protection {
    pub(super) resource: String,
    pub(super) verifier: Arc<dyn TokenVerifier>,
    issuers: Vec<String>,
    pub(super) needed: Vec<String>,
    offered: Vec<String>,
    pub(super) included: Vec<(String, String)>,
    pub(super) bound: bool,
    nonces: bool,
    name: Option<String>,
    documentation: Option<String>,
    pub(super) limits: VerifierLimits,
}

impl Protection {
    /// Protects the server at this address, which is what tokens must be issued for. It is the one
    /// that clients use, with the path, whatever stands between.
    pub fn new(resource: impl Into<String>, verifier: impl TokenVerifier) -> Self {
        Protection {
            resource: resource.into(),
            issuers: verifier.issuers(),
            verifier: Arc::new(verifier),
            needed: Vec::new(),
            offered: Vec::new(),
            included: Vec::new(),
            bound: false,
            nonces: false,
            name: None,
            documentation: None,
            limits: VerifierLimits::default(),
        }
    }

    /// Sends clients to this authorization server, for verifiers that name none.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuers.push(issuer.into());
        self
    }

    /// A scope that every request needs.
    #[must_use]
    pub fn needs_scope(mut self, scope: impl Into<String>) -> Self {
        self.needed.push(scope.into());
        self
    }

    /// A scope that some requests need, see [`Policy`](super::Policy). Clients are told that it
    /// exists.
    #[must_use]
    pub fn offers_scope(mut self, scope: impl Into<String>) -> Self {
        self.offered.push(scope.into());
        self
    }

    /// Whoever has the scope `wide` has the scope `narrow` too.
    #[must_use]
    pub fn scope_includes(mut self, wide: impl Into<String>, narrow: impl Into<String>) -> Self {
        self.included.push((wide.into(), narrow.into()));
        self
    }

    /// Takes only tokens that are bound to a key of the client (DPoP), which are worth nothing to a
    /// thief. Without this, both kinds are taken.
    #[must_use]
    pub fn bound_tokens_only(mut self) -> Self {
        self.bound = true;
        self
    }

    /// Wants a nonce of this server in every proof, so that none can be made in advance.
    #[must_use]
    pub fn proof_nonces(mut self) -> Self {
        self.nonces = true;
        self
    }

    /// What users should know this server as.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Where developers read about it.
    #[must_use]
    pub fn documentation(mut self, address: impl Into<String>) -> Self {
        self.documentation = Some(address.into());
        self
    }

    /// Sets what verifying may cost.
    #[must_use]
    pub fn limits(mut self, limits: VerifierLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Checks what was said, and makes the gate.
    pub(crate) fn build(self) -> Result<Gate> {
        let url = address_of(&self.resource)?;
        if url.fragment().is_some() {
            return Err(Error::invalid_input("the address of a protected server has no fragment"));
        }
        if self.issuers.is_empty() {
            let message = "a protected server needs an authorization server: `Protection::issuer`";
            return Err(Error::invalid_input(message));
        }
        for issuer in &self.issuers {
            address_of(issuer)?;
        }
        let all = self.needed.iter().chain(&self.offered);
        let mut scopes: Vec<String> = Vec::new();
        for scope in all.chain(self.included.iter().flat_map(|(wide, narrow)| [wide, narrow])) {
            check_scope(scope)?;
            if !scopes.contains(scope) {
                scopes.push(scope.clone());
            }
        }
        let document = Document {
            resource: &self.resource,
            issuers: &self.issuers,
            scopes: &scopes,
            bound: self.bound,
            name: self.name.as_deref(),
            documentation: self.documentation.as_deref(),
        };
        Ok(Gate {
            document: document.write().to_string().into(),
            paths: metadata::paths(&url),
            challenges: Challenges {
                metadata: metadata::address(&url),
                scopes: self.needed.clone(),
                bound: self.bound,
            },
            proofs: Proofs::new(self.limits.clone(), self.nonces)?,
            origin: url.origin().ascii_serialization(),
            url,
            protection: self,
        })
    }
}

/// A scope as RFC 6749 has it. `offline_access` is between a client and the authorization server.
fn check_scope(scope: &str) -> Result<()> {
    let plain = |byte: u8| matches!(byte, b'!' | b'#'..=b'[' | b']'..=b'~');
    if scope.is_empty() || !scope.bytes().all(plain) {
        return Err(Error::invalid_input(format!("{scope:?} cannot be a scope")));
    }
    if scope == "offline_access" {
        let message = "`offline_access` is no scope of a server: leave it to the clients";
        return Err(Error::invalid_input(message));
    }
    Ok(())
}

impl fmt::Debug for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Protection").field("resource", &self.resource).finish_non_exhaustive()
    }
}
