//! One attempt at a request: hop by hop through redirects, to an answer that has a body, or to an
//! error that says whether another attempt may help.

use std::error::Error as _;
use std::time::SystemTime;

use bytes::Bytes;
use reqwest::Response;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LOCATION, RETRY_AFTER,
};
use url::Url;

use super::address::{origin, plain, shown, without_user};
use super::retry::{Failure, passing, passing_failure, retry_after};
use super::{Access, Inner};
use crate::{Error, ErrorKind};

/// What to ask.
pub(super) struct Question<'a> {
    pub(super) url: &'a Url,
    pub(super) accept: &'a str,
    /// The `Accept-Encoding` header.
    pub(super) encoding: &'static str,
    pub(super) access: &'a Access,
    /// What there is already, if the server may say that it is still good.
    pub(super) known: Option<Known<'a>>,
}

/// A copy of an earlier answer: whose, and which.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// Without query, as it is stored.
    pub(super) url: &'a str,
    pub(super) etag: Option<&'a str>,
    pub(super) modified: Option<&'a str>,
}

/// What came back.
pub(super) enum Answer {
    /// The head of an answer with a body, and where it came from.
    Body(Url, Box<Response>),
    /// The server says that the known copy is still good.
    Unchanged,
    /// The same, but of a copy that it was not asked about.
    Confused,
}

impl Inner {
    /// Asks, and follows redirects. Whoever calls keeps the time for the whole of it.
    pub(super) async fn ask(&self, question: &Question<'_>) -> Result<Answer, Failure> {
        let mut url = without_user(question.url);
        let mut redirects = 0;
        loop {
            if !matches!(url.scheme(), "http" | "https") {
                let message = format!("`{}:` is not an address to fetch from", url.scheme());
                return Err(Failure::never(Error::new(ErrorKind::Refused, message)));
            }
            let response = self.hop(question, &url).await?;
            let status = response.status();
            let redirect = matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308);
            if !redirect {
                return judge(question, url, response);
            }
            redirects += 1;
            if redirects > self.limits.redirects_max {
                let most = self.limits.redirects_max;
                let message = format!("{} redirects more than {most} times", shown(question.url));
                return Err(Failure::never(Error::new(ErrorKind::LimitExceeded, message)));
            }
            let location = response.headers().get(LOCATION);
            url = next(&url, location.and_then(|value| value.to_str().ok()))?;
        }
    }

    /// One request and the head of its answer.
    async fn hop(&self, question: &Question<'_>, url: &Url) -> Result<Response, Failure> {
        let client = self.clients.of(url, question.access, &self.limits).map_err(Failure::never)?;
        let mut request = client
            .get(url.clone())
            .header(ACCEPT, question.accept)
            .header(ACCEPT_ENCODING, question.encoding);
        if let Some(login) = question.access.login(url) {
            let value = login.credential.header(url).map_err(Failure::never)?;
            request = request.header(AUTHORIZATION, value);
        }
        if let Some(known) = own(question, url) {
            request = known
                .etag
                .into_iter()
                .fold(request, |request, etag| request.header(IF_NONE_MATCH, etag));
            request = known
                .modified
                .into_iter()
                .fold(request, |request, modified| request.header(IF_MODIFIED_SINCE, modified));
        }
        let sent = tokio::time::timeout(self.limits.stall_timeout, request.send()).await;
        let sent = sent.map_err(|_| self.stalled(url))?;
        sent.map_err(|error| unreachable(url, error))
    }

    /// The next bytes of a body.
    pub(super) async fn next_bytes(
        &self,
        url: &Url,
        response: &mut Response,
    ) -> Result<Option<Bytes>, Failure> {
        let chunk = tokio::time::timeout(self.limits.stall_timeout, response.chunk()).await;
        let chunk = chunk.map_err(|_| self.stalled(url))?;
        chunk.map_err(|error| unreachable(url, error))
    }

    fn stalled(&self, url: &Url) -> Failure {
        let seconds = self.limits.stall_timeout.as_secs_f64();
        let message = format!("{} sent nothing for {seconds} s", shown(url));
        Failure::soon(Error::new(ErrorKind::Network, message))
    }

    /// Refuses a body that is declared to be too long, before any of it is read.
    pub(super) fn check_length(
        &self,
        url: &Url,
        response: &Response,
        bytes_max: u64,
    ) -> Result<Option<u64>, Failure> {
        let declared = response.headers().get(CONTENT_LENGTH);
        let declared = declared.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        match declared {
            Some(bytes) if bytes > bytes_max => Err(too_long(url, bytes_max)),
            declared => Ok(declared),
        }
    }
}

pub(super) fn too_long(url: &Url, bytes_max: u64) -> Failure {
    let message = format!("{} is longer than the limit of {bytes_max} bytes", shown(url));
    Failure::never(Error::new(ErrorKind::LimitExceeded, message))
}

/// The known copy, if it came from this address: another server may use the same tag for another
/// thing.
fn own<'a>(question: &Question<'a>, url: &Url) -> Option<Known<'a>> {
    question.known.filter(|known| known.url == plain(url).as_str())
}

/// Where a redirect leads.
fn next(from: &Url, location: Option<&str>) -> Result<Url, Failure> {
    let refused = |why: &str| {
        let message = format!("{} redirects {why}", shown(from));
        Failure::never(Error::new(ErrorKind::Refused, message))
    };
    let location = location.ok_or_else(|| refused("without saying where"))?;
    let to = from.join(location).map_err(|_| refused("to what is not an address"))?;
    match (from.scheme(), to.scheme()) {
        ("https", "http") => Err(refused("from https to http, where others can listen")),
        (_, "http" | "https") => Ok(without_user(&to)),
        _ => Err(refused("to what is neither http nor https")),
    }
}

/// What the status of the last hop means.
fn judge(question: &Question<'_>, url: Url, response: Response) -> Result<Answer, Failure> {
    let status = response.status();
    let answered = format!("{} answered {status}", shown(&url));
    let fail = |kind| Error::new(kind, answered.clone());
    match status.as_u16() {
        200 | 203 => Ok(Answer::Body(url, Box::new(response))),
        304 => {
            let known = own(question, &url);
            let tag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
            // A tag that is not ours means that the server speaks of something else.
            let ours = known.is_some_and(|known| tag.is_none() || same_tag(tag, known.etag));
            Ok(if ours { Answer::Unchanged } else { Answer::Confused })
        }
        401 | 403 => Err(Failure::never(unauthorized(question.access, &url, &answered))),
        407 => {
            let error = fail(ErrorKind::Unauthorized);
            Err(Failure::never(error.hint("the proxy wants a user and a password")))
        }
        404 | 410 => {
            let error = fail(ErrorKind::PackageNotFound);
            let known = question.access.login(&url).is_some();
            Err(Failure::never(if known {
                error
            } else {
                let place = origin(&url);
                error.hint(format!("if it is private, configure a credential for {place}"))
            }))
        }
        _ if passing(status) => {
            let asked = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
            let asked = asked.and_then(|value| retry_after(value, SystemTime::now()));
            Err(passing_failure(answered, asked))
        }
        _ => Err(Failure::never(fail(ErrorKind::Network))),
    }
}

fn same_tag(one: Option<&str>, other: Option<&str>) -> bool {
    let strong = |tag: Option<&str>| tag.map(|tag| tag.trim_start_matches("W/").to_owned());
    strong(one) == strong(other)
}

fn unauthorized(access: &Access, url: &Url, answered: &str) -> Error {
    let error = Error::new(ErrorKind::Unauthorized, answered);
    let place = origin(url);
    if let Some(login) = access.login(url) {
        let scope = shown(&login.scope);
        return error.hint(format!(
            "the credential configured for {scope} was refused: it may have expired, or lack rights"
        ));
    }
    let scopes = access.logins.iter().map(|login| &login.scope);
    let near = scopes.filter(|scope| scope.host() == url.host()).map(shown);
    let near: Vec<String> = near.collect();
    let error = error.hint(format!(
        "no credential is configured for {place}: set one where the registry is configured \
         (`.npmrc`, pip or uv configuration, cargo's `credentials.toml`, `.netrc`)"
    ));
    if near.is_empty() {
        return error;
    }
    error.hint(format!("credentials go only to their own place: {}", near.join(", ")))
}

/// A request that got no answer, or half of one.
fn unreachable(url: &Url, error: reqwest::Error) -> Failure {
    let failed = if error.is_connect() {
        "cannot be reached"
    } else if error.is_timeout() {
        "did not answer in time"
    } else if error.is_body() || error.is_decode() {
        "broke off its answer"
    } else {
        "did not answer as HTTP asks"
    };
    // The error itself would print the whole address; its cause does not know it.
    let error = error.without_url();
    let mut cause = error.source();
    while let Some(deeper) = cause.and_then(std::error::Error::source) {
        cause = Some(deeper);
    }
    let uncertified = cause.is_some_and(wants_certificate);
    let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
    let gone = Error::new(ErrorKind::Network, format!("{} {failed}{cause}", shown(url)))
        .hint("check the network, the proxy, and where the registry is configured")
        .hint("what is installed or was read before is answered without it");
    if uncertified {
        let message = format!("{} wants a client certificate{cause}", shown(url));
        return Failure::never(Error::new(ErrorKind::Unauthorized, message).hint(
            "set one for this registry in your own configuration: `//host/path/:certfile` and \
             `:keyfile` (npm), `client-cert` (pip), `SSL_CLIENT_CERT` (uv)",
        ));
    }
    if error.is_builder() { Failure::never(gone) } else { Failure::soon(gone) }
}

/// Whether TLS ended because the server was shown no certificate, or not one that it takes.
fn wants_certificate(cause: &(dyn std::error::Error + 'static)) -> bool {
    use rustls::AlertDescription as Alert;
    let inner = cause.downcast_ref::<std::io::Error>().and_then(|error| error.get_ref());
    let error = match inner {
        Some(inner) => inner.downcast_ref::<rustls::Error>(),
        None => cause.downcast_ref::<rustls::Error>(),
    };
    let wanted = [Alert::CertificateRequired, Alert::BadCertificate, Alert::UnknownCA];
    matches!(error, Some(rustls::Error::AlertReceived(alert)) if wanted.contains(alert))
}

/// Whether the end of the body is marked, so that one that broke off cannot pass for whole.
pub(super) fn is_delimited(response: &Response) -> bool {
    let headers = response.headers();
    response.version() >= reqwest::Version::HTTP_2
        || headers.contains_key(CONTENT_LENGTH)
        || headers.contains_key(reqwest::header::TRANSFER_ENCODING)
}

/// Whether a failure means that the network is at fault, not the question.
pub(super) fn is_outage(error: &Error) -> bool {
    error.kind() == ErrorKind::Network
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_are_followed_within_reason() {
        for (from, location, expected) in [
            ("https://a.example/x/y", Some("z"), Ok("https://a.example/x/z")),
            ("https://a.example/x", Some("//b.example/"), Ok("https://b.example/")),
            ("http://a.example/x", Some("https://a.example/x"), Ok("https://a.example/x")),
            ("http://a.example/x", Some("http://u:p@b.example/y#f"), Ok("http://b.example/y")),
            (
                "https://a.example/x?token=1",
                Some("http://a.example/x"),
                Err("https://a.example/x redirects from https to http, where others can listen"),
            ),
            (
                "https://a.example/x",
                Some("file:///etc/passwd"),
                Err("https://a.example/x redirects to what is neither http nor https"),
            ),
            (
                "https://a.example/x",
                Some("http://["),
                Err("https://a.example/x redirects to what is not an address"),
            ),
            (
                "https://a.example/x",
                None,
                Err("https://a.example/x redirects without saying where"),
            ),
        ] {
            let next = next(&Url::parse(from).unwrap(), location);
            let next = next.map(String::from).map_err(|failure| failure.error.to_string());
            assert_eq!(next, expected.map(str::to_owned).map_err(str::to_owned), "{location:?}");
        }
    }

    #[test]
    fn tags_are_compared_without_their_weakness() {
        for (one, other, same) in [
            (Some("\"a\""), Some("\"a\""), true),
            (Some("W/\"a\""), Some("\"a\""), true),
            (Some("\"a\""), Some("\"b\""), false),
            (Some("\"a\""), None, false),
        ] {
            assert_eq!(same_tag(one, other), same, "{one:?} {other:?}");
        }
    }
}
