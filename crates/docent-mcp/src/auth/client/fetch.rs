//! Requests to metadata and token endpoints, made as carefully as untrusted addresses demand:
//! https (or this machine), within limits of size and time, redirects checked hop by hop.

use bytes::Bytes;
use http::header::{ACCEPT, LOCATION};
use http::{HeaderMap, HeaderValue, Method};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};
use serde::de::DeserializeOwned;
use tokio::sync::OnceCell;

use crate::auth::reach::{self, Allowed, Reach, Resolver};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::AuthLimits;

/// What came back.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Answer {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body, if it is the JSON that is expected.
    pub(super) fn json<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_slice(&self.body)
    }
}

/// What is sent along with a POST.
pub(super) enum Form<'a> {
    /// Names and values, as forms are encoded.
    Pairs(&'a [(&'a str, &'a str)]),
    Json(&'a serde_json::Value),
}

/// Makes the requests of one login.
pub(super) struct Fetch {
    server: Url,
    reach: Reach,
    limits: AuthLimits,
    #[cfg(feature = "tls")]
    certificates: Vec<rustls::pki_types::CertificateDer<'static>>,
    clients: OnceCell<Clients>,
}

struct Clients {
    allowed: Allowed,
    /// For this machine, and for everything that must not pass a proxy.
    direct: Client,
    usual: Client,
}

impl Fetch {
    pub(super) fn new(
        endpoint: &crate::transport::http::HttpEndpoint,
        reach: Reach,
        limits: AuthLimits,
    ) -> Fetch {
        Fetch {
            server: endpoint.url().clone(),
            reach,
            limits,
            #[cfg(feature = "tls")]
            certificates: endpoint.certificates().to_vec(),
            clients: OnceCell::new(),
        }
    }

    /// Gets a document, following a few redirects.
    pub(super) async fn get(&self, address: &str) -> Result<Answer> {
        let mut url = self.check(address).await?;
        for _ in 0..=self.limits.redirects_max {
            let answer = self.send(Method::GET, &url, HeaderMap::new(), None).await?;
            if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
                return Ok(answer);
            }
            let to = answer.headers.get(LOCATION).and_then(|to| to.to_str().ok());
            let Some(to) = to.and_then(|to| url.join(to).ok()) else { return Ok(answer) };
            if url.scheme() == "https" && to.scheme() != "https" {
                let message = format!("{} sends us from https to {}:", origin(&url), to.scheme());
                return Err(refused(message));
            }
            url = self.check(to.as_str()).await?;
        }
        Err(refused(format!("{} sends us from place to place", origin(&url))))
    }

    /// Sends a form. Secrets may be in it, so no redirect is followed.
    pub(super) async fn post(
        &self,
        address: &str,
        headers: HeaderMap,
        form: Form<'_>,
    ) -> Result<Answer> {
        let url = self.check(address).await?;
        let answer = self.send(Method::POST, &url, headers, Some(form)).await?;
        if (300..400).contains(&answer.status) {
            let message = format!("{} sends us elsewhere, which is not followed", origin(&url));
            return Err(refused(message));
        }
        Ok(answer)
    }

    /// Whether an address that others gave us may be used at all.
    async fn check(&self, address: &str) -> Result<Url> {
        let url = safe_url(address, self.limits.address_bytes_max)?;
        let allowed = self.clients().await?.allowed;
        if reach::literal(&url).is_some_and(|address| !allowed.permits(address)) {
            return Err(refused(format!("{} is not on the public net", origin(&url))));
        }
        Ok(url)
    }

    async fn send(
        &self,
        method: Method,
        url: &Url,
        mut headers: HeaderMap,
        form: Option<Form<'_>>,
    ) -> Result<Answer> {
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let clients = self.clients().await?;
        let client = match reach::is_loopback(url) {
            true => &clients.direct,
            false => &clients.usual,
        };
        let mut request = client.request(method, url.clone()).headers(headers);
        request = match form {
            Some(Form::Pairs(pairs)) => request
                .header(http::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(encode_form(pairs)),
            Some(Form::Json(value)) => request
                .header(http::header::CONTENT_TYPE, "application/json")
                .body(value.to_string()),
            None => request,
        };
        let exchange = async {
            let mut response = request.send().await.map_err(|error| unreachable(url, error))?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let mut body = Vec::new();
            while let Some(piece) =
                response.chunk().await.map_err(|error| unreachable(url, error))?
            {
                if body.len() + piece.len() > self.limits.document_bytes_max {
                    let message = format!(
                        "{} answered with more than {} bytes",
                        origin(url),
                        self.limits.document_bytes_max
                    );
                    return Err(Error::new(ErrorKind::Limit, message));
                }
                body.extend_from_slice(&piece);
            }
            Ok(Answer { status, headers, body: body.into() })
        };
        tokio::time::timeout(self.limits.fetch_timeout, exchange).await.unwrap_or_else(|_| {
            let message = format!("{} did not answer in time", origin(url));
            Err(Error::new(ErrorKind::Transport, message))
        })
    }

    async fn clients(&self) -> Result<&Clients> {
        let build = async {
            let allowed = self.reach.allowed(&self.server).await;
            #[cfg(feature = "tls")]
            let tls = {
                let plain = self.server.scheme() == "http";
                crate::transport::http::client_tls(&self.certificates, plain)?
            };
            let builder = || {
                let builder = self.builder(allowed);
                #[cfg(feature = "tls")]
                let builder = builder.tls_backend_preconfigured(tls.clone());
                builder
            };
            let direct = builder().no_proxy();
            let mut usual = builder();
            if self.reach == Reach::Public {
                usual = usual.no_proxy();
            }
            Ok(Clients { allowed, direct: built(direct)?, usual: built(usual)? })
        };
        self.clients.get_or_try_init(|| build).await
    }

    fn builder(&self, allowed: Allowed) -> ClientBuilder {
        Client::builder()
            .redirect(Policy::none())
            .referer(false)
            .user_agent(concat!("docent-mcp/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.limits.fetch_timeout)
            .dns_resolver(Resolver(allowed))
    }
}

fn built(builder: ClientBuilder) -> Result<Client> {
    builder.build().map_err(|error| {
        let message = "the HTTP client for authorization cannot be set up";
        Error::new(ErrorKind::Transport, message).with_source(error.without_url())
    })
}

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

/// The error of everything that is not done because it would not be safe, or not right.
pub(super) fn refused(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Authorization, message)
}

fn unreachable(url: &Url, error: reqwest::Error) -> Error {
    let message = format!("{} cannot be reached", origin(url));
    Error::new(ErrorKind::Transport, message).with_source(error.without_url())
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
