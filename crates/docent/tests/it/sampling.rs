//! What servers want of a model, answered by a program of the user's.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use docent_mcp::server::{Context, Server, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpServer};
use docent_mcp::types::{CreateMessageRequestParams, Revision};
use docent_testkit::folder::Folder;
use serde_json::{Value, json};

use crate::processes::{gone, pids};
use crate::stage::{Ran, at_terminal, ran};

const BOTH_ERAS: [Revision; 2] = [Revision::NEWEST_LEGACY, Revision::V2026_07_28];

/// More than a server may ask in a minute, and more than it may by the time that it is told so.
const ASKED_AT_ONCE: usize = 100;

fn request() -> Value {
    json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": "Say\nhello." } }],
        "modelPreferences": { "hints": [{ "name": "small" }] },
        "systemPrompt": "Be brief.",
        "maxTokens": 20,
        "metadata": { "vendor": [1, 2] },
    })
}

async fn sample(context: Context, params: Value) -> Result<String, ToolError> {
    let params: CreateMessageRequestParams = serde_json::from_value(params).expect("a request");
    Ok(json!(context.sample(params).await?).to_string())
}

/// The address of a server of one revision.
async fn serve(revision: Revision) -> String {
    let with_tool = || {
        let mut params = request();
        params["tools"] = json!([{ "name": "saw", "inputSchema": { "type": "object" } }]);
        params
    };
    let server = Server::new("curious", "1.0")
        .revisions([revision])
        .tool("ask", "Asks the model", |context: Context, (): ()| sample(context, request()))
        .tool("use", "Lets the model use a tool", move |context: Context, (): ()| {
            sample(context, with_tool())
        })
        .tool("ask_often", "Asks the model too often", |context: Context, (): ()| async move {
            let asking = (0..ASKED_AT_ONCE).map(|_| sample(context.clone(), request()));
            let asked = asking.collect::<tokio::task::JoinSet<_>>().join_all().await;
            let (answers, refused): (Vec<_>, Vec<_>) = asked.into_iter().partition(Result::is_ok);
            Ok::<_, ToolError>(format!("{} {:?}", answers.len(), refused.first()))
        })
        .tool("can", "What the client can do", |context: Context, (): ()| async move {
            Ok::<_, ToolError>(json!(context.client_capabilities().sampling).to_string())
        });
    let service = server.http_service(HttpOptions::new()).expect("a service");
    let listening = HttpServer::bind(service, "127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listening.local_addr());
    tokio::spawn(listening.serve());
    url
}

/// A home with a program `model` on the path.
fn home(script: &str) -> Folder {
    let home = Folder::new();
    install(&home, "bin/model", script);
    home
}

fn install(home: &Folder, name: &str, script: &str) {
    let program = home.write(name, format!("#!/bin/sh\n{script}\n"));
    let executable = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(program, executable).expect("a program");
}

fn command(home: &Folder, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_docent"));
    let path = format!("{}:/usr/bin:/bin", home.path().join("bin").display());
    command.env_clear().env("HOME", home.path()).env("PATH", path).current_dir(home.path());
    command.args(words).stdin(Stdio::null());
    command
}

fn docent(home: &Folder, words: &[&str]) -> Ran {
    ran(&mut command(home, words))
}

/// What the server got for an answer, as the tool tells it.
fn told(ran: &Ran) -> Value {
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    serde_json::from_str(&ran.out).expect("JSON")
}

const UNSEEN: [&str; 4] = ["--sampling", "model", "--sampling-review", "never"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_answers_with_text_or_a_whole_result() {
    let whole = json!({
        "role": "assistant",
        "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }],
        "model": "large",
        "stopReason": "maxTokens",
    });
    for revision in BOTH_ERAS {
        let url = serve(revision).await;
        let words = [&["call", "ask", "--url", &url][..], &UNSEEN].concat();
        let home = self::home("cat > request.json; echo hello from $DOCENT_SERVER_NAME");
        let content = json!({ "type": "text", "text": "hello from server" });
        let expected = json!({
            "role": "assistant", "content": content, "model": "model", "stopReason": "endTurn" });
        assert_eq!(told(&docent(&home, &words)), expected, "{revision:?}");
        // The program has read what the server sent, all of it.
        let read = std::fs::read(home.path().join("request.json")).expect("a request");
        let mut read: Value = serde_json::from_slice(&read).expect("JSON");
        read.as_object_mut().expect("an object").remove("_meta");
        assert_eq!(read, request(), "{revision:?}");
        // What was asked on the way is no part of the answer.
        let exact = docent(&home, &[&words[..], &["--json"]].concat());
        let exact: Value = serde_json::from_str(&exact.out).expect("JSON");
        assert!(exact["content"][0]["text"].as_str().is_some_and(|text| text.contains("endTurn")));

        let home = self::home(&format!("echo '{whole}'"));
        assert_eq!(told(&docent(&home, &words)), whole, "{revision:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_fails_is_told_to_the_user_and_not_to_the_server() {
    let too_much = "head -c 5000000 /dev/zero";
    for revision in BOTH_ERAS {
        let url = serve(revision).await;
        for (script, expected) in [
            ("echo partly; echo the key secret is wrong >&2; exit 3", "exit status: 3"),
            ("echo secret >&2; sleep 60", "took longer than 1 s"),
            (too_much, "printed more than 4194304 bytes"),
            ("cat > secret", "`model` printed nothing"),
            ("echo '{\"role\": \"x\", \"content\": 1, \"model\": \"secret\"}'", "cannot be read"),
        ] {
            let home = self::home(script);
            let mut command = self::command(&home, &["call", "ask", "--url", &url]);
            let failed = ran(command.args(UNSEEN).env("DOCENT_SAMPLING_TIMEOUT", "1"));
            assert!(!matches!(failed.code, Some(0 | 2)), "{script}: {}", failed.out);
            let warning = "warning: server asked for a model: `";
            assert!(failed.err.contains(warning), "{script}: {}", failed.err);
            assert!(failed.err.contains(expected), "{script}: {}", failed.err);
            if script.contains("secret >&2") || script.contains("secret is wrong") {
                assert!(failed.err.contains("its stderr ends with:\n"), "{}", failed.err);
            }
            // What the tool says is what the server knows.
            assert!(!failed.out.contains("secret"), "{script}: {}", failed.out);
            let all = failed.out + &failed.err;
            assert!(all.contains("the model gave no answer"), "{script}: {all}");
        }
        let words = ["call", "ask", "--sampling", "no-such-model", "--sampling-review", "never"];
        let missing = docent(&Folder::new(), &[&words[..], &["--url", &url]].concat());
        assert!(missing.err.contains("cannot start `no-such-model`"), "{}", missing.err);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_started_unless_it_is_set_and_seen() {
    for revision in BOTH_ERAS {
        let (home, url) = (home("echo started > started; echo hello"), serve(revision).await);
        let call = |tool: &str, more: &[&str]| {
            docent(&home, &[&["call", tool, "--url", &url], more].concat())
        };
        // Without a program, servers are told that there is no model.
        let none = call("ask", &[]);
        assert!(!matches!(none.code, Some(0 | 2)), "{revision:?}: {}", none.out);
        assert!(none.err.contains("hint: `--sampling 'COMMAND …'`"), "{revision:?}: {}", none.err);
        assert_eq!(told(&call("can", &[])), Value::Null, "{revision:?}");
        assert_eq!(told(&call("can", &["--sampling", ""])), Value::Null, "{revision:?}");
        // With one that nobody can watch, too.
        let unwatched = call("ask", &["--sampling", "model"]);
        assert!(!matches!(unwatched.code, Some(0 | 2)), "{revision:?}: {}", unwatched.out);
        assert!(unwatched.err.contains("`--sampling-review never`"), "{}", unwatched.err);
        let declared = call("can", &["--sampling", "model"]);
        assert_eq!(declared.out, "null\n");
        assert!(!home.path().join("started").exists());

        assert_eq!(told(&call("can", &UNSEEN)), json!({}), "{revision:?}");
        assert_eq!(told(&call("ask", &UNSEEN))["model"], "model");
        assert!(home.path().join("started").exists());
        let broken = call("can", &["--sampling", "model 'x"]);
        assert!(
            broken.err.contains("`sampling.command` (--sampling) has a quote"),
            "{}",
            broken.err
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_users_file_sets_it_and_a_projects_file_does_not() {
    let url = serve(Revision::V2026_07_28).await;
    let home = Folder::new();
    let project = home.path().join("project");
    let call =
        |tool: &str| ran(command(&home, &["call", tool, "--url", &url]).current_dir(&project));
    install(&home, "project/evil", "echo started > started; echo evil");
    let theirs = "[sampling]\ncommand = ['./evil']\nreview = 'never'\n";
    home.write("project/docent.toml", theirs);
    let refused = call("ask");
    assert_ne!(refused.code, Some(0), "{}", refused.out);
    for key in ["`sampling.command` in `", "`sampling.review` in `"] {
        assert!(refused.err.contains(key), "{}", refused.err);
    }
    assert!(refused.err.contains("only your own file may set it"), "{}", refused.err);

    // A path is seen from the file that names it, and a project has no say in the rest either.
    install(&home, ".config/docent/mine", "echo \"$2\"; cat > /dev/null");
    let own = "[sampling]\ncommand = ['./mine', 'a', 'b c']\nmodel = 'm'\nreview = 'never'\n";
    home.write(".config/docent/docent.toml", own);
    let answered = call("ask");
    assert_eq!(answered.code, Some(0), "{}", answered.err);
    let answer: Value = serde_json::from_str(&answered.out).expect("JSON");
    assert_eq!((&answer["model"], &answer["content"]["text"]), (&json!("m"), &json!("b c")));
    assert!(!project.join("started").exists());

    let explained = docent(&home, &["config", "--json"]);
    let explained: Value = serde_json::from_str(&explained.out).expect("JSON");
    let rows = explained["settings"].as_array().expect("settings");
    let row = rows.iter().find(|row| row["name"] == "sampling.command").expect("the setting");
    assert!(row["value"].as_str().is_some_and(|value| value.ends_with("mine (2 arguments)")));
    assert!(row["from"].as_str().is_some_and(|from| from.ends_with("docent/docent.toml")));
    let doctor = docent(&home, &["doctor"]).out;
    assert!(doctor.contains("answers for a model") && doctor.contains("nobody looks"), "{doctor}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_are_for_programs_that_can_use_them() {
    let using = json!({
        "role": "assistant",
        "content": { "type": "tool_use", "id": "1", "name": "saw", "input": { "length": 3 } },
        "model": "large",
        "stopReason": "toolUse",
    });
    for revision in BOTH_ERAS {
        let (home, url) = (home(&format!("echo '{using}'")), serve(revision).await);
        let words = |tool| [&["call", tool, "--url", &url][..], &UNSEEN].concat();
        let able = |tool| ran(command(&home, &words(tool)).env("DOCENT_SAMPLING_TOOLS", "true"));
        assert_eq!(told(&able("can")), json!({ "tools": {} }), "{revision:?}");
        assert_eq!(told(&able("use")), using, "{revision:?}");
        let unasked = able("ask");
        assert!(unasked.err.contains("wants to use a tool, and there is none"), "{}", unasked.err);
        assert_ne!(docent(&home, &words("use")).code, Some(0), "{revision:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_command_looks_at_it_where_there_is_no_terminal() {
    for revision in BOTH_ERAS {
        let (home, url) = (home("echo started > started; echo hello"), serve(revision).await);
        let words = ["call", "ask", "--ask", "later", "--sampling", "model", "--url", &url];
        let asked = docent(&home, &words);
        assert_eq!(asked.code, Some(4), "{revision:?}: {}", asked.err);
        let seen = "server asks: may `model` be told this?\n  system: Be brief.\n  user: Say\n    \
                    hello.\n  length: at most 20 tokens\n";
        assert!(asked.err.starts_with(seen), "{}", asked.err);
        let (_, token) = asked.err.split_once("docent answer ").expect("how to answer");
        let token = token.split(' ').next().expect("a name");
        assert!(asked.err.contains(&format!("docent answer {token} --accept\n")), "{}", asked.err);
        assert!(!home.path().join("started").exists());

        let said = docent(&home, &["answer", token, "--accept"]);
        assert_eq!(said.code, Some(4), "{}", said.err);
        let seen = "server asks: may this answer be sent?\n  model: hello\n";
        assert!(said.err.starts_with(seen), "{}", said.err);
        let done = docent(&home, &["answer", token, "--accept"]);
        assert_eq!(told(&done)["content"]["text"], "hello");

        let asked = docent(&home, &words);
        let (_, token) = asked.err.split_once("docent answer ").expect("how to answer");
        let no = docent(&home, &["answer", token.split(' ').next().expect("a name"), "--decline"]);
        assert!(!matches!(no.code, Some(0 | 4)), "{}", no.out);
        let all = no.out + &no.err;
        assert!(all.contains("the user does not want this"), "{all}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_a_terminal_both_sides_are_seen_first() {
    for revision in BOTH_ERAS {
        let (home, url) = (home("echo started > started; echo hello"), serve(revision).await);
        let words = ["call", "ask", "--sampling", "model", "--url", &url];
        let typing = |typed| at_terminal(command(&home, &words), typed);
        let no = typing("n\n");
        assert!(!matches!(no.code, Some(0 | 2)), "{revision:?}: {}", no.err);
        let seen = "server asks: may `model` be told this?\n  system: Be brief.\n  user: Say\n    \
                    hello.\n  length: at most 20 tokens\nyes or no [y/N]: ";
        assert!(no.err.contains(seen), "{}", no.err);
        assert!(!home.path().join("started").exists());

        let kept_back = typing("y\n\n");
        assert!(!matches!(kept_back.code, Some(0 | 2)), "{revision:?}: {}", kept_back.err);
        assert!(home.path().join("started").exists());
        let seen = "server asks: may this answer be sent?\n  model: hello\nyes or no [y/N]: ";
        assert!(kept_back.err.contains(seen), "{}", kept_back.err);
        assert!(!kept_back.out.contains("hello"), "{}", kept_back.out);

        let yes = typing("y\nyes\n");
        assert_eq!(yes.code, Some(0), "{revision:?}: {}", yes.err);
        let answer: Value = serde_json::from_str(&yes.out).expect("JSON");
        assert_eq!(answer["content"]["text"], "hello");
    }
}

/// Whoever waits no longer for an answer does not leave a program behind that makes one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_ends_when_nobody_waits_for_its_answer() {
    // Since 2026-07-28 a call does not wait while its question is answered, so it takes no time.
    let given_up: [(_, &[&str], _); 3] = [
        (Revision::NEWEST_LEGACY, &["--timeout", "1"], false),
        (Revision::NEWEST_LEGACY, &[], true),
        (Revision::V2026_07_28, &[], true),
    ];
    for (revision, more, ended) in given_up {
        let script = "trap '' TERM; sleep 1000 & echo $$ $! > pids.new; mv pids.new pids; wait";
        let (home, url) = (home(script), serve(revision).await);
        let words = [&["call", "ask", "--url", &url], more, &UNSEEN].concat();
        let mut command = self::command(&home, &words);
        let mut process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it");
        let processes = pids(&home.path().join("pids"));
        if ended {
            let process = rustix::process::Pid::from_child(&process);
            rustix::process::kill_process(process, rustix::process::Signal::TERM)
                .expect("a signal");
        }
        gone(&processes);
        assert!(!process.wait().expect("its end").success(), "{revision:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_can_ask_so_many_times_a_minute() {
    // Where a question comes with an answer, all of them are asked anew with every round.
    let (home, url) = (home("echo x >> count; echo hello"), serve(Revision::NEWEST_LEGACY).await);
    let begin = std::time::Instant::now();
    let done = docent(&home, &[&["call", "ask_often", "--url", &url][..], &UNSEEN].concat());
    let seconds = usize::try_from(begin.elapsed().as_secs()).expect("a few");
    let (answers, refused) = done.out.split_once(' ').expect("what it says");
    assert!(refused.contains("too many requests: try again in"), "{}{}", done.out, done.err);
    // Sixty at once, and one more with every second.
    let answers: usize = answers.parse().expect("a number");
    assert!((60..=61 + seconds).contains(&answers), "{answers} in {seconds} s");
    let count = std::fs::read_to_string(home.path().join("count")).expect("a count");
    assert_eq!(count.lines().count(), answers, "the program is not started in vain");
}

/// The script of the guide, with something in the place of its model.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_guide_has_a_program_that_works() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sampling.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    let (_, script) = guide.split_once("```bash\n#!/bin/sh\n").expect("a script");
    let (script, _) = script.split_once("```").expect("its end");
    let home = home(script);
    install(&home, "bin/ollama", "echo \"$@\"; cut -c1-11");
    let url = serve(Revision::V2026_07_28).await;
    let answer = told(&docent(&home, &[&["call", "ask", "--url", &url][..], &UNSEEN].concat()));
    assert_eq!(answer["content"]["text"], "run llama3.2\nBelow is a \n{\"messages\"");
}
