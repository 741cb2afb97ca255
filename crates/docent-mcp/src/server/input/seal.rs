//! Data that a client carries for us without being able to read or change it.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};

/// Keeps sealed data from being taken for anything else that the same key might ever seal.
const PURPOSE: &[u8] = b"docent-mcp requestState 1";

/// A key to seal with. Random unless given, so that sealed data is good for this process only;
/// replicas that serve the same clients share one.
pub(crate) struct Seal {
    key: LessSafeKey,
    random: SystemRandom,
}

impl Seal {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).expect("the key has the right length");
        Seal { key: LessSafeKey::new(key), random: SystemRandom::new() }
    }

    pub(crate) fn random() -> Self {
        let mut key = [0; 32];
        SystemRandom::new().fill(&mut key).expect("the system gives random numbers");
        Seal::new(&key)
    }

    /// Seals `plain`. A fresh random nonce each time: at 96 bits, even billions of seals with one
    /// key do not bring two alike.
    pub(crate) fn seal(&self, plain: &[u8]) -> String {
        let mut nonce = [0; NONCE_LEN];
        self.random.fill(&mut nonce).expect("the system gives random numbers");
        let mut sealed = plain.to_vec();
        self.key
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(PURPOSE),
                &mut sealed,
            )
            .expect("a request state is far below the size limit of the cipher");
        sealed.splice(..0, nonce);
        URL_SAFE_NO_PAD.encode(sealed)
    }

    /// Opens what was sealed with this key, or nothing if a single bit differs.
    pub(crate) fn open(&self, sealed: &str) -> Option<Vec<u8>> {
        let mut sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, data) = sealed.split_at_mut_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        self.key.open_in_place(nonce, Aad::from(PURPOSE), data).ok().map(|plain| plain.to_vec())
    }
}

/// Seconds since the epoch.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::Seal;

    /// [SRV-MRTR-03] every changed byte, a cut and another key are noticed.
    #[test]
    fn only_what_was_sealed_opens() {
        let seal = Seal::random();
        let sealed = seal.seal(b"round 1");
        assert_eq!(seal.open(&sealed).unwrap(), b"round 1");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(seal.open(&changed), None, "byte {at}");
            assert_eq!(seal.open(&sealed[..at]), None, "cut at {at}");
        }
        assert_eq!(seal.open(&format!("{sealed}-TAMPERED")), None);
        assert_eq!(Seal::random().open(&sealed), None);
    }
}
