//! Checks files whose findings are known: `right` ones, in which there is nothing to find, and
//! `wrong` ones, which say in their first line what in them is invented and what is right.

use std::path::{Path, PathBuf};

use clap::Args;
use docent_packages::worker::Isolation;
use docent_packages::{Checked, CodeToCheck, Engine, Environment, Language, Progress};

/// Suggestions among which the right one has to be.
const SUGGESTIONS: usize = 3;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder with `right` and `wrong`
    set: PathBuf,
    /// The project that has the packages
    #[arg(long)]
    project: PathBuf,
    /// Its virtual environment
    #[arg(long)]
    environment: Option<PathBuf>,
    /// The cache folder
    #[arg(long)]
    cache: Option<PathBuf>,
}

/// What came of one folder.
#[derive(Default)]
struct Sum {
    files: usize,
    findings: usize,
    found: usize,
    suggested: usize,
    confirmed: usize,
    unknown: usize,
}

pub(crate) async fn run(arguments: &Arguments) -> Result<bool, String> {
    let mut environment = Environment::of_process();
    if let Some(folder) = &arguments.environment {
        environment = environment.with("VIRTUAL_ENV", &folder.to_string_lossy());
    }
    let mut builder = Engine::builder().environment(environment).isolation(Isolation::default());
    if let Some(cache) = &arguments.cache {
        builder = builder.cache(cache);
    }
    let engine = builder.build().map_err(|error| error.to_string())?;
    let mut right = Sum::default();
    for file in files(&arguments.set.join("right"))? {
        let (checked, _) = check(&engine, &file, &arguments.project).await?;
        right.add(&checked);
        for finding in &checked.findings {
            println!("false alarm: {}", finding.text());
        }
    }
    let mut wrong = Sum::default();
    for file in files(&arguments.set.join("wrong"))? {
        let (checked, text) = check(&engine, &file, &arguments.project).await?;
        wrong.add(&checked);
        let (invented, meant) = expected(&text).ok_or_else(|| {
            format!("{}: the first line does not say what is wrong", file.display())
        })?;
        let finding = checked.findings.iter().find(|finding| finding.name == invented);
        let near = finding.map(|finding| &finding.suggestions[..]).unwrap_or_default();
        let is_suggested = near.iter().take(SUGGESTIONS).any(|one| one.name == meant);
        wrong.found += usize::from(finding.is_some());
        wrong.suggested += usize::from(is_suggested);
        if finding.is_none() || !is_suggested || checked.findings.len() > 1 {
            println!("{}: {invented} → {meant}\n{}", file.display(), checked.text());
        }
    }
    let name = arguments.set.file_name().unwrap_or_default().to_string_lossy().into_owned();
    println!(
        "| | files | findings | of them invented | right one suggested | uses that are there | unknown |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    println!("{}", right.row(&format!("{name}, right")));
    println!("{}", wrong.row(&format!("{name}, wrong")));
    let all = wrong.files;
    let good =
        right.findings == 0 && (wrong.found, wrong.suggested, wrong.findings) == (all, all, all);
    Ok(good)
}

impl Sum {
    fn add(&mut self, checked: &Checked) {
        self.files += 1;
        self.findings += checked.findings.len();
        self.confirmed += checked.confirmed;
        self.unknown += checked.unknown.iter().map(|unknown| unknown.count).sum::<usize>();
    }

    fn row(&self, name: &str) -> String {
        let Self { files, findings, found, suggested, confirmed, unknown } = self;
        format!(
            "| {name} | {files} | {findings} | {found} | {suggested} | {confirmed} | {unknown} |"
        )
    }
}

/// `invented: NAME; right: NAME` in a comment.
fn expected(text: &str) -> Option<(String, String)> {
    let line = text.lines().next()?;
    let (invented, right) = line.split_once("invented: ")?.1.split_once("; right: ")?;
    Some((invented.trim().to_owned(), right.trim().to_owned()))
}

async fn check(engine: &Engine, file: &Path, project: &Path) -> Result<(Checked, String), String> {
    let shown = file.display().to_string();
    let language =
        Language::of_file(&shown).ok_or_else(|| format!("{shown}: which language is it?"))?;
    let text = std::fs::read_to_string(file).map_err(|error| format!("{shown}: {error}"))?;
    let code = CodeToCheck { text, language, file: shown };
    let checked = engine.check(&code, Some(project), &Progress::default()).await;
    Ok((checked.map_err(|error| error.to_string())?, code.text))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    Ok(files)
}
