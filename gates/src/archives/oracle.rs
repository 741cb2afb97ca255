//! A second opinion: Python's own readers. Where they see other files than we do, we should have
//! refused the archive.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use docent_packages::{ArchiveFormat, Limits, Place};
use serde_json::{Value, json};

use super::listing;
use crate::Result;

const SCRIPT: &str = include_str!("oracle.py");

/// How many archives Python reads in another way; none, and a line that says so, without Python.
pub(super) fn compare(opened: &[(Place, String)], limits: &Limits) -> Result<usize> {
    let Some(answers) = ask(opened)? else {
        println!("skipped: the comparison with Python, because there is no python3");
        return Ok(0);
    };
    let mut disagreements = 0;
    for ((place, label), answer) in opened.iter().zip(&answers) {
        let ours = listing(place, limits)?;
        if let Some(difference) = difference(&ours, answer) {
            disagreements += 1;
            println!("{label}: {difference}");
        }
    }
    println!("{} archives compared with Python", answers.len());
    Ok(disagreements)
}

fn ask(opened: &[(Place, String)]) -> Result<Option<Vec<Value>>> {
    // Isolated from the user's modules, which are not what is being asked.
    let mut command = Command::new("python3");
    command.args(["-I", "-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut child) = command.spawn() else { return Ok(None) };
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    let questions: Vec<Value> = opened.iter().map(|(place, _)| question(place)).collect();
    let writer = std::thread::spawn(move || {
        questions.iter().try_for_each(|question| writeln!(stdin, "{question}"))
    });
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| "the writer failed")??;
    let lines = std::str::from_utf8(&output.stdout)?.lines();
    let answers = lines.map(serde_json::from_str).collect::<std::result::Result<Vec<_>, _>>()?;
    if answers.len() != opened.len() {
        return Err("Python did not answer every question".into());
    }
    Ok(Some(answers))
}

fn question(place: &Place) -> Value {
    let kind = match place {
        Place::Archive { format: ArchiveFormat::Zip | ArchiveFormat::GoModule { .. }, .. } => "zip",
        _ => "tar",
    };
    json!([kind, place.path()])
}

fn difference(ours: &BTreeMap<String, Option<u32>>, theirs: &Value) -> Option<String> {
    let Value::Object(theirs) = theirs else { return Some(format!("Python says {theirs}")) };
    for (path, checksum) in theirs {
        match ours.get(path) {
            None => return Some(format!("only Python sees {path:?}")),
            Some(Some(own)) if Some(u64::from(*own)) != checksum.as_u64() => {
                return Some(format!("Python reads {path:?} differently"));
            }
            Some(_) => {}
        }
    }
    let unseen = ours.keys().find(|path| !theirs.contains_key(*path));
    unseen.map(|path| format!("Python does not see {path:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_seen() {
        let ours: BTreeMap<String, Option<u32>> =
            [("a".to_owned(), Some(1)), ("b".to_owned(), None)].into();
        let check = |theirs: Value, expected: Option<&str>| {
            assert_eq!(difference(&ours, &theirs).as_deref(), expected);
        };
        check(json!({"a": 1, "b": 2}), None);
        check(json!({"a": 2, "b": 2}), Some("Python reads \"a\" differently"));
        check(json!({"a": 1}), Some("Python does not see \"b\""));
        check(json!({"a": 1, "b": 2, "c": 3}), Some("only Python sees \"c\""));
        check(json!("bad"), Some("Python says \"bad\""));
    }
}
