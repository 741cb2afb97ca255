//! The gate before a protected server, as HTTP sees it.
//!
//! What is decided is decided in `auth`; here the decisions become replies.

use http::request::Parts;
use http::{Method, Response, StatusCode};

use super::reply::{self, HttpBody, Refusal};
use super::{Endpoint, Principal};
use crate::auth::{Access, Claims, Denied};
use crate::session::Peer;

/// Lets a request through, with the claims of its token among its extensions, or answers it.
pub(super) async fn pass(endpoint: &Endpoint, parts: &mut Parts) -> Result<(), Response<HttpBody>> {
    let Some(gate) = &endpoint.gate else { return Ok(()) };
    if gate.has_metadata_at(parts.uri.path()) {
        return Err(match parts.method {
            Method::GET | Method::HEAD => reply::json(StatusCode::OK, gate.metadata()),
            _ => Refusal::method("GET").respond(),
        });
    }
    let claims = gate.admit(parts).await.map_err(refuse)?;
    parts.extensions.insert(Principal(claims.principal()));
    parts.extensions.insert(claims);
    Ok(())
}

fn refuse(denied: Denied) -> Response<HttpBody> {
    let mut response = Refusal::new(denied.status, denied.message).respond();
    response.headers_mut().extend(denied.headers);
    response
}

/// Hands the claims of a request on to whoever answers it.
pub(super) fn hand_on(parts: &Parts, peer: &Peer) {
    if let Some(claims) = parts.extensions.get::<Claims>() {
        // A peer answers one request, so nobody was here before.
        let _ = peer.access.set(Access::new(claims.clone()));
    }
}

/// Turns an answer into a challenge, if the token turned out to allow too little.
pub(super) fn challenge(
    endpoint: &Endpoint,
    peer: &Peer,
    mut response: Response<HttpBody>,
) -> Response<HttpBody> {
    let lacking = endpoint.gate.as_ref().zip(peer.access.get());
    if let Some(denied) = lacking.and_then(|(gate, access)| gate.lacking(access)) {
        *response.status_mut() = denied.status;
        response.headers_mut().extend(denied.headers);
    }
    response
}
