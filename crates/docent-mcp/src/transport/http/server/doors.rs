//! Who may knock: the hosts and origins that are served.
//!
//! A web page can make a browser resolve its own name to 127.0.0.1 and then talk to whatever
//! listens there. What it cannot do is to send another `Host` or `Origin` than its own, so both
//! are held against a list, which without further settings holds this machine only.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, HOST,
    ORIGIN, VARY,
};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, StatusCode, Uri};

use super::reply::Refusal;

/// What is served beyond this machine.
#[derive(Clone, Debug, Default)]
pub(super) struct Doors {
    /// Names that `Host` may have, in lower case, with a port only if it was given.
    pub(super) hosts: Vec<String>,
    /// Origins of web pages that may call from a browser.
    pub(super) origins: Vec<String>,
}

impl Doors {
    /// Refuses a request that no honest client of this server would send. Returns the origin of the
    /// web page that may read the answer, if one of those asks.
    pub(super) fn check(&self, parts: &Parts) -> Result<Option<HeaderValue>, Refusal> {
        let host = host(parts)?;
        if !self.serves(&host) {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                format!(
                    "the host {:?} is not served here: allow it with `HttpOptions::host`",
                    host.as_str()
                ),
            ));
        }
        let origin = only(&parts.headers, ORIGIN, "Origin")?;
        let page = match origin {
            Some(origin) => self.page(origin, &host)?,
            None => None,
        };
        let cross_site =
            parts.headers.get_all("sec-fetch-site").iter().any(|site| site == "cross-site");
        if cross_site && page.is_none() {
            let message = "requests of other sites are not served";
            return Err(Refusal::new(StatusCode::FORBIDDEN, message));
        }
        Ok(page)
    }

    fn serves(&self, host: &Authority) -> bool {
        let name = host.host().to_ascii_lowercase();
        let whole = host.as_str().to_ascii_lowercase();
        is_loopback(&name) || self.hosts.iter().any(|served| *served == name || *served == whole)
    }

    /// Checks the origin of a web page. One that was allowed by name may read the answer; pages of
    /// this machine and of the same host may only send.
    fn page(&self, origin: &HeaderValue, host: &Authority) -> Result<Option<HeaderValue>, Refusal> {
        let text = origin.to_str().unwrap_or_default();
        if self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(text)) {
            return Ok(Some(origin.clone()));
        }
        let own = text.parse::<Uri>().ok().is_some_and(|uri| {
            let web = matches!(uri.scheme_str(), Some("http" | "https"));
            let bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
            let here = uri.authority().is_some_and(|authority| {
                let same = authority.as_str().eq_ignore_ascii_case(host.as_str());
                is_plain(authority) && (same || is_loopback(&authority.host().to_ascii_lowercase()))
            });
            web && bare && here
        });
        match own {
            true => Ok(None),
            false => Err(Refusal::new(
                StatusCode::FORBIDDEN,
                format!("the origin {text:?} is not served: allow it with `HttpOptions::origin`"),
            )),
        }
    }
}

/// The one host that a request names, wherever it names it.
fn host(parts: &Parts) -> Result<Authority, Refusal> {
    let bad = |message: &str| Refusal::new(StatusCode::BAD_REQUEST, message);
    let header = match only(&parts.headers, HOST, "Host")? {
        None => None,
        Some(value) => {
            let authority: Result<Authority, _> = value.as_bytes().try_into();
            Some(authority.map_err(|_| bad("the `Host` header cannot be read"))?)
        }
    };
    let target = parts.uri.authority().cloned();
    let host = match (target, header) {
        (Some(target), Some(header)) if target != header => {
            return Err(bad("the `Host` header and the request target name different hosts"));
        }
        (Some(host), _) | (None, Some(host)) => host,
        (None, None) => return Err(bad("the `Host` header is missing")),
    };
    match is_plain(&host) {
        true => Ok(host),
        false => Err(bad("the `Host` header cannot be read")),
    }
}

/// Whether an authority is a host, perhaps with a port, and nothing else. The parser also takes
/// users, and text between a bracket and the port, which it then leaves out of the host.
fn is_plain(authority: &Authority) -> bool {
    let Some(rest) = authority.as_str().strip_prefix(authority.host()) else { return false };
    match rest.strip_prefix(':') {
        Some(port) => port.bytes().all(|byte| byte.is_ascii_digit()),
        None => rest.is_empty(),
    }
}

/// A header that must not be there twice: two readers could each believe another one.
pub(super) fn only<'a>(
    headers: &'a HeaderMap,
    name: impl http::header::AsHeaderName,
    shown: &str,
) -> Result<Option<&'a HeaderValue>, Refusal> {
    let mut all = headers.get_all(name).iter();
    let first = all.next();
    match all.next() {
        None => Ok(first),
        Some(_) => Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            format!("the `{shown}` header is there more than once"),
        )),
    }
}

fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

/// Lets a web page read an answer.
pub(super) fn open(headers: &mut HeaderMap, page: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, page);
    headers.insert(VARY, HeaderValue::from_static("origin"));
    let exposed =
        HeaderValue::from_static("mcp-session-id, mcp-protocol-version, www-authenticate");
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
}

/// Answers a browser that asks before it sends.
pub(super) fn preflight(parts: &Parts, headers: &mut HeaderMap) {
    let methods = HeaderValue::from_static("GET, POST, DELETE");
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("3600"));
    if let Some(wanted) = parts.headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn check(doors: &Doors, target: &str, headers: &[(&str, &str)]) -> Result<bool, u16> {
        let mut request = Request::post(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        doors.check(&parts).map(|page| page.is_some()).map_err(|refusal| refusal.status.as_u16())
    }

    /// [SRV-HTTP-01] only this machine is served until more is allowed.
    #[test]
    fn this_machine_only() {
        let doors = Doors::default();
        for (target, headers, expected) in [
            ("/mcp", &[("host", "localhost:3000")][..], Ok(false)),
            ("/mcp", &[("host", "LOCALHOST")], Ok(false)),
            ("/mcp", &[("host", "127.0.0.1:1")], Ok(false)),
            ("/mcp", &[("host", "[::1]:3000")], Ok(false)),
            ("http://localhost:3000/mcp", &[], Ok(false)),
            ("http://localhost:3000/mcp", &[("host", "localhost:3000")], Ok(false)),
            ("http://evil.example/mcp", &[("host", "localhost")], Err(400)),
            ("http://localhost/mcp", &[("host", "evil.example")], Err(400)),
            ("http://evil.example/mcp", &[], Err(403)),
            ("/mcp", &[], Err(400)),
            ("/mcp", &[("host", "evil.example")], Err(403)),
            ("/mcp", &[("host", "localhost.evil.example")], Err(403)),
            ("/mcp", &[("host", "localhost.")], Err(403)),
            ("/mcp", &[("host", "evil@localhost")], Err(400)),
            ("/mcp", &[("host", "[::1]evil.example:80")], Err(400)),
            ("/mcp", &[("host", "[::1]evil.example")], Err(400)),
            ("/mcp", &[("host", "127.0.0.2")], Err(403)),
            ("/mcp", &[("host", "[::ffff:127.0.0.1]")], Err(403)),
            ("/mcp", &[("host", "0.0.0.0:3000")], Err(403)),
            ("/mcp", &[("host", "localhost"), ("host", "localhost")], Err(400)),
            ("/mcp", &[("host", "localhost"), ("origin", "http://localhost:8080")], Ok(false)),
            ("/mcp", &[("host", "localhost"), ("origin", "https://127.0.0.1")], Ok(false)),
            ("/mcp", &[("host", "localhost"), ("origin", "null")], Err(403)),
            ("/mcp", &[("host", "localhost"), ("origin", "http://evil.example")], Err(403)),
            ("/mcp", &[("host", "localhost"), ("origin", "http://x@localhost")], Err(403)),
            ("/mcp", &[("host", "localhost"), ("origin", "http://[::1]x.example")], Err(403)),
            ("/mcp", &[("host", "localhost"), ("origin", "file://localhost")], Err(403)),
            ("/mcp", &[("host", "localhost"), ("origin", "http://localhost/path")], Err(403)),
            ("/mcp", &[("host", "localhost"), ("origin", "")], Err(403)),
            ("/mcp", &[("host", "localhost"), ("sec-fetch-site", "cross-site")], Err(403)),
            ("/mcp", &[("host", "localhost"), ("sec-fetch-site", "same-origin")], Ok(false)),
        ] {
            assert_eq!(check(&doors, target, headers), expected, "{target} {headers:?}");
        }
    }

    #[test]
    fn what_was_allowed_by_name() {
        let doors = Doors {
            hosts: vec!["mcp.example".into(), "other.example:8443".into()],
            origins: vec!["https://app.example".into()],
        };
        for (headers, expected) in [
            (&[("host", "mcp.example")][..], Ok(false)),
            (&[("host", "MCP.example:443")], Ok(false)),
            (&[("host", "other.example:8443")], Ok(false)),
            (&[("host", "other.example")], Err(403)),
            (&[("host", "mcp.example"), ("origin", "https://app.example")], Ok(true)),
            (&[("host", "mcp.example"), ("origin", "https://mcp.example")], Ok(false)),
            (&[("host", "mcp.example"), ("origin", "https://mcp.example:1")], Err(403)),
            (&[("host", "mcp.example"), ("origin", "https://evil.example")], Err(403)),
            (
                &[
                    ("host", "mcp.example"),
                    ("origin", "https://app.example"),
                    ("sec-fetch-site", "cross-site"),
                ],
                Ok(true),
            ),
        ] {
            assert_eq!(check(&doors, "/mcp", headers), expected, "{headers:?}");
        }
    }
}
