//! The adapter as a whole, over small projects on disk.
