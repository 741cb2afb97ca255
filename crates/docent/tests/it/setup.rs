//! `docent setup`: the files of clients, changed and changed back.

use serde_json::{Value, json};

use crate::stage::Stage;

const ZED: &str = "// Zed settings\n{\n  \"theme\": \"One\", // dark\n  \"vim_mode\": true,\n}\n";
const CLAUDE: &str = "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"other\": {\n      \
    \"command\": \"x\"\n    }\n  },\n  \"projects\": {}\n}\n";
const CODEX: &str = "# mine\nmodel = \"m\"\n\n[mcp_servers.other]\ncommand = \"y\"\n";

fn machine() -> Stage {
    let stage = Stage::new();
    stage.folder.write("home/.claude.json", CLAUDE);
    stage.folder.write("home/.config/zed/settings.json", ZED);
    stage.folder.write("home/.codex/config.toml", CODEX);
    stage.folder.write("home/.cursor/extensions.json", "[]");
    stage
}

fn states(stage: &Stage, arguments: &[&str]) -> Vec<(String, String)> {
    let ran = stage.run(&[&["setup", "--json"], arguments].concat());
    assert_eq!(ran.err, "");
    let rows = ran.json().as_array().expect("rows").clone();
    let text = |row: &Value, key: &str| row[key].as_str().expect(key).to_owned();
    rows.iter().map(|row| (text(row, "client"), text(row, "state"))).collect()
}

fn all(state: &str) -> Vec<(String, String)> {
    let clients = ["claude-code", "cursor", "codex", "zed"];
    clients.map(|client| (client.to_owned(), state.to_owned())).to_vec()
}

#[test]
fn found_clients_are_set_up_and_undone() {
    let stage = machine();
    assert_eq!(states(&stage, &["--dry-run"]), all("planned"));
    assert_eq!(stage.read("home/.claude.json"), CLAUDE);
    assert_eq!(states(&stage, &["--yes"]), all("written"));
    assert_eq!(states(&stage, &["--yes"]), all("unchanged"));

    let program = env!("CARGO_BIN_EXE_docent");
    let claude: Value = serde_json::from_str(&stage.read("home/.claude.json")).expect("JSON");
    let entry = json!({ "command": program, "args": ["serve"] });
    assert_eq!(claude["mcpServers"]["docent"], entry);
    assert_eq!(claude["mcpServers"]["other"]["command"], "x");
    let zed = stage.read("home/.config/zed/settings.json");
    assert!(zed.starts_with("// Zed settings\n{\n  \"theme\": \"One\", // dark\n"), "{zed}");
    assert!(zed.contains("\"context_servers\": {\n    \"docent\": {\n"), "{zed}");
    let codex = stage.read("home/.codex/config.toml");
    assert!(codex.starts_with(CODEX) && codex.contains("[mcp_servers.docent]\n"), "{codex}");
    assert!(stage.read("home/.cursor/mcp.json").contains("\"mcpServers\""));

    assert_eq!(states(&stage, &["--undo", "--yes"]), all("written"));
    assert_eq!(stage.read("home/.claude.json"), CLAUDE);
    assert_eq!(stage.read("home/.config/zed/settings.json"), ZED);
    assert_eq!(stage.read("home/.codex/config.toml"), CODEX);
    assert!(!stage.path("home/.cursor/mcp.json").exists());
    assert!(!stage.path("home/.claude.json.before-docent").exists());
    assert_eq!(states(&stage, &["--undo", "--yes"]), all("unchanged"));
}

#[test]
fn what_changed_meanwhile_stays() {
    let stage = machine();
    states(&stage, &["claude-code", "--yes"]);
    let grown = stage.read("home/.claude.json").replace("\"numStartups\": 3", "\"numStartups\": 4");
    stage.folder.write("home/.claude.json", &grown);
    states(&stage, &["claude-code", "--undo", "--yes"]);
    assert_eq!(stage.read("home/.claude.json"), CLAUDE.replace(": 3", ": 4"));
}

#[test]
fn an_entry_of_ones_own_comes_back() {
    let stage = machine();
    let own = "{ \"mcpServers\": { \"docent\": { \"command\": \"mine\" } } }\n";
    stage.folder.write("home/.cursor/mcp.json", own);
    states(&stage, &["cursor", "--yes"]);
    assert!(!stage.read("home/.cursor/mcp.json").contains("mine"));
    states(&stage, &["cursor", "--undo", "--yes"]);
    assert_eq!(stage.read("home/.cursor/mcp.json"), own);
}

#[test]
fn nobody_says_yes_and_nothing_is_written() {
    let stage = machine();
    let ran = stage.run(&["setup", "claude-code"]);
    assert_eq!(ran.code, Some(64));
    assert!(ran.out.contains("+ ") && ran.err.contains("--yes"), "{} {}", ran.out, ran.err);
    assert_eq!(stage.read("home/.claude.json"), CLAUDE);
}

#[test]
fn a_broken_file_is_left_alone_and_the_others_are_done() {
    let stage = machine();
    stage.folder.write("home/.claude.json", "{ \"mcpServers\": ");
    let ran = stage.run(&["setup", "--yes"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("Claude Code: ") && ran.out.contains("is not JSON"), "{}", ran.out);
    assert_eq!(stage.read("home/.claude.json"), "{ \"mcpServers\": ");
    assert!(stage.read("home/.codex/config.toml").contains("docent"));
}

#[test]
fn a_project_gets_a_name_and_not_a_path() {
    let stage = machine();
    let ran = stage.run(&["setup", "claude-code", "vscode", "opencode", "--project", "--yes"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let read = |file: &str| -> Value {
        serde_json::from_str(&stage.read(&format!("project/{file}"))).expect("JSON")
    };
    assert_eq!(read(".mcp.json")["mcpServers"]["docent"]["command"], "docent");
    assert_eq!(read(".vscode/mcp.json")["servers"]["docent"]["command"], "docent");
    assert_eq!(read("opencode.jsonc")["mcp"]["docent"]["command"], json!(["docent", "serve"]));
    let ran = stage.run(&["setup", "windsurf", "--project", "--yes"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("has no configuration in projects"), "{}", ran.out);
}

#[test]
fn what_only_its_owner_can_change_is_printed() {
    let stage = Stage::new();
    stage.folder.write("home/.config/goose/config.yaml", "GOOSE_MODEL: m\n");
    let ran = stage.run(&["setup", "--yes"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("edited by hand") && ran.out.contains("extensions:"), "{}", ran.out);
    assert_eq!(stage.read("home/.config/goose/config.yaml"), "GOOSE_MODEL: m\n");
}

#[test]
fn no_client_is_an_answer_too() {
    let ran = Stage::new().run(&["setup"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("docent setup claude-code|"), "{}", ran.err);
    let ran = Stage::new().run(&["setup", "claud-code"]);
    assert_eq!(ran.code, Some(64));
    assert!(ran.err.contains("claude-code"), "{}", ran.err);
}
