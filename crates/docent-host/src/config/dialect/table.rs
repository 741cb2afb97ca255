//! The table of dialects. Where a client's documentation is silent, the row says what its files in
//! the wild look like.

use super::Base::{
    ApplicationData, DotConfig, File, Home, Own, Project as InProject, Root, Variable,
};
use super::Field::*;
use super::{Dialect, Field, Kind, Place, Shell, Syntax, Typing};
use crate::config::entry::Client;
use crate::config::entry::HttpKind::{Auto, Sse, Streamable};
use crate::config::entry::Scope::{Managed, Project, User};
use crate::config::machine::Platform::{Linux, Mac, Windows};
use crate::config::read::{Format, Leniency};

type Fields = &'static [(&'static str, Field)];

const STDIO: Fields = &[("command", Command), ("args", Args), ("env", Env)];
const ADDRESS: Fields = &[("url", Url(Auto)), ("headers", Headers)];
const TYPED: Fields = &[("type", Type)];
const CWD: Fields = &[("cwd", Cwd)];
const OFF: Fields = &[("disabled", Disabled)];
/// What some installers leave in every entry.
const NOTES: Fields = &[("description", Ignored), ("name", Ignored)];

const NONE: Syntax = Syntax {
    braces: false,
    default: false,
    env: false,
    input: false,
    folders: false,
    dollar: false,
    percent: false,
    curly: false,
    escape: false,
};
const BRACES: Syntax = Syntax { braces: true, default: true, ..NONE };
const PREFIXED: Syntax = Syntax { env: true, ..NONE };
const EDITOR: Syntax = Syntax { folders: true, ..PREFIXED };

const STRICT: Format = Format::Json(Leniency::STRICT);
const COMMENTS: Format = Format::Json(Leniency::COMMENTS);
const JSONC: Format = Format::Json(Leniency::JSONC);

const SERVERS: &[&[&str]] = &[&["mcpServers"]];

const TYPES: &[(&str, Kind)] =
    &[("stdio", Kind::Stdio), ("http", Kind::Http(Streamable)), ("sse", Kind::Http(Sse))];

const fn place(scope: crate::config::entry::Scope, base: super::Base, path: &'static str) -> Place {
    Place { scope, base, path, only: None }
}

/// The rows. In one scope, what stands higher wins.
pub(crate) const ROWS: &[Dialect] = &[
    Dialect {
        client: Client::Docent,
        name: "Docent",
        id: "docent",
        places: &[place(Project, InProject, "docent.toml"), place(User, Own, "docent.toml")],
        format: Format::Toml,
        roots: &[&["servers"]],
        syntax: Syntax { braces: true, default: true, input: true, escape: true, ..EDITOR },
        fields: &[
            TYPED,
            STDIO,
            CWD,
            ADDRESS,
            OFF,
            &[
                ("headers_helper", HeadersHelper(Shell::Unused)),
                ("pass", Pass),
                ("inherit", Inherit),
                ("env_file", EnvFile),
                ("lazy", Lazy),
                ("startup_timeout_sec", StartSec),
                ("call_timeout_sec", CallSec),
                ("tools", Tools),
                ("oauth", OAuth),
                ("description", Ignored),
            ],
        ],
        types: super::TYPES_SEEN,
        typing: Typing::Optional,
        strict: true,
        remote: true,
    },
    Dialect {
        client: Client::ClaudeCode,
        name: "Claude Code",
        id: "claude-code",
        places: &[
            Place { only: Some(Linux), ..place(Managed, Root, "etc/claude-code/managed-mcp.json") },
            Place {
                only: Some(Mac),
                ..place(Managed, Root, "Library/Application Support/ClaudeCode/managed-mcp.json")
            },
            Place {
                only: Some(Windows),
                ..place(Managed, Root, "Program Files/ClaudeCode/managed-mcp.json")
            },
            place(Project, InProject, ".mcp.json"),
            place(User, Variable("CLAUDE_CONFIG_DIR", ""), ".claude.json"),
        ],
        format: STRICT,
        roots: SERVERS,
        syntax: BRACES,
        fields: &[
            TYPED,
            STDIO,
            ADDRESS,
            NOTES,
            &[
                ("timeout", CallMs),
                ("alwaysLoad", Eager),
                ("oauth", OAuth),
                ("headersHelper", HeadersHelper(Shell::Used)),
            ],
        ],
        types: &[
            ("stdio", Kind::Stdio),
            ("http", Kind::Http(Streamable)),
            ("streamable-http", Kind::Http(Streamable)),
            ("sse", Kind::Http(Sse)),
            ("ws", Kind::Foreign),
            ("sdk", Kind::Foreign),
        ],
        typing: Typing::Remote,
        strict: false,
        remote: true,
    },
    Dialect {
        client: Client::VsCode,
        name: "VS Code",
        id: "vscode",
        places: &[
            place(Project, InProject, ".vscode/mcp.json"),
            place(User, ApplicationData, "Code/User/mcp.json"),
            place(User, ApplicationData, "Code - Insiders/User/mcp.json"),
        ],
        format: JSONC,
        roots: &[&["servers"]],
        syntax: Syntax { input: true, ..EDITOR },
        fields: &[
            TYPED,
            STDIO,
            CWD,
            ADDRESS,
            NOTES,
            &[
                ("envFile", EnvFile),
                ("oauth", OAuth),
                ("dev", Ignored),
                ("gallery", Ignored),
                ("version", Ignored),
                ("sandboxEnabled", Undone("it runs without the sandbox")),
                ("sandbox", Ignored),
            ],
        ],
        types: TYPES,
        typing: Typing::Optional,
        strict: false,
        remote: true,
    },
    Dialect {
        client: Client::Cursor,
        name: "Cursor",
        id: "cursor",
        places: &[
            place(Project, InProject, ".cursor/mcp.json"),
            place(User, Home, ".cursor/mcp.json"),
        ],
        format: COMMENTS,
        roots: SERVERS,
        syntax: EDITOR,
        fields: &[
            STDIO,
            ADDRESS,
            NOTES,
            &[("type", Ignored), ("envFile", EnvFile), ("auth", OAuth), ("disabled", Disabled)],
        ],
        types: &[],
        typing: Typing::Inferred,
        strict: false,
        remote: true,
    },
    Dialect {
        client: Client::Codex,
        name: "Codex",
        id: "codex",
        places: &[
            place(Project, InProject, ".codex/config.toml"),
            place(User, Variable("CODEX_HOME", ".codex"), "config.toml"),
        ],
        format: Format::Toml,
        roots: &[&["mcp_servers"]],
        syntax: NONE,
        fields: &[
            STDIO,
            CWD,
            &[
                ("env_vars", Pass),
                ("url", Url(Streamable)),
                ("http_headers", Headers),
                ("bearer_token_env_var", BearerFrom),
                ("bearer_token", Refused("bearer_token_env_var")),
                ("env_http_headers", HeadersFrom),
                ("http_headers_helper", HeadersHelper(Shell::Used)),
                ("auth", Ignored),
                ("enabled", Enabled),
                ("required", Eager),
                ("startup_timeout_sec", StartSec),
                ("startup_timeout_ms", StartMs),
                ("tool_timeout_sec", CallSec),
                ("enabled_tools", Allow),
                ("disabled_tools", Deny),
                ("default_tools_approval_mode", Ignored),
                ("tools", Ignored),
                ("scopes", Scopes),
                ("oauth", OAuth),
                ("oauth_resource", Resource),
                ("supports_parallel_tool_calls", Ignored),
                ("omit_tools_from", Ignored),
                ("environment_id", Ignored),
            ],
        ],
        types: &[],
        typing: Typing::Inferred,
        strict: true,
        remote: true,
    },
    Dialect {
        client: Client::Gemini,
        name: "Gemini CLI",
        id: "gemini",
        places: &[
            place(Project, InProject, ".gemini/settings.json"),
            place(User, Home, ".gemini/settings.json"),
        ],
        format: COMMENTS,
        roots: SERVERS,
        syntax: Syntax { dollar: true, percent: true, ..BRACES },
        fields: &[
            TYPED,
            STDIO,
            CWD,
            &[
                ("url", Url(Sse)),
                ("httpUrl", Url(Streamable)),
                ("headers", Headers),
                ("timeout", CallMs),
                ("trust", Ignored),
                ("description", Ignored),
                ("includeTools", Allow),
                ("excludeTools", Deny),
                ("oauth", OAuth),
                ("authProviderType", Ignored),
            ],
        ],
        types: TYPES,
        typing: Typing::Optional,
        strict: false,
        remote: true,
    },
    Dialect {
        client: Client::Opencode,
        name: "opencode",
        id: "opencode",
        places: &[
            place(Project, InProject, "opencode.jsonc"),
            place(Project, InProject, "opencode.json"),
            place(Project, InProject, ".opencode/opencode.jsonc"),
            place(Project, InProject, ".opencode/opencode.json"),
            place(User, DotConfig, "opencode/opencode.jsonc"),
            place(User, DotConfig, "opencode/opencode.json"),
        ],
        format: JSONC,
        roots: &[&["mcp", "servers"], &["mcp"]],
        syntax: Syntax { curly: true, ..NONE },
        fields: &[
            TYPED,
            CWD,
            ADDRESS,
            OFF,
            &[
                ("command", Command),
                ("environment", Env),
                ("enabled", Enabled),
                ("timeout", Times),
                ("oauth", OAuth),
            ],
        ],
        types: &[("local", Kind::Stdio), ("remote", Kind::Http(Auto))],
        typing: Typing::Always,
        strict: false,
        remote: true,
    },
    Dialect {
        client: Client::CopilotCli,
        name: "Copilot CLI",
        id: "copilot",
        places: &[
            place(Project, InProject, ".github/mcp.json"),
            place(User, Variable("COPILOT_HOME", ".copilot"), "mcp-config.json"),
        ],
        format: STRICT,
        roots: SERVERS,
        syntax: BRACES,
        fields: &[TYPED, STDIO, CWD, ADDRESS, NOTES, &[("tools", Allow), ("timeout", CallMs)]],
        types: &[
            ("local", Kind::Stdio),
            ("stdio", Kind::Stdio),
            ("http", Kind::Http(Streamable)),
            ("sse", Kind::Http(Sse)),
        ],
        typing: Typing::Remote,
        strict: false,
        remote: true,
    },
    Dialect {
        client: Client::Roo,
        name: "Roo Code",
        id: "roo",
        places: &[
            place(Project, InProject, ".roo/mcp.json"),
            place(
                User,
                ApplicationData,
                "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
            ),
        ],
        format: STRICT,
        roots: SERVERS,
        syntax: EDITOR,
        fields: &[
            TYPED,
            STDIO,
            CWD,
            ADDRESS,
            OFF,
            NOTES,
            &[
                ("timeout", CallSec),
                ("alwaysAllow", Ignored),
                ("disabledTools", Deny),
                ("watchPaths", Ignored),
            ],
        ],
        types: &[
            ("stdio", Kind::Stdio),
            ("streamable-http", Kind::Http(Streamable)),
            ("sse", Kind::Http(Sse)),
        ],
        typing: Typing::Remote,
        strict: false,
        remote: true,
    },
    Dialect {
        client: Client::Zed,
        name: "Zed",
        id: "zed",
        places: &[
            place(Project, InProject, ".zed/settings.json"),
            Place { only: Some(Linux), ..place(User, DotConfig, "zed/settings.json") },
            Place { only: Some(Mac), ..place(User, DotConfig, "zed/settings.json") },
            Place { only: Some(Windows), ..place(User, ApplicationData, "Zed/settings.json") },
        ],
        format: JSONC,
        roots: &[&["context_servers"]],
        syntax: NONE,
        fields: &[
            STDIO,
            ADDRESS,
            &[
                ("source", Ignored),
                ("enabled", Enabled),
                ("timeout", Ignored),
                ("settings", Undone("only Zed's extensions read them")),
            ],
        ],
        types: &[],
        typing: Typing::Inferred,
        strict: false,
        remote: true,
    },
    Dialect {
        client: Client::Windsurf,
        name: "Windsurf",
        id: "windsurf",
        places: &[place(User, Home, ".codeium/windsurf/mcp_config.json")],
        format: STRICT,
        roots: SERVERS,
        syntax: PREFIXED,
        fields: &[
            STDIO,
            OFF,
            &[
                ("serverUrl", Url(Auto)),
                ("headers", Headers),
                ("disabledTools", Deny),
                ("alwaysAllow", Ignored),
            ],
        ],
        types: &[],
        typing: Typing::Inferred,
        strict: false,
        remote: true,
    },
    Dialect {
        client: Client::Cline,
        name: "Cline",
        id: "cline",
        places: &[
            place(User, File("CLINE_MCP_SETTINGS_PATH"), ""),
            place(User, Home, ".cline/data/settings/cline_mcp_settings.json"),
            place(
                User,
                ApplicationData,
                "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ),
        ],
        format: STRICT,
        roots: SERVERS,
        syntax: PREFIXED,
        fields: &[
            TYPED,
            STDIO,
            CWD,
            OFF,
            NOTES,
            // An address without a type is one of the older protocol.
            &[
                ("url", Url(Sse)),
                ("headers", Headers),
                ("timeout", CallSec),
                ("autoApprove", Ignored),
                ("alwaysAllow", Ignored),
            ],
        ],
        types: &[
            ("stdio", Kind::Stdio),
            ("streamableHttp", Kind::Http(Streamable)),
            ("sse", Kind::Http(Sse)),
        ],
        typing: Typing::Optional,
        strict: false,
        remote: true,
    },
    Dialect {
        client: Client::Goose,
        name: "Goose",
        id: "goose",
        places: &[
            Place { only: Some(Linux), ..place(User, DotConfig, "goose/config.yaml") },
            Place { only: Some(Mac), ..place(User, DotConfig, "goose/config.yaml") },
            Place {
                only: Some(Windows),
                ..place(User, ApplicationData, "Block/goose/config/config.yaml")
            },
        ],
        format: Format::Yaml,
        roots: &[&["extensions"]],
        syntax: NONE,
        fields: &[
            TYPED,
            NOTES,
            &[
                ("cmd", Command),
                ("args", Args),
                ("envs", Env),
                ("env_keys", Pass),
                ("uri", Url(Auto)),
                ("headers", Headers),
                ("enabled", Enabled),
                ("timeout", CallSec),
                ("available_tools", Allow),
                ("display_name", Ignored),
                ("bundled", Ignored),
            ],
        ],
        types: &[
            ("stdio", Kind::Stdio),
            ("streamable_http", Kind::Http(Streamable)),
            ("sse", Kind::Http(Sse)),
            ("builtin", Kind::Foreign),
            ("platform", Kind::Foreign),
            ("frontend", Kind::Foreign),
            ("inline_python", Kind::Foreign),
        ],
        typing: Typing::Always,
        strict: false,
        remote: true,
    },
    Dialect {
        client: Client::ClaudeDesktop,
        name: "Claude Desktop",
        id: "claude-desktop",
        places: &[place(User, ApplicationData, "Claude/claude_desktop_config.json")],
        format: STRICT,
        roots: SERVERS,
        syntax: NONE,
        fields: &[STDIO, NOTES, &[("type", Ignored)]],
        types: &[],
        typing: Typing::Inferred,
        strict: false,
        remote: false,
    },
];
