//! Looks for secrets in texts: as they are, in base64, percent-encoded, in hexadecimal, and every
//! piece of eight characters of any of these.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use docent_testkit::form::encode;

/// The least part of a secret that counts.
const PIECE: usize = 8;

/// A secret: what it is, and its text.
pub(super) type Secret = (&'static str, String);

/// Where which secret shows.
pub(super) fn leaks(secrets: &[Secret], texts: &[(String, String)]) -> BTreeSet<String> {
    let mut pieces: HashMap<[u8; PIECE], &str> = HashMap::new();
    for (name, secret) in secrets {
        for form in forms(secret) {
            let windows = form.as_bytes().windows(PIECE);
            pieces.extend(windows.filter_map(|it| Some((it.try_into().ok()?, *name))));
        }
    }
    let mut found = BTreeSet::new();
    for (place, text) in texts {
        for window in text.as_bytes().windows(PIECE) {
            let piece: Option<[u8; PIECE]> = window.try_into().ok();
            if let Some(name) = piece.and_then(|piece| pieces.get(&piece)) {
                found.insert(format!("{name} in {place}"));
            }
        }
    }
    found
}

fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned(), encode(&[("", secret)])];
    // In base64 what comes before shifts the letters, so that all three shifts are looked for.
    for shift in 0..3 {
        let shifted = [&vec![b'x'; shift][..], secret.as_bytes()].concat();
        for encoded in [STANDARD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)] {
            // Without the letters that the neighbors share in.
            let (start, end) = ((shift * 8).div_ceil(6), encoded.trim_end_matches('=').len() - 1);
            forms.push(encoded[start..end].to_owned());
        }
    }
    let mut hex = String::new();
    for byte in secret.bytes() {
        let _ = write!(hex, "{byte:02x}");
    }
    forms.push(hex);
    forms
}

/// Secrets that are hidden in texts on purpose and not found.
pub(super) fn blind() -> usize {
    let secret = "k/1+pQ~9zXw3 LmN4";
    let hidden = [
        format!("a {secret} b"),
        format!("cut off: {}", &secret[4..12]),
        format!("Basic {}", STANDARD.encode(format!("me:{secret}"))),
        format!("x={}", URL_SAFE_NO_PAD.encode(format!("12{secret}"))),
        encode(&[("code", secret)]),
    ];
    let missed = |text: &&String| {
        leaks(&[("it", secret.to_owned())], &[("here".into(), (*text).clone())]).is_empty()
    };
    let innocent = leaks(&[("it", secret.to_owned())], &[("here".into(), "k/1+pQ~ 9zXw3".into())]);
    hidden.iter().filter(missed).count() + innocent.len()
}
