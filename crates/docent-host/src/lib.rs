//! Many MCP servers behind one client.
//!
//! People have configured their servers already, for Claude Code, VS Code, Cursor, Codex and others.
//! [`config`] finds those files, reads each as its owner would, and says what it found in one form
//! for all: a [`ServerEntry`](config::ServerEntry).

pub mod config;
