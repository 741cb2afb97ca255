//! Extraction beside parsing: the same files, in memory, in one process.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use docent_packages::Ecosystem;

use super::median;
use crate::installed::{Folder, Installed};

const ROUNDS: usize = 5;

pub(super) struct Times {
    pub(super) files: usize,
    pub(super) bytes: usize,
    /// The parsers of each language and of Markdown over exactly the files that extraction reads; there
    /// is none for Swift but that of extraction itself.
    pub(super) parse: Option<Duration>,
    /// All of extraction, prose included.
    pub(super) extract: Duration,
    /// TypeScript's parser over the same files, in its own process.
    pub(super) typescript: Option<Duration>,
}

impl Times {
    pub(super) fn ratio(&self) -> Option<f64> {
        self.parse.map(|parse| super::share(self.extract, parse))
    }
}

pub(super) fn measure(installed: &Installed, folder: &Folder, typescript: Option<&Path>) -> Times {
    let seen = RefCell::new(BTreeSet::new());
    installed.extract(&|file| {
        seen.borrow_mut().insert(file.to_owned());
    });
    let seen = seen.into_inner();
    let files: Vec<(&str, String)> =
        seen.iter().filter_map(|file| Some((file.as_str(), installed.text(file)?))).collect();
    let typescript = typescript.filter(|_| installed.ecosystem == Ecosystem::Npm);
    Times {
        files: files.len(),
        bytes: files.iter().map(|(_, text)| text.len()).sum(),
        parse: (installed.ecosystem != Ecosystem::Swift)
            .then(|| time(|| files.iter().for_each(|(file, text)| parse(file, text)))),
        extract: time(|| drop(installed.extract(&|_| {}))),
        typescript: typescript.and_then(|script| typescripts(script, folder, &seen)),
    }
}

fn time(work: impl Fn()) -> Duration {
    let rounds = (0..ROUNDS).map(|_| {
        let begin = Instant::now();
        work();
        begin.elapsed()
    });
    median(&rounds.collect::<Vec<_>>())
}

/// What each file is read with, and nothing done with what comes of it.
fn parse(file: &str, text: &str) {
    if is_script(file) {
        let allocator = oxc_allocator::Allocator::default();
        let kind = oxc_span::SourceType::from_path(file).unwrap_or_default();
        let parsed = oxc_parser::Parser::new(&allocator, text, kind).parse();
        std::hint::black_box(&parsed);
    } else if file.ends_with(".py") || file.ends_with(".pyi") {
        let options = ruff_python_parser::Mode::Module.into();
        std::hint::black_box(ruff_python_parser::parse_unchecked(text, options));
    } else if file.ends_with(".rs") {
        let edition = ra_ap_syntax::Edition::CURRENT;
        std::hint::black_box(ra_ap_syntax::SourceFile::parse(text, edition));
    } else if file.ends_with(".go") {
        let mut parser = tree_sitter::Parser::new();
        if parser.set_language(&tree_sitter_go::LANGUAGE.into()).is_ok() {
            std::hint::black_box(parser.parse(text, None));
        }
    } else {
        std::hint::black_box(pulldown_cmark::Parser::new(text).count());
    }
}

fn is_script(file: &str) -> bool {
    let ending = file.rsplit('.').next().unwrap_or_default();
    ["ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "jsx"].contains(&ending)
}

/// The median that the script prints.
fn typescripts(script: &Path, folder: &Folder, files: &BTreeSet<String>) -> Option<Duration> {
    let scripts = files.iter().filter(|file| is_script(file));
    let paths = scripts.filter_map(|file| file.split_once(':'));
    let paths: Vec<PathBuf> = paths.map(|(name, path)| folder.path.join(name).join(path)).collect();
    let mut child = Command::new("node")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    for path in paths.iter().filter(|path| path.is_file()) {
        writeln!(input, "{}", path.display()).ok()?;
    }
    drop(input);
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.trim().parse::<f64>().ok().map(|ms| Duration::from_secs_f64(ms / 1000.0))
}
