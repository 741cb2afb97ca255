//! Two processes that write, read, remove and evict the same few entries, each a thousand times.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use docent_packages::Limits;
use docent_packages::cache::{Bucket, Cache};
use serde_json::{Value, json};

use super::content::{self, Folder, KEYS, Look};
use crate::Result;
use crate::random::Random;

/// Small enough that eviction has something to do.
pub(crate) const QUOTA_BYTES: u64 = 400_000;

/// Starts this program again in a part, on a folder.
pub(crate) fn start(role: &str, folder: &Path, seed: u64, rounds: usize) -> Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(role).arg(folder).arg(seed.to_string()).arg(rounds.to_string());
    Ok(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?)
}

pub(super) fn run(seed: u64, rounds: usize) -> Result<Look> {
    let folder = Folder::new("race")?;
    let racers: Result<Vec<Child>> =
        (0..2).map(|number| start("cache-racer", folder.path(), seed + number, rounds)).collect();
    let mut total = Look::default();
    for racer in racers? {
        let output = racer.wait_with_output()?;
        let said: Value = serde_json::from_slice(&output.stdout)?;
        let count = |name: &str| said[name].as_u64().and_then(|count| usize::try_from(count).ok());
        let count = |name: &str| count(name).ok_or("a racer says nothing");
        let (right, absent, wrong) = (count("right")?, count("absent")?, count("wrong")?);
        total.add(Look { right, absent, wrong });
        total.wrong += usize::from(!output.status.success());
    }
    Ok(total)
}

/// One racer: `FOLDER SEED ROUNDS`. With no rounds it goes on until it is killed.
pub(crate) fn racer(words: &[String]) -> Result<()> {
    let [folder, seed, rounds] = words else { return Err("FOLDER SEED ROUNDS".into()) };
    let (folder, rounds): (PathBuf, usize) = (folder.into(), rounds.parse()?);
    let mut random = Random::new(seed.parse()?);
    let mut limits = Limits::default();
    limits.cache_bytes_max = QUOTA_BYTES;
    let cache = Cache::open(&folder, &limits)?;
    let mut total = Look::default();
    if rounds == 0 {
        println!("ready");
    }
    let mut round = 0;
    while rounds == 0 || round < rounds {
        round += 1;
        total.add(turn(&cache, &folder, &mut random)?);
        if rounds == 0 && total.wrong > 0 {
            return Err("something was served that nobody wrote".into());
        }
    }
    println!("{}", json!({ "right": total.right, "absent": total.absent, "wrong": total.wrong }));
    Ok(())
}

/// One thing that a process may do to its cache, then a look at some of it.
fn turn(cache: &Cache, folder: &Path, random: &mut Random) -> Result<Look> {
    let (number, seed) = (random.next() % KEYS, random.next() % 1000);
    let bytes = content::bytes(number, seed);
    match random.next() % 16 {
        0 => cache.evict(),
        1 => {
            let stages = ["metadata-v1", "artifacts-v1", "temporary"];
            let files = content::files(&folder.join(random.pick(&stages)));
            for file in files.iter().filter(|_| random.next().is_multiple_of(2)) {
                // Long ago for an entry, but not for a file that is being written.
                content::age(file, Duration::from_secs(600));
            }
        }
        2 => cache.remove(Bucket::Metadata, &content::key(number)),
        3..7 => drop(cache.write_artifact(&bytes)?),
        _ => cache.write(Bucket::Metadata, &content::key(number), &bytes)?,
    }
    let mut look = content::look(cache, random.next() % KEYS);
    let artifacts = content::files(&folder.join("artifacts-v1"));
    if !artifacts.is_empty() {
        let index = usize::try_from(random.next()).unwrap_or_default() % artifacts.len();
        let name = artifacts[index].file_name().and_then(|name| name.to_str()).unwrap_or_default();
        look.add(look_at_any(cache, name));
    }
    Ok(look)
}

/// An artifact that any process may have written, for whichever key it says.
pub(crate) fn look_at_any(cache: &Cache, sha256: &str) -> Look {
    let numbers = 0..KEYS;
    let looks = numbers.map(|number| content::look_at_artifact(cache, number, sha256));
    let mut last = Look::default();
    for look in looks {
        last = look;
        if look.wrong == 0 {
            break;
        }
    }
    last
}
