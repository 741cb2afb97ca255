//! The rights that a worker gives up before it reads anything of a package.
//!
//! Resource limits bound memory, processor time and files; Landlock leaves reading the packages of
//! the job, those in its reach and nothing else. What a kernel does not offer is done without, and reported.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Limits;

/// What holds a worker process back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Confinement {
    /// Limits of memory, processor time, files and core dumps.
    pub resources: Degree,
    /// No reading but of the packages of the job and in its reach, no writing, no programs, no connections.
    pub access: Degree,
}

/// How much of something the system offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Degree {
    /// All of it.
    Full,
    /// Some of it.
    Partial,
    /// None of it.
    None,
}

/// Gives up all rights but to read below some places.
pub(super) fn confine(limits: &Limits, places: &[&Path]) -> Confinement {
    Confinement { resources: resources(limits), access: access(places) }
}

#[cfg(unix)]
fn resources(limits: &Limits) -> Degree {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let seconds = limits.worker_cpu.as_secs_f64().ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    let seconds = (seconds as u64).max(1);
    let both = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    // The first limit tells why, the second one makes sure.
    let processor = Rlimit { current: Some(seconds), maximum: Some(seconds.saturating_add(1)) };
    let bounds = [
        (Resource::Core, both(0)),
        (Resource::Cpu, processor),
        (Resource::Fsize, both(0)),
        (Resource::Nofile, both(32)),
        (Resource::As, both(limits.worker_memory_bytes)),
    ];
    let set = bounds.into_iter().filter(|(kind, limit)| setrlimit(*kind, *limit).is_ok()).count();
    match set {
        5 => Degree::Full,
        0 => Degree::None,
        _ => Degree::Partial,
    }
}

#[cfg(not(unix))]
fn resources(_: &Limits) -> Degree {
    Degree::None
}

/// Called when all threads are there: from now on there are no others, nor processes.
pub(super) fn no_more_threads() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        // Where a user may have any number of processes, it does not count.
        let _ = setrlimit(Resource::Nproc, Rlimit { current: Some(0), maximum: Some(0) });
    }
}

#[cfg(target_os = "linux")]
fn access(places: &[&Path]) -> Degree {
    use landlock::RulesetStatus;

    match restrict(places).map(|status| status.ruleset) {
        Ok(RulesetStatus::FullyEnforced) => Degree::Full,
        Ok(RulesetStatus::PartiallyEnforced) => Degree::Partial,
        Ok(RulesetStatus::NotEnforced) | Err(_) => Degree::None,
    }
}

#[cfg(target_os = "linux")]
fn restrict(places: &[&Path]) -> Result<landlock::RestrictionStatus, landlock::RulesetError> {
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
        Scope, path_beneath_rules,
    };

    const NEWEST: ABI = ABI::V6;
    Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(places, AccessFs::ReadFile | AccessFs::ReadDir))?
        .restrict_self()
}

#[cfg(not(target_os = "linux"))]
fn access(_: &[&Path]) -> Degree {
    Degree::None
}
