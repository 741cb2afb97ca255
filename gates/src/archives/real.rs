//! Archives that people have published must open: the crates in this machine's registry cache, and the
//! modules in that of Go.

use std::path::{Path, PathBuf};

use docent_packages::worker::Workers;
use docent_packages::{Ecosystem, ErrorKind, Limits, Place};
use docent_testkit::archives::Format;

use super::{go_module, job, place};
use crate::Result;

pub(super) struct Real {
    pub(super) refused_per_10000: usize,
}

/// Opens them all, and adds those that opened to what the oracle compares.
pub(super) async fn measure(
    workers: &Workers,
    limits: &Limits,
    opened: &mut Vec<(Place, String)>,
) -> Result<Real> {
    let crates = crates().into_iter().map(|file| (place(file, Format::TarGz), Ecosystem::Rust));
    let modules = modules().into_iter().map(|file| {
        let h1 = h1(&file);
        (go_module(file, h1), Ecosystem::Go)
    });
    let files: Vec<(Place, Ecosystem)> = crates.chain(modules).collect();
    if files.is_empty() {
        println!("skipped: real archives, because there is no registry cache");
        return Ok(Real { refused_per_10000: 0 });
    }
    let (mut refused, mut large) = (0, 0);
    for (place, ecosystem) in &files {
        match workers.run(job(place.clone(), *ecosystem, limits)).await {
            Ok(_) => opened.push((place.clone(), place.path().display().to_string())),
            Err(error) => {
                // A few modules are larger than a worker may have in memory, and are said to be.
                match error.kind() {
                    ErrorKind::LimitExceeded => large += 1,
                    _ => refused += 1,
                }
                println!("{error}");
            }
        }
    }
    let opened = files.len() - refused - large;
    println!("{opened} of {} real archives opened, {large} larger than the limits", files.len());
    Ok(Real { refused_per_10000: (refused * 10_000).div_ceil(files.len()) })
}

fn crates() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let Some(cache) = home.map(|home| home.join("registry/cache")) else { return Vec::new() };
    let mut files = Vec::new();
    for registry in entries(&cache) {
        files.extend(entries(&registry));
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "crate"));
    files.sort();
    files
}

fn modules() -> Vec<PathBuf> {
    let cache = std::env::var_os("GOMODCACHE").map(PathBuf::from);
    let cache = cache.or_else(|| std::env::home_dir().map(|home| home.join("go/pkg/mod")));
    let (mut files, mut open) = (Vec::new(), Vec::new());
    open.extend(cache.map(|cache| cache.join("cache/download")));
    while let Some(folder) = open.pop() {
        for entry in entries(&folder) {
            match entry.extension() {
                _ if entry.is_dir() => open.push(entry),
                Some(extension) if extension == "zip" => files.push(entry),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// The hash that Go has noted beside a module, which has to be ours.
fn h1(module: &Path) -> Option<[u8; 32]> {
    use base64::Engine as _;
    let noted = std::fs::read_to_string(module.with_extension("ziphash")).ok()?;
    let noted = base64::engine::general_purpose::STANDARD.decode(noted.trim().strip_prefix("h1:")?);
    noted.ok()?.try_into().ok()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
