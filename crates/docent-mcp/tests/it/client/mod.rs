//! The client, against servers in memory, fakes and child processes.
