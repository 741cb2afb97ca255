//! Python's pages: the simple API in JSON and HTML, wheels with their metadata beside them, and
//! source archives.

use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};

use ring::digest::{SHA256, digest};
use serde_json::json;

use super::http::Answer;
use super::{Package, hex, tar_gz};

const JSON: &str = "application/vnd.pypi.simple.v1+json";
const HTML: &str = "text/html; charset=utf-8";

/// One file of a distribution.
struct File {
    name: String,
    sha256: String,
    /// The digest of the metadata file, if there is one.
    metadata: Option<String>,
    version: String,
}

/// Pages for releases, in the order in which they were published.
pub(super) fn pages(wheels: &[Package], sdists: &[Package], pages: &mut BTreeMap<String, Answer>) {
    let mut projects: BTreeMap<String, Vec<File>> = BTreeMap::new();
    for release in wheels {
        let (stem, metadata) = (stem(release), metadata(release));
        let bytes = wheel(release, &stem, &metadata);
        let name = format!("{stem}-py3-none-any.whl");
        let mut file = file(release, name, bytes, pages);
        file.metadata = Some(hex(digest(&SHA256, metadata.as_bytes()).as_ref()));
        let path = format!("/files/{}.metadata", file.name);
        pages.insert(path, Answer::body("text/plain", metadata));
        projects.entry(normal(&release.name)).or_default().push(file);
    }
    for release in sdists {
        let stem = stem(release);
        let mut files = release.files.clone();
        files.push(("PKG-INFO".to_owned(), metadata(release)));
        let file = file(release, format!("{stem}.tar.gz"), tar_gz(&stem, &files), pages);
        projects.entry(normal(&release.name)).or_default().push(file);
    }
    for (name, files) in projects {
        let path = format!("/simple/{name}/");
        pages.insert(format!("{path}#html"), Answer::body(HTML, html(&name, &files)));
        pages.insert(path, Answer::body(JSON, json(&name, &files)));
    }
}

fn file(
    release: &Package,
    name: String,
    bytes: Vec<u8>,
    pages: &mut BTreeMap<String, Answer>,
) -> File {
    let sha256 = hex(digest(&SHA256, &bytes).as_ref());
    pages.insert(format!("/files/{name}"), Answer::body("application/octet-stream", bytes));
    File { name, sha256, metadata: None, version: release.version.clone() }
}

fn json(name: &str, files: &[File]) -> String {
    let rows = files.iter().map(|file| {
        json!({
            "filename": file.name,
            "url": format!("../../files/{}", file.name),
            "hashes": { "sha256": file.sha256 },
            "core-metadata": file.metadata.as_ref().map_or(json!(false), |it| json!({ "sha256": it })),
            "yanked": false,
        })
    });
    let rows: Vec<_> = rows.collect();
    let mut versions: Vec<&String> = files.iter().map(|file| &file.version).collect();
    versions.dedup();
    let meta = json!({ "api-version": "1.1" });
    json!({ "meta": meta, "name": name, "versions": versions, "files": rows }).to_string()
}

fn html(name: &str, files: &[File]) -> String {
    let mut page = format!("<!DOCTYPE html><html><head><title>{name}</title></head><body>\n");
    for file in files {
        let metadata = file.metadata.as_ref();
        let metadata = metadata.map(|it| format!(" data-core-metadata=\"sha256={it}\""));
        page += &format!(
            "<a href=\"../../files/{0}#sha256={1}\"{2}>{0}</a><br>\n",
            file.name,
            file.sha256,
            metadata.unwrap_or_default(),
        );
    }
    page + "</body></html>\n"
}

fn wheel(release: &Package, stem: &str, metadata: &str) -> Vec<u8> {
    let info = format!("{stem}.dist-info");
    let mut files = release.files.clone();
    let tag = "Wheel-Version: 1.0\nGenerator: testkit\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
    files.push((format!("{info}/METADATA"), metadata.to_owned()));
    files.push((format!("{info}/WHEEL"), tag.to_owned()));
    let mut record: String = files.iter().map(|(path, _)| format!("{path},,\n")).collect();
    record += &format!("{info}/RECORD,,\n");
    files.push((format!("{info}/RECORD"), record));
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, text) in &files {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(path.as_str(), options).expect("an archive in memory");
        archive.write_all(text.as_bytes()).expect("an archive in memory");
    }
    archive.finish().expect("an archive in memory").into_inner()
}

/// The metadata of a release: its own `METADATA` or `PKG-INFO` file, or the least there can be.
fn metadata(release: &Package) -> String {
    let own = release.files.iter().find(|(path, _)| path == "METADATA" || path == "PKG-INFO");
    own.map_or_else(
        || {
            let (name, version) = (&release.name, &release.version);
            format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        },
        |(_, text)| text.clone(),
    )
}

/// How files of a release are called: `name_with_underscores-version`.
fn stem(release: &Package) -> String {
    format!("{}-{}", normal(&release.name).replace('-', "_"), release.version)
}

/// The normal form of a name: lower case, with every run of `-`, `_` and `.` as one `-`.
fn normal(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}
