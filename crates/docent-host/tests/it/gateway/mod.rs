//! The gateway.

/// Who may share a connection with whom.
mod callers;
/// What sessions tell beyond the protocol.
mod experiments;
/// Skills, and extensions that nobody here knows.
mod extensions;
/// Calls that wait for their client, and connections that belong to one.
mod lifetimes;
/// Limits, at the limit and one past it.
mod limits;
/// What lists say, and when they are told to have changed.
mod lists;
/// What a server of one era asks, tells and is told through clients of the other.
mod matrix;
/// Pages that tools name.
mod pages;
/// What is written down of calls.
mod record;
/// Traces and metrics, as a collector gets them.
mod telemetry;
/// Servers that are slow, broken or gone.
mod trouble;
/// Servers on the web behind the gateway, and the headers that repeat what requests say.
mod web;
