//! `cargo xtask peers`: installs the programs of other SDKs that the interop tests talk to.
//!
//! Versions are pinned by lockfiles below `interop/`; where they are downloaded from is the
//! machine's configuration. What is installed already stays: a stamp beside it holds a hash of
//! everything that decides what would be installed.

use std::path::{Path, PathBuf};

use crate::workspace::Workspace;
use crate::{Outcome, process};

/// Tells the interop tests where the peers are.
pub(crate) const VARIABLE: &str = "DOCENT_PEERS";

/// What became of a peer.
pub(crate) enum State {
    Ready,
    /// The tools for it are not on this machine; the reason names them.
    Skipped(String),
}

/// A group of programs that is installed in one go.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    install: fn(&Workspace) -> Result<State, String>,
}

pub(crate) const PEERS: &[Peer] = &[
    Peer { name: "node", install: |workspace| node(workspace, "node") },
    Peer { name: "node, old releases", install: |workspace| node(workspace, "node-old") },
    Peer { name: "the Inspector", install: |workspace| node(workspace, "inspector") },
    Peer { name: "python mcp 1.6", install: |workspace| python(workspace, "0") },
    Peer { name: "python mcp 1.x", install: |workspace| python(workspace, "1") },
    Peer { name: "python mcp 2.x", install: |workspace| python(workspace, "2") },
    Peer { name: "fastmcp", install: |workspace| python(workspace, "-fastmcp") },
    Peer { name: "go", install: go },
];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    crate::accept(arguments, &[])?;
    let workspace = Workspace::load()?;
    let mut good = true;
    for peer in PEERS {
        match peer.install(&workspace) {
            Ok(State::Ready) => println!("ready    {}", peer.name),
            Ok(State::Skipped(reason)) => println!("skipped  {}: {reason}", peer.name),
            Err(reason) => {
                println!("FAILED   {}: {reason}", peer.name);
                good = false;
            }
        }
    }
    println!("{VARIABLE}={}", folder(&workspace).display());
    Ok(good)
}

impl Peer {
    pub(crate) fn install(&self, workspace: &Workspace) -> Result<State, String> {
        (self.install)(workspace)
    }
}

/// Where peers are installed, except node's, whose modules must be beside the scripts. The names
/// in it are those of `interop/README.md`.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("peers")
}

fn node(workspace: &Workspace, folder: &str) -> Result<State, String> {
    let version = match tool("node", "--version", (20, 0)) {
        Ok(version) => version,
        Err(reason) => return Ok(State::Skipped(reason)),
    };
    if process::version("npm", &["--version"]).is_none() {
        return Ok(State::Skipped("npm is not installed".into()));
    }
    install_node(&version, &workspace.root.join("interop").join(folder))
}

/// Installs the npm packages that a folder's lockfile names.
pub(crate) fn npm_ci(source: &Path) -> Result<(), String> {
    let version = tool("node", "--version", (20, 0))?;
    install_node(&version, source).map(drop)
}

fn install_node(version: &str, source: &Path) -> Result<State, String> {
    let stamp = source.join("node_modules/.stamp");
    let stamp = Stamp::new(stamp, version, source, &["package-lock.json"])?;
    if stamp.matches() {
        return Ok(State::Ready);
    }
    let mut npm = process::program("npm");
    process::run(npm.args(["ci", "--no-fund", "--no-audit"]).current_dir(source))?;
    stamp.write()
}

fn python(workspace: &Workspace, environment: &str) -> Result<State, String> {
    let source = workspace.root.join("interop/python");
    let place = folder(workspace).join(format!("py{environment}"));
    pip_sync(&source, &format!("requirements{environment}.txt"), &place)
}

/// Makes a Python environment of exactly what a file of a folder names.
pub(crate) fn pip_sync(source: &Path, requirements: &str, place: &Path) -> Result<State, String> {
    let version = match tool("python3", "--version", (3, 11)) {
        Ok(version) => version,
        Err(reason) => return Ok(State::Skipped(reason)),
    };
    if process::version("python3", &["-c", "import ensurepip, venv"]).is_none() {
        return Ok(State::Skipped("python3 is installed without venv".into()));
    }
    let stamp = Stamp::new(place.join(".stamp"), &version, source, &[requirements])?;
    if stamp.matches() {
        return Ok(State::Ready);
    }
    process::run(process::program("python3").args(["-m", "venv", "--clear"]).arg(place))?;
    let mut pip = process::program(place.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    // The files name the whole environment, so nothing may be added to it.
    process::run(pip.args(["--no-deps", "--requirement"]).arg(source.join(requirements)))?;
    stamp.write()
}

fn go(workspace: &Workspace) -> Result<State, String> {
    let version = match tool("go", "version", (1, 25)) {
        Ok(version) => version,
        Err(reason) => return Ok(State::Skipped(reason)),
    };
    let source = workspace.root.join("interop/go");
    let place = folder(workspace);
    let inputs = files_below(&source)?;
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let stamp = Stamp::new(place.join("go.stamp"), &version, &source, &inputs)?;
    if stamp.matches() {
        return Ok(State::Ready);
    }
    for program in ["client", "server"] {
        let output = place.join(format!("go-{program}"));
        let mut build = process::program("go");
        build.args(["build", "-o"]).arg(output).arg(format!("./{program}"));
        process::run(build.current_dir(&source))?;
    }
    stamp.write()
}

/// The version of a tool, or why it cannot be used.
pub(crate) fn tool(name: &str, argument: &str, oldest: (u32, u32)) -> Result<String, String> {
    let version = process::version(name, &[argument]);
    let version = version.ok_or_else(|| format!("{name} is not installed"))?;
    if numbers(&version) < oldest {
        return Err(format!("{version} is older than {name} {}.{}", oldest.0, oldest.1));
    }
    Ok(version)
}

/// The first two numbers in `v20.1.0`, `Python 3.11.7` or `go version go1.26.8`.
fn numbers(version: &str) -> (u32, u32) {
    let digits = version.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut numbers = digits.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse());
    let mut next = || numbers.next().and_then(Result::ok).unwrap_or_default();
    (next(), next())
}

/// Every file below a folder, relative to it, in a stable order.
fn files_below(folder: &Path) -> Result<Vec<String>, String> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(next) = open.pop() {
        let entries = std::fs::read_dir(&next).map_err(|error| cannot_read(&next, &error))?;
        for entry in entries {
            let path = entry.map_err(|error| cannot_read(&next, &error))?.path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(path) = path.strip_prefix(folder) {
                found.push(path.to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Says whether what is installed is what would be installed now.
pub(crate) struct Stamp {
    file: PathBuf,
    hash: String,
}

impl Stamp {
    /// The hash covers the tool's version and the named files of a folder.
    pub(crate) fn new(
        file: PathBuf,
        tool: &str,
        folder: &Path,
        inputs: &[&str],
    ) -> Result<Stamp, String> {
        let mut bytes = tool.as_bytes().to_vec();
        for input in inputs {
            let path = folder.join(input);
            bytes.extend(input.as_bytes());
            bytes.extend(std::fs::read(&path).map_err(|error| cannot_read(&path, &error))?);
        }
        Ok(Stamp { file, hash: format!("{:016x}", fnv1a(&bytes)) })
    }

    pub(crate) fn matches(&self) -> bool {
        std::fs::read_to_string(&self.file).is_ok_and(|written| written == self.hash)
    }

    pub(crate) fn write(&self) -> Result<State, String> {
        let written = std::fs::write(&self.file, &self.hash);
        written.map_err(|error| format!("cannot write {}: {error}", self.file.display()))?;
        Ok(State::Ready)
    }
}

fn cannot_read(path: &Path, error: &std::io::Error) -> String {
    format!("cannot read {}: {error}", path.display())
}

/// A hash that stays the same from one Rust version to the next, which the standard one may not.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn a_stamp_matches_until_the_tool_or_a_file_changes() {
        let folder = std::env::temp_dir().join(format!("docent-stamp-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("lock"), "1").unwrap();
        let stamp = |tool| Stamp::new(folder.join("stamp"), tool, &folder, &["lock"]).unwrap();
        assert!(!stamp("v1").matches(), "nothing is installed yet");
        stamp("v1").write().unwrap();
        assert!(stamp("v1").matches());
        assert!(!stamp("v2").matches(), "another version of the tool");
        std::fs::write(folder.join("lock"), "2").unwrap();
        assert!(!stamp("v1").matches(), "another lockfile");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn versions_are_compared_by_their_first_two_numbers() {
        for (version, expected) in [
            ("v20.1.0", (20, 1)),
            ("Python 3.11.7", (3, 11)),
            ("go version go1.26.8 linux/amd64", (1, 26)),
            ("v9", (9, 0)),
            ("odd", (0, 0)),
        ] {
            assert_eq!(numbers(version), expected, "{version}");
        }
    }

    #[test]
    fn a_tool_that_is_missing_or_old_is_named() {
        let found = tool("no-such-tool", "--version", (1, 0));
        assert_eq!(found, Err("no-such-tool is not installed".to_owned()));
        let found = tool("rustc", "--version", (99, 0));
        assert!(found.unwrap_err().ends_with(" is older than rustc 99.0"));
    }
}
