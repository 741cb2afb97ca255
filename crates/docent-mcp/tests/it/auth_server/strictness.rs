//! The authorization server of the test kit itself: it has to refuse what is wrong.

use docent_testkit::authorization::{AuthorizationServer, Client, Options};
use docent_testkit::plain_http;
use serde_json::{Value, json};

use super::RESOURCE;

/// Sends a form, or JSON.
pub(super) async fn post(
    authority: &AuthorizationServer,
    path: &str,
    client: Option<(&str, &str)>,
    body: &str,
) -> (u16, Value) {
    use base64::Engine as _;
    let media = match body.starts_with('{') {
        true => "application/json",
        false => "application/x-www-form-urlencoded",
    };
    let mut headers = vec![("content-type", media)];
    let basic = client.map(|(id, secret)| {
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("{id}:{secret}"));
        format!("Basic {pair}")
    });
    headers.extend(basic.as_deref().map(|basic| ("authorization", basic)));
    let address = format!("{}{path}", authority.issuer());
    let reply = plain_http::send("POST", &address, &headers, body).await.unwrap();
    (reply.status, serde_json::from_slice(&reply.body).unwrap_or_default())
}

const REDIRECT: &str = "http://127.0.0.1:7777/callback";
const VERIFIER: &str = "0123456789012345678901234567890123456789abc";

fn challenge() -> String {
    use base64::Engine as _;
    let hash = ring::digest::digest(&ring::digest::SHA256, VERIFIER.as_bytes());
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(hash)
}

/// Changes one parameter of a good form, or takes it out.
fn changed(good: &[(&str, &str)], change: (&str, &str)) -> String {
    let pairs = good.iter().filter_map(|(name, value)| match *name == change.0 {
        true if change.1.is_empty() => None,
        true => Some(format!("{name}={}", change.1)),
        false => Some(format!("{name}={value}")),
    });
    let mut pairs: Vec<_> = pairs.collect();
    if !good.iter().any(|(name, _)| *name == change.0) && !change.0.is_empty() {
        pairs.push(format!("{}={}", change.0, change.1));
    }
    pairs.join("&")
}

/// Where the authorization endpoint sends the browser, or that it does not.
async fn visit(authority: &AuthorizationServer, query: &str) -> Result<String, u16> {
    let address = format!("{}/authorize?{query}", authority.issuer());
    let reply = plain_http::send("GET", &address, &[], "").await.unwrap();
    reply.header("location").map(str::to_owned).ok_or(reply.status)
}

async fn authority() -> AuthorizationServer {
    let options = Options {
        scopes: vec!["notes".to_owned(), "offline_access".to_owned()],
        resources: vec![RESOURCE.to_owned()],
        ..Options::default()
    };
    let authority = AuthorizationServer::start(options).await;
    authority.add_client(Client {
        id: "app".to_owned(),
        redirect_uris: vec![REDIRECT.to_owned()],
        grant_types: vec!["authorization_code".to_owned(), "refresh_token".to_owned()],
        auth_method: "none".to_owned(),
        ..Client::default()
    });
    authority
}

/// [AS-AUTH-24] the user sees who asks and where it leads, and only their browser can answer (A6).
#[tokio::test]
async fn consent() {
    let options = Options { asks_user: true, ..Options::default() };
    let authority = AuthorizationServer::start(options).await;
    let id = "https://app.example/<script>";
    authority.add_document(id, json!({ "client_id": id, "redirect_uris": [REDIRECT] }));
    let challenge = challenge();
    let query = changed(&wish(&challenge), ("client_id", "https://app.example/%3Cscript%3E"));
    let address = format!("{}/authorize?{query}", authority.issuer());
    let media = ("content-type", "application/x-www-form-urlencoded");
    for (answer, browser, again, expected) in [
        ("yes", "own", false, Ok("code=")),
        ("no", "own", false, Ok("error=access_denied")),
        ("yes", "another", false, Err(403)),
        ("yes", "none", false, Err(403)),
        ("yes", "own", true, Err(403)),
    ] {
        let asked = plain_http::send("GET", &address, &[], "").await.unwrap();
        let text = String::from_utf8(asked.body.clone()).unwrap();
        assert!(text.contains("127.0.0.1:7777") && !text.contains("<script>"), "{text}");
        assert!(asked.header("content-security-policy").is_some());
        let ticket = text.split("name=ticket value=").nth(1).unwrap().split('>').next().unwrap();
        let cookie = match browser {
            "own" => asked.header("set-cookie").unwrap().split(';').next().unwrap().to_owned(),
            "another" => "consent=guess".to_owned(),
            _ => "x=y".to_owned(),
        };
        let headers = [media, ("cookie", cookie.as_str())];
        let body = format!("ticket={ticket}&allow={answer}");
        let address = format!("{}/consent", authority.issuer());
        let mut reply = plain_http::send("POST", &address, &headers, &body).await.unwrap();
        if again {
            reply = plain_http::send("POST", &address, &headers, &body).await.unwrap();
        }
        match (reply.header("location"), expected) {
            (Some(to), Ok(part)) => assert!(to.contains(part), "{to}"),
            (to, expected) => assert_eq!(to.ok_or(reply.status), expected, "{answer} {browser}"),
        }
    }
}

async fn code(authority: &AuthorizationServer) -> String {
    let challenge = challenge();
    let to = visit(authority, &changed(&wish(&challenge), ("", ""))).await.unwrap();
    let code = to.split("code=").nth(1).expect("a code").split('&').next().unwrap();
    code.to_owned()
}

fn wish(challenge: &str) -> [(&str, &str); 8] {
    [
        ("response_type", "code"),
        ("client_id", "app"),
        ("redirect_uri", REDIRECT),
        ("code_challenge", challenge),
        ("code_challenge_method", "S256"),
        ("resource", RESOURCE),
        ("scope", "notes"),
        ("state", "xyz"),
    ]
}

/// [AS-AUTH-24] wrong wishes are refused, at home if the redirect is not sure, with `iss` otherwise.
#[tokio::test]
async fn wishes() {
    let authority = authority().await;
    let challenge = challenge();
    let good = wish(&challenge);
    let issuer = authority.issuer().replace(':', "%3A").replace('/', "%2F");
    for (change, expected) in [
        (("", ""), Ok("code=")),
        (("redirect_uri", "http://127.0.0.1:5/callback"), Ok("code=")),
        (("redirect_uri", "http://127.0.0.1:7777/callback/"), Err(400)),
        (("redirect_uri", "http://127.0.0.1.evil.example/callback"), Err(400)),
        (("redirect_uri", "https://evil.example/callback"), Err(400)),
        (("redirect_uri", ""), Err(400)),
        (("client_id", "other"), Err(400)),
        (("client_id", "https://app.example/"), Err(400)),
        (("response_type", "token"), Ok("error=unsupported_response_type")),
        (("code_challenge", ""), Ok("error=invalid_request")),
        (("code_challenge", "short"), Ok("error=invalid_request")),
        (("code_challenge_method", "plain"), Ok("error=invalid_request")),
        (("code_challenge_method", ""), Ok("error=invalid_request")),
        (("resource", ""), Ok("error=invalid_target")),
        (("resource", "https://elsewhere.example/mcp"), Ok("error=invalid_target")),
        (("scope", "root"), Ok("error=invalid_scope")),
    ] {
        let got = visit(&authority, &changed(&good, change)).await;
        match (&got, expected) {
            (Ok(to), Ok(part)) => {
                assert!(to.contains(part), "{change:?}: {to}");
                assert!(to.contains("state=xyz"), "{change:?}: {to}");
                assert!(to.contains(&format!("iss={issuer}")), "{change:?}: {to}");
            }
            _ => assert_eq!(got.clone().map(drop), expected.map(drop), "{change:?}: {got:?}"),
        }
    }
    let twice = format!("{}&scope=notes", changed(&good, ("", "")));
    assert_eq!(visit(&authority, &twice).await, Err(400));
}

/// [AS-AUTH-24] codes are for one client, one time, and whoever has the verifier.
#[tokio::test]
async fn codes() {
    let authority = authority().await;
    for (change, expected) in [
        (("code_verifier", ""), "invalid_grant"),
        (("code_verifier", "0123456789012345678901234567890123456789xyz"), "invalid_grant"),
        (("redirect_uri", ""), "invalid_grant"),
        (("redirect_uri", "http://127.0.0.1:1/callback"), "invalid_grant"),
        (("resource", ""), "invalid_target"),
        (("client_id", "other"), "invalid_client"),
        (("client_secret", "guess"), "invalid_client"),
        (("code", "guess"), "invalid_grant"),
        (("grant_type", "password"), "unsupported_grant_type"),
        (("grant_type", "client_credentials"), "unauthorized_client"),
    ] {
        let code = code(&authority).await;
        let (status, answer) =
            post(&authority, "/token", None, &changed(&exchange(&code), change)).await;
        let expected_status = if expected == "invalid_client" { 401 } else { 400 };
        assert_eq!(
            (status, answer["error"].as_str()),
            (expected_status, Some(expected)),
            "{change:?}"
        );
    }
}

fn exchange(code: &str) -> [(&str, &str); 6] {
    [
        ("grant_type", "authorization_code"),
        ("client_id", "app"),
        ("code", code),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
        ("resource", RESOURCE),
    ]
}

/// [BOTH-AUTH-18] refresh tokens rotate, and one that is used twice ends the login.
#[tokio::test]
async fn refresh_tokens_rotate() {
    let authority = authority().await;
    let refresh = async |token: &str| {
        let form = format!(
            "grant_type=refresh_token&client_id=app&refresh_token={token}&resource={RESOURCE}"
        );
        post(&authority, "/token", None, &form).await
    };
    let code = code(&authority).await;
    let (status, first) =
        post(&authority, "/token", None, &changed(&exchange(&code), ("", ""))).await;
    assert_eq!(status, 200, "{first}");
    let first = first["refresh_token"].as_str().unwrap().to_owned();
    let (status, second) = refresh(&first).await;
    assert_eq!(status, 200, "{second}");
    let second = second["refresh_token"].as_str().unwrap().to_owned();
    assert_ne!(first, second);
    assert_eq!(refresh(&first).await.1["error"], "invalid_grant", "used before");
    assert_eq!(refresh(&second).await.1["error"], "invalid_grant", "the login has ended");
    let (status, again) =
        post(&authority, "/token", None, &changed(&exchange(&code), ("", ""))).await;
    assert_eq!((status, &again["error"]), (400, &json!("invalid_grant")), "the code was used");
}

/// [AS-AUTH-24] clients describe themselves rightly, or are not known.
#[tokio::test]
async fn clients() {
    let authority = authority().await;
    for (metadata, expected) in [
        (json!({ "redirect_uris": [REDIRECT], "application_type": "native" }), "client_id"),
        (json!({ "redirect_uris": ["https://app.example/cb"] }), "client_id"),
        (json!({ "redirect_uris": [REDIRECT], "application_type": "web" }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": [REDIRECT] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["http://app.example/cb"] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["https://app.example/cb#x"] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["javascript:alert(1)"] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": [] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": [1] }), "invalid_redirect_uri"),
        (
            json!({ "redirect_uris": ["https://a/b"], "application_type": "x" }),
            "invalid_client_metadata",
        ),
        (
            json!({ "redirect_uris": ["https://a/b"], "token_endpoint_auth_method": "x" }),
            "invalid_client_metadata",
        ),
    ] {
        let (status, answer) = post(&authority, "/register", None, &metadata.to_string()).await;
        match expected {
            "client_id" => assert!(status == 201 && answer["client_id"].is_string(), "{answer}"),
            error => assert_eq!((status, &answer["error"]), (400, &json!(error)), "{metadata}"),
        }
    }
    let id = "https://app.example/client.json";
    let challenge = challenge();
    let query = changed(&wish(&challenge), ("client_id", id));
    for (document, known) in [
        (json!({ "client_id": id, "redirect_uris": [REDIRECT] }), true),
        (json!({ "client_id": "https://app.example/other", "redirect_uris": [REDIRECT] }), false),
        (json!({ "client_id": id, "redirect_uris": ["https://app.example/cb"] }), false),
        (json!({ "client_id": id, "redirect_uris": [REDIRECT], "client_secret": "x" }), false),
        (json!({ "client_id": id }), false),
    ] {
        authority.add_document(id, document.clone());
        assert_eq!(visit(&authority, &query).await.is_ok(), known, "{document}");
    }
}
