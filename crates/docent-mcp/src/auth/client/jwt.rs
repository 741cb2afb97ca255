//! Signing: the keys of clients, and the tokens that they sign.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::rsa;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
    RSA_PKCS1_SHA256,
};
use serde_json::Value;

use crate::error::{Error, ErrorKind, Result};

/// A private key that a client signs with: an elliptic curve (P-256, P-384, Ed25519) or RSA.
///
/// The algorithm follows from the key: ES256, ES384, EdDSA or RS256.
pub struct PrivateKey {
    key: Key,
    /// Its name, for servers that know several keys of a client.
    id: Option<String>,
}

enum Key {
    Ecdsa(EcdsaKeyPair, &'static str),
    Ed25519(Ed25519KeyPair),
    Rsa(Box<rsa::KeyPair>),
}

impl PrivateKey {
    /// Reads a key in PEM: `-----BEGIN PRIVATE KEY-----` (PKCS#8), or for RSA also
    /// `-----BEGIN RSA PRIVATE KEY-----`.
    pub fn from_pem(pem: &str) -> Result<PrivateKey> {
        let bad = || {
            Error::invalid_input(
                "this is no private key that can be used: give P-256, P-384, Ed25519 or RSA in PEM, as `openssl pkcs8 -topk8 -nocrypt` writes it",
            )
        };
        let (kind, der) = read_pem(pem).ok_or_else(bad)?;
        let key = match kind {
            "PRIVATE KEY" => Key::from_pkcs8(&der),
            "RSA PRIVATE KEY" => rsa::KeyPair::from_der(&der).ok().map(Box::new).map(Key::Rsa),
            _ => None,
        };
        Ok(PrivateKey { key: key.ok_or_else(bad)?, id: None })
    }

    /// Names the key, for servers that know several keys of a client (`kid`).
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The algorithm that it signs with.
    pub fn algorithm(&self) -> &'static str {
        match &self.key {
            Key::Ecdsa(_, name) => name,
            Key::Ed25519(_) => "EdDSA",
            Key::Rsa(_) => "RS256",
        }
    }

    /// A signed token with these claims.
    pub(super) fn sign(&self, claims: &Value) -> Result<String> {
        let mut header = serde_json::json!({ "alg": self.algorithm(), "typ": "JWT" });
        if let Some(id) = &self.id {
            header["kid"] = Value::from(id.as_str());
        }
        let text = format!("{}.{}", part(&header), part(claims));
        let random = SystemRandom::new();
        let signature = match &self.key {
            Key::Ecdsa(key, _) => key.sign(&random, text.as_bytes()).map(|s| s.as_ref().to_vec()),
            Key::Ed25519(key) => Ok(key.sign(text.as_bytes()).as_ref().to_vec()),
            Key::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature)
                    .map(|()| signature)
            }
        };
        let signature = signature
            .map_err(|_| Error::new(ErrorKind::Authorization, "the private key does not sign"))?;
        Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

impl Key {
    fn from_pkcs8(der: &[u8]) -> Option<Key> {
        let random = SystemRandom::new();
        let ecdsa = |algorithm, name| {
            let key = EcdsaKeyPair::from_pkcs8(algorithm, der, &random).ok()?;
            Some(Key::Ecdsa(key, name))
        };
        ecdsa(&ECDSA_P256_SHA256_FIXED_SIGNING, "ES256")
            .or_else(|| ecdsa(&ECDSA_P384_SHA384_FIXED_SIGNING, "ES384"))
            .or_else(|| Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok().map(Key::Ed25519))
            .or_else(|| rsa::KeyPair::from_pkcs8(der).ok().map(Box::new).map(Key::Rsa))
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey").field("algorithm", &self.algorithm()).finish_non_exhaustive()
    }
}

/// A part of a token.
pub(super) fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

/// The first block of a PEM file: what it is, and its bytes.
fn read_pem(pem: &str) -> Option<(&str, Vec<u8>)> {
    let (_, rest) = pem.split_once("-----BEGIN ")?;
    let (kind, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once("-----END ")?;
    let body: String = body.split_ascii_whitespace().collect();
    Some((kind, STANDARD.decode(body).ok()?))
}

#[cfg(test)]
mod tests {
    use ring::signature::{self, KeyPair as _, UnparsedPublicKey};

    use super::*;

    fn pem(kind: &str, der: &[u8]) -> String {
        format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", STANDARD.encode(der))
    }

    /// [CLI-AUTH-19] what is signed can be verified with the public key, and nothing of the key is
    /// ever shown.
    #[test]
    fn keys_sign() {
        let random = SystemRandom::new();
        let p256 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let p384 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, &random).unwrap();
        let ed = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let keys: [(&[u8], &str, &dyn signature::VerificationAlgorithm); 3] = [
            (p256.as_ref(), "ES256", &signature::ECDSA_P256_SHA256_FIXED),
            (p384.as_ref(), "ES384", &signature::ECDSA_P384_SHA384_FIXED),
            (ed.as_ref(), "EdDSA", &signature::ED25519),
        ];
        for (der, algorithm, verification) in keys {
            let text = pem("PRIVATE KEY", der);
            let key = PrivateKey::from_pem(&text).unwrap().id("k1");
            assert_eq!(key.algorithm(), algorithm);
            let shown = format!("{key:?}");
            assert!(!shown.contains(&text[40..60]), "{shown}");
            let token = key.sign(&serde_json::json!({ "sub": "me" })).unwrap();
            let (signed, signature) = token.rsplit_once('.').unwrap();
            let public = match &key.key {
                Key::Ecdsa(key, _) => key.public_key().as_ref().to_vec(),
                Key::Ed25519(key) => key.public_key().as_ref().to_vec(),
                Key::Rsa(_) => unreachable!("no such key in this test"),
            };
            let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
            let public = UnparsedPublicKey::new(verification, public);
            public.verify(signed.as_bytes(), &signature).unwrap();
            let header = URL_SAFE_NO_PAD.decode(signed.split_once('.').unwrap().0).unwrap();
            let header: Value = serde_json::from_slice(&header).unwrap();
            assert_eq!(header, serde_json::json!({ "alg": algorithm, "typ": "JWT", "kid": "k1" }));
        }
    }

    #[test]
    fn what_is_no_key() {
        for text in ["", "hunter2", &pem("PRIVATE KEY", b"hunter2"), &pem("EC PRIVATE KEY", b"x")] {
            let error = PrivateKey::from_pem(text).unwrap_err();
            assert!(error.to_string().contains("openssl"), "{error}");
            assert!(!format!("{error:#}").contains("hunter2"));
        }
    }
}
