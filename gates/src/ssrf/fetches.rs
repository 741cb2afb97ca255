//! Who can be sent somewhere: every fetch whose address comes from somebody else.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_mcp::auth::{Introspection, JwtVerifier, Reach, Secret, TokenVerifier};
use docent_testkit::tls::AUTHORITY;
use serde_json::json;

use crate::realm::{ISSUER, RESOURCE, Realm, Reply};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fetch {
    /// The challenge names where the metadata of the server is.
    Challenge,
    /// The metadata of the server names its authorization server.
    Issuer,
    /// The metadata of the authorization server names where clients register.
    Registration,
    /// And where tokens come from.
    Token,
    /// Metadata is elsewhere.
    Redirect,
    /// And there elsewhere again, three times.
    Redirects,
    /// A server that verifies tokens looks for the keys.
    Keys,
    /// Or asks what a token is worth.
    Introspection,
}

pub(super) const ALL: &[Fetch] = &[
    Fetch::Challenge,
    Fetch::Issuer,
    Fetch::Registration,
    Fetch::Token,
    Fetch::Redirect,
    Fetch::Redirects,
    Fetch::Keys,
    Fetch::Introspection,
];

impl Fetch {
    /// Makes somebody fetch `target`. An error says why that did not work.
    pub(super) async fn run(self, realm: &Realm, reach: Reach, target: &str) -> Result<(), String> {
        match self {
            Fetch::Challenge => {
                // What quotes cannot hold is written as they demand.
                let target = target.replace('\\', "\\\\");
                realm.rules().challenge = format!("resource_metadata=\"{target}\"");
            }
            Fetch::Issuer => realm.field(RESOURCE, "authorization_servers", json!([target])),
            Fetch::Registration => realm.field(ISSUER, "registration_endpoint", json!(target)),
            Fetch::Token => realm.field(ISSUER, "token_endpoint", json!(target)),
            Fetch::Redirect => {
                let target = target.to_owned();
                realm.instead(RESOURCE, move |_| away(&target));
            }
            Fetch::Redirects => {
                let target = target.to_owned();
                realm.instead(RESOURCE, |_| away("/second"));
                realm.instead("/second", |_| away("/third"));
                realm.instead("/third", move |_| away(&target));
            }
            Fetch::Keys => {
                realm.field(ISSUER, "jwks_uri", json!(target));
                let verifier = JwtVerifier::new(realm.base()).reach(reach);
                return verify(verifier.root_certificates(AUTHORITY)).await;
            }
            Fetch::Introspection => {
                realm.field(ISSUER, "introspection_endpoint", json!(target));
                let verifier = Introspection::new(realm.base(), "gate", "secret").reach(reach);
                return verify(verifier.root_certificates(AUTHORITY)).await;
            }
        }
        let client = realm.connect(realm.login().reach(reach)).await?;
        client.close().await;
        Ok(())
    }
}

/// Text that is no header at all leads nowhere, as a browser would have it.
fn away(to: &str) -> Reply {
    Reply::status(307).with("location", to)
}

async fn verify(verifier: docent_mcp::Result<impl TokenVerifier>) -> Result<(), String> {
    let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let token = format!("{}.{}.AA", part(json!({ "alg": "ES256", "kid": "k" })), part(json!({})));
    let verifier = verifier.map_err(|error| error.to_string())?;
    let verified = verifier.verify(&Secret::new(token), "https://server.example").await;
    verified.map(drop).map_err(|error| error.to_string())
}
