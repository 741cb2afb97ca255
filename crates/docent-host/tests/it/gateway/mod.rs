//! The gateway.

/// Who may share a connection with whom.
mod callers;
/// What a server of one era asks, tells and is told through clients of the other.
mod matrix;
/// Servers that are slow, broken or gone.
mod trouble;
