//! The tap: what passes through it, who ends with it, and what a replay makes of its record.
#![cfg(target_os = "linux")]

use std::io::{Read as _, Write as _};
use std::process::{Child, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::processes::{gone, pids, stubborn, until};
use crate::stage::{Ran, Stage};

/// A tap before a script, with pipes of ours.
fn tap(stage: &Stage, script: &str) -> Child {
    let mut command = stage.docent(&["tap", "-o", "../tap.jsonl", "--", "/bin/sh", "-c", script]);
    command.env("PATH", "/usr/bin:/bin").stdin(Stdio::piped()).stdout(Stdio::piped());
    command.spawn().expect("a tap")
}

#[track_caller]
fn ended(tap: &mut Child) -> ExitStatus {
    until("the tap does not end", || tap.try_wait().expect("its state"))
}

#[test]
fn no_server_outlives_its_tap() {
    for way in ["told to stop", "killed", "left alone"] {
        let stage = Stage::empty();
        let mut tap = tap(&stage, &stubborn("echo ready"));
        let processes = pids(&stage.path("project/pids"));
        let mut ready = [0; 6];
        tap.stdout.as_mut().expect("output").read_exact(&mut ready).expect("what it says");
        match way {
            "told to stop" => kill_process(Pid::from_child(&tap), Signal::TERM).expect("a signal"),
            "killed" => tap.kill().expect("a signal"),
            _ => drop((tap.stdin.take(), tap.stdout.take())),
        }
        let status = ended(&mut tap);
        gone(&processes);
        if way != "killed" {
            // As the server, which only SIGKILL has ended.
            assert_eq!(status.code(), Some(128 + 9), "{way}");
        }
    }
}

#[test]
fn a_tap_ends_when_its_server_does_and_as_it_does() {
    let stage = Stage::empty();
    // The client still holds its side open.
    let mut tap = tap(&stage, "echo '{\"a\":1}'; echo no message; exit 7");
    assert_eq!(ended(&mut tap).code(), Some(7));
    let mut seen = String::new();
    tap.stdout.take().expect("output").read_to_string(&mut seen).expect("what it says");
    assert_eq!(seen, "{\"a\":1}\nno message\n");
    let record = stage.read("tap.jsonl");
    assert!(record.contains("\"message\":{\"a\":1}"), "{record}");
    assert!(record.contains("\"text\":\"no message\""), "{record}");
}

#[test]
fn every_byte_passes_as_it_is() {
    let stage = Stage::empty();
    let mut tap = tap(&stage, "cat");
    let odd = b"{ \"a\" : 1 }\r\n\n\xff\0 and no end";
    tap.stdin.take().expect("input").write_all(odd).expect("it reads");
    let mut seen = Vec::new();
    tap.stdout.take().expect("output").read_to_end(&mut seen).expect("what it says");
    assert_eq!(seen, odd);
    assert!(ended(&mut tap).success());
}

/// A server in a shell: its answers have its own number in what it seals, which it wants back.
const SEALING: &str = r#"
while read -r line; do
  id=${line##*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *"\"requestState\":\"$$\""*) result='{"done":true}' ;;
    *requestState*) result='{"wrong":true}' ;;
    *open*) result='{"resultType":"input_required","requestState":"'$$'"}' ;;
    *leave*) continue ;;
    *) result='{"count":'$id'}' ;;
  esac
  echo '{"jsonrpc":"2.0","id":'$id',"result":'"$result"'}'
done"#;

/// One session: what the client asks, and what it was answered.
fn session(name: &str, exchanges: &[(Value, Option<Value>)]) -> String {
    let mut lines = String::new();
    for (id, (request, answer)) in (1..).zip(exchanges) {
        let mut request = request.clone();
        request["id"] = json!(id);
        let line = |from: &str, message: Value| {
            let mut entry = json!({ "ms": id, "from": from, "message": message });
            if !name.is_empty() {
                entry["session"] = json!(name);
            }
            format!("{entry}\n")
        };
        lines.push_str(&line("client", request));
        if let Some(result) = answer {
            lines.push_str(&line("server", json!({ "id": id, "result": result })));
        }
    }
    lines
}

fn replay(stage: &Stage, record: &str, more: &[&str]) -> Ran {
    stage.folder.write("project/record.jsonl", record);
    let words = [&["replay", "record.jsonl"], more, &["--", "/bin/sh", "-c", SEALING]].concat();
    stage.run(&words)
}

fn asks(method: &str) -> Value {
    json!({ "method": method })
}

#[test]
fn each_session_is_played_to_a_server_of_its_own() {
    let stage = Stage::empty();
    let first =
        [(asks("a"), Some(json!({ "count": 1 }))), (asks("b"), Some(json!({ "count": 2 })))];
    // The same ids, and an answer that the server does not give.
    let second =
        [(asks("a"), Some(json!({ "count": 1 }))), (asks("c"), Some(json!({ "count": 9 })))];
    for names in [["one", "two"], ["", ""]] {
        let record = session(names[0], &first) + &session(names[1], &second);
        let ran = replay(&stage, &record, &[]);
        assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
        let expected = "session 1\nsame       a 1\nsame       b 2\nsession 2\nsame       a 1\n\
                        different  c 2\n  before: {\"count\":9}\n  now:    {\"count\":2}\n\
                        4 requests, 1 answered differently\n";
        assert_eq!(ran.out, expected, "{names:?}");
    }
    // Several taps may write to one file at a time.
    let (one, two) = (session("one", &first), session("two", &first));
    let mixed: String =
        one.lines().zip(two.lines()).map(|(one, two)| format!("{one}\n{two}\n")).collect();
    let ran = replay(&stage, &mixed, &["--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    let rows = ran.json();
    let sessions: Vec<_> =
        rows.as_array().expect("rows").iter().map(|row| &row["session"]).collect();
    assert_eq!(sessions, [1, 1, 2, 2]);
}

#[test]
fn what_cannot_be_compared_is_not_called_the_same() {
    let stage = Stage::empty();
    let record = session("one", &[(asks("a"), Some(json!({ "count": 1 }))), (asks("leave"), None)]);
    let ran = replay(&stage, &record, &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let expected = "same       a 1\nunknown    leave 2: no answer is recorded\n\
                    2 requests, 0 answered differently, 1 not compared\n";
    assert_eq!(ran.out, expected);
    assert_eq!(replay(&stage, &record, &["--json"]).json()[1]["same"], Value::Null);
    // A server that ends in the middle gives no answers.
    stage.folder.write("project/record.jsonl", &record);
    let ran = stage.run(&["replay", "record.jsonl", "--", "/bin/sh", "-c", "exit 0"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.out.contains("now:    no answer"), "{}", ran.out);
}

/// What a server of 2026-07-28 gives its client to bring back is sealed anew each time.
#[test]
fn sealed_state_is_brought_back_to_the_server_that_gave_it() {
    let stage = Stage::empty();
    let question = json!({ "resultType": "input_required", "requestState": "then" });
    let again = json!({ "method": "open", "params": { "requestState": "then" } });
    let record =
        session("one", &[(asks("open"), Some(question)), (again, Some(json!({ "done": true })))]);
    let ran = replay(&stage, &record, &[]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    assert_eq!(
        ran.out,
        "same       open 1\nsame       open 2\n2 requests, 0 answered differently\n"
    );
}

#[test]
fn a_replayed_server_ends_with_the_replay() {
    let stage = Stage::empty();
    stage.folder.write("project/record.jsonl", session("one", &[(asks("a"), Some(json!({})))]));
    let script = stubborn("");
    let words = ["replay", "record.jsonl", "--timeout", "1", "--", "/bin/sh", "-c", &script];
    let mut command = stage.docent(&words);
    let ran = crate::stage::ran(command.env("PATH", "/usr/bin:/bin"));
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    gone(&pids(&stage.path("project/pids")));
}
