//! The peers and where they are.

use std::path::{Path, PathBuf};

/// A program of another SDK: what to run, and with what.
pub(crate) struct Peer {
    /// The name that a skipped test prints.
    pub(crate) name: &'static str,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<PathBuf>,
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn installed() -> Option<PathBuf> {
    std::env::var_os("DOCENT_PEERS").map(PathBuf::from)
}

/// The program under test, as `cargo xtask test` has built it.
pub(crate) fn docent() -> Option<PathBuf> {
    let program = std::env::var_os("DOCENT_PROGRAM").map(PathBuf::from);
    if program.is_none() {
        eprintln!("skipped: DOCENT_PROGRAM does not name the docent program");
    }
    program
}

impl Peer {
    /// A script for Node.
    pub(crate) fn node(name: &'static str, script: &str, arguments: &[&str]) -> Self {
        let mut all = vec![here().join("node").join(script)];
        all.extend(arguments.iter().map(PathBuf::from));
        Peer { name, program: "node".into(), arguments: all }
    }

    /// A script for Node with an old release of the TypeScript SDK.
    pub(crate) fn node_old(name: &'static str, script: &str, arguments: &[&str]) -> Self {
        Peer::node(name, &format!("../node-old/{script}"), arguments)
    }

    /// A script for one of the Python environments.
    pub(crate) fn python(name: &'static str, environment: &str, script: &str) -> Self {
        let program = installed().unwrap_or_default().join(environment).join("bin/python");
        Peer { name, program, arguments: vec![here().join("python").join(script)] }
    }

    /// The same with arguments.
    pub(crate) fn with(mut self, argument: &str) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// A built Go program.
    pub(crate) fn go(name: &'static str, program: &str) -> Self {
        Peer { name, program: installed().unwrap_or_default().join(program), arguments: Vec::new() }
    }

    /// Whether the peer can be run here; says so when it cannot.
    pub(crate) fn is_there(&self) -> bool {
        let installed = installed().is_some()
            && if self.program == Path::new("node") {
                self.arguments[0]
                    .parent()
                    .is_some_and(|beside| beside.join("node_modules").exists())
            } else {
                self.program.exists()
            };
        if !installed {
            eprintln!("skipped: {} is not installed; run `cargo xtask peers`", self.name);
        }
        installed
    }
}
