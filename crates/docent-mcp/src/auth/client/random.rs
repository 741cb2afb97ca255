//! Values that nobody can guess: states, verifiers, identifiers of tokens.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};

use super::fetch::refused;
use crate::auth::Secret;
use crate::error::Result;

/// 256 bits as text that fits everywhere.
pub(super) fn text() -> Result<String> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).map_err(|_| refused("there is no randomness here"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// What shows that whoever redeems a code is who asked for it (PKCE, S256 only).
#[derive(Debug)]
pub(super) struct Pkce {
    pub(super) verifier: Secret,
    pub(super) challenge: String,
}

impl Pkce {
    pub(super) fn new() -> Result<Pkce> {
        Ok(Pkce::from(text()?))
    }
}

impl From<String> for Pkce {
    fn from(verifier: String) -> Pkce {
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
        Pkce { verifier: Secret::new(verifier), challenge }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [CLI-AUTH-07] the example of RFC 7636, appendix B.
    #[test]
    fn the_challenge_is_the_hash_of_the_verifier() {
        let pkce = Pkce::from("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned());
        assert_eq!(pkce.challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        let (one, other) = (Pkce::new().unwrap(), Pkce::new().unwrap());
        assert_ne!(one.verifier, other.verifier);
        assert!((43..=128).contains(&one.verifier.expose().len()));
        assert!(!format!("{one:?}").contains(one.verifier.expose()));
    }
}
