//! Each file of `conversions/` is a machine with one client's servers, and those servers in the
//! words of all others. What is written is read back and must mean the same.

use std::fmt::Write as _;
use std::path::PathBuf;

use docent_host::config::{Approvals, Client, Config, Input, Survey, Transport};
use docent_mcp::auth::Secret;
use docent_testkit::fixture::check_all;
use docent_testkit::folder::Folder;

use crate::config::{machine, without_root};

fn answer(input: &Input) -> Option<Secret> {
    Some(Secret::new(format!("answer to {}", input.id)))
}

/// What is started or called, secrets included.
fn meaning(config: &Config, server: &str) -> String {
    let Some(entry) = config.server(server) else {
        return format!("nothing: {:?}", config.problems);
    };
    let mut text = format!("{:?} {:?} ", entry.tools, entry.call_timeout);
    match &entry.transport {
        Transport::Stdio { command, args, env, cwd, inherit } => {
            for word in std::iter::once(command).chain(args) {
                let _ = write!(text, "{:?} ", word.expose());
            }
            for (name, value) in env.iter().filter(|(name, _)| *name != "CLAUDE_PROJECT_DIR") {
                let _ = write!(text, "{name}={:?} ", value.expose());
            }
            let _ = write!(text, "{cwd:?} {inherit}");
        }
        Transport::Http { url, headers, .. } => {
            let _ = write!(text, "{} ", url.expose());
            let mut headers: Vec<_> =
                headers.iter().map(|(name, value)| (name, value.expose())).collect();
            headers.sort();
            let _ = write!(text, "{headers:?}");
        }
    }
    text
}

#[test]
fn every_client_to_every_other() {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/conversions");
    check_all(&fixtures, |fixture| {
        let folder = Folder::new();
        let machine = machine(fixture, &folder);
        let survey = Survey::of(&machine);
        let config = survey.config(&Approvals::in_memory(), &mut answer);
        let mut said = String::new();
        for server in &config.servers {
            for client in Client::all() {
                let _ = writeln!(said, "# {} for {client}", server.name);
                let converted = match survey.convert(&server.name, client) {
                    Ok(converted) => converted,
                    Err(reasons) => {
                        let _ = writeln!(said, "not possible: {}\n", reasons.join("; "));
                        continue;
                    }
                };
                let text = converted.to_file();
                said.push_str(&text);
                for loss in &converted.losses {
                    let _ = writeln!(said, "lost: {loss}");
                }
                said.push('\n');
                let file = folder.write("people/me/project-copy/file", &text);
                let again = Survey::of_file(&machine, &file, Some(client))
                    .config(&Approvals::in_memory(), &mut answer);
                if converted.losses.is_empty() {
                    let (ours, theirs) =
                        (meaning(&config, &server.name), meaning(&again, &server.name));
                    assert_eq!(ours, theirs, "{} for {client}:\n{text}", server.name);
                }
            }
        }
        without_root(&said, &folder)
    });
}
