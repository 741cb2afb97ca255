//! Archives that people have published must open: the crates in this machine's registry cache.

use std::path::{Path, PathBuf};

use docent_packages::worker::Workers;
use docent_packages::{Limits, Place};
use docent_testkit::archives::Format;

use super::{job, place};
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
    let files = crates()?;
    if files.is_empty() {
        println!("skipped: real archives, because there is no registry cache");
        return Ok(Real { refused_per_10000: 0 });
    }
    let mut refused = 0;
    for file in &files {
        let place = place(file.clone(), Format::TarGz);
        match workers.run(job(place.clone(), limits)).await {
            Ok(_) => opened.push((place, file.display().to_string())),
            Err(error) => {
                refused += 1;
                println!("{error}");
            }
        }
    }
    println!("{} of {} real archives opened", files.len() - refused, files.len());
    Ok(Real { refused_per_10000: (refused * 10_000).div_ceil(files.len()) })
}

fn crates() -> Result<Vec<PathBuf>> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let Some(cache) = home.map(|home| home.join("registry/cache")) else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for registry in entries(&cache) {
        files.extend(entries(&registry));
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "crate"));
    files.sort();
    Ok(files)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
