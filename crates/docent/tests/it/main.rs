//! Tests of the program as it is started.

/// Questions of servers, answered by a second command.
mod answer;
/// The commands for other MCP servers.
mod client;
/// Settings, cache, completions, exit codes, suggestions.
mod commandline;
/// What a person or an agent asks, and what the program answers.
mod commands;
/// Servers that stay between commands.
mod daemon;
/// Homes, disks and paths as they should not be.
mod edges;
/// The gateway as it is started.
mod gateway;
/// Lockfiles below a folder, and the list for agents.
mod indexing;
/// The page on which people look at servers.
mod inspect;
/// Tools that must be as they were approved.
mod lock;
/// Processes that must be gone, and servers that do not want to.
mod processes;
/// What servers ask, asked at a terminal.
mod questions;
/// What servers want of a model, answered by a program.
mod sampling;
/// The documentation server as its clients see it.
mod server;
/// Servers of other clients: explained, converted, imported, approved.
mod servers_config;
/// The files of clients.
mod setup;
/// The commands on servers that stay open.
mod shell;
/// The machine that a test runs on.
mod stage;
/// Resources that change.
mod subscribe;
/// What passes between a client and a server, written down and played again.
mod tap;
/// What people see.
mod terminal;
/// Registries that do not answer as they should.
mod trouble;
/// Packages that bring their worker process down, and what becomes of the request.
mod worker;
