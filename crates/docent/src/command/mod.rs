//! One file for each command: what it takes, and what it does.

pub(crate) mod check;
pub(crate) mod describe;
pub(crate) mod diff;
pub(crate) mod search;
pub(crate) mod serve;
