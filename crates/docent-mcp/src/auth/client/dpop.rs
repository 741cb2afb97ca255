//! Tokens that are bound to a key (RFC 9449): the key, and the proof that goes with each request.

use std::collections::HashMap;
use std::fmt;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

use super::address::origin;
use super::fetch::refused;
use super::jwt::part;
use super::random;
use crate::auth::Secret;
use crate::error::Result;

/// Servers whose nonce is remembered; one login knows two.
const NONCES_MAX: usize = 16;

/// The key of one login.
pub(super) struct ProofKey {
    key: EcdsaKeyPair,
    /// How it is kept.
    kept: Secret,
}

impl ProofKey {
    pub(super) fn generate() -> Result<ProofKey> {
        let random = SystemRandom::new();
        let kept = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random)
            .map_err(|_| refused("no key can be made"))?;
        ProofKey::restore(&Secret::new(URL_SAFE_NO_PAD.encode(kept)))
    }

    /// The key as it was kept.
    pub(super) fn restore(kept: &Secret) -> Result<ProofKey> {
        let unusable = || refused("the key of this login is damaged; log in again");
        let der = URL_SAFE_NO_PAD.decode(kept.expose()).map_err(|_| unusable())?;
        let key =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &SystemRandom::new())
                .map_err(|_| unusable())?;
        Ok(ProofKey { key, kept: kept.clone() })
    }

    pub(super) fn kept(&self) -> &Secret {
        &self.kept
    }

    /// The proof for one request; with a token, it is bound to the token too.
    pub(super) fn prove(
        &self,
        method: &str,
        url: &str,
        token: Option<&Secret>,
        nonce: Option<&str>,
    ) -> Result<String> {
        // An uncompressed point: 4, then both coordinates.
        let (x, y) = self.key.public_key().as_ref()[1..].split_at(32);
        let header = json!({
            "typ": "dpop+jwt",
            "alg": "ES256",
            "jwk": {
                "kty": "EC",
                "crv": "P-256",
                "x": URL_SAFE_NO_PAD.encode(x),
                "y": URL_SAFE_NO_PAD.encode(y),
            },
        });
        let mut claims = json!({
            "jti": random::text()?,
            "htm": method,
            "htu": url.split(['?', '#']).next().unwrap_or_default(),
            "iat": now(),
        });
        if let Some(token) = token {
            let hash = digest(&SHA256, token.expose().as_bytes());
            claims["ath"] = Value::from(URL_SAFE_NO_PAD.encode(hash));
        }
        if let Some(nonce) = nonce {
            claims["nonce"] = Value::from(nonce);
        }
        let text = format!("{}.{}", part(&header), part(&claims));
        let signature = self
            .key
            .sign(&SystemRandom::new(), text.as_bytes())
            .map_err(|_| refused("the key of this login does not sign"))?;
        Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

impl fmt::Debug for ProofKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProofKey(…)")
    }
}

pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The last nonce of each server.
#[derive(Debug, Default)]
pub(super) struct Nonces(Mutex<HashMap<String, String>>);

impl Nonces {
    /// Takes the nonce out of an answer. Returns whether it is a new one.
    pub(super) fn take(&self, url: &str, headers: &http::HeaderMap) -> bool {
        let nonce = headers.get("dpop-nonce").and_then(|nonce| nonce.to_str().ok());
        let (Some(nonce), Ok(url)) = (nonce, Url::parse(url)) else { return false };
        let mut nonces = self.0.lock().expect("no panic while locked");
        if nonces.len() >= NONCES_MAX {
            nonces.clear();
        }
        nonces.insert(origin(&url), nonce.to_owned()).as_deref() != Some(nonce)
    }

    pub(super) fn of(&self, url: &str) -> Option<String> {
        let url = Url::parse(url).ok()?;
        self.0.lock().expect("no panic while locked").get(&origin(&url)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    use super::*;

    fn claims(proof: &str) -> (Value, Value) {
        let mut parts = proof.split('.').map(|part| URL_SAFE_NO_PAD.decode(part).unwrap());
        let mut next = || serde_json::from_slice(&parts.next().unwrap()).unwrap();
        (next(), next())
    }

    /// [CLI-AUTH-21] a proof says what it is for, is never the same twice, and is signed.
    #[test]
    fn proofs_say_what_they_are_for() {
        let key = ProofKey::generate().unwrap();
        let key = ProofKey::restore(key.kept()).unwrap();
        let token = Secret::new("token");
        let proof = key.prove("POST", "https://h/a?q=1#f", Some(&token), Some("n")).unwrap();
        let (header, body) = claims(&proof);
        assert_eq!((&header["typ"], &header["alg"]), (&json!("dpop+jwt"), &json!("ES256")));
        assert_eq!(header["jwk"].as_object().unwrap().len(), 4, "nothing private: {header}");
        assert_eq!(body["htu"], "https://h/a");
        assert_eq!(body["htm"], "POST");
        assert_eq!(body["nonce"], "n");
        assert_eq!(body["ath"], URL_SAFE_NO_PAD.encode(digest(&SHA256, b"token")));
        let (signed, signature) = proof.rsplit_once('.').unwrap();
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key.key.public_key());
        public.verify(signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
        let (_, again) = claims(&key.prove("POST", "https://h/a", None, None).unwrap());
        assert_ne!(again["jti"], body["jti"]);
        assert!(again.get("ath").is_none() && again.get("nonce").is_none());
    }
}
