//! Lock files: what counts as a change, and what is said about it.

use docent_host::config::Machine;
use docent_host::pin::{Lock, LockError};
use docent_testkit::folder::Folder;
use serde_json::{Value, json};

fn tool(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description, "inputSchema": { "type": "object" } })
}

fn check(approved: &[Value], now: &[Value], expected: &str) {
    let mut lock = Lock::default();
    lock.approve("s", approved);
    let said: Vec<String> = lock.diff("s", now).iter().map(ToString::to_string).collect();
    assert_eq!(said.join("\n"), expected);
}

#[test]
fn changes_are_named() {
    let (a, b) = (tool("a", "A."), tool("b", "B."));
    check(std::slice::from_ref(&a), std::slice::from_ref(&a), "");
    check(std::slice::from_ref(&a), &[b.clone(), a.clone()], "+ b");
    check(&[a.clone(), b.clone()], std::slice::from_ref(&b), "- a");
    check(std::slice::from_ref(&a), &[tool("a", "A. <IMPORTANT>")], "~ a: description");
    let mut annotated = a.clone();
    annotated["annotations"] = json!({ "readOnlyHint": true });
    annotated["inputSchema"]["required"] = json!(["x"]);
    check(&[a], &[annotated], "~ a: annotations, inputSchema");
}

#[test]
fn where_keys_stand_makes_no_difference_but_values_do() {
    let one: Value = serde_json::from_str(r#"{"name":"a","x":{"p":1,"q":[1,2]}}"#).expect("JSON");
    let two: Value = serde_json::from_str(r#"{"x":{"q":[1,2],"p":1},"name":"a"}"#).expect("JSON");
    let three: Value = serde_json::from_str(r#"{"x":{"q":[2,1],"p":1},"name":"a"}"#).expect("JSON");
    let mut lock = Lock::default();
    lock.approve_tool("s", &one);
    assert!(lock.is_pinned("s", &two));
    assert!(!lock.is_pinned("s", &three));
    assert!(!lock.is_pinned("other", &one), "a pin is for one server");
}

#[test]
fn a_lock_survives_its_file_and_two_runs_write_the_same() {
    let folder = Folder::new();
    let path = folder.path().join(Lock::FILE);
    assert_eq!(Lock::load(&path).expect("none is empty"), Lock::default());
    let mut lock = Lock::default();
    lock.approve("z", [&tool("b", "B."), &tool("a", "A.")]);
    lock.approve_tool("a", &tool("x", "X."));
    lock.save(&path).expect("it can be written");
    let again = Lock::load(&path).expect("it can be read");
    assert_eq!(again, lock);
    assert_eq!(again.to_text(), std::fs::read_to_string(&path).expect("it is there"));
    assert!(lock.forget("z") && !lock.forget("z"));
    assert_eq!(lock.servers().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn what_is_no_lock_file_is_refused() {
    for (text, expected) in [
        ("", "the lock file is damaged: "),
        ("{}", "the lock file is damaged: it has no version"),
        (r#"{"version":1}"#, "the lock file is damaged: "),
        (r#"{"version":2}"#, "the lock file is of version 2, and this program knows 1; update it"),
    ] {
        let said = Lock::parse(text).map_err(|error| error.to_string());
        assert!(said.as_ref().is_err_and(|said| said.starts_with(expected)), "{text}: {said:?}");
    }
    let folder = Folder::new();
    assert!(matches!(Lock::load(folder.path()), Err(LockError::Io(_))), "a folder is no file");
}

#[test]
fn the_nearest_file_of_the_project_counts() {
    let folder = Folder::new();
    folder.write("repo/.git/HEAD", "");
    folder.write("repo/deep/down/file", "");
    let in_folder = |inside: &str| {
        Machine::made_up(folder.path(), folder.path().join("home"), folder.path().join(inside))
    };
    let down = in_folder("repo/deep/down");
    // Not one above the repository.
    folder.write(Lock::FILE, "");
    assert_eq!(Lock::find(&down), None);
    assert_eq!(Lock::new_file(&down), folder.path().join("repo").join(Lock::FILE));
    let root = folder.write("repo/mcp.lock", "");
    assert_eq!(Lock::find(&down), Some(root.clone()));
    let near = folder.write("repo/deep/mcp.lock", "");
    assert_eq!(Lock::find(&down), Some(near));
    assert_eq!(Lock::find(&in_folder("repo")), Some(root));
}
