//! What an authorization server can do: its metadata (RFC 8414 or OpenID), believed only if it
//! names itself exactly as it was asked for.

use reqwest::Url;
use serde::Deserialize;

use super::address::origin;
use super::fetch::{Fetch, refused};
use crate::error::Result;

/// The metadata of an authorization server, as far as it matters here. Strings are kept as they
/// came: an address that is parsed and written again may be another one.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Issuer {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: Option<String>,
    pub(super) token_endpoint: Option<String>,
    pub(super) registration_endpoint: Option<String>,
    pub(super) scopes_supported: Option<Vec<String>>,
    pub(super) code_challenge_methods_supported: Option<Vec<String>>,
    pub(super) token_endpoint_auth_methods_supported: Option<Vec<String>>,
    pub(super) dpop_signing_alg_values_supported: Option<Vec<String>>,
    #[serde(default, deserialize_with = "lenient_flag")]
    pub(super) authorization_response_iss_parameter_supported: bool,
    #[serde(default, deserialize_with = "lenient_flag")]
    pub(super) client_id_metadata_document_supported: bool,
    /// It was found as 2025-03-26 wants it, which promised less.
    #[serde(skip)]
    pub(super) legacy: bool,
}

impl Issuer {
    pub(super) fn token_endpoint(&self) -> Result<&str> {
        let named = self.token_endpoint.as_deref();
        named.ok_or_else(|| refused(format!("{} has no token endpoint", self.issuer)))
    }

    pub(super) fn supports_auth_method(&self, method: &str) -> bool {
        match &self.token_endpoint_auth_methods_supported {
            Some(methods) => methods.iter().any(|one| one == method),
            // What RFC 8414 says about servers that do not say.
            None => method == "client_secret_basic",
        }
    }
}

/// A flag of a document: set, or anything else.
pub(super) fn lenient_flag<'de, D: serde::Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    Ok(serde_json::Value::deserialize(value)? == serde_json::Value::Bool(true))
}

/// Gets the metadata of the authorization server that is called `identifier`.
pub(super) async fn discover(fetch: &Fetch, identifier: &str) -> Result<Issuer> {
    let mut other = false;
    for address in well_known(identifier)? {
        let Some(found) = get(fetch, &address).await? else { continue };
        if found.issuer == identifier {
            return Ok(found);
        }
        other = true;
    }
    Err(refused(match other {
        true => format!("the metadata of {identifier} is that of another issuer: not used"),
        false => format!("the authorization server {identifier} has no metadata"),
    }))
}

/// The authorization server of a server without resource metadata (2025-03-26): the server itself,
/// with or without metadata.
pub(super) async fn discover_legacy(fetch: &Fetch, server: &Url) -> Result<Issuer> {
    let base = origin(server);
    let address = format!("{base}/.well-known/oauth-authorization-server");
    let found = get(fetch, &address).await?;
    match found {
        // The name is one that we made up from the address, so both ways to write it are it.
        Some(found) if found.issuer.strip_suffix('/').unwrap_or(&found.issuer) == base => {
            Ok(Issuer { legacy: true, ..found })
        }
        Some(_) => Err(refused(format!("the metadata of {base} is that of another issuer"))),
        None => Ok(Issuer {
            authorization_endpoint: Some(format!("{base}/authorize")),
            token_endpoint: Some(format!("{base}/token")),
            registration_endpoint: Some(format!("{base}/register")),
            token_endpoint_auth_methods_supported: Some(
                ["none", "client_secret_basic", "client_secret_post"].map(str::to_owned).into(),
            ),
            issuer: base,
            legacy: true,
            ..Issuer::default()
        }),
    }
}

/// The metadata at an address that the user vouches for.
pub(super) async fn at(fetch: &Fetch, address: &str) -> Result<Issuer> {
    let found = get(fetch, address).await?.filter(|found| !found.issuer.is_empty());
    found.ok_or_else(|| refused(format!("{address} has no metadata of an authorization server")))
}

async fn get(fetch: &Fetch, address: &str) -> Result<Option<Issuer>> {
    let answer = fetch.get(address).await?;
    if answer.status >= 500 {
        return Err(refused(format!(
            "an authorization server answered HTTP {} when asked for its metadata; try again later",
            answer.status
        )));
    }
    // Some servers answer everything with a page.
    Ok(answer.is_success().then(|| answer.json().ok()).flatten())
}

/// Where the metadata of an issuer is looked for. An issuer with a path is never mistaken for the
/// one at the root.
fn well_known(identifier: &str) -> Result<Vec<String>> {
    let unusable = || refused("the server names an authorization server that is no address");
    let (scheme, rest) = identifier.split_once("://").ok_or_else(unusable)?;
    if rest.contains(['?', '#']) || rest.starts_with('/') {
        return Err(unusable());
    }
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = path.trim_end_matches('/');
    let known = |name: &str, path: &str| format!("{scheme}://{host}/.well-known/{name}{path}");
    let mut addresses =
        vec![known("oauth-authorization-server", path), known("openid-configuration", path)];
    if !path.is_empty() {
        addresses.push(format!("{scheme}://{host}{path}/.well-known/openid-configuration"));
    }
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [CLI-AUTH-05] the order, for issuers with and without a path.
    #[test]
    fn where_metadata_is_looked_for() {
        let check = |identifier: &str, expected: &[&str]| {
            assert_eq!(well_known(identifier).unwrap(), expected, "{identifier}");
        };
        let root = [
            "https://h/.well-known/oauth-authorization-server",
            "https://h/.well-known/openid-configuration",
        ];
        check("https://h", &root);
        check("https://h/", &root);
        check(
            "https://h/a/b/",
            &[
                "https://h/.well-known/oauth-authorization-server/a/b",
                "https://h/.well-known/openid-configuration/a/b",
                "https://h/a/b/.well-known/openid-configuration",
            ],
        );
        for identifier in ["h", "https://h?x", "https://h/#x", "https:///x", ""] {
            assert!(well_known(identifier).is_err(), "{identifier}");
        }
    }
}
