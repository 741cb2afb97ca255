//! Whole archives and folders, opened.
