//! What a user comes back with: from another authorization server (mix-up, RFC 9207), to another
//! login, or brought by somebody else. No code reaches the token endpoint.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use docent_mcp::AuthLimits;
use docent_mcp::auth::{OAuth, Visit};
use docent_mcp::transport::BoxFuture;
use docent_mcp::transport::http::HookError;
use docent_testkit::form::Form;
use docent_testkit::plain_http;
use serde_json::Value;

use super::Attacks;
use crate::Result;
use crate::realm::{ISSUER, Realm, User};

/// Takes a parameter out.
const NONE: &str = "-";

pub(super) async fn attack(attacks: &mut Attacks) -> Result<()> {
    let mut reached = 0;
    for (name, promised, changes, why) in [
        ("iss missing that was promised", true, &[("iss", NONE)][..], "lacks the issuer"),
        ("iss of another server", true, &[("iss", "https://as.example")], "another issuer"),
        ("iss of another, unpromised", false, &[("iss", "https://as.example")], "another issuer"),
        ("iss with a slash", true, &[("iss", "{base}/")], "another issuer"),
        ("iss in capitals", true, &[("iss", "HTTP{rest}")], "another issuer"),
        ("iss with another port", true, &[("iss", "http://127.0.0.1:1")], "another issuer"),
        ("state missing", true, &[("state", NONE)], "another login"),
        ("state of another login", true, &[("state", "guess")], "another login"),
        ("no code", true, &[("code", NONE)], "neither code nor error"),
    ] {
        let realm = Realm::start().await?;
        if !promised {
            let field = "authorization_response_iss_parameter_supported";
            realm.field(ISSUER, field, Value::Null);
        }
        let base = realm.base().to_owned();
        let user = User::of(&realm).tampered(move |answer| {
            for (field, value) in changes {
                let value = value.replace("{base}", &base).replace("{rest}", &base[4..]);
                match value.as_str() {
                    NONE => answer.remove(field),
                    _ => answer.insert(field, value),
                };
            }
        });
        attacks.refused(name, why, realm.connect(OAuth::user("gate").visit(user)).await);
        reached += realm.count("/token");
    }
    reached += reused_state(attacks).await?;
    reached += spoken_by_strangers(attacks).await?;
    reached += other_process(attacks).await?;
    attacks.besides("answers: codes redeemed", reached == 0, &reached.to_string());
    Ok(())
}

/// The answer of an earlier login is brought again.
async fn reused_state(attacks: &mut Attacks) -> Result<usize> {
    let realm = Realm::start().await?;
    let earlier: Arc<Mutex<Option<String>>> = Arc::default();
    let user = || {
        let earlier = earlier.clone();
        OAuth::user("gate").visit(User::of(&realm).tampered(move |answer| {
            let mut earlier = earlier.lock().expect("no panic while locked");
            let state = answer.entry("state").or_default();
            *state = earlier.get_or_insert_with(|| state.clone()).clone();
        }))
    };
    realm.connect(user()).await?.close().await;
    let redeemed = realm.count("/token");
    attacks.refused("state used before", "another login", realm.connect(user()).await);
    Ok(realm.count("/token") - redeemed)
}

/// What comes from another issuer is not shown to the user, who might believe it.
async fn spoken_by_strangers(attacks: &mut Attacks) -> Result<usize> {
    let realm = Realm::start().await?;
    let user = User::of(&realm).tampered(|answer| {
        answer.insert("iss", "https://as.example".to_owned());
        answer.insert("error", "call-this-number".to_owned());
        answer.insert("error_description", "call-this-number".to_owned());
    });
    let said = realm.connect(OAuth::user("gate").visit(user)).await.err().unwrap_or_default();
    let held = said.contains("another issuer") && !said.contains("call-this-number");
    attacks.held("words of another issuer", held, &said);
    Ok(realm.count("/token"))
}

/// Another program of this machine that found the open port, and does not know the state.
struct Stranger(Arc<Mutex<Vec<u16>>>);

impl Visit for Stranger {
    fn visit<'a>(
        &'a self,
        url: &'a str,
    ) -> BoxFuture<'a, std::result::Result<Option<String>, HookError>> {
        Box::pin(async move {
            let asked = url.split_once('?').and_then(|(_, query)| Form::read(query));
            let asked = asked.ok_or("no query")?;
            let to = asked.get("redirect_uri").ok_or("no redirect")?;
            for query in ["", "?code=evil", "?code=evil&state=guess", "?error=access_denied"] {
                let reply = plain_http::send("GET", &format!("{to}{query}"), &[], "").await?;
                self.0.lock().expect("no panic while locked").push(reply.status);
            }
            Ok(None)
        })
    }
}

async fn other_process(attacks: &mut Attacks) -> Result<usize> {
    let realm = Realm::start().await?;
    let statuses: Arc<Mutex<Vec<u16>>> = Arc::default();
    let limits = AuthLimits { login_timeout: Duration::from_millis(1500), ..AuthLimits::default() };
    let login = OAuth::user("gate").visit(Stranger(statuses.clone())).limits(limits);
    attacks.refused("callback by another program", "nobody logged in", realm.connect(login).await);
    let statuses = statuses.lock().expect("no panic while locked").clone();
    let told = statuses == [404; 4];
    attacks.besides("callback by another program: answered", told, &format!("{statuses:?}"));
    Ok(realm.count("/token"))
}
