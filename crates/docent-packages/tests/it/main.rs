//! What the engine does, seen from outside.

mod answers; // fixtures: a project, questions about it, and the whole text of the answers
mod engine; // which version, from where, and who is asked for what
mod go; // import paths, module proxies, hashes
mod go_large; // modules that are too large to be read at once
mod outline; // fixtures: the files of a package, and the items and prose that are found in it
mod project; // a question to all packages of a project
mod swift; // Swift packages of a project and of a registry
