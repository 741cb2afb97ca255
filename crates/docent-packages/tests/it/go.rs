//! From an import path to an answer: module proxies, `go.sum`, private modules.

use docent_packages::{
    Engine, Environment, Error, ErrorKind, PackageRef, Progress, Reason, Style, Target,
};
use docent_testkit::folder::Folder;
use docent_testkit::registry::{Answer, Package, Registry};

fn module(name: &str, version: &str, files: &[(&str, &str)]) -> Package {
    Package::new(name, version)
        .file("go.mod", &format!("module {name}\n"))
        .files(files.iter().copied())
}

fn kit(version: &str) -> Package {
    module(
        "m.example/Kit",
        version,
        &[
            (
                "kit.go",
                "// Package kit builds.\npackage kit\n\n// Build builds.\nfunc Build(name string) error { return nil }\n",
            ),
            (
                "sub/sub.go",
                "// Package sub is inside.\npackage sub\n\n// Build builds less.\nfunc Build() {}\n",
            ),
        ],
    )
}

async fn proxy() -> Registry {
    let second =
        module("m.example/Kit/v2", "v2.0.1", &[("kit.go", "package kit\n\nfunc Made() {}\n")]);
    Registry::builder()
        .go(kit("v1.0.0"))
        .go(kit("v1.2.0"))
        .go(kit("v1.3.0-rc.1"))
        .go(second)
        .at(
            "/go/m.example/!kit/@v/main.info",
            Answer::body("application/json", r#"{"Version": "v1.2.0"}"#),
        )
        .at("/go/m.example/untagged/@v/list", Answer::body("text/plain", ""))
        .at(
            "/go/m.example/untagged/@latest",
            Answer::body(
                "application/json",
                r#"{"Version": "v0.0.0-20240102030405-0123456789ab"}"#,
            ),
        )
        .start()
        .await
}

fn engine(folder: &Folder, list: &str, more: &[(&str, &str)]) -> Engine {
    folder.write("project/keep", "");
    let mut environment = Environment::isolated(folder.path())
        .with("GOPROXY", list)
        .in_directory(&folder.path().join("project"));
    for (name, value) in more {
        environment = environment.with(name, value);
    }
    let builder = Engine::builder().environment(environment);
    builder.cache(folder.path().join("cache")).build().expect("an engine")
}

fn target(package: &str) -> Target {
    Target::new(package.parse::<PackageRef>().expect("a package"))
}

async fn load(engine: &Engine, package: &str) -> Result<(String, Reason), Error> {
    let loaded = engine.load(&target(package), &Progress::default()).await?;
    Ok((loaded.receipt().package.clone(), loaded.receipt().reason.clone()))
}

#[tokio::test]
async fn a_package_is_found_in_the_module_that_holds_it() {
    let (folder, proxy) = (Folder::new(), proxy().await);
    let engine = engine(&folder, &proxy.url("/go"), &[]);
    let found = |package: &'static str| {
        let engine = engine.clone();
        async move { load(&engine, package).await.map(|(package, _)| package) }
    };
    assert_eq!(found("go:m.example/Kit").await.unwrap(), "go:m.example/Kit@v1.2.0");
    assert_eq!(found("go:m.example/Kit/sub").await.unwrap(), "go:m.example/Kit@v1.2.0");
    assert_eq!(found("go:m.example/Kit@v1.0.0").await.unwrap(), "go:m.example/Kit@v1.0.0");
    assert_eq!(found("go:m.example/Kit@1.0").await.unwrap(), "go:m.example/Kit@v1.0.0");
    assert_eq!(found("go:m.example/Kit@main").await.unwrap(), "go:m.example/Kit@v1.2.0");
    assert_eq!(found("go:m.example/Kit/v2").await.unwrap(), "go:m.example/Kit/v2@v2.0.1");
    assert_eq!(found("go:m.example/Kit@v2.0.1").await.unwrap(), "go:m.example/Kit/v2@v2.0.1");
    let error = found("go:m.example/Kit@v1.9.9").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::VersionNotFound, "{error}");
    let error = found("go:m.example/nothing").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PackageNotFound, "{error}");
    // Its archive is not there, but which it is, is known.
    let error = found("go:m.example/untagged").await.unwrap_err();
    assert!(error.to_string().contains("v0.0.0-20240102030405-0123456789ab"), "{error}");
}

#[tokio::test]
async fn majors_without_a_path_of_their_own_count_where_there_is_no_go_mod() {
    let old =
        |version: &str| Package::new("m.example/old", version).file("old.go", "package old\n");
    let new = |version: &str| {
        Package::new("m.example/new", version)
            .file("new.go", "package new\n")
            .file("go.mod", "module m.example/new\n\ngo 1.20\n")
    };
    let proxy = Registry::builder()
        .go(old("v1.13.1"))
        .go(old("v28.0.0+incompatible"))
        .go(Package::new("m.example/new", "v2.0.0+incompatible").file("new.go", "package new\n"))
        .go(new("v1.4.0"))
        .start()
        .await;
    let folder = Folder::new();
    let engine = engine(&folder, &proxy.url("/go"), &[]);
    let (package, _) = load(&engine, "go:m.example/old").await.unwrap();
    assert_eq!(package, "go:m.example/old@v28.0.0+incompatible");
    let (package, _) = load(&engine, "go:m.example/new").await.unwrap();
    assert_eq!(package, "go:m.example/new@v1.4.0");
}

#[tokio::test]
async fn an_answer_is_about_the_package_that_was_asked_for() {
    let (folder, proxy) = (Folder::new(), proxy().await);
    let engine = engine(&folder, &proxy.url("/go"), &[]);
    let ask = |package: &'static str, symbol: Option<&'static str>| {
        let engine = engine.clone();
        async move {
            let answer = engine.describe(&target(package), symbol, &Style::default()).await;
            answer.expect("an answer").text
        }
    };
    let text = ask("go:m.example/Kit", Some("Build")).await;
    assert!(text.contains("### function `m.example/Kit.Build`"), "{text}");
    assert!(text.contains("func Build(name string) error"), "{text}");
    let text = ask("go:m.example/Kit/sub", Some("Build")).await;
    assert!(text.contains("### function `m.example/Kit/sub.Build`"), "{text}");
    let text = ask("go:m.example/Kit/sub", None).await;
    assert!(text.contains("func Build()") && !text.contains("name string"), "{text}");
    let text = ask("go:m.example/Kit", None).await;
    assert!(text.contains("Package sub is inside."), "{text}");
}

#[tokio::test]
async fn what_go_sum_says_is_checked() {
    let (folder, proxy) = (Folder::new(), proxy().await);
    folder.write("project/go.mod", "module own\nrequire m.example/Kit v1.0.0\n");
    let engine = || engine(&folder, &proxy.url("/go"), &[]);
    let sum = folder.write("project/go.sum", kit("v1.0.0").go_sum());
    let (package, reason) = load(&engine(), "go:m.example/Kit/sub").await.unwrap();
    assert_eq!(package, "go:m.example/Kit@v1.0.0");
    let file = folder.path().join("project/go.mod");
    assert_eq!(reason, Reason::Locked { file });
    assert!(sum.exists());
    folder.write("project/go.sum", kit("v1.2.0").go_sum().replace("v1.2.0", "v1.0.0"));
    let error = load(&engine(), "go:m.example/Kit").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Integrity, "{error}");
}

#[tokio::test]
async fn the_next_proxy_is_asked_as_the_list_says() {
    let (folder, proxy, other) = (Folder::new(), proxy().await, Registry::builder().start().await);
    let ask = |list: String| {
        let engine = engine(&folder, &list, &[]);
        async move { load(&engine, "go:m.example/Kit@v1.0.0").await }
    };
    // Unknown there: the next one has it.
    assert!(ask(format!("{},{}", other.url("/go"), proxy.url("/go"))).await.is_ok());
    // One that refuses ends the search, unless a bar follows it.
    let refusing = Registry::builder().require("/", "Basic nobody").start().await;
    let error = ask(format!("{},{}", refusing.url("/go"), proxy.url("/go"))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthorized, "{error}");
    assert!(ask(format!("{}|{}", refusing.url("/go"), proxy.url("/go"))).await.is_ok());
    let error = ask(format!("{},direct", other.url("/go"))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PackageNotFound, "{error}");
    assert!(error.hints().iter().any(|hint| hint.contains("`direct`")), "{:?}", error.hints());
    let error = ask("off".to_owned()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoRegistry, "{error}");
}

#[tokio::test]
async fn private_modules_are_asked_of_nobody() {
    let (folder, proxy) = (Folder::new(), proxy().await);
    let engine =
        engine(&folder, &proxy.url("/go"), &[("GOPRIVATE", "*.corp.example,m.example/Kit")]);
    let error = load(&engine, "go:m.example/Kit/sub").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoRegistry, "{error}");
    assert!(
        proxy.requests().iter().all(|request| !request.path.contains("kit/@v")),
        "{:?}",
        proxy.requests()
    );
}

#[tokio::test]
async fn a_password_goes_to_its_proxy_only() {
    let registry =
        Registry::builder().go(kit("v1.0.0")).require("/go", "Basic bWU6czNjcmV0").start().await;
    let folder = Folder::new();
    folder.write(".netrc", "machine 127.0.0.1 login me password s3cret\n");
    let engine = engine(&folder, &registry.url("/go"), &[]);
    assert!(load(&engine, "go:m.example/Kit").await.is_ok());
}

#[tokio::test]
async fn another_projects_copy_will_do_if_it_is_the_very_version() {
    let (folder, proxy) = (Folder::new(), proxy().await);
    folder.write("go/pkg/mod/m.example/!kit@v1.0.0/kit.go", "package kit\n\nfunc Cached() {}\n");
    let engine = engine(&folder, &proxy.url("/go"), &[]);
    let (package, _) = load(&engine, "go:m.example/Kit@v1.0.0").await.unwrap();
    assert_eq!(package, "go:m.example/Kit@v1.0.0");
    assert!(proxy.requests().is_empty(), "{:?}", proxy.requests());
    let (package, reason) = load(&engine, "go:m.example/Kit").await.unwrap();
    assert_eq!((package.as_str(), reason), ("go:m.example/Kit@v1.2.0", Reason::Newest));
}
