//! Tests of the program as it is started.

/// Packages that bring their worker process down, and what becomes of the request.
mod worker;
