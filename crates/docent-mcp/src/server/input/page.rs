//! Addresses that users are sent to.

use crate::uri::check_uri;

/// Says what is wrong with an address: it must be https, or http on this machine, and must not let
/// in whoever has it.
pub(super) fn check(url: &str) -> Result<(), String> {
    check_uri(url).map_err(|error| error.to_string())?;
    let (scheme, rest) = url.split_once("://").ok_or("it is no address of a page")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("it has credentials in it".to_owned());
    }
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    let host = host.to_ascii_lowercase();
    match (&*scheme.to_ascii_lowercase(), &*host) {
        (_, "") => Err("it names no host".to_owned()),
        ("https", _) | ("http", "localhost" | "127.0.0.1" | "[::1]") => Ok(()),
        ("http", _) => Err("anybody on the way could read along: use https".to_owned()),
        _ => Err(format!("`{scheme}` leads to no page")),
    }
}

#[cfg(test)]
mod tests {
    /// [SRV-ELIC-06] an address is safe to be seen and lets nobody in.
    #[test]
    fn users_are_sent_to_safe_pages_only() {
        for (url, fine) in [
            ("https://example.com/connect?with=mail#top", true),
            ("HTTPS://example.com", true),
            ("https://example.com/@ada", true),
            ("http://localhost:3000/connect", true),
            ("http://127.0.0.1/", true),
            ("http://[::1]:80/", true),
            ("http://example.com/", false),
            ("http://localhost.example.com/", false),
            ("https://ada:secret@example.com/", false),
            ("https://token@example.com/", false),
            ("http://127.0.0.1@example.com/", false),
            ("https:///path", false),
            ("https://", false),
            ("https:example.com", false),
            ("javascript://example.com/%0aalert(1)", false),
            ("file:///etc/passwd", false),
            ("", false),
        ] {
            assert_eq!(super::check(url).is_ok(), fine, "{url}: {:?}", super::check(url));
        }
    }
}
