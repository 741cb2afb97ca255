//! `cargo xtask tidy`: rules about the repository that the compiler cannot see.
//!
//! Prose that nothing checks goes stale, so each rule here is a pure function from the texts of
//! the repository (`tree`) to problems, each with the place and what to do about it.

mod architecture;
mod commands;
mod markdown;
mod modules;
mod requirements;
mod tree;
mod words;

use std::fmt;

use crate::Outcome;
use crate::workspace::Workspace;
use tree::Tree;

/// A broken rule.
#[derive(Debug, PartialEq)]
struct Problem {
    file: String,
    line: usize,
    what: String,
}

impl Problem {
    fn new(file: &str, line: usize, what: impl Into<String>) -> Problem {
        Problem { file: file.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

type Check = fn(&Tree, &Workspace) -> Vec<Problem>;

const CHECKS: &[(&str, Check)] = &[
    ("names in ARCHITECTURE.md exist", architecture::check),
    ("commands in documents exist", commands::check),
    ("modules have content, an introduction and a name", modules::check),
    ("requirements are traced to tests", requirements::check),
    ("words stay out", words::check),
];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    crate::accept(arguments, &[])?;
    let workspace = Workspace::load()?;
    let tree = Tree::load(&workspace.root)?;
    let mut total = 0;
    for (rule, check) in CHECKS {
        let problems = check(&tree, &workspace);
        total += problems.len();
        println!("{} {rule}", if problems.is_empty() { "ok  " } else { "FAIL" });
        for problem in problems {
            println!("  {problem}");
        }
    }
    println!("{}", requirements::summary(&tree));
    println!("tidy: {total} {}", if total == 1 { "problem" } else { "problems" });
    Ok(total == 0)
}

/// Shows that a check can fail: the problems of a small repository, one per line.
#[cfg(test)]
fn problems_of(check: Check, workspace: &Workspace, files: &[(&str, &str)]) -> String {
    let problems = check(&Tree::of(files), workspace);
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}
