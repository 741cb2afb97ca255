//! What a protected server says of itself (RFC 9728): where its tokens come from.

use reqwest::Url;
use serde_json::{Value, json};

use super::jwk::ALGORITHMS;

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The paths at which the metadata of a server is: the well-known part before its own path, and at
/// the root for clients that look there only.
pub(super) fn paths(resource: &Url) -> [String; 2] {
    let path = match resource.path() {
        "/" => "",
        path => path,
    };
    [format!("{WELL_KNOWN}{path}"), WELL_KNOWN.to_owned()]
}

/// The address of the metadata.
pub(super) fn address(resource: &Url) -> String {
    let query = resource.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("{}{}{query}", resource.origin().ascii_serialization(), paths(resource)[0])
}

pub(super) struct Document<'a> {
    /// As it was given: clients compare it letter by letter.
    pub(super) resource: &'a str,
    pub(super) issuers: &'a [String],
    pub(super) scopes: &'a [String],
    pub(super) bound: bool,
    pub(super) name: Option<&'a str>,
    pub(super) documentation: Option<&'a str>,
}

impl Document<'_> {
    pub(super) fn write(&self) -> Value {
        let mut document = json!({
            "resource": self.resource,
            "authorization_servers": self.issuers,
            "bearer_methods_supported": ["header"],
            "dpop_signing_alg_values_supported": ALGORITHMS,
        });
        if !self.scopes.is_empty() {
            document["scopes_supported"] = json!(self.scopes);
        }
        if self.bound {
            document["dpop_bound_access_tokens_required"] = Value::Bool(true);
        }
        if let Some(name) = self.name {
            document["resource_name"] = Value::from(name);
        }
        if let Some(address) = self.documentation {
            document["resource_documentation"] = Value::from(address);
        }
        document
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [SRV-AUTH-02] where clients look.
    #[test]
    fn addresses_of_metadata() {
        for (resource, expected) in [
            ("https://h/mcp", "https://h/.well-known/oauth-protected-resource/mcp"),
            ("https://h/a/b/", "https://h/.well-known/oauth-protected-resource/a/b/"),
            ("https://h", "https://h/.well-known/oauth-protected-resource"),
            ("https://h/", "https://h/.well-known/oauth-protected-resource"),
            (
                "http://localhost:1/mcp",
                "http://localhost:1/.well-known/oauth-protected-resource/mcp",
            ),
            ("https://h/mcp?t=1", "https://h/.well-known/oauth-protected-resource/mcp?t=1"),
        ] {
            assert_eq!(address(&Url::parse(resource).unwrap()), expected);
        }
    }
}
