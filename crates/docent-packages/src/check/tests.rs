//! Checks of small packages on disk.
