//! Who may ask: whoever has the address with the token in it, by the names of this machine, and from
//! the page itself.
//!
//! Every page that a browser shows can send requests to this machine. It does not know the token;
//! and should it ever learn it, a name that somebody else points at this machine (DNS rebinding) is
//! not ours, and requests of other pages say where they come from.

use hyper::HeaderMap;
use hyper::header::{CONTENT_TYPE, HOST, ORIGIN};
use ring::rand::{SecureRandom as _, SystemRandom};

pub(super) struct Guard {
    token: String,
    port: u16,
}

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It comes by a name that is not ours, or from another page.
    Stranger,
    /// It does not have the token.
    Unknown,
    /// It changes something, and is not what the page sends.
    NotJson,
}

impl Guard {
    pub(super) fn new(port: u16) -> Result<Self, ()> {
        let mut bytes = [0; 24];
        SystemRandom::new().fill(&mut bytes).map_err(|_| ())?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Guard { token, port })
    }

    /// Where the page is.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// The path behind the token.
    pub(super) fn admit<'a>(
        &self,
        path: &'a str,
        headers: &HeaderMap,
        changes: bool,
    ) -> Result<&'a str, Refusal> {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let ours = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{}", self.port));
        if !text(HOST).is_some_and(|host| ours.iter().any(|own| own == host)) {
            return Err(Refusal::Stranger);
        }
        let origin_is_ours = |origin: &str| {
            let host = origin.strip_prefix("http://");
            host.is_some_and(|host| ours.iter().any(|own| own == host))
        };
        if text(ORIGIN).is_some_and(|origin| !origin_is_ours(origin)) {
            return Err(Refusal::Stranger);
        }
        let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
        if site.is_some_and(|site| !matches!(site, b"same-origin" | b"none")) {
            return Err(Refusal::Stranger);
        }
        let (token, rest) =
            path.strip_prefix('/').and_then(|path| path.split_once('/')).ok_or(Refusal::Unknown)?;
        if !same(token.as_bytes(), self.token.as_bytes()) {
            return Err(Refusal::Unknown);
        }
        let is_json = text(CONTENT_TYPE)
            .is_some_and(|kind| kind.split(';').next().map(str::trim) == Some("application/json"));
        if changes && !is_json {
            return Err(Refusal::NotJson);
        }
        Ok(rest)
    }
}

/// Takes as long for every token of the right length.
fn same(left: &[u8], right: &[u8]) -> bool {
    let differences = left.iter().zip(right).fold(0, |seen, (left, right)| seen | (left ^ right));
    left.len() == right.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_page_itself_is_answered() {
        let guard = Guard { token: "t0ken".to_owned(), port: 80 };
        let check = |path: &str, headers: &[(&'static str, &'static str)], changes, expected| {
            let headers = headers.iter().map(|(name, value)| {
                (name.parse().expect("a name"), value.parse().expect("a value"))
            });
            let headers: HeaderMap = headers.collect();
            assert_eq!(guard.admit(path, &headers, changes), expected, "{path} {headers:?}");
        };
        let host = ("host", "127.0.0.1:80");
        check("/t0ken/api/x", &[host], false, Ok("api/x"));
        check("/t0ken/", &[("host", "localhost:80")], false, Ok(""));
        check("/t0ken/", &[("host", "[::1]:80")], false, Ok(""));
        check("/t0ken", &[host], false, Err(Refusal::Unknown));
        check("/", &[host], false, Err(Refusal::Unknown));
        check("/t0kem/", &[host], false, Err(Refusal::Unknown));
        check("/t0ken1/", &[host], false, Err(Refusal::Unknown));
        check("/t0ken/", &[], false, Err(Refusal::Stranger));
        check("/t0ken/", &[("host", "127.0.0.1")], false, Err(Refusal::Stranger));
        check("/t0ken/", &[("host", "evil.example:80")], false, Err(Refusal::Stranger));
        for origin in ["http://evil.example", "https://127.0.0.1:80", "null", "http://127.0.0.1:81"]
        {
            check("/t0ken/", &[host, ("origin", origin)], false, Err(Refusal::Stranger));
        }
        check("/t0ken/", &[host, ("origin", "http://127.0.0.1:80")], false, Ok(""));
        check("/t0ken/", &[host, ("sec-fetch-site", "cross-site")], false, Err(Refusal::Stranger));
        let json = ("content-type", "application/json; charset=utf-8");
        check("/t0ken/api", &[host, json], true, Ok("api"));
        check("/t0ken/api", &[host], true, Err(Refusal::NotJson));
        check("/t0ken/api", &[host, ("content-type", "text/plain")], true, Err(Refusal::NotJson));
    }
}
