//! The work itself, in whatever process or thread: opens the packages of a job and extracts.

use std::cell::RefCell;

use super::Source;
use super::frame::Request;
use crate::extract::{self, Input, Package};
use crate::{Error, Extraction, Limits, Problem, Wanted, unpack};

/// Told where the work is: about to open a package (`None`), or about to parse a file.
pub(super) type Before<'a> = &'a dyn Fn(Option<&str>);

/// Finds a package that is wanted, if it is to be had at once.
pub(super) type Ask<'a> = &'a dyn Fn(&Wanted) -> Option<Source>;

pub(super) fn read(
    request: &Request,
    before: Before<'_>,
    ask: Ask<'_>,
) -> Result<Extraction, Error> {
    let job = &request.job;
    let open = |source: &Source| {
        before(None);
        open(source, &job.limits)
    };
    let package = open(&job.package)?;
    let mut companions = Vec::new();
    let problems: RefCell<Vec<Problem>> = RefCell::default();
    let open_or_note = |source: &Source| match open(source) {
        Ok(companion) => Some(companion),
        Err(error) => {
            let message = error.to_string();
            problems.borrow_mut().push(Problem { file: String::new(), line: None, message });
            None
        }
    };
    companions.extend(job.companions.iter().filter_map(open_or_note));
    let find = |wanted: &Wanted| open_or_note(&ask(wanted)?);
    let at = |file: &str| before(Some(file));
    let mut input = Input::new(&package, &companions, &job.limits);
    input.part = job.part.as_deref();
    input.skip = &request.skip;
    input.before = &at;
    input.ask = &find;
    let mut extraction = extract::extract(job.ecosystem, &input);
    extraction.problems.append(&mut problems.take());
    Ok(extraction)
}

fn open(source: &Source, limits: &Limits) -> Result<Package, Error> {
    let tree = unpack::open(&source.place, limits);
    let tree =
        tree.map_err(|error| error.about(format_args!("{}@{}", source.name, source.version)))?;
    Ok(Package { name: source.name.clone(), version: source.version.clone(), tree })
}
