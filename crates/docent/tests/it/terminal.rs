//! What a person sees at a terminal: pictures as text, at two widths, and the lack of control codes
//! elsewhere.

use crate::stage::{Stage, check_snapshot, ran};

fn picture(stage: &Stage, arguments: &[&str], columns: &str) -> String {
    let mut command = stage.docent(arguments);
    command.env("COLUMNS", columns).args(["--color", "always"]);
    let ran = ran(&mut command).fine();
    stage.without_path(&ran.out)
}

#[test]
fn answers_at_two_widths() {
    let stage = Stage::new();
    stage
        .folder
        .write("project/shop.ts", "import { saw, chisl } from 'kit'\nsaw(12, { dept: 3 })\n");
    for columns in ["80", "160"] {
        let text = picture(&stage, &["describe", "kit", "saw"], columns);
        check_snapshot(&format!("describe-symbol-{columns}.txt"), &text);
        let text = picture(&stage, &["describe", "npm:kit"], columns);
        check_snapshot(&format!("describe-package-{columns}.txt"), &text);
        let text = picture(&stage, &["symbols", "kit", "--members"], columns);
        check_snapshot(&format!("symbols-{columns}.txt"), &text);
        let text = picture(&stage, &["symbols", "kit", "saw", "--signatures"], columns);
        check_snapshot(&format!("signatures-{columns}.txt"), &text);
        let mut command = stage.docent(&["check", "shop.ts", "--color", "always"]);
        let text = ran(command.env("COLUMNS", columns)).out;
        check_snapshot(&format!("check-{columns}.txt"), &text);
    }
}

#[test]
fn nothing_is_wider_than_the_terminal() {
    let stage = Stage::new();
    for columns in [60, 80, 160] {
        for arguments in [
            &["describe", "kit"][..],
            &["symbols", "kit"],
            &["config", "keys"],
            &["symbols", "kit", "--signatures"],
        ] {
            let mut command = stage.docent(arguments);
            command.env("COLUMNS", columns.to_string()).env("CLICOLOR_FORCE", "1");
            let out = ran(&mut command).fine().out;
            // The receipt names a folder, and a path is not taken apart.
            for line in out.lines().filter(|line| !line.contains(" · ")) {
                let plain = without_codes(line);
                assert!(plain.chars().count() <= columns, "{columns}: {plain}");
            }
        }
    }
}

fn without_codes(line: &str) -> String {
    let mut plain = String::new();
    let mut parts = line.split("\u{1b}[");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, text)| text));
    }
    plain
}

#[test]
fn elsewhere_than_on_a_terminal_there_is_no_control_code() {
    let stage = Stage::new();
    for arguments in [
        &["describe", "kit", "saw"][..],
        &["symbols", "kit"],
        &["index"],
        &["doctor"],
        &["config"],
        &["cache"],
        &["setup", "cursor", "--dry-run"],
        &["--help"],
        &["describe", "--help"],
    ] {
        let ran = stage.run(arguments);
        assert!(!ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'), "{arguments:?}");
        assert!(!ran.out.is_empty(), "{arguments:?}");
    }
}

#[test]
fn links_where_they_can_be_clicked() {
    let stage = Stage::new();
    let mut command = stage.docent(&["describe", "kit", "--color", "always"]);
    let out = ran(command.env("FORCE_HYPERLINK", "1")).fine().out;
    assert!(out.contains("\u{1b}]8;;https://kit.example/guide\u{1b}\\"), "{out}");
    let mut command = stage.docent(&["describe", "kit", "--color", "always"]);
    assert!(!ran(&mut command).fine().out.contains("\u{1b}]8"));
}
