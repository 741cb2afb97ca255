//! What descriptions of packages turn into.

use bytes::Bytes;

use super::*;
use crate::ecosystem::npm::config::tests::registry_at;

fn read(text: &str) -> Result<Releases, Error> {
    let registry = registry_at("https://registry.example/npm/");
    let url = packument_url(&registry.url, "@scope/name").expect("an address");
    let body = Bytes::copy_from_slice(text.as_bytes());
    let document = Document { url, content_type: String::new(), body, stale: false };
    releases(&document, "@scope/name", &registry)
}

#[test]
fn addresses() {
    let check = |package: &str, expected: &str| {
        let registry = Url::parse("https://registry.example/npm/").expect("an address");
        assert_eq!(packument_url(&registry, package).expect(package).as_str(), expected);
    };
    check("zod", "https://registry.example/npm/zod");
    check("@scope/name", "https://registry.example/npm/@scope%2Fname");
}

#[test]
fn releases_are_sorted_and_marked() {
    let releases = read(
        r#"{
            "name": "@scope/name", "modified": "x",
            "dist-tags": {"latest": "1.10.0", "odd": 5},
            "versions": {
                "1.10.0": {"dist": {"tarball": "https://registry.example/x.tgz"}},
                "1.9.0": {"deprecated": "use another", "dist": {}},
                "1.8.0": {"deprecated": "", "dist": {"tarball": "../name-1.8.0.tgz"}},
                "2.0.0-beta.1": {"dist": {"tarball": "file:///etc/passwd"}},
                "not a version": {}
            }
        }"#,
    );
    let releases = releases.expect("releases");
    let found: Vec<(&str, bool, Option<&str>)> = releases
        .all
        .iter()
        .map(|it| {
            let url = it.artifact.as_ref().map(|artifact| artifact.url.as_str());
            (it.version.as_str(), it.stable, url)
        })
        .collect();
    let expected = [
        ("1.8.0", true, Some("https://registry.example/name-1.8.0.tgz")),
        ("1.9.0", false, None),
        ("1.10.0", true, Some("https://registry.example/x.tgz")),
        ("2.0.0-beta.1", false, None),
    ];
    assert_eq!(found, expected);
    assert_eq!(releases.tags, [("latest".to_owned(), "1.10.0".to_owned())]);
}

#[test]
fn nonsense_is_refused() {
    for text in ["", "[]", "null", "{\"versions\": 5}", "{\"name\": \"other\"}", "<html>"] {
        let error = read(text).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::Network);
        assert!(error.to_string().contains("registry.example"), "{error}");
    }
    assert!(read("{}").expect("an empty description").all.is_empty());
}

#[test]
fn published_digests() {
    let check = |dist: Value, expected: &[(Algorithm, &[u8])]| {
        let found = digests(&dist);
        let found: Vec<(Algorithm, &[u8])> =
            found.iter().map(|digest| (digest.algorithm, digest.bytes.as_slice())).collect();
        assert_eq!(found, expected, "{dist}");
    };
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    check(json(r#"{"integrity": "sha512-AQI="}"#), &[(Algorithm::Sha512, &[1, 2])]);
    check(
        json(r#"{"integrity": "sha1-AQ== md5-AQ== sha512-Ag==?option", "shasum": "ff"}"#),
        &[(Algorithm::Sha1, &[1]), (Algorithm::Sha512, &[2])],
    );
    check(json(r#"{"shasum": "00ff10"}"#), &[(Algorithm::Sha1, &[0, 255, 16])]);
    check(json(r#"{"integrity": "md5-AQ==", "shasum": "0a"}"#), &[(Algorithm::Sha1, &[10])]);
    // Nothing matches a digest without bytes: better refused than unchecked.
    check(json(r#"{"integrity": "sha512-!!"}"#), &[(Algorithm::Sha512, &[])]);
    check(json(r#"{"shasum": "xyz"}"#), &[(Algorithm::Sha1, &[])]);
    check(json(r#"{"integrity": 5}"#), &[]);
}

#[test]
fn addresses_lose_their_credentials() {
    let text = r#"{"versions": {"1.0.0": {"dist": {"tarball": "https://u:p@cdn.example/x.tgz"}}}}"#;
    let releases = read(text).expect("releases");
    let artifact = releases.all[0].artifact.as_ref().expect("an artifact");
    assert_eq!(artifact.url.as_str(), "https://cdn.example/x.tgz");
}
