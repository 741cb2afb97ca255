//! One of the crates that are compared, so that this is a crate: the manifest is what matters.

pub use bytes;
