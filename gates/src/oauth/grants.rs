//! What the authorization server of the test kit must not give out: a consent of somebody else
//! (FastMCP, GHSA-c2jp-c369-7pvx and GHSA-rww4-4w9c-7733), a code or a refresh token twice, a code
//! without its verifier or to another place, a token for another server.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_testkit::authorization::{AuthorizationServer, Client, Options};
use docent_testkit::form::encode;
use docent_testkit::plain_http::{self, Reply};
use serde_json::{Value, json};

use super::Attacks;
use crate::Result;

const HERE: &str = "http://localhost:3000/mcp";
const BACK: &str = "http://127.0.0.1:7777/callback";
const VERIFIER: &str = "0123456789012345678901234567890123456789abc";
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

pub(super) async fn attack(attacks: &mut Attacks) -> Result<()> {
    consent(attacks).await?;
    let authority = authority(Options::default()).await;
    wishes(attacks, &authority).await?;
    codes(attacks, &authority).await?;
    refresh(attacks, &authority).await?;
    documents(attacks, &authority).await
}

async fn authority(options: Options) -> AuthorizationServer {
    let authority = AuthorizationServer::start(options).await;
    for id in ["app", "other"] {
        authority.add_client(Client {
            id: id.to_owned(),
            redirect_uris: vec![BACK.to_owned()],
            grant_types: ["authorization_code", "refresh_token"].map(str::to_owned).into(),
            auth_method: "none".to_owned(),
            ..Client::default()
        });
    }
    authority
}

fn wish(changes: &[(&'static str, &str)]) -> String {
    let hash = ring::digest::digest(&ring::digest::SHA256, VERIFIER.as_bytes());
    let challenge = URL_SAFE_NO_PAD.encode(hash);
    form(
        &[
            ("response_type", "code"),
            ("client_id", "app"),
            ("redirect_uri", BACK),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("resource", HERE),
            ("state", "xyz"),
        ],
        changes,
    )
}

/// A form with some parameters changed; an empty one is left out.
fn form(good: &[(&str, &str)], changes: &[(&'static str, &str)]) -> String {
    let changed = |name: &str| changes.iter().find(|(changed, _)| *changed == name);
    let pairs = good.iter().map(|(name, value)| (*name, changed(name).map_or(*value, |it| it.1)));
    encode(&pairs.filter(|(_, value)| !value.is_empty()).collect::<Vec<_>>())
}

async fn visit(authority: &AuthorizationServer, query: &str) -> Result<Reply> {
    let address = format!("{}/authorize?{query}", authority.issuer());
    Ok(plain_http::send("GET", &address, &[], "").await?)
}

/// Where the browser is sent, or what it is shown instead.
fn sent(reply: &Reply) -> std::result::Result<String, String> {
    match reply.header("location") {
        Some(to) if to.contains("code=") => Ok(to.to_owned()),
        Some(to) => Err(to.to_owned()),
        None => Err(format!("{} {}", reply.status, String::from_utf8_lossy(&reply.body))),
    }
}

async fn consent(attacks: &mut Attacks) -> Result<()> {
    let authority = authority(Options { asks_user: true, ..Options::default() }).await;
    let answer = async |ticket: &str, cookie: &str| -> Result<Reply> {
        let body = format!("ticket={ticket}&allow=yes");
        let address = format!("{}/consent", authority.issuer());
        Ok(plain_http::send("POST", &address, &[FORM, ("cookie", cookie)], &body).await?)
    };
    let asked = async |client: &str| -> Result<(String, String)> {
        let page = visit(&authority, &wish(&[("client_id", client)])).await?;
        let text = String::from_utf8_lossy(&page.body).into_owned();
        let ticket = text.split("name=ticket value=").nth(1).and_then(|it| it.split('>').next());
        let cookie = page.header("set-cookie").and_then(|it| it.split(';').next());
        let (ticket, cookie) = ticket.zip(cookie).ok_or("no page to agree on")?;
        Ok((ticket.to_owned(), cookie.to_owned()))
    };
    // Somebody else's link, opened in a browser that was asked about something of its own.
    let (theirs, _) = asked("app").await?;
    let (_, own) = asked("other").await?;
    let outcome = sent(&answer(&theirs, &own).await?);
    attacks.refused("consent of another browser", "another browser", outcome);
    let (ticket, cookie) = asked("app").await?;
    sent(&answer(&ticket, &cookie).await?)?;
    let outcome = sent(&answer(&ticket, &cookie).await?);
    attacks.refused("consent used twice", "nothing was asked", outcome);
    // Having agreed to one client is no agreement to another.
    let outcome = sent(&visit(&authority, &wish(&[("client_id", "other")])).await?);
    attacks.refused("consent to another client", "Allow?", outcome);
    Ok(())
}

async fn wishes(attacks: &mut Attacks, authority: &AuthorizationServer) -> Result<()> {
    for (name, change, why) in [
        ("open redirect", ("redirect_uri", "https://x.example/callback"), "400 "),
        ("redirect almost the same", ("redirect_uri", "http://127.0.0.1:7777/callback/"), "400 "),
        (
            "redirect to a longer host",
            ("redirect_uri", "http://127.0.0.1.x.example/callback"),
            "400 ",
        ),
        ("client without PKCE", ("code_challenge", ""), "invalid_request"),
        ("client with plain PKCE", ("code_challenge_method", "plain"), "invalid_request"),
        ("client without resource", ("resource", ""), "invalid_target"),
    ] {
        attacks.refused(name, why, sent(&visit(authority, &wish(&[change])).await?));
    }
    Ok(())
}

async fn token(authority: &AuthorizationServer, body: &str) -> Result<Value> {
    let address = format!("{}/token", authority.issuer());
    let reply = plain_http::send("POST", &address, &[FORM], body).await?;
    Ok(serde_json::from_slice(&reply.body)?)
}

fn given(answer: &Value) -> std::result::Result<(), String> {
    match answer.get("access_token") {
        Some(_) => Ok(()),
        None => Err(answer.to_string()),
    }
}

async fn code(authority: &AuthorizationServer) -> Result<String> {
    let to = sent(&visit(authority, &wish(&[])).await?)?;
    let code = to.split("code=").nth(1).and_then(|rest| rest.split('&').next());
    Ok(code.ok_or("no code")?.to_owned())
}

fn exchange(code: &str, changes: &[(&'static str, &str)]) -> String {
    let good = [
        ("grant_type", "authorization_code"),
        ("client_id", "app"),
        ("code", code),
        ("redirect_uri", BACK),
        ("code_verifier", VERIFIER),
        ("resource", HERE),
    ];
    form(&good, changes)
}

async fn codes(attacks: &mut Attacks, authority: &AuthorizationServer) -> Result<()> {
    for (name, change, why) in [
        ("code without its verifier", ("code_verifier", ""), "code_verifier"),
        (
            "code with another verifier",
            ("code_verifier", &VERIFIER.replace("abc", "xyz")),
            "code_verifier",
        ),
        ("code of another client", ("client_id", "other"), "another client's"),
        ("code for another server", ("resource", "https://x.example/mcp"), "another one"),
        (
            "code to another redirect",
            ("redirect_uri", "http://127.0.0.1:1/callback"),
            "redirect_uri",
        ),
    ] {
        let code = code(authority).await?;
        let answer = token(authority, &exchange(&code, &[change])).await?;
        attacks.refused(name, why, given(&answer));
    }
    let code = code(authority).await?;
    let first = token(authority, &exchange(&code, &[])).await?;
    given(&first)?;
    let again = token(authority, &exchange(&code, &[])).await?;
    attacks.refused("code used twice", "used before", given(&again));
    let kept = renew(authority, &first).await?;
    attacks.refused("login whose code was used twice", "revoked", given(&kept));
    Ok(())
}

async fn renew(authority: &AuthorizationServer, login: &Value) -> Result<Value> {
    let refresh = login["refresh_token"].as_str().unwrap_or_default();
    let pairs = [
        ("grant_type", "refresh_token"),
        ("client_id", "app"),
        ("refresh_token", refresh),
        ("resource", HERE),
    ];
    token(authority, &encode(&pairs)).await
}

async fn refresh(attacks: &mut Attacks, authority: &AuthorizationServer) -> Result<()> {
    let code = code(authority).await?;
    let first = token(authority, &exchange(&code, &[])).await?;
    let second = renew(authority, &first).await?;
    given(&second)?;
    let again = renew(authority, &first).await?;
    attacks.refused("refresh token used twice", "used before", given(&again));
    let kept = renew(authority, &second).await?;
    attacks.refused("login whose refresh token was used twice", "revoked", given(&kept));
    Ok(())
}

/// A client that is described by somebody else's document.
async fn documents(attacks: &mut Attacks, authority: &AuthorizationServer) -> Result<()> {
    let id = "https://app.example/client.json";
    let query = wish(&[("client_id", id)]);
    for (name, document, why) in [
        (
            "document of another client",
            json!({ "client_id": "https://x.example/client.json", "redirect_uris": [BACK] }),
            "another client",
        ),
        (
            "document with a secret",
            json!({ "client_id": id, "redirect_uris": [BACK], "client_secret": "x" }),
            "secret",
        ),
        (
            "document with another redirect",
            json!({ "client_id": id, "redirect_uris": ["https://app.example/cb"] }),
            "not one of",
        ),
    ] {
        authority.add_document(id, document);
        attacks.refused(name, why, sent(&visit(authority, &query).await?));
    }
    Ok(())
}
