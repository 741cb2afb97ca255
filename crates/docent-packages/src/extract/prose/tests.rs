//! The converters on input that nobody meant well with.
