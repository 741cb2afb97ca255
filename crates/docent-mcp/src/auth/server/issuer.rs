//! What an authorization server says of itself (RFC 8414, OpenID Connect Discovery).

use serde::Deserialize;

use super::TokenError;
use super::fetch::{Fetch, address_of};

#[derive(Deserialize)]
pub(super) struct Metadata {
    issuer: String,
    jwks_uri: Option<String>,
    introspection_endpoint: Option<String>,
}

impl Metadata {
    pub(super) fn jwks_uri(self) -> Result<String, TokenError> {
        let none = || TokenError::unavailable("the authorization server publishes no keys");
        self.jwks_uri.ok_or_else(none)
    }

    pub(super) fn introspection_endpoint(self) -> Result<String, TokenError> {
        let none = || TokenError::unavailable("the authorization server has no introspection");
        self.introspection_endpoint.ok_or_else(none)
    }
}

/// The metadata of an issuer, which must name exactly that issuer.
pub(super) async fn metadata(fetch: &Fetch, issuer: &str) -> Result<Metadata, TokenError> {
    for address in addresses(issuer)? {
        if let Ok(metadata) = fetch.get::<Metadata>(&address).await? {
            if metadata.issuer != issuer {
                let message = "the metadata of the authorization server is another issuer's";
                return Err(TokenError::unavailable(message));
            }
            return Ok(metadata);
        }
    }
    Err(TokenError::unavailable("the authorization server has no metadata"))
}

/// Where metadata may be, in the order in which it is looked for.
fn addresses(issuer: &str) -> Result<Vec<String>, TokenError> {
    let unusable = |error| TokenError::unavailable(format!("the issuer is not usable: {error}"));
    let url = address_of(issuer).map_err(unusable)?;
    let (origin, path) = (url.origin().ascii_serialization(), url.path().trim_end_matches('/'));
    let mut addresses = vec![
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        addresses.push(format!("{origin}{path}/.well-known/openid-configuration"));
    }
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_metadata_may_be() {
        assert_eq!(
            addresses("https://as").unwrap(),
            [
                "https://as/.well-known/oauth-authorization-server",
                "https://as/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            addresses("https://as/realm/").unwrap(),
            [
                "https://as/.well-known/oauth-authorization-server/realm",
                "https://as/.well-known/openid-configuration/realm",
                "https://as/realm/.well-known/openid-configuration",
            ]
        );
        assert!(addresses("http://as").is_err());
    }
}
