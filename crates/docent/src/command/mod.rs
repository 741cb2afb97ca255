//! One file for each command: what it takes, and what it does.

pub(crate) mod answer;
pub(crate) mod approve;
pub(crate) mod cache;
pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod complete;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod daemon;
pub(crate) mod describe;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod gateway;
pub(crate) mod index;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod replay;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod servers;
pub(crate) mod setup;
pub(crate) mod shell;
pub(crate) mod subscribe;
pub(crate) mod symbols;
pub(crate) mod tap;
pub(crate) mod tools;
