//! Pages of indexes, and the releases that they make.

use bytes::Bytes;

use super::*;

fn page(content_type: &str, body: &str) -> Result<Vec<Link>, Error> {
    links(&Document {
        stale: false,
        url: Url::parse("https://registry.example/simple/a/").unwrap(),
        content_type: content_type.to_owned(),
        body: Bytes::copy_from_slice(body.as_bytes()),
    })
}

/// Releases as `version file`, `-` for no file, `!` for one that no range chooses.
#[track_caller]
fn check(rows: &str, expected: &[&str]) {
    let body = format!("{{\"meta\": {{\"api-version\": \"1.3\"}}, \"files\": [{rows}]}}");
    let found = page("application/vnd.pypi.simple.v1+json", &body).unwrap();
    let releases = group(&found, "a", &Access::default(), &Limits::default());
    let shown = |release: &Release| {
        let file = release
            .artifact
            .as_ref()
            .map(|artifact| crate::tree::file_name(artifact.url.path()).to_owned());
        let stable = if release.stable { "" } else { "!" };
        format!("{}{stable} {}", release.version, file.as_deref().unwrap_or("-"))
    };
    assert_eq!(releases.all.iter().map(shown).collect::<Vec<_>>(), expected);
}

fn row(file: &str) -> String {
    format!("{{\"filename\": \"{file}\", \"url\": \"../../f/{file}\"}},")
}

fn rows(files: &[&str]) -> String {
    files.iter().map(|file| row(file)).collect::<String>().trim_end_matches(',').to_owned()
}

#[test]
fn versions_in_their_order_with_the_best_file() {
    check(
        &rows(&[
            "a-1.10.tar.gz",
            "a-1.9.zip",
            "a-1.9.tar.gz",
            "a-2.0rc1-py3-none-any.whl",
            "a-1.10-py3-none-any.whl",
            "a-1.10-cp311-cp311-win32.whl",
            "a-1.8.tar.bz2",
            "b-3.0.tar.gz",
            "a-1.7-py2-none-any.whl",
            "a-1.7.zip",
            "nonsense",
        ]),
        &[
            "1.7 a-1.7.zip",
            "1.8 -",
            "1.9 a-1.9.tar.gz",
            "1.10 a-1.10-py3-none-any.whl",
            "2.0rc1! a-2.0rc1-py3-none-any.whl",
        ],
    );
}

#[test]
fn this_machine_then_the_smallest_and_never_too_large() {
    let here = format!("manylinux_2_17_{}", std::env::consts::ARCH);
    let (os, here) = (std::env::consts::OS, here.as_str());
    assert!(os != "linux" || pick_of(&[(here, 9), ("win32", 1)]) == here);
    assert_eq!(pick_of(&[("plan9_x", 9), ("plan9_y", 1)]), "plan9_y");
    let limit = Limits::default().download_bytes_max;
    assert_eq!(pick_of(&[("any", limit + 1), ("plan9_x", limit)]), "plan9_x");
    assert_eq!(pick_of(&[("any", limit + 1)]), "any");
}

/// The platform of the wheel that is chosen of these, which have sizes.
fn pick_of(wheels: &[(&str, u64)]) -> String {
    let links: Vec<Link> = wheels
        .iter()
        .map(|(platform, size)| Link {
            file: format!("a-1-py3-none-{platform}.whl"),
            url: Url::parse("https://registry.example/x").unwrap(),
            digests: Vec::new(),
            yanked: false,
            size: Some(*size),
        })
        .collect();
    let kinds: Vec<(Kind, &Link)> =
        links.iter().map(|link| (file_name::parse(&link.file, "a").unwrap().1, link)).collect();
    let found = pick::best(&kinds, Limits::default().download_bytes_max).unwrap().1;
    found.file.trim_start_matches("a-1-py3-none-").trim_end_matches(".whl").to_owned()
}

#[test]
fn yanked_files_and_releases() {
    check(
        r#"{"filename": "a-1.0.tar.gz", "url": "a-1.0.tar.gz", "yanked": false},
           {"filename": "a-1.0-py3-none-any.whl", "url": "a-1.0-py3-none-any.whl", "yanked": "bad"},
           {"filename": "a-1.1.tar.gz", "url": "a-1.1.tar.gz", "yanked": true},
           {"filename": "a-1.2.tar.gz", "url": "a-1.2.tar.gz", "yanked": ""}"#,
        &["1.0 a-1.0.tar.gz", "1.1! a-1.1.tar.gz", "1.2! a-1.2.tar.gz"],
    );
}

#[test]
fn digests_and_addresses() {
    let sha = "ab".repeat(32);
    let body = format!(
        r#"{{"files": [
            {{"filename": "a-1.zip", "url": "http://files.example/a-1.zip", "hashes": {{"sha256": "{sha}", "md5": "00", "sha512": "zz"}}}},
            {{"filename": "a-2.zip", "url": "http://files.example/a-2.zip", "hashes": {{}}}},
            {{"filename": "a-3.zip", "url": "file:///etc/passwd"}},
            {{"filename": "a-4.zip", "url": "//other.example/a-4.zip", "hashes": 3, "size": "x", "yanked": null}},
            {{"filename": "a-5.zip", "url": "https://["}}]}}"#
    );
    let found = page("application/json", &body).unwrap();
    let shown = |link: &Link| format!("{} {}", link.url, link.digests.len());
    assert_eq!(
        found.iter().map(shown).collect::<Vec<_>>(),
        ["http://files.example/a-1.zip 1", "https://other.example/a-4.zip 0"]
    );
    assert_eq!(found[0].digests[0].bytes, [0xab; 32]);
}

#[test]
fn html_is_told_from_json_and_nonsense_from_both() {
    let html = "<html><a href='a-1.0.zip'>x</a>";
    assert_eq!(page("application/vnd.pypi.simple.v1+html", html).unwrap().len(), 1);
    assert_eq!(page("text/plain", html).unwrap().len(), 1);
    assert_eq!(page("text/plain", " {\"files\": []}").unwrap().len(), 0);
    let deep = "[".repeat(100_000);
    for body in [
        "",
        "{",
        "[]",
        "{\"files\": 3}",
        "{\"meta\": {\"api-version\": \"2.0\"}}",
        "{\"files\": [3]}",
        &deep,
    ] {
        let error = page("application/json", body).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Network, "{body}");
    }
}

#[test]
fn dots_in_file_names_tell_a_distribution_from_a_module() {
    let name = name::parse("Zope.interface").unwrap();
    let link = |file: &str| Link {
        file: file.to_owned(),
        url: Url::parse("https://registry.example/x").unwrap(),
        digests: Vec::new(),
        yanked: false,
        size: None,
    };
    assert!(is_written_so(
        &name,
        &[link("zope_interface-6.0.tar.gz"), link("zope.interface-5.0.tar.gz")]
    ));
    assert!(!is_written_so(&name, &[link("zope-interface-6.0.tar.gz")]));
}

#[test]
fn the_projects_own_files_tell_what_to_ask_for() {
    let folder = docent_testkit::folder::Folder::new();
    folder.write("pyproject.toml", "[project]\ndependencies = ['a.b']\n");
    let limits = Limits::default();
    let folders = [folder.path().to_owned()];
    let ask =
        |written: &str| to_ask(&name::parse(written).unwrap(), &folders, &Files::new(&limits));
    assert_eq!(ask("a.b.c"), ["a-b"]);
    assert_eq!(ask("x.y.z"), ["x-y-z", "x"]);
    assert_eq!(ask("x"), ["x"]);
}

proptest::proptest! {
    #[test]
    fn any_page_is_read(body in "[<>a-z=\"'/&;#! \n{}\\[\\]:,.-é-]{0,200}", file in "[a-z0-9._-]{0,30}") {
        let _ = page("text/html", &body);
        let _ = page("application/json", &body);
        let anchors = format!("<a href=\"{file}\"><a {body}");
        if let Ok(found) = page("text/html", &anchors) {
            group(&found, "a", &Access::default(), &Limits::default());
        }
    }
}
