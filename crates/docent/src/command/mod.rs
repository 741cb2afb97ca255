//! One file for each command: what it takes, and what it does.

pub(crate) mod cache;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod describe;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod index;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod setup;
pub(crate) mod symbols;
