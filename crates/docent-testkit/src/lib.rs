//! What Docent's tests share.
//!
//! [`conversation`] plays a conversation that is written down as text against anything that reads
//! and writes lines; [`pattern`] is how its expectations match.

pub mod conversation;
pub mod pattern;
