//! Nothing of a project is started before the user approved exactly that.

use docent_host::config::{
    Approval, Approvals, Config, Input, Machine, NobodyToAsk, Survey, Transport,
};
use docent_testkit::folder::Folder;

fn machine(folder: &Folder) -> Machine {
    let root = folder.path();
    std::fs::create_dir_all(root.join("me/project/.git")).expect("a project");
    Machine::made_up(root, root.join("me"), root.join("me/project")).with("KEY", "hunter2")
}

fn load(machine: &Machine) -> Config {
    let approvals = Approvals::load(machine).expect("readable approvals");
    Config::load(machine, &approvals, &mut NobodyToAsk)
}

/// Approves the project's only server as it is now.
fn approve(machine: &Machine) {
    let mut approvals = Approvals::load(machine).expect("readable approvals");
    let config = load(machine);
    approvals.approve(&config.servers[0]).expect("it can be kept");
}

const ENTRY: &str = r#"{"command":"npx","args":["-y","server"],"env":{"K":"${KEY}"}}"#;

fn write(folder: &Folder, entry: &str) {
    folder.write("me/project/.mcp.json", format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#));
}

#[test]
fn an_approval_is_for_exactly_what_was_seen() {
    let folder = Folder::new();
    let machine = machine(&folder);
    for (changed, still) in [
        (ENTRY, true),
        (r#"{"command":"npx","args":["-y","server"],"env":{"K":"${KEY}"},"timeout":5}"#, true),
        (r#"{"command":"npm","args":["-y","server"],"env":{"K":"${KEY}"}}"#, false),
        (r#"{"command":"npx","args":["-y","server "],"env":{"K":"${KEY}"}}"#, false),
        (r#"{"command":"npx","args":["-y server"],"env":{"K":"${KEY}"}}"#, false),
        (r#"{"command":"npx","args":["-y","server"],"env":{"K":"${HOME}"}}"#, false),
        (r#"{"command":"npx","args":["-y","server"],"env":{"L":"${KEY}"}}"#, false),
        (r#"{"command":"npx","args":["-y","server"],"env":{"K":"${KEY}"},"cwd":"x"}"#, false),
        (r#"{"type":"http","url":"https://example.com"}"#, false),
    ] {
        write(&folder, ENTRY);
        approve(&machine);
        write(&folder, changed);
        let config = load(&machine);
        assert_eq!(config.servers[0].is_usable(), still, "{changed}");
    }
}

#[test]
fn an_approval_is_for_one_file_and_one_name() {
    let folder = Folder::new();
    let machine = machine(&folder);
    write(&folder, ENTRY);
    approve(&machine);
    assert!(load(&machine).servers[0].is_usable());

    let other = machine.clone().in_directory(folder.path().join("me/other"));
    folder.write("me/other/.mcp.json", format!(r#"{{"mcpServers":{{"s":{ENTRY}}}}}"#));
    assert!(!load(&other).servers[0].is_usable(), "the same entry in another project");
    folder.write("me/project/.mcp.json", format!(r#"{{"mcpServers":{{"t":{ENTRY}}}}}"#));
    assert!(!load(&machine).servers[0].is_usable(), "another name");
}

#[test]
fn nothing_is_looked_up_or_asked_before() {
    let folder = Folder::new();
    let machine = machine(&folder);
    folder.write(
        "me/project/.vscode/mcp.json",
        r#"{"inputs":[{"id":"i","type":"promptString"}],
            "servers":{"s":{"command":"x","args":["${input:i}","${env:KEY}","${env:UNSET}"]}}}"#,
    );
    let mut asked = 0;
    let mut ask = |_: &Input| {
        asked += 1;
        None
    };
    let approvals = Approvals::load(&machine).expect("readable approvals");
    let config = Config::load(&machine, &approvals, &mut ask);
    assert_eq!(asked, 0);
    assert!(config.problems.is_empty(), "{:?}", config.problems);
    let Transport::Stdio { args, .. } = &config.servers[0].transport else { panic!("a program") };
    let args: Vec<&str> = args.iter().map(|arg| arg.expose()).collect();
    assert_eq!(args, ["${input:i}", "${env:KEY}", "${env:UNSET}"]);
    let Approval::Needed { what, .. } = &config.servers[0].approval else { panic!("not needed") };
    assert_eq!(what, "x ${input:i} ${env:KEY} ${env:UNSET}");
}

#[test]
fn users_own_files_need_no_approval_and_named_files_of_the_project_do() {
    let folder = Folder::new();
    let machine = machine(&folder);
    write(&folder, ENTRY);
    folder.write("me/.cursor/mcp.json", r#"{"mcpServers":{"u":{"command":"u"}}}"#);
    let config = load(&machine);
    let usable = |name: &str| config.server(name).expect("a server").is_usable();
    assert!(usable("u") && !usable("s"));

    for (path, expected) in [
        ("me/project/.mcp.json", false),
        ("me/.cursor/mcp.json", true),
        // What stands before `..` hides nothing.
        ("me/.cursor/../project/.mcp.json", false),
        ("me/project/../.cursor/mcp.json", true),
    ] {
        let survey = Survey::of_file(&machine, &folder.path().join(path), None);
        let config = survey.config(&Approvals::in_memory(), &mut NobodyToAsk);
        assert_eq!(config.servers[0].is_usable(), expected, "{path}");
    }
}

#[test]
fn approvals_are_taken_back() {
    let folder = Folder::new();
    let machine = machine(&folder);
    write(&folder, ENTRY);
    approve(&machine);
    let mut approvals = Approvals::load(&machine).expect("readable approvals");
    assert_eq!(approvals.revoke("s").expect("it can be kept"), 1);
    assert_eq!(approvals.revoke("s").expect("it can be kept"), 0);
    assert!(!load(&machine).servers[0].is_usable());
}

#[test]
fn damaged_approvals_are_an_error_and_approve_nothing() {
    let folder = Folder::new();
    let machine = machine(&folder);
    for text in ["", "{", r#"{"version":9,"approved":{}}"#] {
        folder.write("me/.config/docent/approvals.json", text);
        assert!(Approvals::load(&machine).is_err(), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_the_approvals() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    let machine = machine(&folder);
    write(&folder, ENTRY);
    approve(&machine);
    let file = folder.path().join("me/.config/docent/approvals.json");
    let mode = std::fs::metadata(file).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
