//! Cargo's pages: a sparse index with a line for each release, and an archive for each.

use std::collections::BTreeMap;

use ring::digest::{SHA256, digest};
use serde_json::json;

use super::http::Answer;
use super::{Package, hex, tar_gz};

/// Pages for releases, in the order in which they were published.
pub(super) fn pages(releases: &[Package], base: &str, pages: &mut BTreeMap<String, Answer>) {
    if releases.is_empty() {
        return;
    }
    let configuration = json!({ "dl": format!("{base}/crates"), "auth-required": true });
    let configuration = Answer::body("application/json", configuration.to_string());
    pages.insert("/index/config.json".to_owned(), configuration);
    let mut lines: BTreeMap<&str, String> = BTreeMap::new();
    for release in releases {
        let (name, version) = (release.name.as_str(), release.version.as_str());
        let mut files = release.files.clone();
        if !files.iter().any(|(path, _)| path == "Cargo.toml") {
            let manifest = format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\n");
            files.insert(0, ("Cargo.toml".to_owned(), manifest));
        }
        let archive = tar_gz(&format!("{name}-{version}"), &files);
        let sum = hex(digest(&SHA256, &archive).as_ref());
        let line =
            json!({ "name": name, "vers": version, "deps": [], "cksum": sum, "yanked": false });
        lines.entry(name).or_default().push_str(&format!("{line}\n"));
        let path = format!("/crates/{name}/{version}/download");
        pages.insert(path, Answer::body("application/gzip", archive));
    }
    for (name, lines) in lines {
        let place = match name.len() {
            1 | 2 => format!("{}", name.len()),
            3 => format!("3/{}", &name[..1]),
            _ => format!("{}/{}", &name[..2], &name[2..4]),
        };
        pages.insert(format!("/index/{place}/{name}"), Answer::body("text/plain", lines));
    }
}
