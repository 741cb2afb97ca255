//! Swift packages: from the project, and from a registry that `registries.json` names.

use docent_packages::{
    Engine, Environment, ErrorKind, PackageRef, Progress, Reason, Style, Target,
};
use docent_testkit::archives::zip::{Entry, Zip};
use docent_testkit::folder::Folder;
use docent_testkit::registry::{Answer, Registry};

const JSON: &str = "application/json";

fn archive(text: &str) -> Vec<u8> {
    let manifest = "// swift-tools-version:5.9\nlet package = Package(name: \"LinkedList\", \
         products: [.library(name: \"LinkedList\", targets: [\"LinkedList\"])], \
         targets: [.target(name: \"LinkedList\")])";
    let files = [
        ("LinkedList/Package.swift", manifest),
        ("LinkedList/README.md", "# LinkedList\n\nLists that are linked."),
        ("LinkedList/Sources/LinkedList/List.swift", text),
    ];
    Zip::of(files.map(|(path, text)| Entry::deflated(path, text))).bytes()
}

/// A registry with two releases of `mona.LinkedList`, one of them broken.
async fn registry() -> Registry {
    let new = archive("/// A list.\npublic struct LinkedList { public func append(_ x: Int) {} }");
    let old = archive("public struct OldList {}");
    let metadata = |version: &str, sum: &str| {
        let text = format!(
            r#"{{"id":"mona.LinkedList","version":"{version}","resources":[
               {{"name":"source-archive","type":"application/zip","checksum":"{sum}"}}]}}"#
        );
        Answer::body(JSON, text)
    };
    let releases = r#"{"releases":{"1.0.0":{"url":"x"},"1.1.0":{"url":"x"},
        "1.2.0":{"problem":{"status":410}}}}"#;
    Registry::builder()
        .at("/api/mona/LinkedList", Answer::body(JSON, releases))
        .at("/api/mona/LinkedList/1.1.0", metadata("1.1.0", &sha256(&new)))
        .at("/api/mona/LinkedList/1.0.0", metadata("1.0.0", &"0".repeat(64)))
        .at("/api/mona/LinkedList/1.1.0.zip", Answer::body("application/zip", new))
        .at("/api/mona/LinkedList/1.0.0.zip", Answer::body("application/zip", old))
        .require("/api/", "Bearer s3cret")
        .start()
        .await
}

fn sha256(bytes: &[u8]) -> String {
    let folder = Folder::new();
    let limits = docent_packages::Limits::default();
    let cache = docent_packages::cache::Cache::open(folder.path(), &limits).expect("a cache");
    cache.write_artifact(bytes).expect("a digest")
}

fn engine(folder: &Folder) -> Engine {
    let environment = Environment::isolated(folder.path());
    let environment = environment.in_directory(&folder.path().join("project"));
    let builder = Engine::builder().environment(environment);
    builder.cache(folder.path().join("cache")).build().expect("an engine")
}

fn target(package: &str) -> Target {
    Target::new(package.parse::<PackageRef>().expect("a package"))
}

#[tokio::test]
async fn a_registry_is_asked_for_what_its_scope_has() {
    let (folder, registry) = (Folder::new(), registry().await);
    let url = registry.url("/api");
    let host = "127.0.0.1";
    folder.write(
        "project/.swiftpm/configuration/registries.json",
        format!(
            r#"{{"registries":{{"mona":{{"url":"{url}"}}}},
               "authentication":{{"{host}":{{"type":"token"}}}},"version":1}}"#
        ),
    );
    folder.write(".netrc", format!("machine {host}\nlogin token\npassword s3cret\n"));
    let engine = engine(&folder);
    let loaded = engine.load(&target("swift:mona.LinkedList"), &Progress::default()).await;
    let loaded = loaded.expect("the newest");
    assert_eq!(loaded.receipt().version, "1.1.0");
    assert_eq!(loaded.receipt().reason, Reason::Newest);
    let (list, style) = (target("swift:mona.LinkedList"), Style::default());
    let answer = engine.describe(&list, Some("LinkedList.append"), &style);
    let answer = answer.await.expect("an answer");
    assert!(answer.text.contains("func append(_ x: Int)"), "{}", answer.text);
    // What arrives is not what was published.
    let old = engine.load(&target("swift:mona.LinkedList@1.0.0"), &Progress::default()).await;
    assert_eq!(old.err().map(|error| error.kind()), Some(ErrorKind::Integrity));
    // Nobody else is asked for another scope.
    let before = registry.requests().len();
    let other = engine.load(&target("swift:other.LinkedList"), &Progress::default()).await;
    assert_eq!(other.err().map(|error| error.kind()), Some(ErrorKind::PackageNotFound));
    assert_eq!(registry.requests().len(), before);
}

#[tokio::test]
async fn a_checkout_answers_without_anybody_being_asked() {
    let folder = Folder::new();
    folder.write(
        "project/Package.swift",
        "// swift-tools-version:5.9\nlet package = Package(name: \"App\")",
    );
    folder.write("project/.build/checkouts/kit/Package.swift",
        "let package = Package(name: \"kit\", products: [.library(name: \"Kit\", targets: [\"Kit\"])], targets: [.target(name: \"Kit\")])");
    folder
        .write("project/.build/checkouts/kit/Sources/Kit/K.swift", "public enum Kit { case one }");
    folder.write(
        "project/Package.resolved",
        r#"{"pins":[{"identity":"kit","location":"https://host.example/a/kit","state":{"version":"3.0.1"}}],"version":2}"#,
    );
    for name in [
        "swift:Kit",
        "swift:kit",
        "swift:https://host.example/a/kit",
        "swift:kit@3.0.1",
        "swift:kit@3",
    ] {
        let loaded = engine(&folder).load(&target(name), &Progress::default()).await.expect(name);
        assert_eq!(loaded.receipt().version, "3.0.1", "{name}");
        assert!(loaded.extraction().items.iter().any(|item| item.path == "Kit.one"), "{name}");
    }
    let other = engine(&folder).load(&target("swift:nowhere"), &Progress::default()).await;
    assert_eq!(other.err().map(|error| error.kind()), Some(ErrorKind::PackageNotFound));
}
