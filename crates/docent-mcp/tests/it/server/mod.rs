//! The server, where a test needs more than a conversation can say.

/// Sending the user to a page.
mod elicitation;
/// Extensions: methods, notifications, listen filters.
mod extensions;
/// Each limit at the limit and one past it.
mod limits;
/// A line-by-line peer for these tests.
pub(crate) mod line;
/// Log messages through `tracing`.
#[cfg(feature = "tracing")]
mod logging;
/// What is refused when it is registered, and what is advertised.
mod registration;
/// The state of questions: sealed, bound, bounded.
mod state;
/// Panics, cancellation, slow handlers and the end of input.
mod survival;
