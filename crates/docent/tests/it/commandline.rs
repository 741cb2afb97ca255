//! The commands around the questions: settings, cache, completions, exit codes, suggestions.

use serde_json::json;

use crate::stage::{Stage, ran};

#[test]
fn exit_codes_are_those_of_the_manual() {
    let stage = Stage::new();
    let check = |arguments: &[&str], expected: i32| {
        let ran = stage.run(arguments);
        assert_eq!(ran.code, Some(expected), "{arguments:?} {} {}", ran.out, ran.err);
    };
    check(&["--version"], 0);
    check(&["describe", "kit", "saw"], 0);
    check(&["describe", "kit", "hammer"], 2);
    check(&["symbols", "kit", "hammer"], 2);
    check(&["describe", "npm:nothing", "--offline"], 1);
    check(&["describe"], 64);
    check(&["descibe", "kit"], 64);
    check(&["describe", "nothing"], 64);
    check(&["describe", "what:kit"], 64);
    // Installed, and in no lockfile.
    stage.folder.write(
        "project/node_modules/loose/package.json",
        r#"{ "name": "loose", "version": "2.0.0", "types": "index.d.ts" }"#,
    );
    stage
        .folder
        .write("project/node_modules/loose/index.d.ts", "export declare function tie(): void;\n");
    check(&["describe", "loose", "tie"], 0);
    stage.folder.write("project/right.ts", "import { saw } from 'kit'\nsaw(1)\n");
    stage.folder.write("project/wrong.ts", "import { hammer } from 'kit'\nhammer()\n");
    check(&["check", "right.ts"], 0);
    check(&["check", "wrong.ts"], 3);
    check(&["check", "right.ts", "wrong.ts"], 3);
    check(&["check", "gone.ts"], 1);
    check(&["check", "package.json"], 64);
    check(&["check"], 64);
}

#[test]
fn what_was_meant_is_suggested() {
    let stage = Stage::new();
    let ran = stage.run(&["describe", "kitt"]);
    assert!(ran.err.contains("hint: did you mean `kit`?"), "{}", ran.err);
    let ran = stage.run(&["describe", "npm:kitt", "--offline"]);
    assert!(ran.err.contains("hint: did you mean `npm:kit`?"), "{}", ran.err);
    let ran = stage.run(&["symbols", "kit", "sawoptins"]);
    assert!(ran.err.contains("hint: there is SawOptions"), "{}", ran.err);
    let ran = stage.run(&["descibe", "kit"]);
    assert!(ran.err.contains("'describe'"), "{}", ran.err);
}

#[test]
fn symbols_can_be_narrowed() {
    let stage = Stage::new();
    let names = |arguments: &[&str]| -> Vec<String> {
        let ran = stage.run(&[&["symbols", "kit", "--json"], arguments].concat()).fine();
        let rows = ran.json()["symbols"].as_array().expect("rows").clone();
        rows.iter().map(|row| row["path"].as_str().expect("a path").to_owned()).collect()
    };
    let top: Vec<String> = names(&[]).into_iter().filter(|name| !name.is_empty()).collect();
    assert_eq!(top, ["saw", "SawOptions", "Bench", "chisel"]);
    assert_eq!(
        names(&["--kind", "method,property"]),
        ["SawOptions.depth", "Bench.height", "Bench.lift"]
    );
    assert_eq!(names(&["bench.*"]), ["Bench.height", "Bench.lift"]);
    let ran = stage.run(&["symbols", "kit", "--kind", "functoin"]);
    assert!(ran.err.contains("function"), "{}", ran.err);
}

#[test]
fn code_is_held_against_what_is_installed() {
    let stage = Stage::new();
    stage.folder.write(
        "project/src/shop.ts",
        "import { saw, Bench } from 'kit'\n\nsaw(12, { dept: 3 })\nconst bench = new Bench()\n\
         bench.lift(1)\nbench.lifts(1)\n",
    );
    let ran = stage.run(&["check", "src/shop.ts", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(3), ""));
    let checked = ran.json();
    let findings = checked["findings"].as_array().expect("findings");
    let found: Vec<String> = findings
        .iter()
        .map(|finding| {
            let at = &finding["position"];
            let meant = &finding["suggestions"][0]["name"];
            format!("{}:{} {} → {meant}", at["file"], at["line"], finding["name"])
        })
        .collect();
    assert_eq!(
        found,
        [r#""src/shop.ts":3 "dept" → "depth""#, r#""src/shop.ts":6 "lifts" → "lift""#]
    );
    assert_eq!(checked["packages"][0]["package"], "npm:kit@1.0.0");
    // The same for people, from another folder, with the project named.
    let ran = stage.run(&["check", "src/shop.ts", "--project", "."]);
    assert!(ran.out.starts_with("src/shop.ts:3:11: "), "{}", ran.out);
    assert!(ran.out.contains("did you mean `depth`?  "), "{}", ran.out);
    assert!(ran.out.contains("\n2 findings; "), "{}", ran.out);
}

#[test]
fn errors_are_json_too() {
    let stage = Stage::new();
    let ran = stage.run(&["describe", "npm:nothing", "--offline", "--json"]);
    let error = &ran.json()["error"];
    assert_eq!((ran.code, &error["kind"]), (Some(1), &json!("NoRegistry")));
    assert!(error["hints"].is_array() && ran.err.starts_with("error: "));
}

#[test]
fn config_says_where_each_value_comes_from() {
    let stage = Stage::new();
    stage.folder.write("home/.config/docent/docent.toml", "max-tokens = 700\nofline = true\n");
    stage.folder.write("project/docent.toml", "max-tokens = 500\n");
    let mut command = stage.docent(&["config", "explain", "--json"]);
    command.env("DOCENT_OFFLINE", "yes").env("DOCENT_OFLINE", "1");
    let shown = ran(&mut command).fine().json();
    let row = |name: &str| {
        let rows = shown["settings"].as_array().expect("rows");
        rows.iter().find(|row| row["name"] == name).expect(name).clone()
    };
    assert_eq!(row("offline")["from"], "variable DOCENT_OFFLINE");
    assert_eq!(row("max-tokens")["value"], "500");
    assert_eq!(row("max-tokens")["hidden"][0]["value"], "700");
    assert_eq!(row("color")["from"], "default");
    assert_eq!(shown["warnings"].as_array().expect("warnings").len(), 2);

    stage.folder.write("project/docent.toml", "max-tokens = \"many\"\n");
    let ran = stage.run(&["describe", "kit"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("`max-tokens`") && ran.err.contains("docent.toml"), "{}", ran.err);
    let doctor = stage.run(&["doctor"]);
    assert_eq!(doctor.code, Some(3));
    assert!(doctor.out.contains("`max-tokens`"), "{}", doctor.out);
}

#[test]
fn the_cache_can_be_seen_checked_and_emptied() {
    let stage = Stage::new();
    let empty = stage.run(&["cache"]).fine();
    assert!(empty.out.starts_with("the cache is empty"), "{}", empty.out);
    assert!(!stage.path("home/.cache").exists(), "looking makes nothing");
    stage.run(&["describe", "kit"]).fine();
    let kept = stage.run(&["cache", "list", "--json"]).fine().json();
    assert_eq!((&kept[0]["package"], &kept[0]["version"]), (&json!("npm:kit"), &json!("1.0.0")));
    let size = stage.run(&["cache", "size", "--json"]).fine().json();
    assert!(size["bytes"].as_u64().expect("bytes") > 100);
    let entries = std::fs::read_dir(stage.path("home/.cache/docent/extractions-v2"));
    let entry = entries.expect("a folder").next().expect("an entry").expect("an entry");
    std::fs::write(entry.path(), "damaged").expect("written");
    let verified = stage.run(&["cache", "verify", "--json"]);
    assert_eq!((verified.code, &verified.json()["damaged"]), (Some(3), &json!(1)));
    stage.run(&["cache", "verify"]).fine();
    stage.run(&["describe", "kit"]).fine();
    stage.run(&["cache", "clear"]).fine();
    assert_eq!(stage.run(&["cache", "list", "--json"]).fine().json(), json!([]));
}

#[test]
fn shells_and_man_get_what_they_want() {
    let stage = Stage::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = stage.run(&["completions", shell]).fine().out;
        assert!(script.contains("docent") && script.contains("symbols"), "{shell}");
    }
    assert!(stage.run(&["manual"]).fine().out.contains(".TH docent"));
    stage.run(&["manual", "pages"]).fine();
    assert!(stage.read("project/pages/docent-index.1").contains("agents"));
}

#[test]
fn the_doctor_tells_what_is_there_and_what_is_wrong() {
    let stage = Stage::new();
    stage.folder.write(
        "home/.cursor/mcp.json",
        "{ \"mcpServers\": { \"docent\": { \"command\": \"/gone\" } } }",
    );
    stage.folder.write("home/.gemini/settings.json", "{ broken");
    stage.folder.write("home/.npmrc", "registry=https://user:secret@registry.example/\n");
    let ran = stage.run(&["doctor", "--json"]);
    assert_eq!(ran.code, Some(3));
    assert!(!ran.out.contains("secret"), "{}", ran.out);
    let text = stage.run(&["doctor"]).out;
    for expected in [
        "✓ npm lockfile: ",
        "1 package of npm, 1 of them direct",
        "npm: https://registry.example/",
        "✗ Cursor: starts `/gone`, which is not there",
        "✗ Gemini CLI: ",
        "→ `docent setup cursor` enters this program",
        "problems found.",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}
