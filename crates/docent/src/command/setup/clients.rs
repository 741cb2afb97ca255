//! The clients on this machine: whether they are there, which file is theirs, what they start.
//!
//! Where clients keep their files, and how, is known to `docent_host::config`.

use std::path::{Path, PathBuf};

use docent_host::config::{Client, Conversion, Machine, Scope};
use docent_packages::Environment;

use crate::failure::Failure;

/// What the entry is called in every client.
pub(crate) const SERVER: &str = "docent";

/// The clients that the server can be entered into.
pub(crate) fn all() -> impl Iterator<Item = Client> {
    Client::all().filter(|client| *client != Client::Docent)
}

/// What to do before the client knows of it.
pub(crate) fn afterwards(client: Client) -> &'static str {
    match client {
        Client::ClaudeDesktop => "Quit and start Claude Desktop again.",
        Client::Cursor => "Turn it on in Cursor's settings, under MCP.",
        Client::VsCode => "Start it from the Extensions view, under MCP Servers.",
        Client::Windsurf => "Press Refresh in Windsurf's MCP panel.",
        Client::Zed | Client::Cline | Client::Roo => "It starts by itself.",
        _ => "The next session has it.",
    }
}

/// The program, if it has one that may be on the path.
fn program(client: Client) -> Option<&'static str> {
    match client {
        Client::ClaudeCode => Some("claude"),
        Client::Cursor => Some("cursor"),
        Client::VsCode => Some("code"),
        Client::Codex => Some("codex"),
        Client::Windsurf => Some("windsurf"),
        Client::Gemini => Some("gemini"),
        Client::Opencode => Some("opencode"),
        Client::CopilotCli => Some("copilot"),
        Client::Zed => Some("zed"),
        Client::Goose => Some("goose"),
        // Extensions of an editor, and an application without a command.
        _ => None,
    }
}

/// The clients of one user, or the files of one project.
pub(crate) struct Clients {
    machine: Machine,
    scope: Scope,
    programs: Environment,
    /// What an entry is to start.
    program: String,
}

impl Clients {
    pub(crate) fn new(
        machine: Machine,
        programs: &Environment,
        in_project: bool,
    ) -> Result<Self, Failure> {
        if machine.home().is_none() && !in_project {
            return Err(Failure::new("there is no home folder, so clients have no files there")
                .hint("`--project` writes into the files of the project"));
        }
        let scope = if in_project { Scope::Project } else { Scope::User };
        let program = started(in_project)?;
        Ok(Self { machine, scope, programs: programs.clone(), program })
    }

    /// Whether the client seems to be there.
    pub(crate) fn has(&self, client: Client) -> bool {
        let Some(file) = self.file(client) else { return false };
        if self.scope == Scope::Project {
            // The files of a project are for others too, but one should be there already.
            return file.exists() || (client == Client::ClaudeCode && self.on_path(client));
        }
        let home = self.machine.home();
        let folder = file.parent().filter(|folder| Some(*folder) != home);
        file.exists()
            || folder.is_some_and(Path::exists)
            || (client == Client::ClaudeCode
                && home.is_some_and(|home| home.join(".claude").exists()))
            || self.on_path(client)
    }

    fn on_path(&self, client: Client) -> bool {
        program(client).is_some_and(|program| self.programs.program(program).is_some())
    }

    /// The file that is to be changed; `None` if the client has none in projects.
    pub(crate) fn file(&self, client: Client) -> Option<PathBuf> {
        client.file(&self.machine, self.scope)
    }

    /// The entry that starts the server.
    pub(crate) fn entry(&self, client: Client) -> Conversion {
        Conversion::starting(&self.machine, client, SERVER, &[&self.program, "serve"])
    }
}

/// What an entry starts: this very program for one user, whose editor may not have the shell's path;
/// the name alone in files that others use too.
fn started(in_project: bool) -> Result<String, Failure> {
    if in_project {
        return Ok("docent".to_owned());
    }
    let own = std::env::current_exe()
        .map_err(|error| Failure::io("where this program is cannot be told", &error))?;
    own.into_os_string().into_string().map_err(|path| {
        let path = path.to_string_lossy();
        Failure::new(format!("`{path}` cannot be written into a file: its name is not UTF-8"))
            .hint("move `docent` into a folder with a plain name")
    })
}

#[cfg(test)]
mod tests {
    use docent_host::config::Platform;
    use docent_testkit::folder::Folder;

    use super::*;

    /// The clients that leave these files, and the files that would be changed.
    fn check(platform: Platform, left: &[&str], expected: &[(Client, &str)]) {
        let folder = Folder::new();
        for file in left {
            folder.write(file, "");
        }
        let home = folder.path().join("home");
        let machine = Machine::made_up(folder.path(), &home, &home).on(platform);
        // Nothing is on the path.
        let programs = Environment::isolated(&home);
        let known = Clients::new(machine, &programs, false).expect("a home");
        let found = all().filter(|client| known.has(*client));
        let found: Vec<(Client, PathBuf)> =
            found.map(|client| (client, known.file(client).expect("a file"))).collect();
        let expected: Vec<(Client, PathBuf)> =
            expected.iter().map(|(client, file)| (*client, home.join(file))).collect();
        assert_eq!(found, expected, "{platform:?}");
    }

    #[test]
    fn clients_are_found_where_each_system_has_them() {
        let everywhere =
            ["home/.claude/history", "home/.cursor/x", "home/.codex/x", "home/.copilot/x"];
        let with = |more: &[&'static str]| [everywhere.as_slice(), more].concat();
        let linux = with(&["home/.config/Code/User/x", "home/.config/zed/x"]);
        check(
            Platform::Linux,
            &linux,
            &[
                (Client::ClaudeCode, ".claude.json"),
                (Client::VsCode, ".config/Code/User/mcp.json"),
                (Client::Cursor, ".cursor/mcp.json"),
                (Client::Codex, ".codex/config.toml"),
                (Client::CopilotCli, ".copilot/mcp-config.json"),
                (Client::Zed, ".config/zed/settings.json"),
            ],
        );
        let library = "Library/Application Support";
        let mac = with(&[
            "home/Library/Application Support/Code/User/x",
            "home/Library/Application Support/Claude/x",
            "home/.config/zed/x",
        ]);
        check(
            Platform::Mac,
            &mac,
            &[
                (Client::ClaudeCode, ".claude.json"),
                (Client::VsCode, &format!("{library}/Code/User/mcp.json")),
                (Client::Cursor, ".cursor/mcp.json"),
                (Client::Codex, ".codex/config.toml"),
                (Client::CopilotCli, ".copilot/mcp-config.json"),
                (Client::Zed, ".config/zed/settings.json"),
                (Client::ClaudeDesktop, &format!("{library}/Claude/claude_desktop_config.json")),
            ],
        );
        let windows = with(&[
            "home/AppData/Roaming/Code/User/x",
            "home/AppData/Roaming/Claude/x",
            "home/AppData/Roaming/Zed/x",
        ]);
        check(
            Platform::Windows,
            &windows,
            &[
                (Client::ClaudeCode, ".claude.json"),
                (Client::VsCode, "AppData/Roaming/Code/User/mcp.json"),
                (Client::Cursor, ".cursor/mcp.json"),
                (Client::Codex, ".codex/config.toml"),
                (Client::CopilotCli, ".copilot/mcp-config.json"),
                (Client::Zed, "AppData/Roaming/Zed/settings.json"),
                (Client::ClaudeDesktop, "AppData/Roaming/Claude/claude_desktop_config.json"),
            ],
        );
    }
}
