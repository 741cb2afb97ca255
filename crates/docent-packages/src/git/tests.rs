//! A repository on disk, fetched as one on the web would be.

use std::path::PathBuf;
use std::process::Command;

use docent_testkit::folder::Folder;

use super::*;
use crate::unpack;
use crate::{ArchiveFormat, Place};

/// A repository in a folder, which the user's configuration takes for `https://git.example/`.
struct World {
    folder: Folder,
    environment: Environment,
    limits: Limits,
}

impl World {
    fn new() -> Self {
        let folder = Folder::new();
        let path = std::env::var("PATH").expect("a PATH");
        let environment = Environment::isolated(folder.path()).with("PATH", &path);
        let rule = format!(
            "[url \"file://{}/\"]\n\tinsteadOf = https://git.example/\n",
            folder.path().join("repositories").display()
        );
        folder.write(".gitconfig", &rule);
        folder.write("repositories/pkg/Package.swift", "// one");
        let world = Self { folder, environment, limits: Limits::default() };
        world.git(&["init", "--quiet", "--initial-branch=main"]);
        world.git(&["add", "."]);
        world.commit("first");
        world.git(&["tag", "1.0.0"]);
        world.folder.write("repositories/pkg/Sources/a.swift", "public let a = 1");
        world.git(&["add", "."]);
        world.commit("second");
        world.git(&[
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@x.example",
            "tag",
            "-a",
            "v1.1.0",
            "-m",
            "x",
        ]);
        world
    }

    fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.current_dir(self.folder.path().join("repositories/pkg"));
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let done = command.args(arguments).output().expect("git");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    fn commit(&self, message: &str) {
        let who = ["-c", "user.name=x", "-c", "user.email=x@x.example", "commit", "--quiet", "-m"];
        self.git(&[&who[..], &[message]].concat());
    }

    fn cache(&self) -> Cache {
        Cache::open(&self.folder.path().join("cache"), &self.limits).expect("a cache")
    }

    async fn references(&self, url: &str) -> Result<Vec<Reference>, Error> {
        let url = Url::parse(url).expect("an address");
        references(&url, &self.environment, &self.limits, false).await
    }
}

fn paths(blob: &Blob) -> Vec<String> {
    let place = Place::Archive {
        file: PathBuf::from(&blob.path),
        format: ArchiveFormat::TarGz,
        prefix: Some(String::new()),
    };
    let tree = unpack::open(&place, &Limits::default()).expect("an archive");
    tree.paths().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_tag_becomes_an_archive() {
    let world = World::new();
    let found = world.references("https://git.example/pkg").await.expect("tags");
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["refs/heads/main", "refs/tags/1.0.0", "refs/tags/v1.1.0"]);
    // A tag with a message leads to the commit, not to the message.
    assert_eq!(found[2].commit, found[0].commit);
    let repository = Url::parse("https://git.example/pkg").expect("an address");
    let cache = world.cache();
    for (reference, expected) in [
        (&found[1], &["Package.swift"][..]),
        (&found[2], &["Package.swift", "Sources/a.swift"][..]),
    ] {
        let artifact = address_of(&repository, reference).expect("an address");
        assert!(is_repository(&artifact));
        let get = |offline| archive(&artifact, &world.environment, &world.limits, &cache, offline);
        let blob = get(false).await.expect("an archive");
        assert_eq!(paths(&blob), expected);
        // Once is enough.
        assert_eq!(get(true).await.expect("from the cache").sha256, blob.sha256);
    }
    let left = std::fs::read_dir(world.folder.path().join("cache/temporary")).expect("a folder");
    assert_eq!(left.count(), 0);
}

#[tokio::test]
async fn a_commit_that_moved_is_refused() {
    let world = World::new();
    let repository = Url::parse("https://git.example/pkg").expect("an address");
    let commit = "0123456789012345678901234567890123456789".to_owned();
    let reference = Reference { name: "refs/tags/1.0.0".to_owned(), commit };
    let artifact = address_of(&repository, &reference).expect("an address");
    let found = archive(&artifact, &world.environment, &world.limits, &world.cache(), false).await;
    assert_eq!(found.err().map(|error| error.kind()), Some(ErrorKind::Integrity));
}

#[tokio::test]
async fn hooks_and_filters_of_a_repository_do_nothing() {
    let world = World::new();
    let mark = world.folder.path().join("ran");
    world.folder.write("repositories/pkg/.gitattributes", "* filter=evil\n*.swift export-subst\n");
    world.folder.write(
        "repositories/pkg/.gitmodules",
        "[submodule \"x\"]\n\tpath = x\n\turl = ext::touch ran\n",
    );
    world.git(&["add", "."]);
    world.commit("third");
    world.git(&["tag", "2.0.0"]);
    let rule = format!("[filter \"evil\"]\n\tsmudge = touch {}\n", mark.display());
    let config = std::fs::read_to_string(world.folder.path().join(".gitconfig")).expect("it");
    world.folder.write(".gitconfig", format!("{config}{rule}"));
    let found = world.references("https://git.example/pkg").await.expect("tags");
    let tag = found.iter().find(|one| one.name == "refs/tags/2.0.0").expect("the tag");
    let repository = Url::parse("https://git.example/pkg").expect("an address");
    let artifact = address_of(&repository, tag).expect("an address");
    let blob = archive(&artifact, &world.environment, &world.limits, &world.cache(), false).await;
    assert!(paths(&blob.expect("an archive")).contains(&"Package.swift".to_owned()));
    assert!(!mark.exists());
}

#[tokio::test]
async fn only_https_and_ssh_are_asked() {
    let world = World::new();
    for url in [
        "file:///etc",
        "ext::sh",
        "git://git.example/pkg",
        "http://git.example/pkg",
        "ssh://-oProxyCommand=x/p",
        "https://git.example/--upload-pack=x",
    ] {
        let Ok(url) = Url::parse(url) else { continue };
        let found = references(&url, &world.environment, &world.limits, false).await;
        assert_eq!(found.err().map(|error| error.kind()), Some(ErrorKind::Refused), "{url}");
    }
    let found = world.references("https://git.example/none").await;
    assert_eq!(found.err().map(|error| error.kind()), Some(ErrorKind::PackageNotFound));
    let url = Url::parse("https://git.example/pkg").expect("an address");
    let offline = references(&url, &world.environment, &world.limits, true).await;
    assert_eq!(offline.err().map(|error| error.kind()), Some(ErrorKind::Offline));
}

#[test]
fn names_are_no_options_and_no_patterns() {
    for (name, expected) in [
        ("refs/tags/1.0.0", true),
        ("refs/heads/feature/a-b", true),
        ("refs/tags/-x", false),
        ("refs/tags/a..b", false),
        ("refs/tags/a b", false),
        ("refs/tags/*", false),
        ("refs/tags/a:b", false),
        ("--upload-pack=x", false),
        ("refs/tags/a@{1}", false),
    ] {
        assert_eq!(is_name(name), expected, "{name}");
    }
}
