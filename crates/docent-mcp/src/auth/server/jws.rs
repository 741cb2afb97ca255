//! Signed tokens as they travel: three parts with dots between.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::Value;

use super::TokenError;
use super::jwk::{Algorithm, Jwk};
use crate::types::JsonObject;

/// A token that was read, and not yet believed.
pub(super) struct Jws<'a> {
    pub(super) algorithm: Algorithm,
    /// Which key it says it was signed with.
    pub(super) key_id: Option<String>,
    /// What kind of token it says it is, in lower case and without `application/`.
    pub(super) kind: Option<String>,
    /// The key that came along.
    pub(super) key: Option<Value>,
    signed: &'a str,
    claims: &'a str,
    signature: Vec<u8>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    jwk: Option<Value>,
    crit: Option<Value>,
}

impl<'a> Jws<'a> {
    pub(super) fn read(token: &'a str) -> Result<Jws<'a>, TokenError> {
        let malformed = || TokenError::invalid("it is no signed token");
        let (signed, signature) = token.rsplit_once('.').ok_or_else(malformed)?;
        let (header, claims) = signed.split_once('.').ok_or_else(malformed)?;
        if claims.contains('.') {
            return Err(malformed());
        }
        let header = URL_SAFE_NO_PAD.decode(header).map_err(|_| malformed())?;
        let header: Header = serde_json::from_slice(&header).map_err(|_| malformed())?;
        let algorithm = Algorithm::named(&header.alg)
            .ok_or_else(|| TokenError::invalid("its algorithm is not accepted"))?;
        // What must be understood and is not, must be refused.
        if header.crit.is_some() {
            return Err(TokenError::invalid("it has critical headers that are not known here"));
        }
        let kind = header.typ.map(|kind| {
            let kind = kind.to_ascii_lowercase();
            kind.strip_prefix("application/").map(str::to_owned).unwrap_or(kind)
        });
        Ok(Jws {
            algorithm,
            key_id: header.kid,
            kind,
            key: header.jwk,
            signed,
            claims,
            signature: URL_SAFE_NO_PAD.decode(signature).map_err(|_| malformed())?,
        })
    }

    /// The claims, if the signature is by this key.
    pub(super) fn verify(&self, key: &Jwk) -> Result<JsonObject, TokenError> {
        if !key.verify(self.algorithm, self.signed.as_bytes(), &self.signature) {
            return Err(TokenError::invalid("its signature is wrong"));
        }
        let claims = URL_SAFE_NO_PAD.decode(self.claims).ok();
        claims
            .and_then(|claims| serde_json::from_slice(&claims).ok())
            .ok_or_else(|| TokenError::invalid("its claims cannot be read"))
    }
}
