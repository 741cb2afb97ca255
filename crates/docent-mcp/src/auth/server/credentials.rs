//! What a request brings along: a token, and how it is sent.

use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::auth::Secret;

#[derive(Debug)]
pub(super) enum Credentials {
    /// None, or of a kind that is not known here.
    None,
    /// Whoever has the token may use it.
    Bearer(Secret),
    /// Only the owner of a key may use the token, and this is the proof.
    Bound { token: Secret, proof: Secret },
}

/// Reads the token of a request, and takes it out: whatever comes after must not see it. An error
/// says what is malformed.
pub(super) fn take(headers: &mut HeaderMap, bytes_max: usize) -> Result<Credentials, &'static str> {
    let sent: Vec<_> = headers.get_all(AUTHORIZATION).iter().cloned().collect();
    let proofs: Vec<_> = headers.get_all("dpop").iter().cloned().collect();
    headers.remove(AUTHORIZATION);
    headers.remove("dpop");
    let value = match sent.as_slice() {
        [] => return Ok(Credentials::None),
        [one] => one.to_str().map_err(|_| "the `Authorization` header is not ASCII")?,
        _ => return Err("the `Authorization` header is there more than once"),
    };
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    let bound = match scheme {
        scheme if scheme.eq_ignore_ascii_case("bearer") => false,
        scheme if scheme.eq_ignore_ascii_case("dpop") => true,
        _ => return Ok(Credentials::None),
    };
    let token = token.trim_matches(' ');
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if token.is_empty() || !token.bytes().all(plain) {
        return Err("the `Authorization` header holds no token");
    }
    if token.len() > bytes_max {
        return Err("the token is too long");
    }
    let token = Secret::from(token);
    if !bound {
        return Ok(Credentials::Bearer(token));
    }
    match proofs.as_slice() {
        [proof] if proof.len() <= bytes_max => match proof.to_str() {
            Ok(proof) => Ok(Credentials::Bound { token, proof: Secret::from(proof.trim()) }),
            Err(_) => Err("the `DPoP` header is not ASCII"),
        },
        [_] => Err("the proof is too long"),
        [] => Err("the `DPoP` header is missing"),
        _ => Err("the `DPoP` header is there more than once"),
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    /// [BOTH-AUTH-23] the token is in one header, and nothing behind sees it.
    #[test]
    fn tokens_are_read_and_taken_out() {
        for (sent, expected) in [
            (&[][..], "none"),
            (&[("authorization", "Basic YTpi")], "none"),
            (&[("authorization", "Bearer a.b-c~d+e/f=")], "bearer"),
            (&[("authorization", "bearer  abc ")], "bearer"),
            (&[("authorization", "Bearer abc"), ("dpop", "p")], "bearer"),
            (&[("authorization", "DPoP abc"), ("dpop", "p.q.r")], "bound"),
            (&[("authorization", "DPoP abc")], "missing"),
            (&[("authorization", "DPoP abc"), ("dpop", "p"), ("dpop", "q")], "more than once"),
            (&[("authorization", "Bearer")], "no token"),
            (&[("authorization", "Bearer ")], "no token"),
            (&[("authorization", "Bearer a b")], "no token"),
            (&[("authorization", "Bearer a\"b")], "no token"),
            (&[("authorization", "Bearer aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")], "too long"),
            (&[("authorization", "Bearer a"), ("authorization", "Bearer a")], "more than once"),
        ] {
            let mut headers: HeaderMap = sent
                .iter()
                .map(|(name, value)| {
                    (HeaderName::from_static(name), HeaderValue::from_static(value))
                })
                .fold(HeaderMap::new(), |mut headers, (name, value)| {
                    headers.append(name, value);
                    headers
                });
            let taken = match take(&mut headers, 32) {
                Ok(Credentials::None) => "none",
                Ok(Credentials::Bearer(_)) => "bearer",
                Ok(Credentials::Bound { .. }) => "bound",
                Err(message) => message,
            };
            assert!(taken.contains(expected), "{sent:?}: {taken}");
            assert!(headers.is_empty(), "{sent:?}");
        }
    }
}
