//! Tokens that are bound to a key (RFC 9449): the proof, with each request, that the sender has it.

use std::collections::HashMap;
use std::sync::Mutex;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use ring::digest::{SHA256, digest};
use serde_json::Value;

use super::TokenError;
use super::check::{now, seconds};
use super::jwk::Jwk;
use super::jws::Jws;
use super::nonce::Nonces;
use crate::auth::Secret;
use crate::error::Result;
use crate::limits::VerifierLimits;

pub(super) struct Proofs {
    limits: VerifierLimits,
    /// If every proof must hold a nonce of ours.
    nonces: Option<Nonces>,
    /// The proofs that were seen, and until when they have to be remembered.
    seen: Mutex<HashMap<[u8; 32], u64>>,
}

/// What a proof has to be for.
pub(super) struct Sent<'a> {
    pub(super) method: &'a str,
    /// The addresses that the request may have been sent to.
    pub(super) addresses: [&'a str; 2],
    pub(super) token: &'a Secret,
    /// The key that the token is bound to.
    pub(super) key: &'a str,
}

/// Why a proof is not taken.
#[derive(Debug)]
pub(super) enum ProofError {
    Wrong(TokenError),
    /// It needs a nonce, which is this one.
    Nonce(String),
}

impl Proofs {
    pub(super) fn new(limits: VerifierLimits, with_nonces: bool) -> Result<Proofs> {
        let nonces = match with_nonces {
            true => Some(Nonces::new(limits.nonce_ttl)?),
            false => None,
        };
        Ok(Proofs { limits, nonces, seen: Mutex::default() })
    }

    pub(super) fn check(&self, proof: &str, sent: &Sent<'_>) -> Result<(), ProofError> {
        let wrong = |why: &'static str| ProofError::Wrong(TokenError::invalid(why));
        let proof = Jws::read(proof).map_err(ProofError::Wrong)?;
        if proof.kind.as_deref() != Some("dpop+jwt") {
            return Err(wrong("it is no DPoP proof"));
        }
        let key = proof.key.as_ref().filter(|key| key.get("d").is_none());
        let key = key.and_then(Jwk::read).ok_or_else(|| wrong("it shows no public key"))?;
        let claims = proof.verify(&key).map_err(ProofError::Wrong)?;
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        if text("htm") != Some(sent.method) {
            return Err(wrong("it is for another method"));
        }
        let address = text("htu").and_then(bare);
        let here = |known: &&str| bare(known).is_some_and(|known| Some(known) == address);
        if !sent.addresses.iter().any(here) {
            return Err(wrong("it is for another address"));
        }
        let hash = digest(&SHA256, sent.token.expose().as_bytes());
        if text("ath") != Some(&URL_SAFE_NO_PAD.encode(hash)) {
            return Err(wrong("it is for another token"));
        }
        if key.thumbprint() != sent.key {
            return Err(wrong("the token is bound to another key"));
        }
        let (now, skew) = (now(), self.limits.clock_skew.as_secs());
        let expires = match claims.get("iat").and_then(seconds) {
            Some(made) if made <= now + skew => {
                made.saturating_add(self.limits.proof_age_max.as_secs()).saturating_add(skew)
            }
            _ => return Err(wrong("it does not say when it was made")),
        };
        if expires <= now {
            return Err(wrong("it is too old"));
        }
        if let Some(nonces) = &self.nonces
            && !text("nonce").is_some_and(|nonce| nonces.is_good(nonce))
        {
            return Err(ProofError::Nonce(nonces.make()));
        }
        let id = text("jti").ok_or_else(|| wrong("it has no name of its own"))?;
        let id = digest(&SHA256, format!("{} {id}", sent.key).as_bytes());
        self.remember(id.as_ref().try_into().expect("SHA-256 has 32 bytes"), expires, now)
    }

    /// Takes every proof once. When there is no more room to remember, none is taken.
    fn remember(&self, id: [u8; 32], expires: u64, now: u64) -> Result<(), ProofError> {
        let mut seen = self.seen.lock().expect("no panic while locked");
        if seen.len() >= self.limits.proofs_max {
            seen.retain(|_, until| *until > now);
        }
        if seen.len() >= self.limits.proofs_max {
            return Err(ProofError::Wrong(TokenError::unavailable("too many proofs at once")));
        }
        match seen.insert(id, expires) {
            Some(until) if until > now => {
                Err(ProofError::Wrong(TokenError::invalid("it was used before")))
            }
            _ => Ok(()),
        }
    }
}

/// An address in its normal form, without query and fragment.
fn bare(address: &str) -> Option<Url> {
    let mut url = Url::parse(address).ok()?;
    url.set_query(None);
    url.set_fragment(None);
    Some(url)
}
