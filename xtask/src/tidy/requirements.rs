//! Each requirement of the protocol has a test that names it.
//!
//! `xtask/protocol.txt` lists the requirements, one per line: id, revisions, words. A test
//! claims some of them in the doc comment directly above it:
//!
//! ```text
//! /// Ids keep their JSON type. [BOTH-RPC-01] [BOTH-RPC-02]
//! #[tokio::test]
//! async fn string_and_number_ids_stay_apart() {
//! ```
//!
//! A file of test data (anything but Rust below a `tests` folder) claims them in its first line
//! or, without brackets, in its name. What has no test is in `xtask/protocol-exceptions.txt`:
//! ids, a colon, the reason. So a requirement cannot lose its test unseen, an exception cannot
//! outlive its reason, and a misspelled or stray tag does not count.

use std::collections::{BTreeMap, BTreeSet};

use super::Problem;
use super::tree::Tree;
use crate::workspace::Workspace;

const LIST: &str = "xtask/protocol.txt";
const EXCEPTIONS: &str = "xtask/protocol-exceptions.txt";

/// A requirement's id somewhere, with the line.
type Place<'a> = (&'a str, usize);

pub(crate) fn check(tree: &Tree, _: &Workspace) -> Vec<Problem> {
    let mut problems = Vec::new();
    let list = read_list(tree, &mut problems);
    let exceptions = read_exceptions(tree, &mut problems);
    let tested = read_tags(tree, &list, &mut problems);

    for (id, line) in &list {
        if !tested.contains(id) && !exceptions.contains_key(id) {
            let what = format!("{id} has no test; tag one with [{id}] or add it to {EXCEPTIONS}");
            problems.push(Problem::new(LIST, *line, what));
        }
    }
    for (id, line) in &exceptions {
        if !list.contains_key(id) {
            problems.push(Problem::new(EXCEPTIONS, *line, format!("{id} is not in {LIST}")));
        }
        if tested.contains(id) {
            let what = format!("{id} has a test now; remove the exception");
            problems.push(Problem::new(EXCEPTIONS, *line, what));
        }
    }
    problems
}

/// How many requirements are tested, and which are not.
pub(crate) fn summary(tree: &Tree) -> String {
    let mut unused = Vec::new();
    let list = read_list(tree, &mut unused);
    let tested = read_tags(tree, &list, &mut unused);
    let untested: Vec<&str> = list.keys().filter(|id| !tested.contains(*id)).copied().collect();
    let count = list.len() - untested.len();
    let without = if untested.is_empty() { "none".to_owned() } else { untested.join(" ") };
    format!("requirements: {count} of {} tested; without a test: {without}", list.len())
}

/// The lines of a list that are not comments.
fn entries<'a>(tree: &'a Tree, file: &'static str) -> impl Iterator<Item = (usize, &'a str)> {
    let lines = tree.text(file).unwrap_or_default().lines().enumerate();
    lines
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn read_list<'a>(tree: &'a Tree, problems: &mut Vec<Problem>) -> BTreeMap<&'a str, usize> {
    let mut list = BTreeMap::new();
    for (line, entry) in entries(tree, LIST) {
        let mut words = entry.split_whitespace();
        let id = words.next().unwrap_or_default();
        if !is_id(id) || words.count() < 2 {
            let what = format!("`{entry}` is not an id, its revisions and what it asks");
            problems.push(Problem::new(LIST, line, what));
        } else if list.insert(id, line).is_some() {
            problems.push(Problem::new(LIST, line, format!("{id} is listed twice")));
        }
    }
    if list.is_empty() {
        problems.push(Problem::new(LIST, 1, "lists no requirement"));
    }
    list
}

fn read_exceptions<'a>(tree: &'a Tree, problems: &mut Vec<Problem>) -> BTreeMap<&'a str, usize> {
    let mut exceptions = BTreeMap::new();
    for (line, entry) in entries(tree, EXCEPTIONS) {
        let (ids, reason) = entry.split_once(':').unwrap_or((entry, ""));
        if reason.trim().is_empty() {
            problems.push(Problem::new(EXCEPTIONS, line, "needs a reason after a colon"));
        }
        for id in ids.split_whitespace() {
            if exceptions.insert(id, line).is_some() {
                problems.push(Problem::new(EXCEPTIONS, line, format!("{id} is excepted twice")));
            }
        }
    }
    exceptions
}

/// The ids that tests claim.
fn read_tags<'a>(
    tree: &'a Tree,
    list: &BTreeMap<&'a str, usize>,
    problems: &mut Vec<Problem>,
) -> BTreeSet<&'a str> {
    let mut tested = BTreeSet::new();
    let rooms = ["crates/", "interop/", "conformance/"];
    for (file, text) in tree.files() {
        if !rooms.iter().any(|room| file.starts_with(room)) {
            continue;
        }
        let mut tags = Tags::default();
        if file.ends_with(".rs") {
            tags.read_source(text);
        } else if file.contains("/tests/") {
            tags.read_data(file, text);
        }
        for (id, line) in tags.stray {
            let what = format!("[{id}] is not in the doc comment directly above a test");
            problems.push(Problem::new(file, line, what));
        }
        for (id, line) in tags.claimed {
            if list.contains_key(id) {
                tested.insert(id);
            } else {
                problems.push(Problem::new(file, line, format!("{id} is not in {LIST}")));
            }
        }
    }
    tested
}

/// The tags of one file.
#[derive(Default)]
struct Tags<'a> {
    /// Attached to a test.
    claimed: Vec<Place<'a>>,
    /// Attached to nothing.
    stray: Vec<Place<'a>>,
}

impl<'a> Tags<'a> {
    fn read_source(&mut self, text: &'a str) {
        let (mut open, mut is_test, mut attribute_depth) = (Vec::new(), false, 0);
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            let tags = || tags(line).map(|id| (id, index + 1));
            if attribute_depth > 0 || line.starts_with("#[") {
                is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
                attribute_depth += depth(line);
            } else if line.starts_with("///") {
                open.extend(tags());
            } else if line.starts_with("//") {
                self.stray.extend(tags());
            } else {
                let claimed = is_test && line.contains("fn ");
                let place = if claimed { &mut self.claimed } else { &mut self.stray };
                place.append(&mut open);
                is_test = false;
            }
        }
        self.stray.append(&mut open);
    }

    fn read_data(&mut self, file: &'a str, text: &'a str) {
        let name = file.rsplit('/').next().unwrap_or_default();
        self.claimed.extend(ids_in_name(name).map(|id| (id, 1)));
        self.claimed.extend(tags(text.lines().next().unwrap_or_default()).map(|id| (id, 1)));
    }
}

/// What stands in brackets and starts like an id, well formed or not.
fn tags(line: &str) -> impl Iterator<Item = &str> {
    line.split('[').skip(1).filter_map(|rest| {
        let (tag, _) = rest.split_once(']')?;
        starts_like_id(tag).then_some(tag)
    })
}

/// The ids in a file name such as `BOTH-RPC-01-batches.txt`.
fn ids_in_name(name: &str) -> impl Iterator<Item = &str> {
    name.char_indices().filter_map(|(at, _)| {
        let rest = &name[at..];
        let end = rest.match_indices(|c: char| c.is_ascii_digit()).nth(1)?.0 + 1;
        (starts_like_id(rest) && is_id(&rest[..end])).then(|| &rest[..end])
    })
}

fn starts_like_id(text: &str) -> bool {
    ["AS-", "BOTH-", "CLI-", "SEC-", "SRV-"].iter().any(|side| text.starts_with(side))
}

/// Side, area, two digits: `SRV-TOOLS-07`. Practices of security are an area without a side.
fn is_id(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let (area, number) = match parts[..] {
        ["SEC", number] => ("SEC", number),
        ["SEC", ..] => return false,
        [_, area, number] => (area, number),
        _ => return false,
    };
    starts_like_id(text)
        && !area.is_empty()
        && area.bytes().all(|byte| byte.is_ascii_uppercase())
        && number.len() == 2
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// How many brackets a line opens more than it closes.
fn depth(line: &str) -> i32 {
    let count = |bracket| i32::try_from(line.matches(bracket).count()).unwrap_or(i32::MAX);
    count('[') - count(']')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problems_of;

    const TEST: &str = "crates/a/tests/it/ids.rs";

    fn check_source(file: &str, source: &str) -> String {
        let files = [
            (LIST, "# ids\nBOTH-RPC-01 all ids keep their type\nSRV-HTTP-02 A+ binds locally\n"),
            (EXCEPTIONS, "SRV-HTTP-02: not built\n"),
            (file, source),
        ];
        problems_of(check, &Workspace::default(), &files)
    }

    fn check_lists(list: &str, exceptions: &str) -> String {
        let test = (TEST, "/// [BOTH-RPC-01]\n#[test]\nfn a() {}");
        let files = [(LIST, list), (EXCEPTIONS, exceptions), test];
        problems_of(check, &Workspace::default(), &files)
    }

    const UNTESTED: &str = "xtask/protocol.txt:2: BOTH-RPC-01 has no test; tag one with \
                            [BOTH-RPC-01] or add it to xtask/protocol-exceptions.txt\n";

    #[test]
    fn a_tag_above_a_test_counts() {
        for source in [
            "/// Words. [BOTH-RPC-01]\n#[test]\nfn a() {}",
            "    /// [BOTH-RPC-01]\n    #[cfg(unix)]\n    #[tokio::test(start_paused = true)]\n    async fn a() {}",
            "/// [BOTH-RPC-01]\n#[test]\n#[expect(\n    x,\n    reason = \"y\"\n)]\nfn a() {}",
        ] {
            assert_eq!(check_source(TEST, source), "");
        }
    }

    #[test]
    fn a_data_file_counts_by_name_and_by_first_line() {
        assert_eq!(check_source("crates/a/tests/data/BOTH-RPC-01-ids.txt", ""), "");
        assert_eq!(check_source("crates/a/tests/data/ids.txt", "# [BOTH-RPC-01]\n"), "");
        assert_eq!(check_source("crates/a/tests/data/ids.txt", "\n# [BOTH-RPC-01]\n"), UNTESTED);
    }

    #[test]
    fn a_requirement_without_test_fails() {
        assert_eq!(check_source(TEST, "#[test]\nfn a() {}"), UNTESTED);
        assert_eq!(
            check_source("bench/src/main.rs", "/// [BOTH-RPC-01]\n#[test]\nfn a() {}"),
            UNTESTED
        );
    }

    #[test]
    fn a_tag_that_is_attached_to_nothing_fails() {
        for (line, source) in [
            (1, "/// [BOTH-RPC-01]\nfn a() {}"),
            (1, "/// [BOTH-RPC-01]\n\n#[test]\nfn a() {}"),
            (1, "//! [BOTH-RPC-01]"),
            (2, "#[test]\n// [BOTH-RPC-01]\nfn a() {}"),
            (3, "#[test]\nfn a() {}\n/// [BOTH-RPC-01]"),
        ] {
            let stray = format!(
                "{TEST}:{line}: [BOTH-RPC-01] is not in the doc comment directly above a test\n"
            );
            assert_eq!(check_source(TEST, source), stray + UNTESTED);
        }
    }

    #[test]
    fn a_tag_that_is_no_requirement_fails() {
        let source = "/// [BOTH-RPC-01] [BOTH-RPC-1] [SRV-NONE-01]\n#[test]\nfn a() {}";
        let expected = format!(
            "{TEST}:1: BOTH-RPC-1 is not in {LIST}\n{TEST}:1: SRV-NONE-01 is not in {LIST}\n"
        );
        assert_eq!(check_source(TEST, source), expected);
    }

    #[test]
    fn an_exception_with_a_test_fails() {
        let source = "/// [BOTH-RPC-01] [SRV-HTTP-02]\n#[test]\nfn a() {}";
        let expected =
            format!("{EXCEPTIONS}:1: SRV-HTTP-02 has a test now; remove the exception\n");
        assert_eq!(check_source(TEST, source), expected);
    }

    #[test]
    fn faults_in_the_lists_fail() {
        for (list, exceptions, expected) in [
            (
                "BOTH-RPC-01 all x\nBOTH-RPC-01 all x",
                "",
                format!("{LIST}:2: BOTH-RPC-01 is listed twice\n"),
            ),
            (
                "BOTH-RPC-01 all x\nBOTH-2 all x",
                "",
                format!("{LIST}:2: `BOTH-2 all x` is not an id, its revisions and what it asks\n"),
            ),
            (
                "BOTH-RPC-01 all x",
                "SRV-GONE-01: why",
                format!("{EXCEPTIONS}:1: SRV-GONE-01 is not in {LIST}\n"),
            ),
            (
                "BOTH-RPC-01 all x\nSRV-HTTP-01 all x",
                "SRV-HTTP-01:\n",
                format!("{EXCEPTIONS}:1: needs a reason after a colon\n"),
            ),
            (
                "BOTH-RPC-01 all x\nSRV-HTTP-01 all x",
                "SRV-HTTP-01: y\nSRV-HTTP-01: y",
                format!("{EXCEPTIONS}:2: SRV-HTTP-01 is excepted twice\n"),
            ),
        ] {
            assert_eq!(check_lists(list, exceptions), expected);
        }
        assert!(check_lists("", "").starts_with("xtask/protocol.txt:1: lists no requirement\n"));
    }

    #[test]
    fn the_summary_names_what_is_missing() {
        let files = [
            (LIST, "BOTH-RPC-01 all x\nSRV-HTTP-02 A+ y"),
            (TEST, "/// [BOTH-RPC-01]\n#[test]\nfn a() {}"),
        ];
        let expected = "requirements: 1 of 2 tested; without a test: SRV-HTTP-02";
        assert_eq!(summary(&Tree::of(&files)), expected);
    }
}
