//! What servers ask while there is no terminal, answered by a second command.

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output, Stdio};

use docent_mcp::server::{Context, Server, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpServer};
use docent_mcp::types::{ElicitAction, ElicitRequestFormParams, Revision};
use docent_testkit::folder::Folder;
use serde_json::{Value, json};

const DOCENT: &str = env!("CARGO_BIN_EXE_docent");

/// Asks twice: how large, and whether that is meant.
pub(crate) async fn order(context: Context, (): ()) -> Result<String, ToolError> {
    let size = json!({ "type": "object", "required": ["size"], "properties": {
        "size": { "type": "integer", "title": "How large", "minimum": 1, "maximum": 9 },
        "top": { "type": "string", "enum": ["basil", "olives"], "default": "basil" },
    }});
    let form = |message: &str, requested_schema: Value| ElicitRequestFormParams {
        message: message.to_owned(),
        requested_schema,
        ..Default::default()
    };
    let answer = context.elicit_form(form("Which pizza?", size)).await?;
    let (ElicitAction::Accept, Some(pizza)) = (answer.action, answer.content) else {
        return Ok("no pizza".to_owned());
    };
    let sure = json!({ "type": "object", "properties": { "sure": { "type": "boolean" } } });
    let sure = context.elicit_form(form("Really?", sure)).await?;
    let sure = sure.content.and_then(|content| content.get("sure").cloned());
    Ok(format!("size {} with {}, sure: {}", pizza["size"], pizza["top"], json!(sure)))
}

async fn greet(_: Context, (): ()) -> Result<String, ToolError> {
    Ok("hello".to_owned())
}

/// The address of a server of one revision.
async fn serve(revision: Revision) -> String {
    let server = Server::new("pizza", "1.0")
        .revisions([revision])
        .tool("order", "Takes an order", order)
        .tool("greet", "Asks nothing", greet);
    let service = server.http_service(HttpOptions::new()).expect("a service");
    let listening = HttpServer::bind(service, "127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listening.local_addr());
    tokio::spawn(listening.serve());
    url
}

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    /// The name that the call was given.
    fn token(&self) -> String {
        let (_, rest) = self.err.split_once("docent answer ").expect("how to answer");
        rest.split_whitespace().next().expect("a name").to_owned()
    }
}

fn docent(home: &Folder, words: &[&str]) -> Ran {
    let mut command = Command::new(DOCENT);
    command.env_clear().env("HOME", home.path()).current_dir(home.path()).args(words);
    let Output { status, stdout, stderr } =
        command.stdin(Stdio::null()).output().expect("the program");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran { code: status.code(), out: text(stdout), err: text(stderr) }
}

/// The process that stays with a call.
fn keeper_of(token: &str) -> String {
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let mut numbers = processes.filter_map(|entry| {
        let line = std::fs::read_to_string(entry.path().join("cmdline")).ok()?;
        let number = entry.file_name().into_string().ok()?;
        line.contains(&format!("--kept\0{token}\0")).then_some(number)
    });
    numbers.next().expect("somebody stays with the call")
}

fn calls(home: &Folder) -> std::path::PathBuf {
    home.path().join(".config/docent/run/calls")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_command_answers_in_both_eras() {
    for revision in [Revision::NEWEST_LEGACY, Revision::V2026_07_28] {
        let (home, url) = (Folder::new(), serve(revision).await);
        let asked = docent(&home, &["call", "order", "--ask", "later", "--url", &url]);
        assert_eq!((asked.code, asked.out.as_str()), (Some(4), ""), "{revision:?}: {}", asked.err);
        assert!(asked.err.contains("server asks: Which pizza?"), "{}", asked.err);
        assert!(asked.err.contains("size  How large\n"), "{}", asked.err);
        assert!(asked.err.contains("top (basil, olives) (optional) [basil]"), "{}", asked.err);
        let token = asked.token();

        // Nobody else can see it, and its owner can look again.
        let mode = |path: &std::path::Path| {
            std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
        };
        assert_eq!(mode(&calls(&home)), 0o700);
        for entry in std::fs::read_dir(calls(&home)).expect("the folder") {
            assert_eq!(mode(&entry.expect("an entry").path()), 0o600);
        }
        let list = docent(&home, &["answer"]);
        assert_eq!(list.out, format!("{token}  asks  server: Which pizza?\n"));
        let again = docent(&home, &["answer", &token]);
        assert_eq!((again.code, again.err), (Some(0), asked.err));

        // What does not fit is refused here, and the question stays.
        for (words, problem) in [
            (&["size=large"][..], "/size"),
            (&["top=basil"], "size"),
            (&["size=3", "top=glue"], "/top"),
            (&["size"], "`size` is no argument"),
        ] {
            let unfit = docent(&home, &[&["answer", &token], words].concat());
            assert_eq!(unfit.code, Some(64), "{words:?}: {}", unfit.err);
            assert!(unfit.err.contains(problem), "{words:?}: {}", unfit.err);
        }

        // The next question comes out of the answer to the first, here as JSON.
        let next = docent(&home, &["answer", &token, "size=3", "--json"]);
        assert_eq!(next.code, Some(4), "{}", next.err);
        let next: Value = serde_json::from_str(&next.out).expect("JSON");
        assert_eq!(next["asks"]["message"], "Really?");
        assert_eq!(next["asks"]["token"], *token);
        let done = docent(&home, &["answer", &token, "sure=true"]);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
        assert_eq!(done.out, "size 3 with \"basil\", sure: true\n");

        // Then nothing is left of it.
        let gone = docent(&home, &["answer", &token]);
        assert_eq!(gone.code, Some(2));
        assert_eq!(std::fs::read_dir(calls(&home)).expect("the folder").count(), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_can_be_declined_and_need_not_come() {
    let (home, url) = (Folder::new(), serve(Revision::V2026_07_28).await);
    let asked = docent(&home, &["call", "order", "--ask", "later", "--url", &url]);
    let no = docent(&home, &["answer", &asked.token(), "--decline"]);
    assert_eq!((no.code, no.out.as_str()), (Some(0), "no pizza\n"), "{}", no.err);

    let greeted = docent(&home, &["call", "greet", "--ask", "later", "--url", &url]);
    assert_eq!((greeted.code, greeted.out.as_str()), (Some(0), "hello\n"), "{}", greeted.err);
    let unknown = docent(&home, &["call", "nothing", "--ask", "later", "--url", &url]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.err);
    assert!(unknown.err.contains("unknown tool: nothing"), "{}", unknown.err);
    assert_eq!(std::fs::read_dir(calls(&home)).expect("the folder").count(), 0);

    // Without it, servers are told that nobody can be asked.
    let refused = docent(&home, &["call", "order", "--url", &url]);
    assert_ne!(refused.code, Some(4));
    assert_ne!(refused.code, Some(0), "{}", refused.out);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_whose_process_was_killed_is_told_to_be_gone() {
    let (home, url) = (Folder::new(), serve(Revision::V2026_07_28).await);
    let asked = docent(&home, &["call", "order", "--ask", "later", "--url", &url]);
    let token = asked.token();
    let killed = Command::new("kill").args(["-9", &keeper_of(&token)]).status().expect("kill");
    assert!(killed.success());
    let gone = docent(&home, &["answer", &token, "size=3"]);
    assert_eq!(gone.code, Some(2));
    assert!(gone.err.contains("the call is gone"), "{}", gone.err);
    assert_eq!(docent(&home, &["answer"]).out, "nothing waits for an answer\n");
}
