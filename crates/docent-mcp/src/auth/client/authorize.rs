//! The authorization request that a user's browser makes, and what it comes back with.

use reqwest::Url;

use super::address::safe_url;
use super::fetch::refused;
use super::issuer::Issuer;
use super::random::{self, Pkce};
use super::said::shown;
use crate::auth::Secret;
use crate::error::Result;

/// A request that was made, with what its answer is checked against.
#[derive(Debug)]
pub(super) struct Authorization {
    pub(super) url: String,
    pub(super) state: String,
    pub(super) redirect_uri: String,
    pub(super) pkce: Pkce,
}

/// What is asked for.
pub(super) struct Wish<'a> {
    pub(super) client_id: &'a str,
    pub(super) redirect_uri: &'a str,
    pub(super) scopes: &'a [String],
    pub(super) resource: Option<&'a str>,
    pub(super) address_bytes_max: usize,
}

impl Authorization {
    pub(super) fn new(issuer: &Issuer, wish: &Wish<'_>) -> Result<Authorization> {
        proves_keys(issuer)?;
        let Some(endpoint) = &issuer.authorization_endpoint else {
            return Err(refused(format!("{} has no page to log in", issuer.issuer)));
        };
        let mut url = safe_url(endpoint, wish.address_bytes_max)?;
        url.set_fragment(None);
        let (state, pkce) = (random::text()?, Pkce::new()?);
        {
            let mut query = url.query_pairs_mut();
            query
                .append_pair("response_type", "code")
                .append_pair("client_id", wish.client_id)
                .append_pair("redirect_uri", wish.redirect_uri)
                .append_pair("state", &state)
                .append_pair("code_challenge", &pkce.challenge)
                .append_pair("code_challenge_method", "S256");
            if let Some(resource) = wish.resource {
                query.append_pair("resource", resource);
            }
            if !wish.scopes.is_empty() {
                query.append_pair("scope", &wish.scopes.join(" "));
            }
            if wish.scopes.iter().any(|scope| scope == "offline_access") {
                // OpenID gives refresh tokens only to users who were asked.
                query.append_pair("prompt", "consent");
            }
        }
        Ok(Authorization {
            url: url.into(),
            state,
            redirect_uri: wish.redirect_uri.to_owned(),
            pkce,
        })
    }

    /// The code in the address that the browser came back to, if everything about it is right.
    pub(super) fn accept(&self, issuer: &Issuer, came_back: &str) -> Result<Secret> {
        let (address, _) = came_back.split_once('?').unwrap_or((came_back, ""));
        if address != self.redirect_uri.split('?').next().unwrap_or_default() {
            return Err(refused("the browser came back to another address"));
        }
        // Parsed, for the sake of its query only.
        let url = Url::parse(came_back).map_err(|_| refused("what came back is no address"))?;
        let one = |name: &str| {
            let mut values = url.query_pairs().filter(|(key, _)| key == name);
            match (values.next(), values.next()) {
                (value, None) => Ok(value.map(|(_, value)| value.into_owned())),
                _ => Err(refused(format!("the answer to the login has two of {name}"))),
            }
        };
        if one("state")?.as_deref() != Some(&*self.state) {
            return Err(refused("the answer is to another login than the one that was started"));
        }
        check_issuer(issuer, one("iss")?.as_deref())?;
        if let Some(error) = one("error")? {
            let said = match one("error_description")? {
                Some(description) => format!("{error}, {description}"),
                None => error,
            };
            let said = shown(&said, std::slice::from_ref(&self.state));
            return Err(refused(format!("{} did not log in: {said}", issuer.issuer)));
        }
        match one("code")? {
            Some(code) if !code.is_empty() => Ok(Secret::new(code)),
            _ => Err(refused(format!("{} sent neither code nor error", issuer.issuer))),
        }
    }
}

/// Whether the server checks PKCE. One that does not say so does not (since 2025-11-25).
fn proves_keys(issuer: &Issuer) -> Result<()> {
    let proves = match &issuer.code_challenge_methods_supported {
        Some(methods) => methods.iter().any(|method| method == "S256"),
        None => issuer.legacy,
    };
    match proves {
        true => Ok(()),
        false => Err(refused(format!(
            "{} does not support PKCE with S256, without which a login is not safe",
            issuer.issuer
        ))),
    }
}

/// Whether the answer is from the server that was asked (RFC 9207). Compared as it came: what is
/// almost the same is another.
fn check_issuer(issuer: &Issuer, iss: Option<&str>) -> Result<()> {
    match iss {
        Some(iss) if iss == issuer.issuer => Ok(()),
        // What came with it is not shown: its sender is unknown.
        Some(_) => Err(refused(format!(
            "the answer to the login at {} is from another issuer: not used",
            issuer.issuer
        ))),
        None if issuer.authorization_response_iss_parameter_supported => Err(refused(format!(
            "the answer to the login at {} lacks the issuer that it promises",
            issuer.issuer
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issuer() -> Issuer {
        Issuer {
            issuer: "http://localhost:9".to_owned(),
            authorization_endpoint: Some("http://localhost:9/authorize?tenant=1#x".to_owned()),
            code_challenge_methods_supported: Some(vec!["S256".to_owned()]),
            ..Issuer::default()
        }
    }

    fn begin(issuer: &Issuer) -> Result<Authorization> {
        let wish = Wish {
            client_id: "me",
            redirect_uri: "http://127.0.0.1:1/callback",
            scopes: &["a".to_owned(), "b".to_owned()],
            resource: Some("http://localhost:8"),
            address_bytes_max: 2048,
        };
        Authorization::new(issuer, &wish)
    }

    /// [CLI-AUTH-07] [CLI-AUTH-08] the request has all it needs, and `resource` as it came.
    #[test]
    fn requests_are_complete() {
        let request = begin(&issuer()).unwrap();
        let url = Url::parse(&request.url).unwrap();
        let query: Vec<_> = url.query_pairs().map(|(k, v)| format!("{k}={v}")).collect();
        let expected = [
            "tenant=1",
            "response_type=code",
            "client_id=me",
            "redirect_uri=http://127.0.0.1:1/callback",
            &format!("state={}", request.state),
            &format!("code_challenge={}", request.pkce.challenge),
            "code_challenge_method=S256",
            "resource=http://localhost:8",
            "scope=a b",
        ];
        assert_eq!(query, expected);
        assert_eq!(url.fragment(), None);
    }

    /// [CLI-AUTH-07] no login where nobody checks PKCE.
    #[test]
    fn servers_without_pkce_are_refused() {
        for (methods, legacy, fits) in [
            (None, false, false),
            (None, true, true),
            (Some(&["plain"][..]), true, false),
            (Some(&[]), false, false),
            (Some(&["plain", "S256"]), false, true),
        ] {
            let methods: Option<&[&str]> = methods;
            let issuer = Issuer {
                code_challenge_methods_supported: methods
                    .map(|all| all.iter().map(|one| (*one).to_owned()).collect()),
                legacy,
                ..issuer()
            };
            assert_eq!(begin(&issuer).is_ok(), fits, "{methods:?} {legacy}");
        }
    }

    /// [CLI-AUTH-09] [CLI-AUTH-16] who answered what: the table of RFC 9207, and the state.
    #[test]
    fn answers_are_checked() {
        for (promised, query, expected) in [
            (false, "code=c&state=S", Ok("c")),
            (true, "code=c&state=S", Err("lacks the issuer")),
            (true, "code=c&state=S&iss=http://localhost:9", Ok("c")),
            (false, "code=c&state=S&iss=http://localhost:9", Ok("c")),
            (false, "code=c&state=S&iss=http://localhost:9/", Err("another issuer")),
            (true, "code=c&state=S&iss=HTTP://localhost:9", Err("another issuer")),
            (true, "code=c&state=S&iss=http://localhost:80", Err("another issuer")),
            (false, "error=hunter2&state=S&iss=http://evil", Err("another issuer")),
            (true, "error=access_denied&state=S", Err("lacks the issuer")),
            (false, "error=access_denied&error_description=no%0Away&state=S", Err("no way")),
            (false, "code=c", Err("another login")),
            (false, "code=c&state=T", Err("another login")),
            (false, "code=c&state=S&state=S", Err("two of state")),
            (false, "code=c&code=d&state=S", Err("two of code")),
            (false, "state=S", Err("neither code nor error")),
            (false, "code=&state=S", Err("neither code nor error")),
        ] {
            let issuer =
                Issuer { authorization_response_iss_parameter_supported: promised, ..issuer() };
            let request = begin(&issuer).unwrap();
            let query = query.replace("state=S", &format!("state={}", request.state));
            let came_back = format!("http://127.0.0.1:1/callback?{query}");
            match (request.accept(&issuer, &came_back), expected) {
                (Ok(code), Ok(expected)) => assert_eq!(code.expose(), expected, "{query}"),
                (Err(error), Err(expected)) => {
                    assert!(error.to_string().contains(expected), "{query}: {error}");
                    assert!(!format!("{error:#}").contains("hunter2"), "{query}: {error}");
                }
                (found, _) => panic!("{query}: {found:?}"),
            }
            for other in ["http://127.0.0.1:2/callback", "http://127.0.0.1:1/", "callback"] {
                assert!(request.accept(&issuer, &format!("{other}?{query}")).is_err());
            }
        }
    }
}
