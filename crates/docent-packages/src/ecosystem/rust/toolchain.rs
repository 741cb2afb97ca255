//! The standard library's sources, when the component `rust-src` is installed.
//!
//! The toolchain is the one that rustup would choose for the project: a variable, the project's
//! `rust-toolchain.toml`, the user's default. Nothing is run to find out. The crates share a folder,
//! since some take in files of others.

use std::path::{Path, PathBuf};

use toml::Value;

use super::manifest::Manifest;
use super::read::{self, Notes};
use crate::Limits;
use crate::ecosystem::{Context, Installed};
use crate::tree::Place;

/// The processors' instructions: tens of thousands of functions below `core::arch`, five times as many
/// as the rest of the library has, for the few who know their names already.
const LEFT_OUT: &str = "stdarch/";

/// The crate of a name that comes with the compiler; a note if its sources are not there.
pub(super) fn find(package: &str, context: &Context<'_>, notes: &mut Notes) -> Option<Installed> {
    let roots = roots(context, notes);
    for root in &roots {
        let library = root.join("lib/rustlib/src/rust/library");
        let folder = library.join(package);
        if folder.join("Cargo.toml").is_file()
            && let Ok(real) = library.canonicalize()
        {
            let version = version(root, context, notes).or_else(|| {
                let own = real.join(package);
                Some(Manifest::read(&own, context.limits, notes)?.version()?.to_owned())
            });
            let files = Some(files(&real, package, context.limits, notes));
            return Some(Installed {
                name: package.to_owned(),
                version: version.unwrap_or_else(|| "0.0.0".to_owned()),
                place: Place::Folder { root: real, files },
                shown: folder,
                bundled: true,
            });
        }
    }
    notes.push(
        "the sources of the standard library are not installed: `rustup component add rust-src`"
            .to_owned(),
    );
    None
}

/// The files of a crate: its own, and those of its neighbors that its root names by their paths.
fn files(library: &Path, package: &str, limits: &Limits, notes: &mut Notes) -> Vec<String> {
    let mut found = below(library, package, limits);
    let root = library.join(package).join("src/lib.rs");
    let root = read::bytes(&root, limits.file_bytes_max, notes).unwrap_or_default();
    let root = String::from_utf8_lossy(&root);
    let paths = root.split("\"../../").skip(1).filter_map(|rest| rest.split('"').next());
    for path in paths {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        match file {
            // A crate or module as a whole.
            "lib.rs" | "mod.rs" if path.starts_with(LEFT_OUT) => {}
            "lib.rs" | "mod.rs" => found.extend(below(library, folder, limits)),
            _ => found.push(path.to_owned()),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// All files below a folder of the library.
fn below(library: &Path, folder: &str, limits: &Limits) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(library.join(&folder)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = format!("{folder}/{name}");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(kind) if kind.is_file() => found.push(path),
                _ => {}
            }
            if (found.len() + open.len()) as u64 > limits.entries_max {
                return found;
            }
        }
    }
    found
}

/// The folders that toolchains may be in, likeliest first.
fn roots(context: &Context<'_>, notes: &mut Notes) -> Vec<PathBuf> {
    let environment = context.environment;
    let mut found: Vec<PathBuf> =
        environment.variable("RUST_SYSROOT").map(PathBuf::from).into_iter().collect();
    let home = environment.variable("RUSTUP_HOME").map(PathBuf::from);
    let Some(home) = home.or_else(|| environment.home().map(|home| home.join(".rustup"))) else {
        return found;
    };
    let toolchains = home.join("toolchains");
    let settings = read::toml(&home.join("settings.toml"), context.limits, notes);
    let default = settings.and_then(|it| it.get("default_toolchain")?.as_str().map(str::to_owned));
    let wanted = environment.variable("RUSTUP_TOOLCHAIN").map(str::to_owned);
    let wanted = wanted.or_else(|| chosen(context, notes)).or(default);
    let mut all: Vec<PathBuf> = std::fs::read_dir(&toolchains)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    all.sort_unstable();
    if let Some(wanted) = wanted {
        // A channel's folder has the host's name behind it.
        let starts = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name == wanted || name.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('-'))
        };
        all.sort_by_key(|path| !starts(path));
    }
    found.append(&mut all);
    // Distributions put the compiler where other programs are.
    found.extend([PathBuf::from("/usr"), PathBuf::from("/usr/local")]);
    found
}

/// The toolchain that the project asks for.
fn chosen(context: &Context<'_>, notes: &mut Notes) -> Option<String> {
    context.project.ancestors().find_map(|folder| {
        ["rust-toolchain.toml", "rust-toolchain"].into_iter().find_map(|name| {
            let file = folder.join(name);
            let bytes = read::bytes(&file, 1 << 16, notes)?;
            let text = String::from_utf8(bytes).ok()?;
            let table: Option<toml::Table> = toml::from_str(&text).ok();
            let channel = table.and_then(|table| {
                table.get("toolchain")?.get("channel").and_then(Value::as_str).map(str::to_owned)
            });
            let line = text.trim();
            let is_plain = !line.is_empty() && !line.contains(['\n', '[', '=']);
            channel.or_else(|| is_plain.then(|| line.to_owned()))
        })
    })
}

/// The compiler's version, as the list of installed components says.
fn version(root: &Path, context: &Context<'_>, notes: &mut Notes) -> Option<String> {
    let file = root.join("lib/rustlib/multirust-channel-manifest.toml");
    let table = read::toml(&file, context.limits, notes)?;
    let written = table.get("pkg")?.get("rust")?.get("version")?.as_str()?;
    written.split(' ').next().map(str::to_owned)
}
