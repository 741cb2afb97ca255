//! npm's pages: a packument for each package, and a tarball for each release.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA512, digest};
use serde_json::{Map, Value, json};

use super::http::Answer;
use super::{Package, hex, tar_gz};

/// Pages for releases, in the order in which they were published; the last one is `latest`.
pub(super) fn pages(releases: &[Package], base: &str, pages: &mut BTreeMap<String, Answer>) {
    let mut packages: BTreeMap<&str, Vec<&Package>> = BTreeMap::new();
    for release in releases {
        packages.entry(&release.name).or_default().push(release);
    }
    for (name, releases) in packages {
        let mut versions = Map::new();
        for release in &releases {
            let tarball = tarball(release);
            let file = name.rsplit('/').next().unwrap_or(name);
            let path = format!("/{name}/-/{file}-{}.tgz", release.version);
            versions.insert(release.version.clone(), version(release, &tarball, base, &path));
            pages.insert(path, Answer::body("application/octet-stream", tarball));
        }
        let latest = releases.last().map(|release| release.version.clone());
        let packument =
            json!({ "name": name, "dist-tags": { "latest": latest }, "versions": versions });
        let answer = Answer::body("application/json", packument.to_string());
        pages.insert(format!("/{}", name.replace('/', "%2f")), answer.clone());
        pages.insert(format!("/{}", name.replace('/', "%2F")), answer.clone());
        pages.insert(format!("/{name}"), answer);
    }
}

/// What the packument says of one release: what its own manifest says, and where the file is.
fn version(release: &Package, tarball: &[u8], base: &str, path: &str) -> Value {
    let manifest = release.files.iter().find(|(path, _)| path == "package.json");
    let manifest = manifest.and_then(|(_, text)| serde_json::from_str(text).ok());
    let mut manifest: Map<String, Value> = manifest.unwrap_or_default();
    manifest.insert("name".to_owned(), json!(release.name));
    manifest.insert("version".to_owned(), json!(release.version));
    let integrity = STANDARD.encode(digest(&SHA512, tarball));
    let dist = json!({
        "tarball": format!("{base}{path}"),
        "integrity": format!("sha512-{integrity}"),
        "shasum": hex(digest(&SHA1_FOR_LEGACY_USE_ONLY, tarball).as_ref()),
    });
    manifest.insert("dist".to_owned(), dist);
    Value::Object(manifest)
}

fn tarball(release: &Package) -> Vec<u8> {
    let mut files = release.files.clone();
    if !files.iter().any(|(path, _)| path == "package.json") {
        let manifest = json!({ "name": release.name, "version": release.version });
        files.insert(0, ("package.json".to_owned(), manifest.to_string()));
    }
    tar_gz("package", &files)
}
