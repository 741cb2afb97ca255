//! Keys that clients bind their tokens to (RFC 9449).

use axum::http::HeaderMap;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Value, json};

use super::Shared;
use super::keys::text;
use super::state::now;

/// The name of the key that a request to the token endpoint proves to have, if it proves any.
pub(super) fn key(shared: &Shared, headers: &HeaderMap) -> Result<Option<String>, &'static str> {
    let mut proofs = headers.get_all("dpop").iter();
    let Some(proof) = proofs.next() else { return Ok(None) };
    if proofs.next().is_some() {
        return Err("there are two proofs");
    }
    let proof = proof.to_str().map_err(|_| "the proof cannot be read")?;
    let (signed, signature) = proof.rsplit_once('.').ok_or("the proof is no signed token")?;
    let (header, claims) = signed.split_once('.').ok_or("the proof is no signed token")?;
    let part = |text: &str| -> Option<Value> {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
    };
    let header = part(header).ok_or("the proof has no header")?;
    let claims = part(claims).ok_or("the proof has no claims")?;
    let jwk = &header["jwk"];
    if header["typ"] != "dpop+jwt" || header["alg"] != "ES256" || jwk.get("d").is_some() {
        return Err("the proof is of another kind");
    }
    let bytes = |name: &str| jwk[name].as_str().and_then(|it| URL_SAFE_NO_PAD.decode(it).ok());
    let (Some(x), Some(y)) = (bytes("x"), bytes("y")) else { return Err("the proof has no key") };
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| "the proof is not signed")?;
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, [&[4], &*x, &*y].concat())
        .verify(signed.as_bytes(), &signature)
        .map_err(|_| "the proof is signed wrongly")?;
    if claims["htm"] != "POST" || claims["htu"] != format!("{}/token", shared.issuer) {
        return Err("the proof is for another request");
    }
    if claims["iat"].as_u64().is_none_or(|made| made.abs_diff(now()) > 60) {
        return Err("the proof is too old");
    }
    let id = claims["jti"].as_str().ok_or("the proof has no name of its own")?;
    if !shared.state().proofs.insert(id.to_owned()) {
        return Err("the proof was used before");
    }
    let members = json!({ "crv": "P-256", "kty": "EC", "x": text(x), "y": text(y) });
    Ok(Some(text(digest(&SHA256, members.to_string().as_bytes()))))
}
