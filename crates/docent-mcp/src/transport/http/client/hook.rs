//! Where programs add to HTTP requests: tokens that change, traces, signatures.

use std::net::SocketAddr;

use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, HeaderValue, Method};

use crate::transport::BoxFuture;

/// Why a hook failed; the caller of the request gets it as the source of the error, or as the error
/// itself if it is an [`Error`](crate::Error).
pub type HookError = Box<dyn std::error::Error + Send + Sync>;

/// Sees each HTTP request before it is sent, and each challenge that comes back.
///
/// ```
/// use docent_mcp::transport::BoxFuture;
/// use docent_mcp::transport::http::{HookError, HttpEndpoint, OutgoingRequest, RequestHook};
///
/// struct Token(String);
///
/// impl RequestHook for Token {
///     fn prepare<'a>(
///         &'a self,
///         request: &'a mut OutgoingRequest,
///     ) -> BoxFuture<'a, Result<(), HookError>> {
///         Box::pin(async move {
///             request.headers.insert("authorization", format!("Bearer {}", self.0).parse()?);
///             Ok(())
///         })
///     }
/// }
///
/// let endpoint = HttpEndpoint::new("http://localhost:8000/mcp")?.hook(Token("secret".into()));
/// # Ok::<(), docent_mcp::Error>(())
/// ```
pub trait RequestHook: Send + Sync + 'static {
    /// Adds to a request that is about to be sent, also when it is sent again.
    fn prepare<'a>(
        &'a self,
        request: &'a mut OutgoingRequest,
    ) -> BoxFuture<'a, Result<(), HookError>>;

    /// The server wants proof of who is asking (401), or more rights (403). `true` means that the
    /// next [`prepare`](RequestHook::prepare) will have it, and the request is made again.
    fn challenged<'a>(
        &'a self,
        challenge: &'a Challenge,
    ) -> BoxFuture<'a, Result<bool, HookError>> {
        let _ = challenge;
        Box::pin(std::future::ready(Ok(false)))
    }
}

/// An HTTP request on its way out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OutgoingRequest {
    /// The HTTP method.
    pub method: Method,
    /// The whole address.
    pub url: String,
    /// All headers but those that every HTTP request has.
    pub headers: HeaderMap,
}

/// A refusal that the hook may be able to lift.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Challenge {
    /// 401 or 403.
    pub status: u16,
    /// The HTTP method of the request that was refused.
    pub method: Method,
    /// Its address.
    pub url: String,
    /// Its `Authorization` header, which tells a hook which of its tokens was refused.
    pub authorization: Option<HeaderValue>,
    /// The headers of the answer.
    pub headers: HeaderMap,
    /// How often this request was refused so far; 1 the first time.
    pub attempt: u32,
    /// The address that the answer came from: the server's, or that of a proxy.
    pub peer: Option<SocketAddr>,
}

impl Challenge {
    /// What the `WWW-Authenticate` headers say.
    pub fn www_authenticate(&self) -> impl Iterator<Item = &str> {
        self.headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok())
    }
}
