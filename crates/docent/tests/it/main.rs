//! Tests of the program as it is started.

/// What a person or an agent asks, and what the program answers.
mod commands;
/// The documentation server as its clients see it.
mod server;
/// Packages that bring their worker process down, and what becomes of the request.
mod worker;
