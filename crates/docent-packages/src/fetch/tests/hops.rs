//! Redirects: how far they are followed, and who one is at each hop.

use super::*;

#[tokio::test]
async fn redirects_are_followed_to_a_limit() {
    let world = World::new(Registry::builder().at("/0", json("ok"))).await;
    for at in 1..=6 {
        world.registry.set(&format!("/{at}"), Answer::redirect(&format!("/{}", at - 1)));
    }
    let document = world.get("/5").await.unwrap();
    assert_eq!(document.url.as_str(), world.registry.url("/0"));
    let error = world.get("/6").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert_eq!(
        error.to_string(),
        format!("{} redirects more than 5 times", world.registry.url("/6"))
    );
    for (status, followed) in [
        (300, false),
        (301, true),
        (302, true),
        (303, true),
        (305, false),
        (307, true),
        (308, true),
    ] {
        world.registry.set("/moved", Answer::redirect("/0").with_status(status));
        let document = world.get(&format!("/moved?{status}")).await;
        assert_eq!(document.is_ok(), followed, "{status}");
    }
}

#[tokio::test]
async fn every_hop_decides_anew_who_one_is() {
    let there = World::new(Registry::builder().at("/b/x", json("ok"))).await;
    let mut world = World::new(Registry::builder().at("/b/x", json("ok"))).await;
    let here = &world.registry;
    let (same, outside, other, elsewhere) =
        (here.url("/a/x"), here.url("/b/x"), here.other_host("/a/x"), there.registry.url("/b/x"));
    let user = elsewhere.replace("http://", "http://someone:password@");
    world.registry.set("/a/x", json("ok"));
    let scope = world.registry.url("/a/");
    world.login(&scope, "token");
    for (row, (to, sent)) in [
        (same.as_str(), true),
        ("x", true),
        ("/b/x", false),
        ("/a/%2e%2e/b/x", false),
        (&outside, false),
        (&other, false),
        (&elsewhere, false),
        (&user, false),
    ]
    .into_iter()
    .enumerate()
    {
        world.registry.set("/a/start", Answer::redirect(to));
        let (before, before_there) =
            (world.registry.requests().len(), there.registry.requests().len());
        let document = world.get(&format!("/a/start?{row}")).await;
        assert_eq!(text(document), "ok", "{to}");
        let mut requests = world.registry.requests().split_off(before);
        requests.extend(there.registry.requests().split_off(before_there));
        let [first, last] = &requests[..] else { panic!("{requests:?}") };
        assert_eq!(first.header("authorization"), Some("Bearer token"), "{to}");
        assert_eq!(last.header("authorization").is_some(), sent, "{to}");
    }
}

#[tokio::test]
async fn a_hop_may_have_a_credential_of_its_own() {
    let there = World::new(Registry::builder().require("/", "Bearer two")).await;
    there.registry.set("/x", json("ok"));
    let to = there.registry.url("/x");
    let builder = Registry::builder().at("/x", Answer::redirect(&to)).require("/", "Bearer one");
    let mut world = World::new(builder).await;
    let (here, there) = (world.registry.url("/"), there.registry.url("/"));
    world.login(&here, "one");
    assert_eq!(text(world.get("/x").await), "Unauthorized");
    world.login(&there, "two");
    assert_eq!(text(world.get("/x").await), "ok");
}

#[tokio::test]
async fn whoever_is_named_in_an_address_is_not_sent() {
    let world = World::new(Registry::builder().at("/x", json("ok"))).await;
    let url = world.registry.url("/x").replace("http://", "http://someone:password@");
    let document = world.get_from(&world.fetcher(), &url).await.unwrap();
    assert_eq!(document.url.as_str(), world.registry.url("/x"));
    let requests = world.registry.requests();
    assert_eq!(requests[0].header("authorization"), None);
    assert!(!requests[0].raw.contains("password"));
}
