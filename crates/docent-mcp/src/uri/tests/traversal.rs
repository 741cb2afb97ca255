//! Hostile paths, as text.

use std::path::{Component, Path};

use super::template;
use crate::uri::{file_path, is_safe_segment, join_inside};

/// Ways to write `../` and its kin; each is tried alone and with something before and behind it.
const HOSTILE: [&str; 32] = [
    "..",
    ".",
    "../",
    "./",
    "..%2f",
    "%2e%2e",
    "%2E%2e",
    ".%2e",
    "%2e.",
    "%2e",
    "%2e%2e%2f",
    "%2e%2e/",
    "..%5c",
    "..%5C..",
    "%5c",
    "%2F",
    "%2fetc",
    "%00",
    "a%00.txt",
    "..%00",
    "..\\",
    "..;/",
    "%c0%ae%c0%ae",
    "%e0%80%ae",
    "%ff",
    "%",
    "%2",
    "%zz",
    "..%2f..%2f..%2fetc%2fpasswd",
    "..%5c..%5cwindows",
    "//",
    "\0",
];

/// Whether decoded text, joined to a folder, could name something outside of it.
fn escapes(value: &str) -> bool {
    value.contains(['\0', '\\']) || value.split('/').any(|segment| matches!(segment, "." | ".."))
}

fn is_below(root: &Path, path: &Path) -> bool {
    path.starts_with(root) && path.components().all(|part| part != Component::ParentDir)
}

/// [SRV-RES-05] no spelling of a hostile path gets through a template or a `file:` URI
#[test]
fn hostile_paths_are_refused() {
    let segment_templates =
        ["d://r/{x}", "d://r{/x}", "d://r{/x*}", "d://r{/x,y,z}", "d://r/{x}/{y}"];
    let any = template("d://r/{+x}");
    let root = Path::new(if cfg!(windows) { "C:\\r" } else { "/r" });
    let drive = if cfg!(windows) { "/C:" } else { "" };
    for hostile in HOSTILE {
        for path in ["", "a/", "a/b/"].iter().flat_map(|before| {
            ["", "/", "/c", "/%2e%2e/c"].map(|behind| format!("{before}{hostile}{behind}"))
        }) {
            let uri = format!("d://r/{path}");
            for text in segment_templates {
                for (name, value) in template(text).matches(&uri).into_iter().flatten() {
                    let list = value.as_list().map(<[String]>::to_vec);
                    let text = value.as_text().map(str::to_owned);
                    for value in list.into_iter().flatten().chain(text) {
                        let harmless = !escapes(&value) && !value.contains('/');
                        assert!(harmless, "{uri} gave {name}={value:?}");
                    }
                }
            }
            if let Some(found) = any.matches(&uri) {
                let value = found.get("x").unwrap();
                assert!(!escapes(value), "{uri} gave {value:?}");
                if let Ok(path) = join_inside(root, value) {
                    assert!(is_below(root, &path), "{uri} gave {path:?}");
                }
            }
            if let Ok(found) = file_path(root, &format!("file://{drive}/r/{path}")) {
                assert!(is_below(root, &found), "{path} gave {found:?}");
            }
        }
    }
}

/// [SRV-RES-05] random mixtures of everything that was ever used to leave a folder
#[test]
fn random_paths_stay_inside() {
    let pieces = [
        ".", "..", "/", "%2e", "%2E", "%2f", "%5c", "\\", "%00", "%25", "2e", "a", "b.c", "~", ":",
        "%c0%ae", "é", ";", "?", "#", "%0a", " ",
    ];
    let mut random = super::Random(0xD0CE);
    let templates = ["d://{x}", "d://{+x}", "d:/{/x*}", "d://{x}/{y}", "d://{x}{.y}"].map(template);
    let root = Path::new(if cfg!(windows) { "C:\\r" } else { "/r" });
    let mut matched = 0;
    for round in 0..8_000 {
        let path = random.text(&pieces, 1, 9);
        for template in &templates {
            for (_, value) in template.matches(&format!("d://{path}")).into_iter().flatten() {
                matched += 1;
                let items = value.as_list().map(<[String]>::to_vec).unwrap_or_default();
                for text in items.iter().map(String::as_str).chain(value.as_text()) {
                    assert!(!escapes(text), "round {round}: {template} {path} gave {text:?}");
                    if let Ok(joined) = join_inside(root, text) {
                        assert!(
                            joined.starts_with(root) && joined != root,
                            "round {round}: {path}"
                        );
                        assert!(text.trim_end_matches('/').split('/').all(is_safe_segment));
                    }
                }
            }
        }
        for uri in [format!("file:///r/{path}"), format!("file://{path}"), format!("file:{path}")] {
            if let Ok(found) = file_path(root, &uri) {
                assert!(is_below(root, &found), "round {round}: {uri} gave {found:?}");
            }
        }
    }
    assert!(matched > 2_000, "only {matched} values were seen");
}

#[cfg(unix)]
#[test]
fn file_uris_name_paths_inside_the_root() {
    for (root, uri, expected) in [
        ("/r", "file:///r/a.txt", "/r/a.txt"),
        ("/r", "file:///r/a%20b/%C3%A9", "/r/a b/é"),
        ("/r", "file://localhost/r/a", "/r/a"),
        ("/r", "FILE:/r/a", "/r/a"),
        ("/r", "file:///r", "/r"),
        ("/r", "file:///r/", "/r"),
        ("/r/", "file:///r/a..b/.c/...", "/r/a..b/.c/..."),
        ("/", "file:///a", "/a"),
        ("/", "file:///", "/"),
        ("/r", "file:///r-evil/a", "outside"),
        ("/r", "file:///ra", "outside"),
        ("/r", "file:///R/a", "outside"),
        ("/r", "file:///a", "outside"),
        ("/r", "file:///proc/self/root/etc/passwd", "outside"),
        ("r", "file:///r/a", "outside"),
        ("/x/../r", "file:///x/../r/a", "cannot name one file"),
        ("/x/../r", "file:///r/a", "outside"),
        ("/r", "file:///r/../r/a", "cannot name one file"),
        ("/r", "file:///r//a", "cannot name one file"),
        ("/r", "file:////r/a", "cannot name one file"),
        ("/r", "file:///r/a%2Fb", "cannot name one file"),
        ("/r", "file:///r/a%5Cb", "cannot name one file"),
        ("/r", "file:///r/a%00", "cannot name one file"),
        ("/r", "file:///r/a%0A", "cannot name one file"),
        ("/r", "file:///r/%FF", "cannot name one file"),
        ("/r", "file:///r/%252e%252e/a", "/r/%2e%2e/a"),
        ("/r", "file:///r/a?b", "not a `file:` URI"),
        ("/r", "file:///r/a#b", "not a `file:` URI"),
        ("/r", "file://host/r/a", "not a `file:` URI"),
        ("/r", "file://r/a", "not a `file:` URI"),
        ("/r", "file:r/a", "not a `file:` URI"),
        ("/r", "file:", "not a `file:` URI"),
        ("/r", "file://", "not a `file:` URI"),
        ("/r", "https:///r/a", "not a `file:` URI"),
        ("/r", "/r/a", "no scheme"),
        ("/r", "file:///r/a b", "cannot stand in a URI"),
    ] {
        let found = match file_path(Path::new(root), uri) {
            Ok(path) => path.to_str().unwrap().to_owned(),
            Err(error) => error.to_string(),
        };
        let fits = found == expected || !expected.starts_with('/') && found.contains(expected);
        assert!(fits, "{uri} in {root}: {found}");
    }
}
