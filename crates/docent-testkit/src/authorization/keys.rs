//! The keys that tokens are signed with.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::rsa;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256,
};
use serde_json::{Value, json};

/// One key of each kind.
pub(super) struct Keys {
    generation: u32,
    p256: EcdsaKeyPair,
    ed25519: Ed25519KeyPair,
    rsa: rsa::KeyPair,
}

/// How a token is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// An elliptic curve, P-256.
    Es256,
    /// RSA.
    Rs256,
    /// Ed25519.
    EdDsa,
}

impl Keys {
    pub(super) fn generate(generation: u32) -> Keys {
        let random = SystemRandom::new();
        let p256 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
        let p256 = p256.expect("random numbers");
        let ed25519 = Ed25519KeyPair::generate_pkcs8(&random).expect("random numbers");
        // Making an RSA key takes long, so this one is always the same.
        let pem: String =
            include_str!("rsa.pem").lines().filter(|line| !line.starts_with('-')).collect();
        let rsa = STANDARD.decode(pem).expect("the file holds a key");
        Keys {
            generation,
            p256: EcdsaKeyPair::from_pkcs8(
                &ECDSA_P256_SHA256_FIXED_SIGNING,
                p256.as_ref(),
                &random,
            )
            .expect("it was just made"),
            ed25519: Ed25519KeyPair::from_pkcs8(ed25519.as_ref()).expect("it was just made"),
            rsa: rsa::KeyPair::from_pkcs8(&rsa).expect("the file holds a key"),
        }
    }

    /// The public keys.
    pub(super) fn public(&self) -> Value {
        let (x, y) = self.p256.public_key().as_ref()[1..].split_at(32);
        let public: rsa::PublicKeyComponents<Vec<u8>> = self.rsa.public().into();
        json!({ "keys": [
            { "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": self.id(Algorithm::Es256),
              "x": text(x), "y": text(y) },
            { "kty": "RSA", "alg": "RS256", "use": "sig", "kid": self.id(Algorithm::Rs256),
              "n": text(public.n),
              "e": text(public.e) },
            { "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": self.id(Algorithm::EdDsa),
              "x": text(self.ed25519.public_key().as_ref()) },
        ]})
    }

    /// The name of a key.
    pub(super) fn id(&self, algorithm: Algorithm) -> String {
        format!("{}-{}", name(algorithm), self.generation)
    }

    /// A signed token with the usual header.
    pub(super) fn sign(&self, algorithm: Algorithm, kind: &str, claims: &Value) -> String {
        let header = json!({ "alg": name(algorithm), "typ": kind, "kid": self.id(algorithm) });
        self.sign_as(algorithm, &header, claims)
    }

    /// A signed token with any header, right or wrong.
    pub(super) fn sign_as(&self, algorithm: Algorithm, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", text(header.to_string()), text(claims.to_string()));
        let random = SystemRandom::new();
        let signature = match algorithm {
            Algorithm::Es256 => {
                self.p256.sign(&random, signed.as_bytes()).expect("it signs").as_ref().to_vec()
            }
            Algorithm::EdDsa => self.ed25519.sign(signed.as_bytes()).as_ref().to_vec(),
            Algorithm::Rs256 => {
                let mut signature = vec![0; self.rsa.public().modulus_len()];
                self.rsa
                    .sign(&RSA_PKCS1_SHA256, &random, signed.as_bytes(), &mut signature)
                    .expect("it signs");
                signature
            }
        };
        format!("{signed}.{}", text(signature))
    }
}

fn name(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::Es256 => "ES256",
        Algorithm::Rs256 => "RS256",
        Algorithm::EdDsa => "EdDSA",
    }
}

pub(super) fn text(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Text that nobody can guess.
pub(super) fn random() -> String {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).expect("random numbers");
    text(bytes)
}
