//! What the host does, seen from outside: with files of a made-up machine, and with servers and
//! clients in memory and on loopback.

/// Nothing of a project before the user's word.
mod approve;
/// Tools that are not offered.
mod blocked;
/// Fixtures: the files of a machine, and everything that is said about them.
mod config;
/// Calls that somebody agrees to.
mod confirm;
/// Fixtures: entries in other clients' words, read back.
mod convert;
/// What the examples do when they are started.
mod examples;
/// A server with a little of everything, and clients for it.
mod fixture;
/// Many servers served as one.
mod gateway;
/// What is logged.
mod heard;
/// Many servers used as one.
mod host;
/// Entries put into files.
mod import;
/// Questions of files.
mod input;
/// Servers that answer in another way than servers do.
mod instead;
/// Servers that are started late.
mod lazy;
/// Settings of entries for logins.
mod login;
/// How long calls may take.
mod patience;
/// Tools as they were approved.
mod pin;
/// Headers that commands print.
mod printed_headers;
/// A server that wants tokens.
mod protected;
/// Lists whose time is over.
mod refresh;
/// Servers that are tried again.
mod retry;
