//! Each file of `answers/` is a project, questions about it, and the whole text of the answers.
//!
//! The file `questions` has one question a line: `describe npm:x [SYMBOL]`, `search npm:x WORDS`,
//! each with an optional `| TOKENS` at its end.

use std::path::PathBuf;

use docent_packages::{Engine, Environment, PackageRef, Style, Target};
use docent_testkit::fixture::{Fixture, check_all};
use docent_testkit::folder::Folder;

#[test]
fn answers() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/answers");
    check_all(&fixtures, |fixture| runtime.block_on(ask_all(fixture)));
}

async fn ask_all(fixture: &Fixture) -> String {
    let folder = Folder::new();
    for (path, text) in &fixture.files {
        folder.write(&format!("project/{path}"), text);
    }
    let project = folder.path().join("project");
    let engine = Engine::builder()
        .environment(Environment::isolated(folder.path()).in_directory(&project))
        .cache(folder.path().join("cache"))
        .offline(true)
        .build()
        .expect("an engine");
    let questions = fixture.files.iter().find(|(path, _)| path == "questions").expect("questions");
    let mut answers = String::new();
    for question in questions.1.lines() {
        let text = ask(&engine, question).await;
        let text = text.replace(&*folder.path().to_string_lossy(), "");
        answers.push_str(&format!("> {question}\n{}\n\n", without_numbers(&text)));
    }
    answers
}

async fn ask(engine: &Engine, question: &str) -> String {
    let (question, tokens) = question.rsplit_once(" | ").unwrap_or((question, "2000"));
    let max_tokens: usize = tokens.parse().expect("a number of tokens");
    let style = Style::default().max_tokens(max_tokens);
    let (command, rest) = question.split_once(' ').expect("a command");
    let (package, words) = rest.split_once(' ').unwrap_or((rest, ""));
    let package: PackageRef = package.parse().expect("a package");
    let target = Target::new(package);
    let answer = match command {
        "describe" => engine.describe(&target, Some(words), &style).await,
        "search" => engine.search(&[target], words, &style).await,
        other => panic!("no such question: {other}"),
    };
    match answer {
        Ok(answer) => {
            let length = answer.text.chars().count().div_ceil(4);
            assert!(length <= max_tokens, "{question}: {length} tokens of {max_tokens}");
            format!("found: {}\n{}", answer.found, answer.text)
        }
        Err(error) => format!("{:?}: {error}", error.kind()),
    }
}

/// The text without the number that is new in each answer.
fn without_numbers(text: &str) -> String {
    let mut kept = String::new();
    for line in text.lines() {
        let quoted = ["<quoted ", "</quoted "].iter().find(|start| line.starts_with(**start));
        match quoted {
            Some(start) => {
                kept.push_str(start);
                kept.push('…');
                kept.push_str(&line[start.len() + 8..]);
            }
            None => kept.push_str(line),
        }
        kept.push('\n');
    }
    kept
}
