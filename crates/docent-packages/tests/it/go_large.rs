//! Modules that are too large to be read at once: one package of them, all of them, and what is still
//! refused. Limits are small here, so that a module of a few files is too large.

use docent_packages::{
    CodeToCheck, Engine, Environment, ErrorKind, Extent, Item, Kind, Language, Limits, Loaded,
    PackageRef, Progress, Style, Target,
};
use docent_testkit::folder::Folder;
use docent_testkit::registry::{Package, Registry};

const FILES: &[(&str, &str)] = &[
    ("go.mod", "module m.example/big\n"),
    ("README.md", "# Big\n\nClients for everything.\n"),
    (
        "big.go",
        "// Package big has clients.\npackage big\n\n// Version is the version.\nconst Version = \"1\"\n",
    ),
    (
        "files/v3/files.go",
        "// Package files keeps files.\n//\n// It has much to say.\npackage files\n\n\
         import (\n\t\"m.example/big/internal/base\"\n\t\"m.example/big/option\"\n)\n\n\
         // Service is the service.\ntype Service struct {\n\tbase.Client\n\toption.Set\n}\n\n\
         // New makes one.\nfunc New(set *option.Set) *Service { return nil }\n\n\
         // Options are its options.\nfunc (s *Service) Options() *option.Set { return nil }\n",
    ),
    (
        "files/v3/example_test.go",
        "package files_test\n\nfunc ExampleNew() {\n\tfiles.New(nil)\n}\n",
    ),
    (
        "internal/base/base.go",
        "package base\n\n// Client calls.\ntype Client struct{}\n\n// Call calls.\nfunc (c *Client) Call() error { return nil }\n",
    ),
    (
        "option/option.go",
        "package option\n\n// Set is some options.\ntype Set struct {\n\t// Name is a name.\n\tName string\n}\n",
    ),
    ("option/doc.go", "// Package option has options.\npackage option\n"),
    (
        "store/store.go",
        "// Package store is the largest.\npackage store\n\nfunc Sum() (sum int) {\n\tsum = 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1\n\treturn sum\n}\n\n// Large is\n// larger\n// than\n// it\n// looks.\nvar Large = `................................................................................`\n",
    ),
    ("data/data.json", "{\"not\": \"read\"}"),
];

fn package() -> Package {
    Package::new("m.example/big", "v1.0.0").files(FILES.iter().copied())
}

/// Limits that the module exceeds: in memory, and as sources.
fn small() -> Limits {
    let mut limits = Limits::default();
    limits.held_bytes_max = 100;
    limits.module_source_bytes_max = 800;
    limits
}

fn engine(folder: &Folder, proxy: &str, limits: Limits) -> Engine {
    folder.write("project/keep", "");
    let environment = Environment::isolated(folder.path())
        .with("GOPROXY", proxy)
        .in_directory(&folder.path().join("project"));
    let builder = Engine::builder().environment(environment).limits(limits);
    builder.cache(folder.path().join("cache")).build().expect("an engine")
}

fn target(package: &str) -> Target {
    Target::new(package.parse::<PackageRef>().expect("a package"))
}

async fn load(engine: &Engine, package: &str) -> Loaded {
    engine.load(&target(package), &Progress::default()).await.expect("a package")
}

/// The items of one package, with the names of their parents.
fn items(loaded: &Loaded, module: &str) -> Vec<(Item, String)> {
    let all = &loaded.extraction().items;
    let of = all.iter().filter(|item| item.module == module).cloned();
    of.map(|mut item| {
        let parent = item.parent.take().map(|parent| all[parent as usize].path.clone());
        (item, parent.unwrap_or_default())
    })
    .collect()
}

async fn from_registry() -> Registry {
    Registry::builder().go(package()).start().await
}

/// A module cache as `go mod download` leaves it.
fn install(folder: &Folder) {
    for (path, text) in FILES {
        folder.write(&format!("go/pkg/mod/m.example/big@v1.0.0/{path}"), text);
    }
    folder.write("project/go.mod", "module own\nrequire m.example/big v1.0.0\n");
}

#[tokio::test]
async fn one_package_is_read_as_it_would_be_with_all_the_others() {
    let (folder, other, installed) = (Folder::new(), Folder::new(), Folder::new());
    let proxy = from_registry().await;
    install(&installed);
    let whole = engine(&folder, &proxy.url("/go"), Limits::default());
    let all = load(&whole, "go:m.example/big/files/v3").await;
    assert_eq!(all.receipt().extent, Extent::Whole);
    for (place, folder) in [("registry", &other), ("installed", &installed)] {
        let engine = engine(folder, &proxy.url("/go"), small());
        for module in ["m.example/big/files/v3", "m.example/big/option"] {
            let one = load(&engine, &format!("go:{module}")).await;
            assert_eq!(one.receipt().extent, Extent::Module(module.to_owned()), "{place}");
            assert_eq!(items(&one, module), items(&all, module), "{place}");
            assert_eq!(one.extraction().items.len(), items(&all, module).len(), "{place}");
            let readme = |loaded: &Loaded| loaded.extraction().prose.first().cloned();
            assert_eq!(readme(&one), readme(&all), "{place}");
            assert_eq!(one.extraction().problems, [], "{place}");
        }
    }
    let names: Vec<String> =
        items(&all, "m.example/big/files/v3").into_iter().map(|(item, _)| item.path).collect();
    let members = ["Service.Call", "Service.Name", "Service.Options"];
    assert!(members.iter().all(|name| names.iter().any(|one| one == name)), "{names:?}");
}

#[tokio::test]
async fn the_module_itself_gives_its_root_and_a_list() {
    let (folder, proxy) = (Folder::new(), from_registry().await);
    let engine = engine(&folder, &proxy.url("/go"), small());
    let listed = load(&engine, "go:m.example/big").await;
    assert_eq!(listed.receipt().extent, Extent::Listed);
    let found = listed.extraction();
    let found: Vec<(Kind, &str, &str, &str)> = found
        .items
        .iter()
        .map(|item| (item.kind, item.module.as_str(), item.path.as_str(), item.docs.as_str()))
        .collect();
    let files = "Package files keeps files.\n\nIt has much to say.";
    let expected = [
        (Kind::Module, "m.example/big", "", "Package big has clients."),
        (Kind::Constant, "m.example/big", "Version", "Version is the version."),
        (Kind::Module, "m.example/big/option", "", "Package option has options."),
        (Kind::Module, "m.example/big/store", "", "Package store is the largest."),
        (Kind::Module, "m.example/big/files/v3", "", files),
    ];
    assert_eq!(found, expected);
    let problems = &listed.extraction().problems;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].message.contains("3 packages listed only"), "{problems:?}");
    let ask = |symbol: Option<&'static str>| {
        let engine = engine.clone();
        let target = target("go:m.example/big");
        async move { engine.describe(&target, symbol, &Style::default()).await.expect("an answer") }
    };
    let text = ask(None).await.text;
    assert!(text.contains("too large to be read at once: ask for one package"), "{text}");
    assert!(text.contains("Package option has options."), "{text}");
    assert!(text.contains("Clients for everything."), "{text}");
    let answer = ask(Some("Service.Call")).await;
    assert!(!answer.found && !answer.text.contains("does not exist"), "{}", answer.text);
    let (targets, style) = ([target("go:m.example/big")], Style::default());
    let text = engine.search(&targets, "keeps files", &style).await.expect("an answer").text;
    assert!(text.contains("m.example/big/files/v3"), "{text}");
}

#[tokio::test]
async fn what_was_read_of_one_package_is_not_taken_for_another() {
    let (folder, proxy) = (Folder::new(), from_registry().await);
    for _ in 0..2 {
        // The second time from the cache.
        let engine = engine(&folder, &proxy.url("/go"), small());
        for (package, extent, count) in [
            ("go:m.example/big/option", Extent::Module("m.example/big/option".to_owned()), 3),
            ("go:m.example/big", Extent::Listed, 5),
            ("go:m.example/big/nothing", Extent::Listed, 5),
        ] {
            let loaded = load(&engine, package).await;
            assert_eq!(loaded.receipt().extent, extent, "{package}");
            assert_eq!(loaded.extraction().items.len(), count, "{package}");
        }
        engine.settle().await;
    }
    assert_eq!(proxy.hits("/go/m.example/big/@v/v1.0.0.zip"), 1);
}

#[tokio::test]
async fn its_hash_is_checked_whatever_is_read_of_it() {
    let (folder, proxy) = (Folder::new(), from_registry().await);
    folder.write("project/go.mod", "module own\nrequire m.example/big v1.0.0\n");
    folder.write("project/go.sum", package().go_sum());
    let ask = || engine(&folder, &proxy.url("/go"), small());
    assert_eq!(load(&ask(), "go:m.example/big").await.receipt().extent, Extent::Listed);
    let other = package().file("data/more.json", "{}").go_sum();
    folder.write("project/go.sum", other);
    for package in ["go:m.example/big", "go:m.example/big/option"] {
        let error = ask().load(&target(package), &Progress::default()).await.err();
        let error = error.expect("other files");
        assert_eq!(error.kind(), ErrorKind::Integrity, "{error}");
        // Whose archive it is, and not where the cache has it.
        assert!(error.to_string().starts_with("m.example/big@v1.0.0: the archive was"), "{error}");
    }
}

#[tokio::test]
async fn limits_stay_limits() {
    let (folder, proxy) = (Folder::new(), from_registry().await);
    let refused = |limits: Limits| {
        let engine = engine(&folder, &proxy.url("/go"), limits);
        async move {
            let target = target("go:m.example/big/option");
            engine.load(&target, &Progress::default()).await.err().map(|error| error.kind())
        }
    };
    let mut limits = small();
    limits.unpacked_bytes_max = 500;
    assert_eq!(refused(limits).await, Some(ErrorKind::LimitExceeded));
    let mut limits = small();
    limits.entries_max = 3;
    assert_eq!(refused(limits).await, Some(ErrorKind::LimitExceeded));
    // A package that is too large by itself is there, and said not to have been read.
    let mut limits = small();
    limits.module_source_bytes_max = 10;
    let engine = engine(&folder, &proxy.url("/go"), limits);
    let loaded = load(&engine, "go:m.example/big/option").await;
    let problems = &loaded.extraction().problems;
    assert!(problems[0].message.contains("1 packages not read"), "{problems:?}");
}

#[tokio::test]
async fn code_is_checked_against_the_packages_it_imports() {
    let folder = Folder::new();
    install(&folder);
    let engine = engine(&folder, "off", small());
    let text = "package own\n\nimport files \"m.example/big/files/v3\"\n\n\
                func f() {\n\ts := files.New(nil)\n\ts.Call()\n\ts.Calls()\n\ts.Options().Nam = \"\"\n\
                \tfiles.Old()\n}\n";
    let code =
        CodeToCheck { text: text.to_owned(), language: Language::Go, file: "own.go".to_owned() };
    let checked = engine.check(&code, None, &Progress::default()).await.expect("a project");
    let names: Vec<&str> = checked.findings.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Calls", "Nam", "Old"]);
}
