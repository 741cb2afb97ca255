//! The gate of a protected server, which every request passes: from the token that it brings to its
//! claims, or to a refusal. Made by a `Protection`.

use std::collections::BTreeSet;

use bytes::Bytes;
use http::request::Parts;
use reqwest::Url;

use super::challenge::{Challenges, Denied};
use super::claims::{Access, Claims};
use super::credentials::{self, Credentials};
use super::proof::{ProofError, Proofs, Sent};
use super::{Protection, TokenError};
use crate::auth::Secret;
use crate::error::Result;

/// Where every request has to pass.
pub(crate) struct Gate {
    pub(super) protection: Protection,
    pub(super) url: Url,
    pub(super) origin: String,
    pub(super) paths: [String; 2],
    pub(super) document: Bytes,
    pub(super) challenges: Challenges,
    pub(super) proofs: Proofs,
}

impl Gate {
    /// Whether a path is where the metadata is.
    pub(crate) fn has_metadata_at(&self, path: &str) -> bool {
        self.paths.iter().any(|known| known == path)
    }

    /// The metadata.
    pub(crate) fn metadata(&self) -> Bytes {
        self.document.clone()
    }

    /// Finds out who sends a request. The token is taken out of it.
    pub(crate) async fn admit(&self, parts: &mut Parts) -> Result<Claims, Denied> {
        let limit = self.protection.limits.token_bytes_max;
        let credentials = credentials::take(&mut parts.headers, limit)
            .map_err(|message| self.challenges.malformed(message))?;
        let (token, proof) = match &credentials {
            Credentials::None => return Err(self.challenges.no_token()),
            Credentials::Bearer(token) => (token, None),
            Credentials::Bound { token, proof } => (token, Some(proof)),
        };
        let bound = proof.is_some() || self.protection.bound;
        let refused = |error: TokenError| self.challenges.token(&error, bound);
        let resource = &self.protection.resource;
        let claims = self.protection.verifier.verify(token, resource).await.map_err(refused)?;
        match (claims.bound_to().map_err(refused)?, proof) {
            (Some(key), Some(proof)) => self.check_proof(parts, token, proof, key)?,
            (None, None) if !self.protection.bound => {}
            (Some(_), None) => {
                let error = TokenError::invalid("it is bound to a key: send it as DPoP");
                return Err(self.challenges.token(&error, true));
            }
            (None, _) => {
                return Err(refused(TokenError::invalid("it is not bound to a key")));
            }
        }
        let claims = claims.with_scopes(self.included(&claims));
        match self.protection.needed.iter().all(|scope| claims.has_scope(scope)) {
            true => Ok(claims),
            false => Err(self.challenges.more_scopes(&[], bound)),
        }
    }

    fn check_proof(
        &self,
        parts: &Parts,
        token: &Secret,
        proof: &Secret,
        key: &str,
    ) -> Result<(), Denied> {
        // Behind a proxy that changes paths, the address that clients use is the one that was given.
        let here = format!("{}{}", self.origin, parts.uri.path());
        let sent = Sent {
            method: parts.method.as_str(),
            addresses: [self.url.as_str(), &here],
            token,
            key,
        };
        self.proofs.check(proof.expose(), &sent).map_err(|error| match error {
            ProofError::Wrong(error) => self.challenges.proof(&error),
            ProofError::Nonce(nonce) => self.challenges.nonce(&nonce),
        })
    }

    /// The scopes that follow from those of a token.
    fn included(&self, claims: &Claims) -> BTreeSet<String> {
        let mut included = BTreeSet::new();
        loop {
            let known = included.len();
            for (wide, narrow) in &self.protection.included {
                if claims.has_scope(wide) || included.contains(wide) {
                    included.insert(narrow.clone());
                }
            }
            if included.len() == known {
                return included;
            }
        }
    }

    /// The refusal of a request whose answer turned out to need more.
    pub(crate) fn lacking(&self, access: &Access) -> Option<Denied> {
        let bound = self.protection.bound || access.claims.get("cnf").is_some();
        access.missing().map(|needed| self.challenges.more_scopes(&needed, bound))
    }
}
