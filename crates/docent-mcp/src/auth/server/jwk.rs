//! Public keys as JSON (RFC 7517), the algorithms they are for, and signatures by them.
//!
//! The algorithms are pinned: only asymmetric ones exist here, so that `none` is no algorithm and a
//! public key can never be taken for a shared secret.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    Es256,
    Es384,
    Rs256,
    Ps256,
    EdDsa,
}

/// Their names, for metadata.
pub(super) const ALGORITHMS: [&str; 5] = ["ES256", "ES384", "RS256", "PS256", "EdDSA"];

impl Algorithm {
    pub(super) fn named(name: &str) -> Option<Algorithm> {
        match name {
            "ES256" => Some(Algorithm::Es256),
            "ES384" => Some(Algorithm::Es384),
            "RS256" => Some(Algorithm::Rs256),
            "PS256" => Some(Algorithm::Ps256),
            "EdDSA" | "Ed25519" => Some(Algorithm::EdDsa),
            _ => None,
        }
    }
}

/// A public key that verifies signatures.
#[derive(Debug)]
pub(super) struct Jwk {
    pub(super) id: Option<String>,
    /// The only algorithm it may be used with, if it says so.
    algorithm: Option<Algorithm>,
    key: Key,
}

#[derive(Debug)]
enum Key {
    /// As ring takes points: 4, then both coordinates.
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
}

impl Jwk {
    /// Reads a key; `None` for one that is of no use here: a secret, or for encryption.
    pub(super) fn read(value: &Value) -> Option<Jwk> {
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok();
        if text("use").is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let point = |length: usize| {
            let (x, y) = (bytes("x")?, bytes("y")?);
            (x.len() == length && y.len() == length).then(|| [&[4], &*x, &*y].concat())
        };
        let key = match (text("kty")?, text("crv")) {
            ("EC", Some("P-256")) => Key::P256(point(32)?),
            ("EC", Some("P-384")) => Key::P384(point(48)?),
            ("OKP", Some("Ed25519")) => Key::Ed25519(bytes("x").filter(|x| x.len() == 32)?),
            ("RSA", _) => Key::Rsa { n: number(bytes("n")?), e: number(bytes("e")?) },
            _ => return None,
        };
        let algorithm = match text("alg") {
            Some(name) => Some(Algorithm::named(name)?),
            None => None,
        };
        Some(Jwk { id: text("kid").map(str::to_owned), algorithm, key })
    }

    /// Whether the key may be used with an algorithm: it decides, not the token.
    pub(super) fn fits(&self, algorithm: Algorithm) -> bool {
        let possible = match &self.key {
            Key::P256(_) => algorithm == Algorithm::Es256,
            Key::P384(_) => algorithm == Algorithm::Es384,
            Key::Ed25519(_) => algorithm == Algorithm::EdDsa,
            Key::Rsa { .. } => matches!(algorithm, Algorithm::Rs256 | Algorithm::Ps256),
        };
        possible && self.algorithm.is_none_or(|only| only == algorithm)
    }

    pub(super) fn verify(&self, algorithm: Algorithm, signed: &[u8], signature: &[u8]) -> bool {
        if !self.fits(algorithm) {
            return false;
        }
        let by = |algorithm: &'static dyn VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(algorithm, key).verify(signed, signature)
        };
        let verified = match &self.key {
            Key::P256(point) => by(&signature::ECDSA_P256_SHA256_FIXED, point),
            Key::P384(point) => by(&signature::ECDSA_P384_SHA384_FIXED, point),
            Key::Ed25519(key) => by(&signature::ED25519, key),
            Key::Rsa { n, e } => {
                let padding = match algorithm {
                    Algorithm::Ps256 => &signature::RSA_PSS_2048_8192_SHA256,
                    _ => &signature::RSA_PKCS1_2048_8192_SHA256,
                };
                RsaPublicKeyComponents { n, e }.verify(padding, signed, signature)
            }
        };
        verified.is_ok()
    }

    /// The hash that names a key (RFC 7638).
    pub(super) fn thumbprint(&self) -> String {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        // The members that make the key, in the order of their names.
        let members = match &self.key {
            Key::P256(point) => {
                let (x, y) = point[1..].split_at(32);
                json!({ "crv": "P-256", "kty": "EC", "x": text(x), "y": text(y) })
            }
            Key::P384(point) => {
                let (x, y) = point[1..].split_at(48);
                json!({ "crv": "P-384", "kty": "EC", "x": text(x), "y": text(y) })
            }
            Key::Ed25519(key) => json!({ "crv": "Ed25519", "kty": "OKP", "x": text(key) }),
            Key::Rsa { n, e } => json!({ "e": text(e), "kty": "RSA", "n": text(n) }),
        };
        text(digest(&SHA256, members.to_string().as_bytes()).as_ref())
    }
}

/// A number without the zeros before it.
fn number(bytes: Vec<u8>) -> Vec<u8> {
    bytes.into_iter().skip_while(|byte| *byte == 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_of_no_use() {
        let x = URL_SAFE_NO_PAD.encode([1; 32]);
        for (key, usable) in [
            (json!({ "kty": "EC", "crv": "P-256", "x": x, "y": x }), true),
            (json!({ "kty": "EC", "crv": "P-256", "x": x, "y": x, "use": "sig" }), true),
            (json!({ "kty": "EC", "crv": "P-256", "x": x, "y": x, "use": "enc" }), false),
            (json!({ "kty": "EC", "crv": "P-256", "x": x, "y": "AQ" }), false),
            (json!({ "kty": "EC", "crv": "secp256k1", "x": x, "y": x }), false),
            (json!({ "kty": "EC", "crv": "P-256", "x": x, "y": x, "alg": "HS256" }), false),
            (json!({ "kty": "OKP", "crv": "Ed25519", "x": x }), true),
            (json!({ "kty": "oct", "k": x }), false),
            (json!({ "kty": "RSA", "n": x }), false),
            (json!("key"), false),
        ] {
            assert_eq!(Jwk::read(&key).is_some(), usable, "{key}");
        }
    }

    /// The example of RFC 7638.
    #[test]
    fn thumbprints() {
        let n = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";
        let key = Jwk::read(&json!({ "kty": "RSA", "n": n, "e": "AQAB", "alg": "RS256" })).unwrap();
        assert_eq!(key.thumbprint(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
        assert!(key.fits(Algorithm::Rs256) && !key.fits(Algorithm::Ps256));
    }
}
