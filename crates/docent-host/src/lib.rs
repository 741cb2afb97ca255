//! Many MCP servers behind one client.
//!
//! People have configured their servers already, for Claude Code, VS Code, Cursor, Codex and others.
//! [`config`] finds those files, reads each as its owner would, and says what it found in one form
//! for all: a [`ServerEntry`](config::ServerEntry). [`pin`] remembers what the tools of a server were
//! when the user approved them.

pub mod config;
pub mod pin;
