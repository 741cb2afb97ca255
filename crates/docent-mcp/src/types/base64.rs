//! Bytes as text, the way images, audio and binary resources carry them.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Writes padding, and reads text with or without it: some peers leave it out.
const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub(super) fn encode(bytes: impl AsRef<[u8]>) -> String {
    ENGINE.encode(bytes)
}

pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    ENGINE.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_written_and_optional_when_read() {
        assert_eq!(encode(b"a"), "YQ==");
        assert_eq!(decode("YQ=="), Some(b"a".to_vec()));
        assert_eq!(decode("YQ"), Some(b"a".to_vec()));
        assert_eq!(decode(""), Some(Vec::new()));
        assert_eq!(decode("Y*"), None);
    }
}
