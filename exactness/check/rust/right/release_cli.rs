//! Prepares a release: versions, a changelog, links. Arguments are built by hand.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use chrono::{Local, NaiveDate};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::error::ErrorKind;
use clap::{Arg, ArgGroup, ArgMatches, Command, value_parser};
use regex::{Captures, Regex};
use semver::{BuildMetadata, Prerelease, Version};
use thiserror::Error;
use url::{Host, ParseError, Url};

#[derive(Debug, Error)]
enum Problem {
    #[error("`{0}` is no address of a repository")]
    Address(String, #[source] ParseError),
    #[error("{0} is not newer than {1}")]
    Old(Version, Version),
}

#[derive(Clone, Copy)]
enum Level {
    Major,
    Minor,
    Patch,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Major => "major",
            Self::Minor => "minor",
            Self::Patch => "patch",
        })
    }
}

fn command() -> Command {
    let levels = PossibleValuesParser::new(["major", "minor", "patch"]).map(|word| match &*word {
        "major" => Level::Major,
        "minor" => Level::Minor,
        _ => Level::Patch,
    });
    Command::new("release")
        .about("Prepares a release")
        .arg_required_else_help(true)
        .arg(Arg::new("level").long("level").value_parser(levels).help("What changed"))
        .arg(Arg::new("exact").long("exact").value_name("VERSION"))
        .arg(Arg::new("pre").long("pre").num_args(1).default_missing_value("rc.1"))
        .arg(Arg::new("file").required(true).value_parser(value_parser!(PathBuf)))
        .group(ArgGroup::new("which").args(["level", "exact"]).required(true))
        .subcommand_negates_reqs(true)
        .subcommand(Command::new("link").arg(Arg::new("repository").required(true)))
}

fn next(current: &Version, matches: &ArgMatches) -> anyhow::Result<Version> {
    let mut next = match matches.get_one::<Level>("level").copied() {
        Some(Level::Major) => Version::new(current.major + 1, 0, 0),
        Some(Level::Minor) => Version::new(current.major, current.minor + 1, 0),
        Some(Level::Patch) => Version { patch: current.patch + 1, ..current.clone() },
        None => {
            let exact = matches.get_one::<String>("exact").context("which version?")?;
            exact.parse()?
        }
    };
    next.pre = match matches.get_one::<String>("pre") {
        Some(pre) => Prerelease::new(pre)?,
        None => Prerelease::EMPTY,
    };
    next.build = BuildMetadata::EMPTY;
    if next.cmp_precedence(current).is_le() {
        return Err(Problem::Old(next, current.clone()).into());
    }
    Ok(next)
}

fn link(repository: &str, version: &Version) -> Result<Url, Problem> {
    let wrong = |why| Problem::Address(repository.to_owned(), why);
    let mut url = Url::parse(repository).map_err(wrong)?;
    if matches!(url.host(), Some(Host::Ipv4(_) | Host::Ipv6(_)) | None) {
        return Err(wrong(ParseError::EmptyHost));
    }
    url.set_fragment(None);
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(["releases", "tag"]).push(&format!("v{version}"));
    }
    Ok(url)
}

fn changelog(text: &str, version: &Version, day: NaiveDate) -> anyhow::Result<String> {
    let heading = Regex::new(r"(?m)^## \[Unreleased\](?P<rest>.*)$")?;
    if !heading.is_match(text) {
        return Err(anyhow!("nothing is unreleased"));
    }
    let replaced = heading.replacen(text, 1, |found: &Captures<'_>| {
        let rest = found.name("rest").map_or("", |rest| rest.as_str());
        format!("## [{version}] - {}{rest}", day.format("%F"))
    });
    Ok(replaced.into_owned())
}

fn run(arguments: impl IntoIterator<Item = OsString>) -> anyhow::Result<()> {
    let current = Version::parse("1.4.2-beta.1+5")?;
    let matches = match command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => return Ok(error.print()?),
        Err(error) => error.exit(),
    };
    if let Some(("link", inner)) = matches.subcommand() {
        let repository = inner.get_one::<String>("repository").map(String::as_str);
        println!("{}", link(repository.unwrap_or_default(), &current)?);
        return Ok(());
    }
    let file = matches.get_one::<PathBuf>("file").context("which file?")?;
    let next = next(&current, &matches)?;
    let text = std::fs::read_to_string(file)?;
    std::fs::write(file, changelog(&text, &next, Local::now().date_naive())?)?;
    Ok(())
}

fn main() -> anyhow::Result<()> {
    run(std::env::args_os())
}
