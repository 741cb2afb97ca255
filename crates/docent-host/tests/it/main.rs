//! What the host does, seen from outside.

mod approve; // nothing of a project before the user's word
mod config; // fixtures: the files of a machine, and everything that is said about them
mod convert; // fixtures: entries in other clients' words, read back
mod fixture; // a server with a little of everything, and clients for it
mod gateway; // many servers served as one
mod host; // many servers used as one
mod import; // entries put into files
mod input; // questions of files
mod pin; // tools as they were approved
