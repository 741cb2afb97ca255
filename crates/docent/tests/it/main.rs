//! Tests of the program as it is started.

/// What a person or an agent asks, and what the program answers.
mod commands;
/// Packages that bring their worker process down, and what becomes of the request.
mod worker;
