//! What the doctor looks at, one function for each section.

use std::path::Path;

use docent_host::config::Machine;
use docent_packages::{Ecosystem, Engine, Environment, ErrorKind};

use super::Finding;
use crate::command::setup::clients::{self, Clients};
use crate::command::setup::present;
use crate::failure::Failure;
use crate::print::Console;
use crate::settings::{Review, Sampling, Source};
use crate::terminal::{count, size};
use crate::{project as files, suggest};

/// Less than this is too little for what a project brings.
const FREE_BYTES_MIN: u64 = 200_000_000;

/// The programs of each ecosystem that may be asked for a default.
const TOOLS: [(Ecosystem, &[&str]); 5] = [
    (Ecosystem::Npm, &["npm", "pnpm", "yarn", "bun", "node"]),
    (Ecosystem::Python, &["python3", "pip3", "pip", "uv"]),
    (Ecosystem::Rust, &["cargo"]),
    (Ecosystem::Go, &["go"]),
    (Ecosystem::Swift, &["swift"]),
];

pub(super) fn program() -> Vec<Finding> {
    let version = env!("CARGO_PKG_VERSION");
    let place = std::env::current_exe().map(|path| path.display().to_string());
    let place = place.unwrap_or_else(|error| format!("a place that cannot be told: {error}"));
    vec![Finding::good(format!("version {version}, {place}"))]
}

pub(super) fn settings(
    console: &Console,
    environment: &Environment,
    broken: Option<&Failure>,
) -> Vec<Finding> {
    if let Some(failure) = broken {
        return vec![Finding::failure(failure)];
    }
    let settings = &console.settings;
    let there = settings.files.iter().filter(|file| file.is_there());
    let mut found: Vec<Finding> =
        there.map(|file| Finding::good(format!("{}", file.path.display()))).collect();
    if found.is_empty() {
        found.push(Finding::note("no docent.toml: the defaults hold"));
    }
    for warning in &settings.warnings {
        found.push(Finding::wrong(warning, "`docent config keys` lists what can be set"));
    }
    if settings.offline.value {
        let from = &settings.offline.source;
        found.push(Finding::note(format!("offline ({from}): no registry is asked")));
    }
    found.extend(model(&settings.sampling, environment));
    found
}

/// The program that answers for a model, if one is set.
fn model(set: &Sampling, environment: &Environment) -> Option<Finding> {
    let line = set.command.value.as_ref()?;
    let what = format!("{} answers for a model ({})", line.shown(), set.command.source);
    let found = match line.program.is_absolute() {
        true => line.program.is_file(),
        false => environment.program(&line.program.to_string_lossy()).is_some(),
    };
    Some(match found {
        true if set.review.value == Review::Never => {
            Finding::note(format!("{what}, and nobody looks ({})", set.review.source))
        }
        true => Finding::good(what),
        false => Finding::wrong(
            format!("{what}, and is not there"),
            "install it, or set another `sampling.command`",
        ),
    })
}

pub(super) fn project(engine: &Engine, folder: &Path) -> Vec<Finding> {
    if !folder.is_dir() {
        let what = format!("`{}` is not a folder", folder.display());
        return vec![Finding::wrong(what, "name the folder of a project")];
    }
    let around = files::around(folder);
    let mut found = Vec::new();
    for one in &around {
        let what = if one.locks { "lockfile" } else { "manifest" };
        let path = one.folder.join(&one.name);
        // What cannot be read says nothing about its packages.
        match std::fs::File::open(&path) {
            Ok(_) => {
                found.push(Finding::good(format!("{} {what}: {}", one.ecosystem, path.display())))
            }
            Err(error) => found.push(Finding::wrong(
                format!("{} cannot be read: {error}", path.display()),
                "make it readable for this user",
            )),
        }
    }
    if around.is_empty() {
        let what = format!("no lockfile or manifest at or above {}", folder.display());
        found.push(Finding::note(format!("{what}: questions are about the newest releases")));
        return found;
    }
    let dependencies = suggest::dependencies(engine, folder);
    for ecosystem in Ecosystem::all() {
        let own: Vec<_> =
            dependencies.iter().filter(|(package, _)| package.ecosystem == ecosystem).collect();
        let has_files = around.iter().any(|one| one.ecosystem == ecosystem);
        let has_lock = around.iter().any(|one| one.ecosystem == ecosystem && one.locks);
        let direct = own.iter().filter(|(_, direct)| *direct).count();
        match own.len() {
            0 if has_lock => found.push(Finding::wrong(
                format!("no {ecosystem} packages could be read from these files"),
                "look whether the lockfile is whole: make it again with the package manager",
            )),
            0 if has_files => found.push(Finding::note(format!("no {ecosystem} dependencies"))),
            0 => {}
            all => {
                let packages = count(all, "package");
                found.push(Finding::good(format!(
                    "{packages} of {ecosystem}, {direct} of them direct"
                )));
            }
        }
    }
    found
}

pub(super) async fn registries(
    engine: &Engine,
    environment: &Environment,
    folder: &Path,
    console: &Console,
) -> Vec<Finding> {
    let around = files::around(folder);
    let mut found = Vec::new();
    for (ecosystem, tools) in TOOLS {
        let there: Vec<&str> =
            tools.iter().copied().filter(|tool| environment.program(tool).is_some()).collect();
        let tools = if there.is_empty() { "no tool".to_owned() } else { there.join(", ") };
        let used = around.iter().any(|one| one.ecosystem == ecosystem);
        match engine.registries(ecosystem, folder).await {
            Ok(addresses) if addresses.is_empty() => {
                found.push(Finding::note(format!("{ecosystem}: {tools}")));
            }
            Ok(addresses) => {
                let set = console.settings.registries.iter().find(|(one, _)| *one == ecosystem);
                let source =
                    set.map(|(_, set)| &set.source).filter(|source| **source != Source::Default);
                let source = source.map(|source| format!(", from {source}")).unwrap_or_default();
                let addresses = addresses.join(", ");
                found.push(Finding::good(format!("{ecosystem}: {addresses} ({tools}{source})")));
            }
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                found.push(Finding::note(format!("{ecosystem}: not supported yet")));
            }
            // Nobody needs the registry of a language that is not used here.
            Err(_) if console.settings.offline.value => {
                found.push(Finding::note(format!(
                    "{ecosystem}: {tools}; offline, so nobody is asked"
                )));
            }
            Err(error) if !used && there.is_empty() => {
                found.push(Finding::note(format!("{ecosystem}: {tools}; {error}")));
            }
            Err(error) => {
                let advice = error.hints().first().cloned();
                let advice = advice.unwrap_or_else(|| "see docs/private-registries.md".to_owned());
                found.push(Finding::wrong(format!("{ecosystem}: {error}"), advice));
            }
        }
    }
    found
}

pub(super) fn cache(engine: &Engine, console: &Console) -> Vec<Finding> {
    let cache = engine.cache();
    let folder = cache.folder();
    let bytes: u64 = cache.stages().iter().map(|stage| stage.bytes).sum();
    let most = console.settings.cache_bytes_max.value;
    let held = format!("{}: {} of {}", folder.display(), size(bytes), size(most));
    let mut found = vec![Finding::good(held)];
    let probe = folder.join(format!(".doctor-{}", std::process::id()));
    match std::fs::write(&probe, "can it be written?") {
        Ok(()) => {
            let _ = std::fs::remove_file(&probe);
        }
        Err(error) => {
            let _ = std::fs::remove_file(&probe);
            found.push(Finding::wrong(
                format!("the cache cannot be written: {error}"),
                "make the folder writable, or choose another: `--cache`, `DOCENT_CACHE`",
            ));
        }
    }
    match free_bytes(folder) {
        Some(free) if free < FREE_BYTES_MIN => found.push(Finding::wrong(
            format!("only {} are free on the disk of the cache", size(free)),
            "free some space, or choose another folder: `--cache`, `DOCENT_CACHE`",
        )),
        Some(free) => found.push(Finding::good(format!("{} are free on its disk", size(free)))),
        None => {}
    }
    found
}

#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

pub(super) fn clients(environment: &Environment) -> Vec<Finding> {
    let known = match Clients::new(Machine::of_process(), environment, false) {
        Ok(machine) => machine,
        Err(failure) => return vec![Finding::note(failure.to_string())],
    };
    let mut found = Vec::new();
    for client in clients::all().filter(|client| known.has(*client)) {
        let Some(file) = known.file(client) else { continue };
        let name = client.name();
        found.push(match present(client, &file) {
            Ok(Some(program)) if starts(&program, environment) => {
                Finding::good(format!("{name}: set up in {}", file.display()))
            }
            Ok(Some(program)) => Finding::wrong(
                format!("{name}: starts `{program}`, which is not there ({})", file.display()),
                format!("`docent setup {}` enters this program", client.id()),
            ),
            Ok(None) => {
                Finding::note(format!("{name}: not set up; `docent setup {}` does it", client.id()))
            }
            Err(failure) => Finding::wrong(
                format!("{name}: {failure}"),
                "put the file right; the client may ignore all of it as it is",
            ),
        });
    }
    if found.is_empty() {
        found.push(Finding::note("no client that Docent knows was found"));
    }
    found
}

fn starts(program: &str, environment: &Environment) -> bool {
    let path = Path::new(program);
    if path.is_absolute() { path.is_file() } else { environment.program(program).is_some() }
}
