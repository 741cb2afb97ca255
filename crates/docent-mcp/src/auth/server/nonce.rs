//! Nonces for proofs (RFC 9449, section 9): a time that only this server can have written.
//!
//! They carry their own age, so none has to be remembered.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::SystemRandom;

use super::check::now;
use crate::error::{Error, ErrorKind, Result};

pub(super) struct Nonces {
    key: hmac::Key,
    ttl: Duration,
}

impl Nonces {
    pub(super) fn new(ttl: Duration) -> Result<Nonces> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new())
            .map_err(|_| Error::new(ErrorKind::Internal, "the system has no random numbers"))?;
        Ok(Nonces { key, ttl })
    }

    /// A nonce to use from now on.
    pub(super) fn make(&self) -> String {
        self.at(now())
    }

    fn at(&self, time: u64) -> String {
        let time = time.to_be_bytes();
        let tag = hmac::sign(&self.key, &time);
        URL_SAFE_NO_PAD.encode([&time, tag.as_ref()].concat())
    }

    pub(super) fn is_good(&self, nonce: &str) -> bool {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(nonce) else { return false };
        let Some((time, tag)) = bytes.split_first_chunk::<8>() else { return false };
        let age = now().checked_sub(u64::from_be_bytes(*time));
        hmac::verify(&self.key, time, tag).is_ok()
            && age.is_some_and(|age| age <= self.ttl.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_are_ours_and_young() {
        let nonces = Nonces::new(Duration::from_secs(300)).unwrap();
        assert!(nonces.is_good(&nonces.make()));
        assert!(nonces.is_good(&nonces.at(now() - 200)));
        assert!(!nonces.is_good(&nonces.at(now() - 301)));
        assert!(!nonces.is_good(&nonces.at(now() + 60)));
        assert!(!nonces.is_good(&Nonces::new(Duration::from_secs(300)).unwrap().make()));
        assert!(!nonces.is_good("") && !nonces.is_good("AAAA") && !nonces.is_good("é"));
    }
}
