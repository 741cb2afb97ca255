//! Metadata: what each answer means, and when a copy is used.

use super::*;

/// Plays answers in turn to one request: what comes of it, and how often the registry was asked.
async fn play(answers: &[Answer]) -> (String, usize) {
    let world = World::new(Registry::builder()).await;
    for answer in answers {
        world.registry.next("/left", answer.clone());
    }
    let document = world.get("/left").await;
    (text(document), world.registry.hits("/left"))
}

#[tokio::test]
async fn each_answer_has_its_meaning() {
    let status = |status| Answer::status(status);
    let long = "x".repeat(100_000);
    let too_long = "x".repeat(100_001);
    for (answers, expected, asked) in [
        (vec![json("ok")], "ok", 1),
        (vec![json("ok").gzip()], "ok", 1),
        (vec![json("ok").until_closed()], "ok", 1),
        (vec![json(&long)], long.as_str(), 1),
        (vec![json(&too_long)], "LimitExceeded", 1),
        (vec![json(&too_long).until_closed()], "LimitExceeded", 1),
        (vec![Answer::gzip_bomb(100_000)], &"\0".repeat(100_000), 1),
        (vec![Answer::gzip_bomb(100_001)], "LimitExceeded", 1),
        (vec![Answer::gzip_bomb(4 << 20)], "LimitExceeded", 1),
        (vec![status(503), json("ok")], "ok", 2),
        (vec![status(500), status(502), json("ok")], "ok", 3),
        (vec![status(500), status(500), status(500), json("ok")], "Network", 3),
        (vec![status(429).header("retry-after", "0"), json("ok")], "ok", 2),
        (vec![status(503).header("retry-after", "1"), json("ok")], "ok", 2),
        (vec![status(429).header("retry-after", "3600"), json("ok")], "Network", 1),
        (vec![status(408), json("ok")], "ok", 2),
        (vec![status(425), json("ok")], "ok", 2),
        (vec![status(501), json("ok")], "Network", 1),
        (vec![status(505), json("ok")], "Network", 1),
        (vec![status(400), json("ok")], "Network", 1),
        (vec![status(401), json("ok")], "Unauthorized", 1),
        (vec![status(403), json("ok")], "Unauthorized", 1),
        (vec![status(407), json("ok")], "Unauthorized", 1),
        (vec![status(404), json("ok")], "PackageNotFound", 1),
        (vec![status(410), json("ok")], "PackageNotFound", 1),
        (vec![status(204), json("ok")], "Network", 1),
        (vec![json("ok").with_status(206), json("ok")], "Network", 1),
        (vec![status(304), json("ok")], "ok", 2),
        (vec![status(304), status(304)], "Network", 2),
        (vec![json("whole").truncate_at(3), json("whole")], "whole", 2),
        (vec![json("whole").gzip().truncate_at(9), json("whole")], "whole", 2),
        (vec![json("x").header("content-encoding", "br"), json("ok")], "ok", 2),
        (vec![json("x").header("content-encoding", "gzip"), json("ok")], "ok", 2),
    ] {
        let played = play(&answers).await;
        assert_eq!(played, (expected.to_owned(), asked), "{answers:.300?}");
    }
}

#[tokio::test]
async fn the_request_says_who_we_are_and_what_we_take() {
    let world = World::new(Registry::builder().at("/left", json("ok"))).await;
    let document = world.get("/left?a=b").await.unwrap();
    assert_eq!(document.content_type, "application/json");
    assert_eq!(document.url.as_str(), world.registry.url("/left"));
    assert!(!document.stale);
    let requests = world.registry.requests();
    let [request] = &requests[..] else { panic!("{requests:?}") };
    let header = |name| request.header(name).unwrap_or_default();
    assert_eq!(header("user-agent"), concat!("docent/", env!("CARGO_PKG_VERSION")));
    assert_eq!(header("accept"), "application/json");
    assert_eq!(header("accept-encoding"), "gzip");
    assert_eq!(request.header("authorization"), None);
    assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/left?a=b"));
}

#[tokio::test]
async fn servers_that_stop_talking_are_given_up() {
    let mut world = World::new(Registry::builder()).await;
    world.limits.stall_timeout = Duration::from_millis(50);
    world.limits.retries_max = 1;
    world.registry.next("/hangs", Answer::hang());
    world.registry.next("/hangs", json("ok"));
    assert_eq!(text(world.get("/hangs").await), "ok");
    world.registry.set("/hangs", Answer::hang());
    let error = world.get("/hangs?again").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network);
    let expected = format!("{} sent nothing for 0.05 s", world.registry.url("/hangs"));
    assert_eq!(error.to_string(), expected);
    // Never silent for long, but never done either.
    world.limits.download_timeout = Duration::from_millis(200);
    world.limits.retries_max = 0;
    world.registry.set("/drips", json(&"x".repeat(1000)).drip(Duration::from_millis(10)));
    let error = world.get("/drips").await.unwrap_err();
    let expected = format!("{} took longer than 0.2 s", world.registry.url("/drips"));
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn fresh_copies_are_used_and_old_ones_asked_about() {
    let world = World::new(Registry::builder().at("/fresh", json("one").etag("\"1\""))).await;
    assert_eq!(text(world.get("/fresh").await), "one");
    assert_eq!(text(world.get("/fresh").await), "one");
    assert_eq!(world.registry.hits("/fresh"), 1);

    world.registry.set("/old", stale("one").etag("\"1\"").header("last-modified", "yesterday"));
    assert_eq!(text(world.get("/old").await), "one");
    assert_eq!(text(world.get("/old").await), "one");
    let requests = world.registry.requests();
    let last = requests.last().unwrap();
    assert_eq!(last.header("if-none-match"), Some("\"1\""));
    assert_eq!(last.header("if-modified-since"), Some("yesterday"));
    world.registry.set("/old", stale("two").etag("\"2\""));
    assert_eq!(text(world.get("/old").await), "two");
    assert_eq!(world.registry.hits("/old"), 3);

    // Nothing to ask about: asked for as a whole.
    world.registry.set("/plain", stale("one"));
    assert_eq!(text(world.get("/plain").await), "one");
    world.registry.set("/plain", stale("two"));
    assert_eq!(text(world.get("/plain").await), "two");
}

#[tokio::test]
async fn an_unchanged_answer_about_something_else_is_not_believed() {
    let world = World::new(Registry::builder().at("/left", stale("one").etag("\"1\""))).await;
    assert_eq!(text(world.get("/left").await), "one");
    // It answers 304 with the tag of another thing, then, asked for the whole, sends it.
    world.registry.next("/left", Answer::status(304).etag("\"9\""));
    world.registry.next("/left", stale("two").etag("\"2\""));
    assert_eq!(text(world.get("/left").await), "two");
    assert_eq!(world.registry.requests().last().unwrap().header("if-none-match"), None);
    // A copy that came from elsewhere: the tag is not shown to the one that redirects.
    let there = world.registry.url("/there");
    world.registry.set("/here", Answer::redirect(&there));
    world.registry.set("/there", stale("far").etag("\"1\""));
    assert_eq!(text(world.get("/here").await), "far");
    assert_eq!(text(world.get("/here").await), "far");
    let requests = world.registry.requests();
    let [.., first, second] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!((first.path.as_str(), first.header("if-none-match")), ("/here", None));
    assert_eq!((second.path.as_str(), second.header("if-none-match")), ("/there", Some("\"1\"")));
    world.registry.next("/here", Answer::status(304).etag("\"1\""));
    assert_eq!(text(world.get("/here").await), "far");
}

#[tokio::test]
async fn copies_are_not_kept_when_they_must_not_be() {
    let store = |answer: Answer| async move {
        let world = World::new(Registry::builder().at("/left", answer)).await;
        world.get("/left").await.unwrap();
        text(world.get_from(&world.offline(), &world.registry.url("/left")).await)
    };
    assert_eq!(store(json("ok")).await, "ok");
    assert_eq!(store(json("ok").header("cache-control", "no-cache")).await, "ok");
    assert_eq!(store(json("ok").header("cache-control", "no-store")).await, "Offline");
    // One that broke off would look the same.
    assert_eq!(store(json("ok").until_closed()).await, "Offline");
}

#[tokio::test]
async fn an_old_copy_is_better_than_none_when_the_network_is_down() {
    let world = World::new(Registry::builder().at("/left", stale("one"))).await;
    assert!(!world.get("/left").await.unwrap().stale);
    world.registry.set("/left", Answer::status(500));
    let document = world.get("/left").await.unwrap();
    assert!(document.stale);
    assert_eq!(&document.body[..], b"one");
    // Being refused or gone is an answer, and not one to hide.
    world.registry.set("/left", Answer::status(403));
    assert_eq!(text(world.get("/left").await), "Unauthorized");
    world.registry.set("/left", Answer::status(404));
    assert_eq!(text(world.get("/left").await), "PackageNotFound");
    let offline = world.get_from(&world.offline(), &world.registry.url("/left")).await;
    assert_eq!(text(offline), "Offline");
}

#[tokio::test]
async fn offline_uses_copies_of_any_age_and_asks_nobody() {
    let world = World::new(Registry::builder().at("/left", stale("one"))).await;
    let url = world.registry.url("/left");
    let error = world.get_from(&world.offline(), &url).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Offline);
    let expected = format!("{url} is not in the cache, and going online is not allowed");
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.hints(), ["install the package, or ask once with the network allowed"]);
    world.get("/left").await.unwrap();
    assert_eq!(text(world.get_from(&world.offline(), &url).await), "one");
    assert_eq!(world.registry.hits("/left"), 1);
}

#[tokio::test]
async fn a_copy_belongs_to_the_credential_it_was_got_with() {
    let mut world = World::new(Registry::builder().at("/left", json("private"))).await;
    let scope = world.registry.url("/");
    world.login(&scope, "one");
    assert_eq!(text(world.get("/left").await), "private");
    world.registry.set("/left", json("of another"));
    assert_eq!(text(world.get("/left").await), "private");
    world.access.logins.clear();
    world.login(&scope, "two");
    assert_eq!(text(world.get("/left").await), "of another");
    // What is accepted makes another copy too.
    let url = Url::parse(&world.registry.url("/left")).unwrap();
    let request = Request { url, accept: "text/html", access: &world.access };
    world.registry.set("/left", Answer::body("text/html", "page"));
    assert_eq!(text(world.fetcher().document(&request).await), "page");
}

#[tokio::test]
async fn many_who_ask_at_once_cause_one_request() {
    let answer = json("ok").drip(Duration::from_millis(20));
    let world = World::new(Registry::builder().at("/left", answer)).await;
    let (fetcher, url) = (world.fetcher(), world.registry.url("/left"));
    let get = || world.get_from(&fetcher, &url);
    let (a, b, c) = tokio::join!(get(), get(), get());
    assert_eq!((text(a), text(b), text(c)), ("ok".into(), "ok".into(), "ok".into()));
    assert_eq!(world.registry.hits("/left"), 1);
}

#[tokio::test]
async fn only_so_many_requests_are_under_way() {
    let mut world = World::new(Registry::builder()).await;
    world.limits.requests_max = 1;
    world.limits.stall_timeout = Duration::from_secs(5);
    world.registry.set("/a", Answer::hang());
    world.registry.set("/b", json("ok"));
    let (fetcher, a, b) = (world.fetcher(), world.registry.url("/a"), world.registry.url("/b"));
    {
        // The one that hangs has the only turn.
        let first = world.get_from(&fetcher, &a);
        tokio::pin!(first);
        while world.registry.hits("/a") == 0 {
            let _ = tokio::time::timeout(Duration::from_millis(5), &mut first).await;
        }
        let second = world.get_from(&fetcher, &b);
        assert!(tokio::time::timeout(Duration::from_millis(100), second).await.is_err());
        assert_eq!(world.registry.hits("/b"), 0);
    }
    // Nobody wants it any more, and its turn is free.
    assert_eq!(text(world.get_from(&fetcher, &b).await), "ok");
}

#[tokio::test]
async fn a_cache_that_cannot_be_written_costs_time_only() {
    let world = World::new(Registry::builder().at("/left", json("ok"))).await;
    std::fs::write(world.folder.path().join("temporary"), "in the way").unwrap();
    assert_eq!(text(world.get("/left").await), "ok");
    assert_eq!(text(world.get("/left").await), "ok");
    assert_eq!(world.registry.hits("/left"), 2);
}

#[tokio::test]
async fn errors_say_where_and_what_to_do() {
    let mut world = World::new(Registry::builder().require("/npm/", "Bearer right")).await;
    let (place, url) = (world.registry.url(""), world.registry.url("/npm/left"));
    let error = world.get("/npm/left?secret=1").await.unwrap_err();
    assert_eq!(error.to_string(), format!("{url} answered 401 Unauthorized"));
    let missing = format!(
        "no credential is configured for {place}: set one where the registry is configured \
         (`.npmrc`, pip or uv configuration, cargo's `credentials.toml`, `.netrc`)"
    );
    assert_eq!(error.hints(), std::slice::from_ref(&missing));
    world.login(&format!("{place}/other/"), "wrong");
    let error = world.get("/npm/left").await.unwrap_err();
    let near = format!("credentials go only to their own place: {place}/other/");
    assert_eq!(error.hints(), [missing, near]);
    world.login(&format!("{place}/npm/"), "wrong");
    let error = world.get("/npm/left").await.unwrap_err();
    let refused = format!(
        "the credential configured for {place}/npm/ was refused: it may have expired, or lack rights"
    );
    assert_eq!(error.hints(), [refused]);
    let error = world.get("/nothing").await.unwrap_err();
    assert_eq!(error.hints(), [format!("if it is private, configure a credential for {place}")]);
    let error = world.get_from(&world.fetcher(), "file:///etc/passwd").await.unwrap_err();
    assert_eq!(error.to_string(), "`file:` is not an address to fetch from");
}

#[tokio::test]
async fn certificates_and_proxies_that_cannot_be_used_are_named() {
    let mut world = World::new(Registry::builder().at("/left", json("ok"))).await;
    let missing = world.folder.path().join("ca.pem");
    world.access.ca_files = vec![missing.clone()];
    let error = world.get("/left").await.unwrap_err();
    assert!(error.to_string().starts_with("the certificate file `"), "{error}");
    std::fs::write(&missing, "-----BEGIN CERTIFICATE-----\n!!!\n").unwrap();
    assert!(world.get("/left").await.is_err());
    std::fs::write(&missing, "no certificate inside").unwrap();
    assert_eq!(text(world.get("/left").await), "ok");
    world.access.ca_files.clear();
    world.access.insecure = true;
    assert_eq!(text(world.get("/left").await), "ok");
    // Through the registry as a proxy, to a host that does not exist.
    world.access.no_proxy = None;
    world.access.proxy = Some(Url::parse(&world.registry.url("/")).unwrap());
    let document = world.get_from(&world.fetcher(), "http://nowhere.example/left").await;
    assert_eq!(text(document), "ok");
    world.access.proxy = Some(Url::parse("gopher://user:canary@proxy.example").unwrap());
    let error = world.get("/elsewhere").await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
}
