//! Certificates that say who one is: shown where they were configured for, and nowhere else.

use docent_testkit::tls::{AUTHORITY, CLIENT_CERTIFICATE, CLIENT_KEY, Clients, KEY};

use super::*;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A registry over TLS that is trusted.
async fn world(builder: Builder, clients: Clients) -> World {
    let mut world = World::new(builder.over_tls(clients)).await;
    world.access.ca_pem.push(text(AUTHORITY));
    world
}

fn identity() -> Identity {
    let (certificate, key) = (text(CLIENT_CERTIFICATE), text(CLIENT_KEY));
    Identity { certificate: Pem::Text(certificate), key: Pem::Text(key) }
}

impl World {
    fn show(&mut self, scope: &str, identity: Identity) {
        self.access.certificates.push(Shown { scope: Url::parse(scope).unwrap(), identity });
    }
}

#[tokio::test]
async fn shown_only_inside_its_scope() {
    let pages = || Registry::builder().at("/own/x", json("own")).at("/other/x", json("other"));
    let mut required = world(pages(), Clients::Required).await;
    let scope = required.registry.url("/own/");
    required.show(&scope, identity());
    assert_eq!(super::text(required.get("/own/x").await), "own");
    let error = required.get("/other/x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthorized);
    assert!(error.to_string().contains("wants a client certificate"), "{error}");
    assert!(error.hints().concat().contains(":certfile"), "{error:?}");
    assert_eq!(required.registry.requests().len(), 1);
    // A server that only asks sees the difference.
    let mut asked = world(pages(), Clients::Asked).await;
    let scope = asked.registry.url("/own/");
    asked.show(&scope, identity());
    let fetcher = asked.fetcher();
    for path in ["/other/x", "/own/x", "/other/x"] {
        asked.get_from(&fetcher, &asked.registry.url(path)).await.unwrap();
    }
    let seen = asked.registry.requests();
    let seen: Vec<_> =
        seen.iter().map(|request| (request.path.as_str(), request.certified)).collect();
    assert_eq!(seen[..2], [("/other/x", false), ("/own/x", true)]);
}

#[tokio::test]
async fn not_shown_where_a_redirect_leads() {
    let elsewhere =
        world(Registry::builder().at("/own/x", json("elsewhere")), Clients::Asked).await;
    let mut here = world(Registry::builder().at("/outside", json("outside")), Clients::Asked).await;
    let scope = here.registry.url("/own/");
    here.show(&scope, identity());
    let redirects = [
        ("/own/port", elsewhere.registry.url("/own/x")),
        ("/own/host", here.registry.other_host("/outside")),
        ("/own/path", "/outside".to_owned()),
    ];
    for (path, to) in &redirects {
        here.registry.set(path, Answer::redirect(to));
        here.get(path).await.unwrap();
    }
    let requests = here.registry.requests();
    let (own, other): (Vec<_>, Vec<_>) =
        requests.iter().partition(|request| request.path.starts_with("/own/"));
    assert_eq!((own.len(), other.len()), (3, 2));
    assert!(own.iter().all(|request| request.certified));
    assert!(other.iter().all(|request| !request.certified));
    assert!(elsewhere.registry.requests().iter().all(|request| !request.certified));
    assert_eq!(elsewhere.registry.requests().len(), 1);
}

#[tokio::test]
async fn artifacts_too() {
    let mut world =
        world(Registry::builder().at("/own/x.zip", json("zip")), Clients::Required).await;
    let scope = world.registry.url("/own/");
    world.show(&scope, identity());
    let url = Url::parse(&world.registry.url("/own/x.zip")).unwrap();
    let (format, access) = (crate::tree::ArchiveFormat::Zip, world.access.clone());
    let artifact = Artifact { url, format, digests: Vec::new(), access };
    world.fetcher().artifact(&artifact, &Progress::default()).await.unwrap();
}

#[tokio::test]
async fn one_file_may_hold_both_and_be_renewed() {
    let page = Registry::builder().at("/x", stale("x"));
    let mut world = world(page, Clients::Required).await;
    let both = format!("{}{}", text(CLIENT_KEY), text(CLIENT_CERTIFICATE));
    let file = world.folder.write("certificates/me.pem", &both);
    let scope = world.registry.url("/");
    world.show(&scope, Identity::in_file(file.clone()));
    let fetcher = world.fetcher();
    let url = world.registry.url("/x");
    world.get_from(&fetcher, &url).await.unwrap();
    // What cannot be used any more is not used because it once could be.
    std::fs::write(&file, "expired").unwrap();
    let old = std::time::SystemTime::UNIX_EPOCH;
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
    let error = world.get_from(&fetcher, &url).await.unwrap_err();
    assert!(error.to_string().contains("holds no certificate"), "{error}");
    std::fs::write(&file, &both).unwrap();
    world.get_from(&fetcher, &url).await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_used_is_said() {
    let registry = Registry::builder().at("/x", json("x"));
    let mut world = world(registry, Clients::Required).await;
    let scope = world.registry.url("/");
    let (certificate, key) = (text(CLIENT_CERTIFICATE), text(CLIENT_KEY));
    let pem = |text: &str| Pem::Text(text.to_owned());
    let missing = Pem::File(world.folder.path().join("missing.pem"));
    for (identity, expected) in [
        (Identity { certificate: pem(""), key: pem(&key) }, "holds no certificate"),
        (
            Identity { certificate: pem(&certificate), key: pem("s3cret") },
            "no key that can be read",
        ),
        (Identity { certificate: pem(&certificate), key: pem(&text(KEY)) }, "cannot be used"),
        (Identity { certificate: missing, key: pem(&key) }, "cannot be read"),
    ] {
        world.access.certificates.clear();
        world.show(&scope, identity);
        let error = world.get("/x").await.unwrap_err();
        let printed = format!("{error:?}{error}{:?}{:?}", world.access, world.access.certificates);
        assert!(printed.contains(expected), "{expected}: {printed}");
        assert!(!printed.contains("s3cret") && !printed.contains("PRIVATE KEY"), "{printed}");
    }
}

#[tokio::test]
async fn a_proxy_is_shown_nothing() {
    let mut world = world(Registry::builder().at("/x", json("x")), Clients::Asked).await;
    let scope = world.registry.url("/");
    world.show(&scope, identity());
    world.access.proxy = Url::parse("https://user:s3cret@proxy.example:3128").ok();
    world.access.no_proxy = None;
    let error = world.get("/x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(!format!("{error:?}").contains("s3cret"));
}

#[tokio::test]
async fn an_authority_for_one_place_is_none_elsewhere() {
    let pages = Registry::builder().at("/own/x", json("own")).at("/other/x", json("other"));
    let mut world = World::new(pages.over_tls(Clients::Asked)).await;
    let scope = Url::parse(&world.registry.url("/own/")).unwrap();
    world.access.authorities.push(Authority { scope, pem: Pem::Text(text(AUTHORITY)) });
    assert_eq!(super::text(world.get("/own/x").await), "own");
    assert_eq!(world.get("/other/x").await.unwrap_err().kind(), ErrorKind::Network);
}

#[test]
fn who_one_is_makes_a_copy_ones_own() {
    let url = Url::parse("https://r.example/x").unwrap();
    let with = |identity| {
        let scope = Url::parse("https://r.example/").unwrap();
        Access { certificates: vec![Shown { scope, identity }], ..Access::default() }
    };
    let one = with(identity());
    let other = with(Identity::in_file("/me.pem".into()));
    let nobody = Access::default();
    assert_ne!(one.identity(&url), other.identity(&url));
    assert_ne!(one.identity(&url), nobody.identity(&url));
    assert_ne!(one.fingerprint(), other.fingerprint());
    // Over plain HTTP nothing is shown.
    let plain = Url::parse("http://r.example/x").unwrap();
    assert!(one.certificate(&plain).is_none());
}
