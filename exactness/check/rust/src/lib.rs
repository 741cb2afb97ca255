//! Nothing: the crates are what this package is for.
