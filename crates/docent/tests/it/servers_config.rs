//! `docent config` and the MCP servers of other clients.

use serde_json::Value;

use crate::commands::{project, run};

const CURSOR: &str = r#"{"mcpServers":{
  "time":{"command":"uvx","args":["mcp-server-time"],"env":{"TZ":"${env:HOME}"}},
  "broken":{"command":"x","env":{"A":"${env:NOT_SET}"}}}}"#;

#[test]
fn explain_tells_servers_and_their_faults() {
    let folder = project();
    folder.write(".cursor/mcp.json", CURSOR);
    let (code, out, _) = run(&folder, &["config", "explain", "time"]);
    assert_eq!(code, Some(0));
    assert!(out.starts_with("time: ready\n") && out.contains("runs uvx mcp-server-time"), "{out}");

    let (code, out, _) = run(&folder, &["config", "explain"]);
    assert_eq!(code, Some(3), "something is wrong with what was looked at");
    assert!(out.contains("the variable `NOT_SET` is not set"), "{out}");

    let (code, out, _) = run(&folder, &["config", "explain", "--json"]);
    let all: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, &all["mcp"]["servers"][1]["state"]), (Some(3), &Value::from("failed")));

    let (code, _, err) = run(&folder, &["config", "explain", "tim"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("did you mean `time`?"), "{err}");
}

#[test]
fn convert_prints_and_import_writes() {
    let folder = project();
    folder.write(".cursor/mcp.json", CURSOR);
    let (code, out, err) = run(&folder, &["config", "convert", "time", "--to", "claude-code"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains(r#""TZ": "${HOME}""#), "{out}");
    let (code, _, err) = run(&folder, &["config", "convert", "time", "--to", "zed"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("Zed has no way to say `${env:HOME}`"), "{err}");

    let (code, out, _) = run(&folder, &["config", "import"]);
    assert_eq!(code, Some(0), "{out}");
    let own = folder.path().join(".config/docent/docent.toml");
    let written = std::fs::read_to_string(&own).expect("it is there");
    assert!(written.contains("[servers.time]") && written.contains("${NOT_SET}"), "{written}");
    let (code, out, err) = run(&folder, &["config", "explain", "time"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "servers are no unknown settings");
    assert!(out.contains("(Docent, user): wins") && out.contains("(Cursor, user): shadowed"));
    let (code, out, _) = run(&folder, &["config", "import", "time"]);
    assert_eq!(code, Some(3));
    assert!(out.contains("the file has a server of that name already"), "{out}");
}

/// Where nobody can be asked, a variable answers; and it is not taken for a setting.
#[test]
fn questions_of_a_file_are_answered_by_variables() {
    let stage = crate::stage::Stage::empty();
    let file = r#"{"inputs":[{"id":"api-key","type":"promptString","description":"The key"}],
        "servers":{"s":{"command":"/no/such","env":{"K":"${input:api-key}"}}}}"#;
    stage.folder.write("home/.config/Code/User/mcp.json", file);
    let ran = stage.run(&["servers"]);
    let expected = "it asks for `The key` (input `api-key`), and there was no answer; the variable \
                    `DOCENT_INPUT_API_KEY` can hold one";
    assert!(ran.out.contains(expected), "{}", ran.out);
    let set = |words: &[&str]| {
        crate::stage::ran(stage.docent(words).env("DOCENT_INPUT_API_KEY", "hunter2"))
    };
    let ran = set(&["servers"]);
    assert!(
        ran.out.contains("/no/such") && !ran.out.contains("there was no answer"),
        "{}",
        ran.out
    );
    let ran = set(&["config", "explain"]);
    assert!(ran.out.contains("the variable DOCENT_INPUT_API_KEY, which is set"), "{}", ran.out);
    assert!(!ran.out.contains("hunter2") && !ran.out.contains("not a setting"), "{}", ran.out);
}

#[test]
fn a_projects_server_is_approved_by_name() {
    let folder = project();
    folder
        .write("project/.mcp.json", r#"{"mcpServers":{"s":{"command":"./serve","args":["-v"]}}}"#);
    let state = |expected: &str| {
        let (_, out, _) = run(&folder, &["config", "explain", "s"]);
        assert!(out.starts_with(&format!("s: {expected}\n")), "{out}");
    };
    state("needs-approval");
    let (_, out, _) = run(&folder, &["approve", "s"]);
    assert!(out.contains("./serve -v"), "{out}");
    state("needs-approval");
    let (code, out, _) = run(&folder, &["approve", "s", "--yes"]);
    assert_eq!(code, Some(0), "{out}");
    state("ready");
    let (code, _, _) = run(&folder, &["approve", "s", "--revoke"]);
    assert_eq!(code, Some(0));
    state("needs-approval");
}
