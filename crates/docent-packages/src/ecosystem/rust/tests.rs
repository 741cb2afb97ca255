//! The adapter as a whole, over small projects on disk.

use std::sync::Arc;

use docent_testkit::folder::Folder;
use docent_testkit::registry::{Package, Registry};

use super::*;
use crate::cache::Cache;
use crate::fetch::Fetcher;
use crate::tool::Tools;
use crate::tree::Place;
use crate::{Environment, Limits};

const INDEX: &str = "index.example-0123456789abcdef";
const SOURCE: &str = "sparse+https://index.example/";

/// Asks something on a made-up machine.
struct Machine {
    folder: Folder,
    environment: Environment,
}

impl Machine {
    fn new() -> Self {
        let folder = Folder::new();
        let environment = Environment::isolated(folder.path());
        Self { folder, environment }
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        self.folder.write(path, text)
    }

    /// Unpacks a crate where cargo would.
    fn unpack(&self, name: &str, version: &str, dependencies: &str) -> PathBuf {
        let folder = format!(".cargo/registry/src/{INDEX}/{name}-{version}");
        self.write(
            &format!("{folder}/Cargo.toml"),
            &format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\n{dependencies}"),
        );
        self.folder.path().join(folder)
    }

    fn ask<T>(&self, project: &str, run: impl FnOnce(&Context<'_>) -> T) -> T {
        let limits = Limits::default();
        let cache =
            Arc::new(Cache::open(&self.folder.path().join("cache"), &limits).expect("a cache"));
        let fetcher = Fetcher::new(&limits, cache, true);
        let (tools, project) = (Tools::default(), self.folder.path().join(project));
        run(&Context {
            environment: &self.environment,
            limits: &limits,
            fetcher: &fetcher,
            tools: &tools,
            project: &project,
        })
    }

    fn survey(&self, project: &str, name: &str) -> Survey {
        let name = Rust.name(name).expect("a name");
        self.ask(project, |context| Rust.survey(&name, context))
    }
}

fn versions(copies: &[Installed]) -> Vec<&str> {
    copies.iter().map(|copy| copy.version.as_str()).collect()
}

fn lock(packages: &[(&str, &str, Option<&str>, &str)]) -> String {
    let entry = |(name, version, source, dependencies): &(&str, &str, Option<&str>, &str)| {
        let source = source.map_or(String::new(), |source| format!("source = \"{source}\"\n"));
        format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{source}{dependencies}\n")
    };
    format!("version = 4\n{}", packages.iter().map(entry).collect::<String>())
}

#[test]
fn what_the_project_uses_comes_first() {
    let machine = Machine::new();
    machine.write(
        "app/Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\n[dependencies]\nkit = \"1\"\nold-kit = { package = \"kit\", version = \"0.9\" }\n",
    );
    machine.write(
        "app/Cargo.lock",
        &lock(&[
            ("app", "0.1.0", None, "dependencies = [\"kit 0.9.1\", \"kit 1.2.0\"]"),
            ("kit", "0.9.1", Some(SOURCE), ""),
            ("kit", "1.2.0", Some(SOURCE), ""),
            ("kit", "2.0.0", Some(SOURCE), ""),
        ]),
    );
    for version in ["0.9.1", "1.2.0", "2.0.0", "3.0.0"] {
        machine.unpack("kit", version, "");
    }
    let survey = machine.survey("app/src", "kit");
    assert_eq!(survey.problems, Vec::<String>::new());
    assert_eq!(versions(&survey.installed), ["1.2.0", "0.9.1", "2.0.0"]);
    assert_eq!(versions(&survey.elsewhere), ["3.0.0"]);
    assert_eq!(survey.requirement.map(|it| it.range).as_deref(), Some("1"));
    // Under the name that the manifest gives it.
    let renamed = machine.survey("app", "old_kit");
    assert_eq!(renamed.installed[0].version, "0.9.1");
    assert_eq!(renamed.installed[0].name, "kit");
    // Outside of a project nothing is chosen.
    let outside = machine.survey("elsewhere", "kit");
    assert_eq!(versions(&outside.installed), Vec::<&str>::new());
    assert_eq!(versions(&outside.elsewhere), ["3.0.0", "2.0.0", "1.2.0", "0.9.1"]);
}

#[test]
fn a_registry_keeps_to_its_folder() {
    let machine = Machine::new();
    machine
        .write("Cargo.lock", &lock(&[("kit", "1.0.0", Some("sparse+https://other.example/"), "")]));
    machine.unpack("kit", "1.0.0", "");
    let survey = machine.survey("", "kit");
    assert_eq!(versions(&survey.installed), Vec::<&str>::new(), "another registry's crate");
    assert_eq!(survey.locked[0].version, "1.0.0");
}

#[test]
fn members_paths_checkouts_and_vendored_sources() {
    let machine = Machine::new();
    machine.write(
        "app/Cargo.toml",
        "[workspace]\nmembers = [\"crates/*\"]\n[package]\nname = \"app\"\nversion = \"0.1.0\"\n[dependencies]\nbeside = { path = \"../beside\" }\n",
    );
    machine.write("app/crates/one/Cargo.toml", "[package]\nname = \"one\"\nversion = \"0.2.0\"\n");
    machine.write("beside/Cargo.toml", "[package]\nname = \"beside\"\nversion = \"0.3.0\"\n");
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let git = format!("git+https://git.example/team/tools.git?branch=main#{commit}");
    let vendored = "registry+https://vendored.example/index";
    machine.write(
        "app/Cargo.lock",
        &lock(&[("tool", "0.4.0", Some(&git), ""), ("kept", "0.5.0", Some(vendored), "")]),
    );
    machine.write(
        ".cargo/git/checkouts/tools-0011223344556677/0123456/nested/tool/Cargo.toml",
        "[package]\nname = \"tool\"\nversion = \"0.4.0\"\n",
    );
    machine.write(
        "app/.cargo/config.toml",
        "[source.theirs]\nregistry = \"https://vendored.example/index\"\nreplace-with = \"mine\"\n[source.mine]\ndirectory = \"vendor\"\n",
    );
    machine
        .write("app/vendor/kept/Cargo.toml", "[package]\nname = \"kept\"\nversion = \"0.5.0\"\n");
    for (name, version) in [
        ("app", "0.1.0"),
        ("one", "0.2.0"),
        ("beside", "0.3.0"),
        ("tool", "0.4.0"),
        ("kept", "0.5.0"),
    ] {
        let survey = machine.survey("app/src", name);
        assert_eq!(versions(&survey.installed), [version], "{name} {:?}", survey.problems);
    }
}

#[test]
fn an_archive_counts_if_it_is_the_one_that_was_locked() {
    let machine = Machine::new();
    let file = machine.write(&format!(".cargo/registry/cache/{INDEX}/kit-1.0.0.crate"), "archive");
    let sum = crate::fetch::hex(ring::digest::digest(&ring::digest::SHA256, b"archive").as_ref());
    let locked =
        |sum: &str| lock(&[("kit", "1.0.0", Some(SOURCE), &format!("checksum = \"{sum}\""))]);
    machine.write("Cargo.lock", &locked(&sum));
    assert_eq!(machine.survey("", "kit").installed[0].place.path(), file);
    machine.write("Cargo.lock", &locked(&"00".repeat(32)));
    let survey = machine.survey("", "kit");
    assert!(survey.installed.is_empty());
    assert!(
        survey.problems[0].contains("is not the archive that was locked"),
        "{:?}",
        survey.problems
    );
}

#[test]
fn what_a_crate_depends_on_is_within_reach() {
    let machine = Machine::new();
    let facade = machine.unpack("facade", "1.0.0", "[dependencies]\nparts = \"1\"\n");
    let parts = machine.unpack("parts", "1.3.0", "[dependencies]\nsmall = \"^0.2\"\n");
    machine.unpack("parts", "2.0.0", "");
    let small = machine.unpack("small", "0.2.7", "");
    assert_eq!(Rust.reach(&facade, &Limits::default()), [parts, small]);
}

#[test]
fn the_standard_library_needs_its_component() {
    let machine = Machine::new();
    let missing = machine.survey("", "std");
    assert!(missing.problems[0].contains("rust-src"), "{:?}", missing.problems);
    machine.write(".rustup/settings.toml", "default_toolchain = \"stable-x\"\n");
    for toolchain in ["beta-x", "stable-x"] {
        machine.write(
            &format!(".rustup/toolchains/{toolchain}/lib/rustlib/src/rust/library/std/Cargo.toml"),
            "[package]\nname = \"std\"\nversion = \"0.0.0\"\n",
        );
    }
    let found = machine.survey("", "std");
    assert!(found.installed[0].bundled);
    assert!(found.installed[0].shown.to_string_lossy().contains("stable-x"));
    machine.write("rust-toolchain.toml", "[toolchain]\nchannel = \"beta\"\n");
    assert!(machine.survey("", "std").installed[0].shown.to_string_lossy().contains("beta-x"));
}

#[test]
fn the_standard_library_takes_in_files_of_its_neighbors() {
    let machine = Machine::new();
    let library = ".rustup/toolchains/stable-x/lib/rustlib/src/rust/library";
    let root = "#[path = \"../../simd/src/mod.rs\"]\nmod simd;\n\
        #[path = \"../../stdarch/src/mod.rs\"]\nmod arch;\n\
        include!(\"../../core/src/types.rs\");\n";
    for (file, text) in [
        ("std/Cargo.toml", "[package]\nname = \"std\"\nversion = \"0.0.0\"\n"),
        ("std/src/lib.rs", root),
        ("simd/src/mod.rs", ""),
        ("simd/src/deep/wide.rs", ""),
        ("stdarch/src/mod.rs", ""),
        ("core/src/types.rs", ""),
        ("core/src/other.rs", ""),
    ] {
        machine.write(&format!("{library}/{file}"), text);
    }
    let found = machine.survey("", "std");
    let Place::Folder { files: Some(files), .. } = &found.installed[0].place else {
        panic!("{:?}", found.installed);
    };
    let expected = [
        "core/src/types.rs",
        "simd/src/deep/wide.rs",
        "simd/src/mod.rs",
        "std/Cargo.toml",
        "std/src/lib.rs",
    ];
    assert_eq!(files, &expected);
}

/// What is asked of a registry, with and without a token, and what comes back.
async fn releases(registry: &Registry, machine: &Machine) -> Result<Releases, Error> {
    let limits = Limits::default();
    let cache =
        Arc::new(Cache::open(&machine.folder.path().join("cache"), &limits).expect("a cache"));
    let fetcher = Fetcher::new(&limits, cache, false);
    machine.write(
        "app/Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\n[dependencies]\nkits = { version = \"1\", registry = \"mine\" }\n",
    );
    let index = registry.url("/index/");
    machine
        .write(".cargo/config.toml", &format!("[registries.mine]\nindex = \"sparse+{index}\"\n"));
    let (tools, project) = (Tools::default(), machine.folder.path().join("app"));
    let context = Context {
        environment: &machine.environment,
        limits: &limits,
        fetcher: &fetcher,
        tools: &tools,
        project: &project,
    };
    let name = Rust.name("kits").expect("a name");
    let releases = Rust.releases(&name, None, &context).await?;
    let chosen = Rust.choose(Some("1"), &releases)?.clone();
    let artifact = chosen.artifact.expect("an archive");
    fetcher.artifact(&artifact, &crate::Progress::default()).await?;
    Ok(releases)
}

#[tokio::test]
async fn a_token_goes_to_its_registry_only() {
    let package = |version: &str| Package::new("kits", version).file("src/lib.rs", "pub fn a() {}");
    let registry = Registry::builder()
        .rust(package("1.0.0"))
        .rust(package("1.1.0"))
        .require("/index/", "s3cret")
        .require("/crates/", "s3cret")
        .start()
        .await;
    let machine = Machine::new();
    let refused = releases(&registry, &machine).await.expect_err("no token");
    assert_eq!(refused.kind(), ErrorKind::Unauthorized);
    machine.write(
        ".cargo/credentials.toml",
        "[registry]\ntoken = \"for-publishing\"\n[registries.mine]\ntoken = \"s3cret\"\n[registries.other]\ntoken = \"0ther\"\n",
    );
    let found = releases(&registry, &machine).await.expect("releases");
    let found: Vec<&str> = found.all.iter().map(|release| release.version.as_str()).collect();
    assert_eq!(found, ["1.0.0", "1.1.0"]);
    let sent = registry.requests();
    let sent = sent.iter().filter_map(|request| request.header("authorization"));
    assert!({ sent }.all(|value| value == "s3cret"));
}

#[test]
fn tokens_are_not_sent_to_the_default_registry_and_git_is_explained() {
    let mut machine = Machine::new();
    machine.write(
        ".cargo/credentials.toml",
        "[registry]\ntoken = \"a\"\n[registries.crates-io]\ntoken = \"b\"\n",
    );
    machine.write(
        ".cargo/config.toml",
        "[registries.old]\nindex = \"https://old.example/index.git\"\ncredential-provider = \"cargo:libsecret\"\n",
    );
    machine.environment = machine.environment.clone().with("CARGO_REGISTRIES_CRATES_IO_TOKEN", "c");
    machine.ask("", |context| {
        let config = Config::read(context);
        let Ok(Source::Sparse { access, .. }) = config.source(None) else { panic!("no default") };
        assert!(access.logins.is_empty());
        let error = config.source(Some("old")).expect_err("git");
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.hints()[0].contains("sparse+https"));
        assert!(config.source(Some("unknown")).is_err());
        assert!(config.hints()[0].contains("CARGO_REGISTRIES_<NAME>_TOKEN"));
        let shown = format!("{config:?}");
        assert!(!shown.contains("\"b\"") && !shown.contains("\"c\""), "{shown}");
    });
}

#[test]
fn a_mirror_stands_in_for_the_default_registry() {
    let machine = Machine::new();
    machine.write(
        ".cargo/config.toml",
        "[source.crates-io]\nreplace-with = \"mirror\"\n[source.mirror]\nregistry = \"sparse+https://mirror.example/api/\"\n",
    );
    machine.ask("", |context| {
        let config = Config::read(context);
        let Ok(Source::Sparse { index, .. }) = config.source(None) else { panic!("no mirror") };
        assert_eq!(index.as_str(), "https://mirror.example/api/");
    });
}

#[test]
fn dependencies_are_listed_direct_ones_first() {
    let machine = Machine::new();
    machine.write(
        "Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\n[dependencies]\nkit = \"1\"\n",
    );
    machine.write(
        "Cargo.lock",
        &lock(&[
            ("app", "0.1.0", None, ""),
            ("inner", "0.2.0", Some(SOURCE), ""),
            ("kit", "1.2.0", Some(SOURCE), ""),
        ]),
    );
    let found = machine.ask("", |context| Rust.dependencies(context));
    let found: Vec<_> =
        found.iter().map(|it| (it.name.as_str(), it.version.as_deref(), it.direct)).collect();
    assert_eq!(found, [("kit", Some("1.2.0"), true), ("inner", Some("0.2.0"), false)]);
}
