//! Skills of all servers as one, and extensions that nobody here knows.

use std::sync::{Arc, Mutex};

use docent_host::{Gateway, Host};
use docent_mcp::client::{Client, RequestOptions, ServerEvent};
use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::{Context, Extension};
use docent_mcp::skills::{EXTENSION_ID, ServerSkill, Skills};
use docent_mcp::transport::BoxFuture;
use docent_mcp::types::{EmptyResult, JsonObject, Revision, SubscriptionFilter};
use docent_mcp::{ErrorKind, Server};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::fixture::{Behind, Way, before, connect, host, soon, source};

/// A server with one skill, which all of them call the same.
fn skilled(word: &str) -> Server {
    let text = format!("---\nname: style\ndescription: How {word} writes\n---\nSee words.md.\n");
    let skill = ServerSkill::new(text).unwrap().file("words.md", word).unwrap();
    Server::new(word, "1.0")
        .revisions([Revision::NEWEST_MODERN])
        .extension(Skills::new().with(skill))
}

fn two_skilled() -> Host {
    let behind = Behind::default();
    host()
        .connector("one", source(&skilled("first"), &behind))
        .connector("two", source(&skilled("second"), &behind))
        .from_entries([])
}

async fn modern(gateway: &Arc<Gateway>) -> Client {
    let builder = Client::builder("test", "1.0").revisions([Revision::NEWEST_MODERN]);
    connect(gateway, Way::Memory, builder).await
}

#[tokio::test]
async fn skills_of_all_servers_are_listed_read_and_verified() {
    let gateway = Arc::new(Gateway::new(two_skilled()));
    let client = modern(&gateway).await;
    let skills = soon(client.skills()).await.unwrap();
    let uris: Vec<_> = skills.iter().map(|skill| &*skill.uri).collect();
    assert_eq!(uris, ["skill://style/SKILL.md", "two+skill://style/SKILL.md"]);
    for (skill, word) in skills.iter().zip(["first", "second"]) {
        assert_eq!(soon(client.skill(&skill.uri)).await.unwrap(), *skill);
        // Length, digest and front matter are compared on the way.
        let loaded = soon(client.load_skill(skill)).await.unwrap();
        assert!(loaded.text().contains(word), "{}", loaded.text());
        assert_eq!(soon(loaded.read("words.md")).await.unwrap(), word.as_bytes());
        let root = skill.uri.strip_suffix("/SKILL.md").unwrap();
        let mut listed: Vec<_> = soon(client.read_directory(root)).await.unwrap();
        listed.sort_by(|one, other| one.uri.cmp(&other.uri));
        let listed: Vec<_> = listed.into_iter().map(|resource| resource.uri).collect();
        assert_eq!(listed, [format!("{root}/SKILL.md"), format!("{root}/words.md")]);
    }
    for nowhere in ["skill://nothing/SKILL.md", "two+skill://nothing/SKILL.md"] {
        let error = soon(client.skill(nowhere)).await.unwrap_err();
        assert!(error.rpc().is_some(), "{error:#}");
    }
}

#[tokio::test]
async fn a_host_lists_and_loads_them_too() {
    let host = two_skilled();
    let skills = soon(host.skills()).await;
    let names: Vec<_> = skills.iter().map(|skill| (&*skill.server, &*skill.name)).collect();
    assert_eq!(names, [("one", "skill://style/SKILL.md"), ("two", "two+skill://style/SKILL.md")]);
    assert!(host.collisions().iter().any(|collision| collision.kind == "skill"));
    for (skill, word) in skills.iter().zip(["first", "second"]) {
        let loaded = soon(host.load_skill(skill)).await.unwrap();
        assert_eq!(soon(loaded.read("words.md")).await.unwrap(), word.as_bytes());
        let file = skill.name.replace("SKILL.md", "words.md");
        let read = soon(host.read(&file)).await.unwrap();
        assert_eq!(read.contents[0].as_text(), Some(word));
    }
    host.close().await;
}

#[tokio::test]
async fn what_no_server_has_is_not_declared() {
    let gateway = Arc::new(before(Revision::NEWEST_MODERN, &Behind::default()).build());
    let client = modern(&gateway).await;
    let declared = client.server().capabilities.extensions.unwrap_or_default();
    assert!(!declared.contains_key(EXTENSION_ID), "{declared:?}");
    assert_eq!(soon(client.skills()).await.unwrap_err().kind(), ErrorKind::Unsupported);
}

/// Says who answers, tells of things, and hears of them.
struct Thing(&'static str, Heard);

type Heard = Arc<Mutex<Vec<String>>>;

const THING: &str = "com.example/thing";
const NEWS: &str = "notifications/com.example/thing";
const STEP: &str = "notifications/com.example/thing/step";
const POKE: &str = "notifications/com.example/thing/poke";

impl Extension for Thing {
    fn id(&self) -> &str {
        THING
    }

    fn settings(&self) -> JsonObject {
        let settings = [("size".to_owned(), json!(7)), ("of".to_owned(), json!(self.0))];
        JsonObject::from_iter(settings)
    }

    fn methods(&self) -> &[&str] {
        &["thing/do", "thing/tell"]
    }

    fn notification(&self, _: &Server, method: &str, params: Option<&RawJson>) {
        let said: Value = params.and_then(|params| params.decode().ok()).unwrap_or_default();
        self.1.lock().unwrap().push(format!("{method} {said}"));
    }

    fn listen(
        &self,
        _: &Context,
        wanted: &SubscriptionFilter,
        honored: &mut SubscriptionFilter,
    ) -> Result<(), ErrorObject> {
        honored
            .extra
            .extend(wanted.extra.get_key_value("things").map(|(k, v)| (k.clone(), v.clone())));
        Ok(())
    }

    fn call(
        &self,
        context: Context,
        method: &str,
        params: Option<RawJson>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        let said: JsonObject = params.and_then(|params| params.decode().ok()).unwrap_or_default();
        let said = said.get("say").cloned().unwrap_or_default();
        let word = JsonObject::from_iter([("word".to_owned(), said.clone())]);
        let extra = [("who".to_owned(), json!(self.0)), ("said".to_owned(), said.clone())];
        let result = EmptyResult { extra: extra.into_iter().collect(), ..Default::default() };
        let tells = method == "thing/tell";
        Box::pin(async move {
            match tells {
                true => context.server().publish("things", said.as_str().unwrap(), NEWS, word),
                false => context.notify(STEP, word).await.unwrap(),
            }
            Ok(context.reply(result))
        })
    }
}

fn with_thing(name: &'static str) -> Server {
    hearing(name, &Heard::default())
}

fn hearing(name: &'static str, heard: &Heard) -> Server {
    let thing = Thing(name, heard.clone());
    Server::new(name, "1.0").revisions([Revision::NEWEST_MODERN]).extension(thing)
}

async fn say(client: &Client, method: &str, word: &str) -> docent_mcp::Result<Value> {
    let params = JsonObject::from_iter([("say".to_owned(), json!(word))]);
    let result = soon(client.request(method, params, RequestOptions::new())).await?;
    Ok(result.decode().unwrap())
}

async fn ask(client: &Client) -> docent_mcp::Result<Value> {
    say(client, "thing/do", "hello").await
}

/// A client that has the extension, with what it is told.
async fn listening(gateway: &Arc<Gateway>) -> (Client, mpsc::UnboundedReceiver<(String, Value)>) {
    let (tell, told) = mpsc::unbounded_channel();
    let builder = Client::builder("listening", "1.0")
        .revisions([Revision::NEWEST_MODERN])
        .extension(THING, JsonObject::new())
        .on_event(move |event| {
            if let ServerEvent::Other { method, params: Some(params) } = event {
                let params: Value = params.decode().unwrap();
                let _ = tell.send((method, params["word"].clone()));
            }
        });
    (connect(gateway, Way::Memory, builder).await, told)
}

/// What a server tells of an extension that nobody here knows reaches whoever wanted it, and what
/// comes beside a call reaches whoever made it.
#[tokio::test]
async fn what_is_told_reaches_whom_it_is_for() {
    let behind = Behind::default();
    let host = host().connector("one", source(&with_thing("one"), &behind)).from_entries([]);
    let gateway = Arc::new(Gateway::new(host));
    let (first, mut to_first) = listening(&gateway).await;
    let (second, mut to_second) = listening(&gateway).await;
    soon(first.watch_extension("things", json!(["a", "both"]))).await.unwrap();
    soon(second.watch_extension("things", json!(["b", "both"]))).await.unwrap();
    assert!(soon(first.watch_extension("others", json!(["a"]))).await.is_err(), "nobody honors it");
    for word in ["a", "b", "both"] {
        say(&second, "thing/tell", word).await.unwrap();
    }
    for (told, words) in [(&mut to_first, ["a", "both"]), (&mut to_second, ["b", "both"])] {
        for word in words {
            assert_eq!(soon(told.recv()).await, Some((NEWS.to_owned(), json!(word))));
        }
    }
    say(&first, "thing/do", "beside").await.unwrap();
    assert_eq!(soon(to_first.recv()).await, Some((STEP.to_owned(), json!("beside"))));
    assert!(to_second.try_recv().is_err());
    gateway.close().await;
}

#[tokio::test]
async fn what_a_client_tells_reaches_the_one_server_that_may_know_it() {
    let (behind, heard) = (Behind::default(), Heard::default());
    let one = || host().connector("one", source(&hearing("one", &heard), &behind));
    let gateway = Arc::new(Gateway::new(one().from_entries([])));
    let (client, _told) = listening(&gateway).await;
    // The server is there once it has answered.
    ask(&client).await.unwrap();
    let meta = json!({ "com.example/kept": 1, "io.modelcontextprotocol/protocolVersion": "x" });
    let params = JsonObject::from_iter([("_meta".to_owned(), meta)]);
    soon(client.notify(POKE, Some(params))).await.unwrap();
    soon(async {
        while heard.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let expected = format!(r#"{POKE} {{"_meta":{{"com.example/kept":1}}}}"#);
    assert_eq!(*heard.lock().unwrap(), [expected], "without what was said for this hop");

    // With two that may know it, nobody does.
    heard.lock().unwrap().clear();
    let two = source(&hearing("two", &heard), &behind);
    let gateway = Arc::new(Gateway::new(one().connector("two", two).from_entries([])));
    let (client, _told) = listening(&gateway).await;
    soon(client.tools()).await.unwrap();
    soon(client.notify(POKE, None)).await.unwrap();
    // Comes after it on the same connection.
    assert!(ask(&client).await.is_err());
    assert!(heard.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_method_of_an_unknown_extension_goes_to_the_one_server_that_has_it() {
    let behind = Behind::default();
    let builder = || host().connector("one", source(&with_thing("one"), &behind));
    let plain = crate::fixture::server(Revision::NEWEST_MODERN, &behind);
    let host = builder().connector("plain", source(&plain, &behind)).from_entries([]);
    let gateway = Arc::new(Gateway::new(host));
    let knowing = || {
        let builder = Client::builder("knowing", "1.0").revisions([Revision::NEWEST_MODERN]);
        builder.extension(THING, JsonObject::new())
    };
    let client = connect(&gateway, Way::Memory, knowing()).await;
    let declared = client.server().capabilities.extensions.unwrap_or_default();
    assert_eq!(declared.get(THING), Some(&json!({ "size": 7, "of": "one" })));
    let answer = ask(&client).await.unwrap();
    assert_eq!((&answer["who"], &answer["said"]), (&json!("one"), &json!("hello")));
    // Whoever does not declare it gets nowhere.
    assert!(ask(&modern(&gateway).await).await.unwrap_err().is_method_not_found());

    let host = builder().connector("two", source(&with_thing("two"), &behind)).from_entries([]);
    let gateway = Arc::new(Gateway::new(host));
    let client = connect(&gateway, Way::Memory, knowing()).await;
    let declared = client.server().capabilities.extensions.unwrap_or_default();
    assert_eq!(declared.get(THING), Some(&json!({ "size": 7 })), "what both agree on");
    let error = ask(&client).await.unwrap_err();
    assert!(format!("{error:#}").contains("several servers"), "{error:#}");
}
