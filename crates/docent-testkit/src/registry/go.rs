//! The pages of a Go module proxy: lists of versions, and each version's description, `go.mod` and
//! archive.

use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};

use base64::Engine as _;
use ring::digest::{SHA256, digest};
use serde_json::json;

use super::http::Answer;
use super::{Package, hex};

/// Pages for releases, in the order in which they were published.
pub(super) fn pages(releases: &[Package], pages: &mut BTreeMap<String, Answer>) {
    let mut lists: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for release in releases {
        let base = format!("/go/{}/@v", escaped(&release.name));
        lists.entry(base.clone()).or_default().push(release.version.clone());
        let version = escaped(&release.version);
        let info = json!({"Version": release.version, "Time": "2024-01-02T03:04:05Z"}).to_string();
        let page = |ending: &str| format!("{base}/{version}.{ending}");
        pages.insert(page("info"), Answer::body("application/json", info));
        let manifest = release.files.iter().find(|(path, _)| path == "go.mod");
        let manifest =
            manifest.map_or(format!("module {}\n", release.name), |(_, text)| text.clone());
        pages.insert(page("mod"), Answer::body("text/plain", manifest));
        pages.insert(page("zip"), Answer::body("application/zip", archive(release)));
    }
    for (base, versions) in lists {
        pages.insert(format!("{base}/list"), Answer::body("text/plain", versions.join("\n")));
    }
}

fn full_name(release: &Package, path: &str) -> String {
    format!("{}@{}/{path}", release.name, release.version)
}

fn archive(release: &Package) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (path, text) in &release.files {
        zip.start_file(full_name(release, path), options).expect("an entry");
        zip.write_all(text.as_bytes()).expect("its text");
    }
    zip.finish().expect("an archive").into_inner()
}

/// The line of `go.sum` for a release.
pub(super) fn sum(release: &Package) -> String {
    let mut lines: Vec<String> = release
        .files
        .iter()
        .map(|(path, text)| {
            let hash = hex(digest(&SHA256, text.as_bytes()).as_ref());
            format!("{hash}  {}\n", full_name(release, path))
        })
        .collect();
    lines.sort_by(|left, right| left[64..].cmp(&right[64..]));
    let hash = digest(&SHA256, lines.concat().as_bytes());
    let hash = base64::engine::general_purpose::STANDARD.encode(hash.as_ref());
    format!("{} {} h1:{hash}\n", release.name, release.version)
}

/// Capital letters as proxies want them.
fn escaped(text: &str) -> String {
    let escape = |c: char| {
        if c.is_ascii_uppercase() { format!("!{}", c.to_ascii_lowercase()) } else { c.to_string() }
    };
    text.chars().map(escape).collect()
}
