//! Questions of files: who is asked, how often, and what becomes of the answers.

use docent_host::config::{Approvals, Config, Input, Machine, NobodyToAsk, Survey, Transport};
use docent_mcp::auth::Secret;
use docent_testkit::folder::Folder;

const FILE: &str = r#"{
  "inputs": [
    {"id": "key", "type": "promptString", "description": "The key", "password": true},
    {"id": "place", "type": "pickString", "options": ["eu", "us"], "default": "eu"},
    {"id": "unused", "type": "promptString"}
  ],
  "servers": {
    "one": {"command": "one", "env": {"K": "${input:key}", "P": "${input:place}"}},
    "two": {"command": "two", "env": {"K": "${input:key}"}}
  }
}"#;

fn machine(folder: &Folder) -> Machine {
    folder.write("me/.config/Code/User/mcp.json", FILE);
    let home = folder.path().join("me");
    Machine::made_up(folder.path(), &home, &home)
}

fn variable(config: &Config, server: &str, name: &str) -> String {
    let Transport::Stdio { env, .. } = &config.server(server).expect("a server").transport else {
        panic!("a program");
    };
    env[name].expose().to_owned()
}

#[test]
fn each_question_is_asked_once_and_answers_are_not_expanded() {
    let folder = Folder::new();
    let machine = machine(&folder).with("HOME", "wrong");
    let mut asked: Vec<Input> = Vec::new();
    let mut ask = |input: &Input| {
        asked.push(input.clone());
        input.password.then(|| Secret::new("${env:HOME}"))
    };
    let config = Config::load(&machine, &Approvals::in_memory(), &mut ask);
    assert_eq!(variable(&config, "one", "K"), "${env:HOME}");
    assert_eq!(variable(&config, "two", "K"), "${env:HOME}");
    assert_eq!(variable(&config, "one", "P"), "eu", "no answer: the default");
    let ids: Vec<&str> = asked.iter().map(|input| input.id.as_str()).collect();
    assert_eq!(ids, ["key", "place"]);
    assert_eq!(asked[0].description, "The key");
    assert_eq!(asked[1].options, ["eu", "us"]);
    assert!(!format!("{config:?}").contains("env:HOME"), "an answer is shown");
}

#[test]
fn without_an_answer_the_server_fails_and_says_why() {
    let folder = Folder::new();
    let config = Config::load(&machine(&folder), &Approvals::in_memory(), &mut NobodyToAsk);
    assert!(config.servers.is_empty());
    let said: Vec<String> = config
        .failed()
        .map(|(name, problem)| format!("{name} {}: {}", problem.line, problem.message))
        .collect();
    let expected = "it asks for `The key` (input `key`), and there was no answer; the variable \
                    `DOCENT_INPUT_KEY` can hold one";
    assert_eq!(said, [format!("one 8: {expected}"), format!("two 9: {expected}")]);
}

/// A program that a client starts has no terminal.
#[test]
fn a_variable_answers_and_nobody_is_asked() {
    let folder = Folder::new();
    let machine = machine(&folder).with("KEY", "other").with("DOCENT_INPUT_KEY", "${env:KEY}");
    let mut ask = |input: &Input| -> Option<Secret> {
        assert_ne!(input.id, "key", "it is answered");
        None
    };
    let config = Config::load(&machine, &Approvals::in_memory(), &mut ask);
    assert_eq!(variable(&config, "one", "K"), "${env:KEY}");
    assert_eq!(variable(&config, "two", "K"), "${env:KEY}");
    assert!(!format!("{config:?}").contains("env:KEY"), "an answer is shown");
    let explained = Survey::of(&machine).explain(&Approvals::in_memory()).to_string();
    assert!(explained.contains("the variable DOCENT_INPUT_KEY, which is set"), "{explained}");
}

#[test]
fn what_is_set_aside_is_explained_and_does_not_count() {
    let folder = Folder::new();
    let machine = machine(&folder);
    let mut survey = Survey::of(&machine);
    let gone = survey.set_aside("it is not wanted", |entry| entry.name == "one");
    assert_eq!(gone, ["one"]);
    let answer = &mut |_: &Input| Some(Secret::new("x"));
    let config = survey.config(&Approvals::in_memory(), answer);
    let names: Vec<&str> = config.servers.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["two"]);
    let explained = survey.explain(&Approvals::in_memory()).to_string();
    assert!(explained.contains("set aside: it is not wanted"), "{explained}");
}
