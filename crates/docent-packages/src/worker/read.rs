//! The work itself, in whatever process or thread: opens the packages of a job and extracts.

use super::Source;
use super::frame::Request;
use crate::extract::{self, Input, Package};
use crate::{Error, Extraction, Limits, Problem, unpack};

/// Told where the work is: about to open a package (`None`), or about to parse a file.
pub(super) type Before<'a> = &'a dyn Fn(Option<&str>);

pub(super) fn read(request: &Request, before: Before<'_>) -> Result<Extraction, Error> {
    let job = &request.job;
    let open = |source: &Source| {
        before(None);
        open(source, &job.limits)
    };
    let package = open(&job.package)?;
    let mut companions = Vec::new();
    let mut problems = Vec::new();
    for source in &job.companions {
        match open(source) {
            Ok(companion) => companions.push(companion),
            Err(error) => {
                let message = format!("{}@{}: {error}", source.name, source.version);
                problems.push(Problem { file: String::new(), line: None, message });
            }
        }
    }
    let at = |file: &str| before(Some(file));
    let mut input = Input::new(&package, &companions, &job.limits);
    input.skip = &request.skip;
    input.before = &at;
    let mut extraction = extract::extract(job.ecosystem, &input);
    extraction.problems.append(&mut problems);
    Ok(extraction)
}

fn open(source: &Source, limits: &Limits) -> Result<Package, Error> {
    let tree = unpack::open(&source.place, limits)?;
    Ok(Package { name: source.name.clone(), version: source.version.clone(), tree })
}
