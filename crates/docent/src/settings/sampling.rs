//! Who answers when a server asks its client's model: a program of the user's, and who looks at what
//! passes.
//!
//! A program that is started is the user's own affair, so that no file of a project sets any of it.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use toml::Value as Toml;

use super::{Found, Set, Source, choose, folder};
use crate::failure::Failure;
use crate::words::words;

/// As long as a person will wait, and a model may think.
const TIMEOUT: Duration = Duration::from_secs(120);
const TIMEOUT_SECONDS_MAX: i64 = 3600;

/// What the command line says.
#[derive(Args, Clone, Default)]
pub(crate) struct SamplingFlags {
    /// A program that answers when a server asks for what a model says; `''` for none
    #[arg(long, value_name = "COMMAND")]
    sampling: Option<String>,
    /// Whether you see what it is told, and what it says, before that goes on
    #[arg(long, value_name = "WHEN", value_enum)]
    sampling_review: Option<Review>,
}

/// Whether somebody looks at what a program is told, and at what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Review {
    /// Each time; where nobody can be asked, nothing is answered
    #[default]
    Ask,
    /// Nobody looks: the program answers whatever servers ask
    Never,
}

impl Review {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Never => "never",
        }
    }
}

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
}

impl Line {
    /// What may be shown: arguments can hold secrets.
    pub(crate) fn shown(&self) -> String {
        let program = self.program.display();
        match self.arguments.len() {
            0 => program.to_string(),
            1 => format!("{program} (1 argument)"),
            count => format!("{program} ({count} arguments)"),
        }
    }
}

/// All of it.
#[derive(Clone, Debug)]
pub(crate) struct Sampling {
    pub(crate) command: Set<Option<Line>>,
    /// What the model is called where the program does not say.
    pub(crate) model: Set<Option<String>>,
    /// Whether the program can use tools.
    pub(crate) tools: Set<bool>,
    pub(crate) review: Set<Review>,
    pub(crate) timeout: Set<Duration>,
}

impl Sampling {
    pub(super) fn read(
        flags: &SamplingFlags,
        found: impl Fn(&str) -> Result<Found, Failure>,
        directory: &Path,
        home: Option<&Path>,
    ) -> Result<Self, Failure> {
        let mut command = found("sampling.command")?;
        if let Some(line) = &flags.sampling {
            command.insert(0, (Source::Flag("--sampling"), Toml::String(line.clone())));
        }
        let review = flags.sampling_review.map(|when| (Source::Flag("--sampling-review"), when));
        Ok(Self {
            command: choose("sampling.command", None, command, None, |source, value| {
                line(source, value, directory, home)
            })?,
            model: choose("sampling.model", None, found("sampling.model")?, None, |_, value| {
                let name = value.as_str().filter(|name| !name.is_empty());
                name.map(|name| Some(name.to_owned())).ok_or_else(|| "is not a name".to_owned())
            })?,
            tools: choose("sampling.tools", None, found("sampling.tools")?, false, |_, value| {
                value.as_bool().ok_or_else(|| "is not `true` or `false`".to_owned())
            })?,
            review: choose(
                "sampling.review",
                review,
                found("sampling.review")?,
                Review::Ask,
                |_, value| {
                    let word = value.as_str().unwrap_or_default();
                    ValueEnum::from_str(word, true)
                        .map_err(|_| "is not `ask` or `never`".to_owned())
                },
            )?,
            timeout: choose(
                "sampling.timeout",
                None,
                found("sampling.timeout")?,
                TIMEOUT,
                |_, value| {
                    let seconds = value.as_integer().unwrap_or_default();
                    let fits = (1..=TIMEOUT_SECONDS_MAX).contains(&seconds);
                    let wrong =
                        || format!("is not a number of seconds up to {TIMEOUT_SECONDS_MAX}");
                    fits.then(|| Duration::from_secs(seconds.unsigned_abs())).ok_or_else(wrong)
                },
            )?,
        })
    }

    /// What holds where the settings cannot be read: nobody answers.
    pub(super) fn nobody() -> Self {
        fn set<T>(value: T) -> Set<T> {
            Set { value, source: Source::Default, hidden: Vec::new() }
        }
        Self {
            command: set(None),
            model: set(None),
            tools: set(false),
            review: set(Review::Ask),
            timeout: set(TIMEOUT),
        }
    }
}

/// A list of words, or a line of them; nothing if there are none. A program with a slash is one
/// beside the file that names it, since the working folder may be anybody's.
fn line(
    source: &Source,
    value: &Toml,
    directory: &Path,
    home: Option<&Path>,
) -> Result<Option<Line>, String> {
    let wrong = || "is neither a line nor a list of words".to_owned();
    let words = match value {
        Toml::String(line) => words(line).ok_or("has a quote that is not closed")?,
        Toml::Array(list) => {
            let word = |word: &Toml| word.as_str().map(str::to_owned).ok_or_else(wrong);
            list.iter().map(word).collect::<Result<_, String>>()?
        }
        _ => return Err(wrong()),
    };
    let mut words = words.into_iter();
    let Some(program) = words.next() else { return Ok(None) };
    let is_path = program.contains(['/', MAIN_SEPARATOR]);
    let program = match is_path {
        true => folder(source, &Toml::String(program), directory, home)?,
        false if program.is_empty() => return Err("names no program".to_owned()),
        false => PathBuf::from(program),
    };
    Ok(Some(Line { program, arguments: words.collect() }))
}
