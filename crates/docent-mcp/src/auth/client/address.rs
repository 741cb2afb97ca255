//! Addresses that others gave us: which may be used, what may be shown of them, and how names and
//! values are written into them and into forms.

use reqwest::Url;

use super::fetch::refused;
use crate::auth::reach;
use crate::error::Result;

/// An address that secrets may be sent to: https, or this machine.
pub(super) fn safe_url(address: &str, bytes_max: usize) -> Result<Url> {
    if address.len() > bytes_max {
        return Err(refused(format!("an address is longer than {bytes_max} bytes")));
    }
    // A parser would leave them out, and what is left would be another address.
    if address.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
        return Err(refused("an address holds spaces or line ends"));
    }
    let url = Url::parse(address).map_err(|error| {
        refused("a document names something that is no address").with_source(error)
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused(format!("the address at {} holds credentials", origin(&url))));
    }
    match url.scheme() {
        "https" if cfg!(feature = "tls") => Ok(url),
        "https" => Err(refused("https:// needs the feature `tls` of docent-mcp")),
        "http" if reach::is_loopback(&url) => Ok(url),
        "http" => Err(refused(format!("{} has to be https", origin(&url)))),
        other => Err(refused(format!("an address has to be https, not {other}:"))),
    }
}

/// Scheme, host and port: the rest may hold secrets.
pub(super) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Names and values, as forms and queries are encoded.
pub(super) fn encode_form(pairs: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        if !text.is_empty() {
            text.push('&');
        }
        percent_encode(name, &mut text);
        text.push('=');
        percent_encode(value, &mut text);
    }
    text
}

/// Everything but letters, digits and `-._~`.
pub(super) fn percent_encode(value: &str, text: &mut String) {
    use std::fmt::Write as _;
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            byte => write!(text, "%{byte:02X}").expect("a string takes everything"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [BOTH-AUTH-18] secrets go to https, or stay on this machine.
    #[test]
    fn addresses_that_are_not_safe() {
        for (address, why) in [
            ("http://example.com/token", "https"),
            ("http://localhost.example.com/", "https"),
            ("http://10.0.0.1/", "https"),
            ("ftp://example.com/", "not ftp:"),
            ("javascript:alert(1)", "not javascript:"),
            ("file:///etc/passwd", "not file:"),
            ("https://user:hunter2@example.com/", "credentials"),
            ("/relative", "no address"),
            ("--flag", "no address"),
            ("http://localhost/\r\nx: y", "line ends"),
            ("http://local\thost/", "line ends"),
        ] {
            let error = safe_url(address, 2048).unwrap_err();
            assert!(error.to_string().contains(why), "{address}: {error}");
            assert!(!format!("{error:#}{error:?}").contains("hunter2"), "{address}");
        }
        assert!(safe_url(&format!("http://localhost/{}", "x".repeat(2048)), 2048).is_err());
        for address in ["http://localhost:1/", "http://127.0.0.1/x", "http://[::1]/x"] {
            assert!(safe_url(address, 2048).is_ok(), "{address}");
        }
    }

    #[test]
    fn forms_keep_every_byte() {
        assert_eq!(
            encode_form(&[("a b", "https://h/?x=1&y=é+"), ("c", "")]),
            "a%20b=https%3A%2F%2Fh%2F%3Fx%3D1%26y%3D%C3%A9%2B&c="
        );
    }
}
