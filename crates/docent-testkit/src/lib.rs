//! What Docent's tests share.
//!
//! [`conversation`] plays a conversation that is written down as text against anything that reads
//! and writes lines; [`pattern`] is how its expectations match. [`fixture`] reads small packages that
//! are written down as text, with what is expected of them. [`folder`] is a temporary place for files.
//! [`archives`] makes archives, good and hostile ones.

pub mod archives;
pub mod conversation;
pub mod fixture;
pub mod folder;
pub mod pattern;
