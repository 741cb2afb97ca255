//! Extraction beside parsing: the same files, in memory, in one process.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use docent_packages::Ecosystem;
use ra_ap_parser::StrStep;

use super::median;
use crate::installed::{Folder, Installed};

/// Small packages are measured more often, as long as it takes no time.
const ROUNDS_MIN: usize = 5;
const ROUNDS_MAX: usize = 50;
const ROUNDS_TIME: Duration = Duration::from_millis(300);

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
    let (parse, extract) = times(
        || files.iter().for_each(|(file, text)| parse(file, text)),
        || drop(installed.extract(&|_| {})),
    );
    Times {
        files: files.len(),
        bytes: files.iter().map(|(_, text)| text.len()).sum(),
        parse: (installed.ecosystem != Ecosystem::Swift).then_some(parse),
        extract,
        typescript: typescript.and_then(|script| typescripts(script, folder, &seen)),
    }
}

/// What two kinds of work take of a processor, in turn: what else the machine does takes time, but
/// not theirs.
fn times(one: impl Fn(), other: impl Fn()) -> (Duration, Duration) {
    let time = |work: &dyn Fn()| {
        let begin = processor_time();
        work();
        processor_time().saturating_sub(begin)
    };
    let (mut ones, mut others) = (Vec::new(), Vec::new());
    let begin = Instant::now();
    while ones.len() < ROUNDS_MIN || (ones.len() < ROUNDS_MAX && begin.elapsed() < ROUNDS_TIME) {
        ones.push(time(&one));
        others.push(time(&other));
    }
    (median(&ones), median(&others))
}

fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.try_into().unwrap_or_default()
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
        std::hint::black_box(rust(text));
    } else if file.ends_with(".go") {
        let mut parser = tree_sitter::Parser::new();
        if parser.set_language(&tree_sitter_go::LANGUAGE.into()).is_ok() {
            std::hint::black_box(parser.parse(text, None));
        }
    } else {
        std::hint::black_box(pulldown_cmark::Parser::new(text).count());
    }
}

/// The steps of rust-analyzer's own entry point, which would leave the tree to another thread to drop: for
/// all other parsers that is part of the time.
fn rust(text: &str) -> rowan::GreenNode {
    let edition = ra_ap_parser::Edition::CURRENT;
    let lexed = ra_ap_parser::LexedStr::new(edition, text);
    let output = ra_ap_parser::TopEntryPoint::SourceFile.parse(&lexed.to_input(edition));
    let mut builder = rowan::GreenNodeBuilder::new();
    lexed.intersperse_trivia(&output, &mut |step| match step {
        StrStep::Token { kind, text } => builder.token(rowan::SyntaxKind(kind.into()), text),
        StrStep::Enter { kind } => builder.start_node(rowan::SyntaxKind(kind.into())),
        StrStep::Exit => builder.finish_node(),
        StrStep::Error { .. } => {}
    });
    builder.finish()
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
