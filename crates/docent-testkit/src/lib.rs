//! What Docent's tests share.
//!
//! [`conversation`] plays a conversation that is written down as text against anything that reads
//! and writes lines; [`pattern`] is how its expectations match. [`fixture`] reads small packages that
//! are written down as text, with what is expected of them. [`folder`] is a folder that goes away
//! again. [`registry`] serves made-up packages over HTTP on this machine, and misbehaves on command.
//! [`archives`] makes archives, good and hostile ones. [`authorization`] issues tokens, strictly;
//! [`plain_http`] talks to it, and to other servers of this machine; [`form`] is how both write names
//! and values. [`tls`] has certificates for both sides on this machine.

pub mod archives;
pub mod authorization;
pub mod conversation;
pub mod fixture;
pub mod folder;
pub mod form;
pub mod pattern;
pub mod plain_http;
pub mod registry;
pub mod tls;
