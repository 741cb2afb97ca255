//! Headers that a command prints: `headersHelper` and its like.
#![cfg(unix)]

use std::path::Path;
use std::time::Duration;

use docent_host::config::{
    Approval, Approvals, Command, Config, Machine, Masked, NobodyToAsk, ServerEntry, Survey,
    Transport,
};
use docent_host::{Host, HostLimits};
use docent_testkit::folder::Folder;
use serde_json::json;

use crate::fixture::{soon, text};
use crate::protected::{RESOURCE, protected};

/// An entry whose headers a script prints, in a folder.
fn with_script(mut entry: ServerEntry, folder: &Path, script: &str) -> ServerEntry {
    let Transport::Http { helper, .. } = &mut entry.transport else { panic!("an address") };
    *helper = Some(Box::new(Command {
        command: Masked::plain("/bin/sh"),
        args: ["-c", script].map(Masked::plain).to_vec(),
        env: Default::default(),
        cwd: Some(folder.to_owned()),
        inherit: false,
    }));
    entry
}

/// The command runs once for many requests, and once more when the server takes its token no
/// longer.
#[tokio::test]
async fn headers_are_printed_before_connecting_and_again_after_401() {
    let world = protected().await;
    let folder = Folder::new();
    let print = |token: &str| json!({ "Authorization": format!("Bearer {token}") }).to_string();
    folder.write("stale", print("stale-token"));
    folder.write("fresh", print(&world.authority.token(RESOURCE, "ada", "notes")));
    let script = "echo \"$DOCENT_SERVER_NAME\" >> runs; \
                  if [ -e old ]; then cat fresh; else touch old; cat stale; fi";
    let entry = with_script(world.entry(), folder.path(), script);
    let host = Host::from_entries([entry]);
    for _ in 0..3 {
        let who = soon(host.call("notes.who", json!({}))).await.unwrap();
        assert_eq!(text(&who), "ada: notes");
    }
    let runs = std::fs::read_to_string(folder.path().join("runs")).unwrap();
    assert_eq!(runs, "notes\nnotes\n");
    host.close().await;
}

#[tokio::test]
async fn what_goes_wrong_is_said_without_what_was_printed() {
    let world = protected().await;
    let folder = Folder::new();
    for (script, expected) in [
        ("echo hunter2", "has to print a JSON object"),
        (r#"echo '{"Authorization": ["hunter2"]}'"#, "has to print a JSON object"),
        (r#"echo '{"Mcp-Method": "hunter2"}'"#, "belongs to the protocol"),
        (r#"echo '{"A b": "hunter2"}'"#, "of a header is not valid"),
        ("echo hunter2 >&2; exit 7", "exit status: 7"),
        ("sleep 30", "took longer than 0.5 s"),
        ("while :; do echo hunter2; done", "printed more than 1000 bytes"),
        (r#"echo '{"Authorization": "Bearer hunter2"}'"#, "invalid_token"),
    ] {
        let limits = HostLimits {
            headers_helper_timeout: Duration::from_millis(500),
            headers_helper_bytes_max: 1000,
            ..HostLimits::default()
        };
        let entry = with_script(world.entry(), folder.path(), script);
        let host = Host::builder("test", "1.0").limits(limits).from_entries([entry]);
        let failed = soon(host.call("notes.who", json!({}))).await.unwrap_err();
        let said = format!("{failed:#} {failed:?} {:?}", host.servers());
        assert!(said.contains(expected), "{script}: {said}");
        assert!(!said.contains("hunter2"), "{script}: {said}");
        host.close().await;
    }
}

fn machine(folder: &Folder) -> Machine {
    let root = folder.path();
    std::fs::create_dir_all(root.join("me/project/.git")).expect("a project");
    Machine::made_up(root, root.join("me"), root.join("me/project"))
}

fn load(machine: &Machine) -> Config {
    let approvals = Approvals::load(machine).expect("readable approvals");
    Config::load(machine, &approvals, &mut NobodyToAsk)
}

fn write(folder: &Folder, fields: &str) {
    let entry =
        format!(r#""type":"http","url":"https://example.com/mcp","headers":{{"A":"b"}}{fields}"#);
    folder.write("me/project/.mcp.json", format!(r#"{{"mcpServers":{{"s":{{{entry}}}}}}}"#));
}

/// A project's command is run only if the user has seen exactly that command.
#[test]
fn a_command_of_a_project_needs_approval_of_its_own() {
    let folder = Folder::new();
    let machine = machine(&folder);
    let approve = || {
        let mut approvals = Approvals::load(&machine).expect("readable approvals");
        approvals.approve(&load(&machine).servers[0]).expect("it can be kept");
    };
    write(&folder, "");
    approve();
    assert!(load(&machine).servers[0].is_usable());
    write(&folder, r#","headersHelper":"./headers.sh --for me""#);
    let config = load(&machine);
    let Approval::Needed { what, .. } = &config.servers[0].approval else { panic!("approved") };
    assert!(what.contains("/bin/sh -c './headers.sh --for me'"), "{what}");
    approve();
    let config = load(&machine);
    let entry = &config.servers[0];
    assert!(entry.is_usable());
    let Transport::Http { helper: Some(helper), .. } = &entry.transport else { panic!() };
    assert_eq!(helper.args[1].expose(), "./headers.sh --for me", "not expanded here");
    assert_eq!(helper.env["CLAUDE_CODE_MCP_SERVER_NAME"].expose(), "s");
    assert_eq!(helper.env["CLAUDE_CODE_MCP_SERVER_URL"].expose(), "https://example.com/mcp");
    assert_eq!(helper.cwd.as_deref(), Some(&*folder.path().join("me/project")));
    for changed in [
        r#","headersHelper":"./headers.sh --for you""#,
        r#","headersHelper":"./headers.sh --for me","env":{"X":"y"}"#,
        r#","headersHelper":"./headers.sh --for me","oauth":{"authServerMetadataUrl":"https://evil.example"}"#,
    ] {
        write(&folder, changed);
        assert!(!load(&machine).servers[0].is_usable(), "{changed}");
    }
    let explained = Survey::of(&machine).explain(&Approvals::in_memory()).to_string();
    assert!(
        explained.contains("with headers of: /bin/sh -c './headers.sh --for me'"),
        "{explained}"
    );
    assert!(
        explained.contains("with login, authorization server: https://evil.example"),
        "{explained}"
    );
}
