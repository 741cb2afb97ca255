//! Lockfiles that package managers wrote for one small workspace, and oddities written by hand.
//!
//! The workspace: the root asks for `zod` 4, `packages/app` for `zod` 3, `ms` 2.1.2, the alias
//! `short-ms` for `ms` 2.0.0, `debug` (which brings `ms` 2.1.3) and `lib`, its neighbor.

use super::*;

const REAL: &[(&str, Parse, &str)] = &[
    ("package-lock v1", package_lock::parse, include_str!("tests/package-lock-v1.json")),
    ("package-lock v3", package_lock::parse, include_str!("tests/package-lock-v3.json")),
    ("pnpm v5", pnpm::parse, include_str!("tests/pnpm-lock-v5.yaml")),
    ("pnpm v6", pnpm::parse, include_str!("tests/pnpm-lock-v6.yaml")),
    ("pnpm v9", pnpm::parse, include_str!("tests/pnpm-lock-v9.yaml")),
    ("yarn classic", yarn::parse, include_str!("tests/yarn-classic.lock")),
    ("yarn berry", yarn::parse, include_str!("tests/yarn-berry.lock")),
    ("bun", bun::parse, include_str!("tests/bun.lock")),
];

fn importer(folder: &str, name: &str, ranges: &[(&str, &str)]) -> Importer {
    let owned = |(name, range): &(&str, &str)| ((*name).to_owned(), (*range).to_owned());
    let ranges = ranges.iter().map(owned).collect();
    Importer { wanted: None, folder: folder.to_owned(), name: Some(name.to_owned()), ranges }
}

fn lockfile(parse: Parse, text: &str, importer: &Importer) -> Lockfile {
    let packages = parse(text, importer, &Limits::default()).expect("a lockfile");
    Lockfile { file: PathBuf::new(), packages }
}

#[test]
fn real_lockfiles_say_what_each_workspace_gets() {
    let root = importer("", "root", &[("zod", "^4.1.0")]);
    let asked = [
        ("zod", "^3.23.0"),
        ("ms", "npm:ms@2.1.2"),
        ("short-ms", "npm:ms@2.0.0"),
        ("debug", "^4.3.0"),
    ];
    let app = importer("packages/app", "app", &asked);
    for (format, parse, text) in REAL {
        let first = |importer: &Importer, name: &str| {
            let lockfile = lockfile(*parse, text, importer);
            let found = lockfile.versions(name).first().copied();
            let (name, version) = found.unwrap_or_else(|| panic!("{format}: no {name}"));
            format!("{name}@{version}")
        };
        assert_eq!(first(&root, "zod"), "zod@4.6.7", "{format}");
        assert_eq!(first(&app, "zod"), "zod@3.25.76", "{format}");
        assert_eq!(first(&app, "ms"), "ms@2.1.2", "{format}");
        assert_eq!(first(&app, "short-ms"), "ms@2.0.0", "{format}");
        assert_eq!(first(&app, "debug"), "debug@4.4.3", "{format}");
        assert_eq!(first(&app, "@types/ms"), "@types/ms@2.1.0", "{format}");
    }
}

#[test]
fn real_lockfiles_are_complete() {
    let root = importer("", "root", &[]);
    for (format, parse, text) in REAL {
        let lockfile = lockfile(*parse, text, &root);
        let mut all: Vec<String> =
            lockfile.all().map(|(name, version)| format!("{name}@{version}")).collect();
        all.sort_unstable();
        all.dedup();
        let expected = [
            "@types/ms@2.1.0",
            "debug@4.4.3",
            "ms@2.0.0",
            "ms@2.1.2",
            "ms@2.1.3",
            "zod@3.25.76",
            "zod@4.6.7",
        ];
        assert_eq!(all, expected, "{format}");
    }
}

#[test]
fn reading_for_one_name_finds_the_same() {
    for (format, parse, text) in REAL {
        for name in ["zod", "ms", "short-ms", "debug", "@types/ms", "none"] {
            let mut app = importer("packages/app", "app", &[("zod", "^3.23.0")]);
            let all = lockfile(*parse, text, &app);
            app.wanted = Some(name.to_owned());
            let one = lockfile(*parse, text, &app);
            let versions = |lockfile: &Lockfile| format!("{:?}", lockfile.versions(name));
            assert_eq!(versions(&one), versions(&all), "{format} {name}");
        }
    }
}

#[test]
fn other_versions_follow() {
    let app = importer("packages/app", "app", &[]);
    let lockfile = lockfile(package_lock::parse, REAL[1].2, &app);
    assert_eq!(lockfile.versions("zod"), [("zod", "3.25.76"), ("zod", "4.6.7")]);
    // A package of the workspace is not one to ask a registry for.
    assert_eq!(lockfile.versions("lib"), []);
    assert_eq!(lockfile.versions("none"), []);
    let text = "packages:\n  a@1.9.0: {}\n  a@1.10.0: {}\n  a@1.2.0: {}\n";
    let lockfile = self::lockfile(pnpm::parse, text, &app);
    assert_eq!(lockfile.versions("a"), [("a", "1.10.0"), ("a", "1.9.0"), ("a", "1.2.0")]);
}

#[test]
fn what_comes_from_a_repository_is_not_locked() {
    let text = r#"{"packages": {
        "node_modules/a": {"version": "1.0.0", "resolved": "git+ssh://git@host.example/a.git#1"},
        "node_modules/b": {"version": "1.0.0", "resolved": "file:b.tgz"},
        "node_modules/c": {"version": "1.0.0", "resolved": "https://registry.example/c.tgz"}
    }}"#;
    let lockfile = lockfile(package_lock::parse, text, &Importer::default());
    assert_eq!(lockfile.all().collect::<Vec<_>>(), [("c", "1.0.0")]);
}

#[test]
fn keys_with_peers() {
    let check = |text: &str, expected: &[&str]| {
        let lockfile = lockfile(pnpm::parse, text, &Importer::default());
        let found: Vec<String> =
            lockfile.all().map(|(name, version)| format!("{name}@{version}")).collect();
        assert_eq!(found, expected, "{text}");
    };
    check("packages:\n  /@s/n/1.2.3_peer@2.0.0+x_y@1.0.0: {}", &["@s/n@1.2.3"]);
    check("packages:\n  /snake_case/1.2.3_peer@2.0.0: {}", &["snake_case@1.2.3"]);
    check("packages:\n  /@s/snake_case@1.2.3(@p/q@2.0.0)(r@1.0.0): {}", &["@s/snake_case@1.2.3"]);
    check("packages:\n  'a@1.2.3(b@2.0.0(c@3.0.0))': {}", &["a@1.2.3"]);
    check("packages:\n  'a@1.0.0-beta.1': {}", &["a@1.0.0-beta.1"]);
    check("packages:\n  'a@https://host.example/a.tgz': {}\n  file:x: {}\n  'a@file:x': {}", &[]);
    check(
        "dependencies:\n  a: 1.2.3_b@2.0.0\n  c:\n    specifier: ^1\n    version: 1.0.0(d@2.0.0)",
        &["a@1.2.3", "c@1.0.0"],
    );
    check("dependencies:\n  a: link:../a\nimporters:\n  .: {}\n  x:\npackages:", &[]);
    check("lockfileVersion: '9.0'\n---\npackages:\n  a@1.0.0: {}", &["a@1.0.0"]);
}

#[test]
fn classic_headings_with_several_ranges() {
    let text = "# c\n\n\"@s/n@^1\", \"@s/n@^1.2\", short@npm:@s/n@^1:\n  version \"1.2.3\"\n  \
                dependencies:\n    version \"9.9.9\"\n\nx@file:x:\n  version \"0.0.0\"\n";
    let lockfile = lockfile(yarn::parse, text, &importer("", "", &[("short", "npm:@s/n@^1")]));
    assert_eq!(lockfile.versions("short"), [("@s/n", "1.2.3")]);
    assert_eq!(lockfile.versions("@s/n"), [("@s/n", "1.2.3")]);
    assert_eq!(lockfile.versions("version"), []);
}

#[test]
fn long_keys() {
    let ranges: Vec<String> = (0..200).map(|minor| format!("a@npm:^1.{minor}.0")).collect();
    let key = ranges.join(", ");
    let text = format!(
        "__metadata:\n  version: 8\n\n? \"{key}\"\n:\n  version: 1.2.3\n  resolution: \"a@npm:1.2.3\"\n  \
         dependencies:\n    b: \"npm:^1\"\n\n\"b@npm:^1\":\n  version: 1.0.0\n  resolution: \"b@npm:1.0.0\"\n"
    );
    let mut importer = Importer { wanted: Some("a".to_owned()), ..Importer::default() };
    assert_eq!(lockfile(yarn::parse, &text, &importer).versions("a"), [("a", "1.2.3")]);
    let text = format!("packages:\n\n  ? 'a@1.2.3({key})'\n  : resolution: {{}}\n    dev: true\n");
    assert_eq!(lockfile(pnpm::parse, &text, &importer).versions("a"), [("a", "1.2.3")]);
    importer.wanted = None;
    assert_eq!(lockfile(pnpm::parse, &text, &importer).versions("a"), [("a", "1.2.3")]);
}

#[test]
fn berry_patches() {
    let text = "__metadata:\n  version: 8\n\n\"t@patch:t@npm%3A5.0.0#optional!builtin<compat/t>\":\n  \
                version: 5.0.0\n  resolution: \"t@patch:t@npm%3A5.0.0#x::version=5.0.0&hash=1\"\n";
    let lockfile = lockfile(yarn::parse, text, &Importer::default());
    assert_eq!(lockfile.versions("t"), [("t", "5.0.0")]);
}

#[test]
fn nonsense_is_said_and_never_a_panic() {
    let texts =
        ["", "{", "[]", "null", "a", "\u{0}", "@", "@@@:\n  version \"", "{\"packages\":[]}"];
    for (format, parse, text) in REAL {
        for nonsense in texts {
            let _ = parse(nonsense, &Importer::default(), &Limits::default());
        }
        for end in (0..text.len()).step_by(7) {
            let _ = parse(&text[..end], &Importer::default(), &Limits::default());
        }
        let deep = "{\"dependencies\":{\"a\":".repeat(50_000);
        let _ = parse(&deep, &Importer::default(), &Limits::default());
        assert!(!format.is_empty());
    }
    assert!(package_lock::parse("[]", &Importer::default(), &Limits::default()).is_err());
    assert!(yarn::parse("a: b", &Importer::default(), &Limits::default()).is_err());
}
