//! Which authorization server a server trusts: its protected-resource metadata (RFC 9728), and for
//! servers of 2025-03-26, which have none, the server itself.

use reqwest::Url;
use serde::Deserialize;

use super::address::origin;
use super::challenge::Demand;
use super::fetch::{Fetch, refused};
use super::issuer::lenient_flag;
use crate::error::Result;

/// What a server says about itself.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct ResourceMetadata {
    /// Its identifier, byte for byte as it has to be repeated to the authorization server.
    pub(super) resource: String,
    pub(super) authorization_servers: Option<Vec<String>>,
    pub(super) scopes_supported: Option<Vec<String>>,
    #[serde(default, deserialize_with = "lenient_flag")]
    pub(super) dpop_bound_access_tokens_required: bool,
}

/// Finds the metadata of the server at `server`; `None` if it has none, as in 2025-03-26.
pub(super) async fn protected_resource(
    fetch: &Fetch,
    server: &Url,
    demand: &Demand,
) -> Result<Option<ResourceMetadata>> {
    let mut addresses = well_known(server);
    if let Some(named) = &demand.resource_metadata {
        // What the server names is the truth: nothing else is asked for.
        addresses = vec![named.clone()];
    }
    for address in &addresses {
        let answer = fetch.get(address).await?;
        if !answer.is_success() {
            if answer.status >= 500 {
                let message = format!(
                    "{} answered HTTP {} when asked for its metadata; try again later",
                    origin(server),
                    answer.status
                );
                return Err(refused(message));
            }
            continue;
        }
        // Some servers answer everything with a page.
        let Ok(found) = answer.json::<serde_json::Value>() else { continue };
        let metadata: ResourceMetadata = serde_json::from_value(found).map_err(|error| {
            let message = format!("the resource metadata of {} cannot be read", origin(server));
            refused(message).with_source(error)
        })?;
        covers(&metadata.resource, server)?;
        return Ok(Some(metadata));
    }
    match &demand.resource_metadata {
        Some(_) => {
            Err(refused(format!("{} names resource metadata that does not exist", origin(server))))
        }
        None => Ok(None),
    }
}

/// What a server is called that does not say so itself.
pub(super) fn canonical(server: &Url) -> String {
    let mut server = server.clone();
    server.set_fragment(None);
    match server.path() {
        "/" if server.query().is_none() => origin(&server),
        _ => server.to_string(),
    }
}

/// Where the metadata of a server is looked for: with its path, then without.
fn well_known(server: &Url) -> Vec<String> {
    const NAME: &str = "/.well-known/oauth-protected-resource";
    let (origin, path) = (origin(server), server.path().trim_end_matches('/'));
    let root = format!("{origin}{NAME}");
    match path {
        "" => vec![root],
        path => vec![format!("{root}{path}"), root],
    }
}

/// Whether a server may call itself `resource`: its own address, or one above it. Otherwise its
/// tokens would be good for another server.
fn covers(resource: &str, server: &Url) -> Result<()> {
    let fits = Url::parse(resource).is_ok_and(|resource| {
        let above = resource.path().trim_end_matches('/');
        let below = server.path().strip_prefix(above);
        resource.origin() == server.origin()
            && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            && resource.fragment().is_none()
            && (resource.query().is_none() || resource.query() == server.query())
    });
    match fits {
        true => Ok(()),
        false => Err(refused(format!(
            "the server at {} gives its tokens another resource than itself",
            origin(server)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [CLI-AUTH-03] path-inserted first, then the root.
    #[test]
    fn where_metadata_is_looked_for() {
        let check = |server: &str, expected: &[&str]| {
            assert_eq!(well_known(&Url::parse(server).unwrap()), expected, "{server}");
        };
        check("https://h", &["https://h/.well-known/oauth-protected-resource"]);
        check(
            "https://h:8/mcp/?q=1",
            &[
                "https://h:8/.well-known/oauth-protected-resource/mcp",
                "https://h:8/.well-known/oauth-protected-resource",
            ],
        );
    }

    /// [CLI-AUTH-04] a server can only speak for itself.
    #[test]
    fn resources_that_cover_a_server() {
        for (resource, server, fits) in [
            ("https://h", "https://h/mcp", true),
            ("https://h/", "https://h/mcp", true),
            ("https://h/mcp", "https://h/mcp", true),
            ("https://h/mcp/", "https://h/mcp", true),
            ("https://h/mcp", "https://h/mcp/v1", true),
            ("https://H/mcp", "https://h/mcp", true),
            ("https://h:443/mcp", "https://h/mcp", true),
            ("https://h/mc", "https://h/mcp", false),
            ("https://h/mcp/other", "https://h/mcp", false),
            ("https://evil/mcp", "https://h/mcp", false),
            ("http://h/mcp", "https://h/mcp", false),
            ("https://h:8/mcp", "https://h/mcp", false),
            ("https://h/mcp#x", "https://h/mcp", false),
            ("https://h/mcp?tenant=2", "https://h/mcp", false),
            ("urn:mcp", "https://h/mcp", false),
            ("", "https://h/mcp", false),
        ] {
            let server = Url::parse(server).unwrap();
            assert_eq!(covers(resource, &server).is_ok(), fits, "{resource} {server}");
        }
    }
}
