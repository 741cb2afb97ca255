//! Searches logs: regular expressions, folders, many files at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgAction, Parser, ValueEnum};
use rayon::prelude::*;
use regex::{Regex, RegexBuilder, RegexSet};
use walkdir::{DirEntry, WalkDir};

#[derive(Parser, Debug)]
#[command(version, about)]
struct Arguments {
    /// What to look for
    pattern: String,
    /// Where to look
    #[arg(default_value = ".")]
    roots: Vec<PathBuf>,
    #[arg(short, long, action = ArgAction::SetTrue)]
    ignore_case: bool,
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
    #[arg(long, env = "LOG_GREP_SKIP", value_delimiter = ',')]
    skip: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

struct Hit {
    file: PathBuf,
    line: usize,
    text: String,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let built = RegexBuilder::new(&arguments.pattern)
        .case_insensitive(arguments.ignore_case)
        .multi_line(false)
        .size_limit(10 << 20)
        .build();
    let pattern = match built {
        Ok(pattern) => pattern,
        Err(regex::Error::Syntax(why)) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let skip = RegexSet::new(&arguments.skip).unwrap_or_else(|_| RegexSet::empty());
    let files: Vec<PathBuf> = arguments
        .roots
        .iter()
        .flat_map(|root| WalkDir::new(root).follow_links(false).into_iter().filter_entry(is_shown))
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(DirEntry::into_path)
        .filter(|path| !skip.is_match(&path.to_string_lossy()))
        .collect();
    let mut hits: Vec<Hit> =
        files.par_iter().flat_map_iter(|file| search(file, &pattern).unwrap_or_default()).collect();
    hits.par_sort_unstable_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    let colored = match arguments.color {
        Color::Auto => io::stdout().is_terminal(),
        Color::Always => true,
        Color::Never => false,
    };
    let _ = write(&hits, &pattern, colored);
    if hits.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn is_shown(entry: &DirEntry) -> bool {
    entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
}

fn search(file: &Path, pattern: &Regex) -> io::Result<Vec<Hit>> {
    let reader = BufReader::new(File::open(file)?);
    let mut hits = Vec::new();
    for (at, text) in reader.lines().enumerate() {
        let text = text?;
        if pattern.is_match(&text) {
            hits.push(Hit { file: file.to_owned(), line: at + 1, text });
        }
    }
    Ok(hits)
}

fn write(hits: &[Hit], pattern: &Regex, colored: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for hit in hits {
        let text = if colored {
            pattern.replace_all(&hit.text, "\x1b[31m$0\x1b[0m")
        } else {
            hit.text.as_str().into()
        };
        writeln!(out, "{}:{}:{}", hit.file.display(), hit.line, text)?;
        if let Some(found) = pattern.captures(&hit.text)
            && let Some(first) = found.get(1)
        {
            writeln!(out, "    {}..{} {}", first.start(), first.end(), first.as_str())?;
        }
    }
    Ok(())
}
