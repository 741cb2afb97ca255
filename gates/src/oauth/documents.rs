//! What is believed of metadata: who a server and its authorization server say they are, where they
//! send a client, and how long and how much they talk. Nothing reaches a token endpoint.

use std::time::Duration;

use docent_mcp::AuthLimits;
use docent_mcp::auth::Reach;
use serde_json::{Value, json};

use super::Attacks;
use crate::Result;
use crate::realm::{ISSUER, RESOURCE, Realm, Reply};

pub(super) async fn attack(attacks: &mut Attacks) -> Result<()> {
    let mut reached = 0;
    for (name, document, field, value, why) in [
        (
            "resource of another server",
            RESOURCE,
            "resource",
            json!("https://x.example/mcp"),
            "another resource",
        ),
        (
            "resource below the server",
            RESOURCE,
            "resource",
            json!("{base}/mcp/x"),
            "another resource",
        ),
        (
            "no authorization server",
            RESOURCE,
            "authorization_servers",
            json!([]),
            "does not say whose",
        ),
        (
            "authorization server in the cloud's own net",
            RESOURCE,
            "authorization_servers",
            json!(["https://169.254.169.254"]),
            "public net",
        ),
        (
            "authorization server without TLS",
            RESOURCE,
            "authorization_servers",
            json!(["http://as.example"]),
            "has to be https",
        ),
        ("issuer of others", ISSUER, "issuer", json!("https://as.example"), "another issuer"),
        ("issuer with a slash", ISSUER, "issuer", json!("{base}/"), "another issuer"),
        ("issuer in capitals", ISSUER, "issuer", json!("HTTP://127.0.0.1"), "another issuer"),
        ("PKCE absent", ISSUER, "code_challenge_methods_supported", Value::Null, "PKCE"),
        ("PKCE plain", ISSUER, "code_challenge_methods_supported", json!(["plain"]), "PKCE"),
        (
            "token endpoint without TLS",
            ISSUER,
            "token_endpoint",
            json!("http://as.example/token"),
            "has to be https",
        ),
        (
            "token endpoint with credentials",
            ISSUER,
            "token_endpoint",
            json!("https://a:b@as.example/"),
            "credentials",
        ),
        (
            "registration in the cloud's own net",
            ISSUER,
            "registration_endpoint",
            json!("https://[fe80::1]/r"),
            "public net",
        ),
    ] {
        let realm = Realm::start().await?;
        realm.field(document, field, value);
        attacks.refused(name, why, realm.connect(realm.login()).await);
        reached += realm.count("/token");
    }
    /// What it is called, what is answered, and why that is refused.
    type Case = (&'static str, fn() -> Reply, &'static str);
    let cases: [Case; 5] = [
        (
            "10 MB of metadata",
            || Reply { body: " ".repeat(10 << 20), ..Reply::status(200) },
            "more than",
        ),
        ("slow metadata", || Reply { stalls: true, ..Reply::status(200) }, "in time"),
        (
            "metadata in a circle",
            || Reply::status(302).with("location", RESOURCE),
            "place to place",
        ),
        (
            "metadata leads to a file",
            || Reply::status(302).with("location", "file:///etc/passwd"),
            "not file:",
        ),
        (
            "metadata leads away from TLS",
            || Reply::status(302).with("location", "http://x.example/"),
            "has to be https",
        ),
    ];
    for (name, reply, why) in cases {
        let realm = Realm::start().await?;
        realm.instead(RESOURCE, move |_| reply());
        let fetch_timeout = Duration::from_millis(700);
        let limits = AuthLimits { fetch_timeout, ..AuthLimits::default() };
        attacks.refused(name, why, realm.connect(realm.login().limits(limits)).await);
        reached += realm.count("/token");
    }
    let (realm, canary) = (Realm::start().await?, Realm::start().await?);
    realm.rules().challenge = format!("resource_metadata=\"{}/x\"", canary.base());
    let outcome = realm.connect(realm.login().reach(Reach::Public)).await;
    attacks.refused("challenge into the private network", "public net", outcome);
    reached += canary.rules().seen.len();
    attacks.besides("documents: requests for tokens", reached == 0, &reached.to_string());
    Ok(())
}
