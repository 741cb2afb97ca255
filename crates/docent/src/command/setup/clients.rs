//! The clients: how each is recognized, where it keeps its servers, and what an entry looks like.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use docent_packages::Environment;
use serde_json::{Value, json};

use crate::failure::Failure;

/// A client that can be set up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    #[value(name = "vscode", alias = "vs-code", alias = "code")]
    VsCode,
    Codex,
    Windsurf,
    #[value(alias = "gemini-cli")]
    Gemini,
    Opencode,
    Zed,
}

/// How a file is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Json,
    Toml,
}

impl Client {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::value_variants().iter().copied()
    }

    /// What it is called on the command line.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
            Self::Windsurf => "windsurf",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Zed => "zed",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Codex => "Codex",
            Self::Windsurf => "Windsurf",
            Self::Gemini => "Gemini CLI",
            Self::Opencode => "opencode",
            Self::Zed => "Zed",
        }
    }

    pub(crate) fn format(self) -> Format {
        if self == Self::Codex { Format::Toml } else { Format::Json }
    }

    /// What to do before the client knows of it.
    pub(crate) fn afterwards(self) -> &'static str {
        match self {
            Self::ClaudeCode | Self::Codex | Self::Gemini | Self::Opencode => {
                "The next session has it."
            }
            Self::ClaudeDesktop => "Quit and start Claude Desktop again.",
            Self::Cursor => "Turn it on in Cursor's settings, under MCP.",
            Self::VsCode => "Start it from the Extensions view, under MCP Servers.",
            Self::Windsurf => "Press Refresh in Windsurf's MCP panel.",
            Self::Zed => "It starts by itself.",
        }
    }

    /// The program, if it has one that may be on the path.
    fn program(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("claude"),
            Self::ClaudeDesktop => None,
            Self::Cursor => Some("cursor"),
            Self::VsCode => Some("code"),
            Self::Codex => Some("codex"),
            Self::Windsurf => Some("windsurf"),
            Self::Gemini => Some("gemini"),
            Self::Opencode => Some("opencode"),
            Self::Zed => Some("zed"),
        }
    }

    /// Where in its file the servers are; `text` is what the file has now.
    pub(crate) fn path(self, text: &Value) -> Vec<&'static str> {
        match self {
            Self::VsCode => vec!["servers", "docent"],
            Self::Codex => vec!["mcp_servers", "docent"],
            // The second version of the format has one more level.
            Self::Opencode if text.pointer("/mcp/servers").is_some_and(Value::is_object) => {
                vec!["mcp", "servers", "docent"]
            }
            Self::Opencode => vec!["mcp", "docent"],
            Self::Zed => vec!["context_servers", "docent"],
            _ => vec!["mcpServers", "docent"],
        }
    }

    /// The entry that starts the server.
    pub(crate) fn entry(self, program: &str) -> Value {
        match self {
            Self::ClaudeCode | Self::VsCode => {
                json!({ "type": "stdio", "command": program, "args": ["serve"] })
            }
            Self::Opencode => json!({ "type": "local", "command": [program, "serve"] }),
            Self::Zed => json!({ "command": program, "args": ["serve"], "env": {} }),
            _ => json!({ "command": program, "args": ["serve"] }),
        }
    }
}

/// The folders that clients keep their files in.
pub(crate) struct Machine {
    home: PathBuf,
    /// Where programs with windows keep their settings.
    applications: PathBuf,
    config: PathBuf,
    codex: PathBuf,
    /// The project, if its files are meant and not the user's.
    project: Option<PathBuf>,
    programs: Environment,
    /// What an entry is to start.
    pub(crate) program: String,
}

impl Machine {
    pub(crate) fn new(environment: &Environment, in_project: bool) -> Result<Self, Failure> {
        let home = environment.home().map(Path::to_owned);
        let home = match (home, in_project) {
            (Some(home), _) => home,
            (None, true) => PathBuf::new(),
            (None, false) => {
                return Err(Failure::new(
                    "there is no home folder, so clients have no files there",
                )
                .hint("`--project` writes into the files of the project"));
            }
        };
        let config = environment.config_folder().unwrap_or_else(|| home.join(".config"));
        let applications = match std::env::consts::OS {
            "macos" => home.join("Library").join("Application Support"),
            "windows" => {
                let set = environment.variable("APPDATA").map(PathBuf::from);
                set.unwrap_or_else(|| home.join("AppData").join("Roaming"))
            }
            _ => config.clone(),
        };
        let codex = environment.variable("CODEX_HOME").map(PathBuf::from);
        Ok(Self {
            codex: codex.unwrap_or_else(|| home.join(".codex")),
            project: in_project.then(|| environment.directory().to_owned()),
            program: program(in_project)?,
            programs: environment.clone(),
            home,
            applications,
            config,
        })
    }

    /// Whether the client seems to be there.
    pub(crate) fn has(&self, client: Client) -> bool {
        if self.project.is_some() {
            // The files of a project are for others too, but one should be there already.
            return self.file(client).is_some_and(|file| file.exists())
                || (client == Client::ClaudeCode && self.on_path(client));
        }
        let traces = match client {
            Client::ClaudeCode => vec![self.home.join(".claude.json"), self.home.join(".claude")],
            Client::ClaudeDesktop => vec![self.applications.join("Claude")],
            Client::Cursor => vec![self.home.join(".cursor")],
            Client::VsCode => vec![self.applications.join("Code").join("User")],
            Client::Codex => vec![self.codex.clone()],
            Client::Windsurf => vec![self.home.join(".codeium").join("windsurf")],
            Client::Gemini => vec![self.home.join(".gemini")],
            Client::Opencode => vec![self.config.join("opencode")],
            Client::Zed => vec![self.config.join("zed")],
        };
        traces.iter().any(|trace| trace.exists()) || self.on_path(client)
    }

    fn on_path(&self, client: Client) -> bool {
        client.program().is_some_and(|program| self.programs.program(program).is_some())
    }

    /// The file that is to be changed; `None` if the client has none in projects.
    pub(crate) fn file(&self, client: Client) -> Option<PathBuf> {
        if let Some(project) = &self.project {
            let inside = match client {
                Client::ClaudeCode => ".mcp.json",
                Client::Cursor => ".cursor/mcp.json",
                Client::VsCode => ".vscode/mcp.json",
                Client::Codex => ".codex/config.toml",
                Client::Gemini => ".gemini/settings.json",
                Client::Opencode => {
                    return Some(either(project, "opencode.json", "opencode.jsonc"));
                }
                Client::Zed => ".zed/settings.json",
                Client::ClaudeDesktop | Client::Windsurf => return None,
            };
            return Some(project.join(inside));
        }
        let file = match client {
            Client::ClaudeCode => self.home.join(".claude.json"),
            Client::ClaudeDesktop => {
                self.applications.join("Claude").join("claude_desktop_config.json")
            }
            Client::Cursor => self.home.join(".cursor").join("mcp.json"),
            Client::VsCode => self.applications.join("Code").join("User").join("mcp.json"),
            Client::Codex => self.codex.join("config.toml"),
            Client::Windsurf => self.home.join(".codeium").join("windsurf").join("mcp_config.json"),
            Client::Gemini => self.home.join(".gemini").join("settings.json"),
            Client::Opencode => {
                either(&self.config.join("opencode"), "opencode.json", "opencode.jsonc")
            }
            Client::Zed => self.config.join("zed").join("settings.json"),
        };
        Some(file)
    }
}

/// The second file if it is there, else the first.
fn either(folder: &Path, first: &str, second: &str) -> PathBuf {
    let second = folder.join(second);
    if second.is_file() { second } else { folder.join(first) }
}

/// What an entry starts: this very program for one user, whose editor may not have the shell's path;
/// the name alone in files that others use too.
fn program(in_project: bool) -> Result<String, Failure> {
    if in_project {
        return Ok("docent".to_owned());
    }
    let own = std::env::current_exe()
        .map_err(|error| Failure::io("where this program is cannot be told", &error))?;
    own.into_os_string().into_string().map_err(|path| {
        let path = path.to_string_lossy();
        Failure::new(format!("`{path}` cannot be written into JSON: its name is not UTF-8"))
            .hint("move `docent` into a folder with a plain name")
    })
}
