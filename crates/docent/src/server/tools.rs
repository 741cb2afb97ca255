//! What each tool does.

use std::fmt::Write as _;

use docent_mcp::server::{Context, ToolError};
use docent_mcp::types::{CallToolResult, ContentBlock, JsonObject};
use docent_packages::{
    Answer, Document, Ecosystem, Engine, Error, PackageRef, Progress, Target, tokens,
};
use serde_json::{Value, json};

use super::answer::{Shape, answered, failed};
use super::arguments::Arguments;
use super::definition::{Does, LANGUAGES, Question};
use super::{Desk, check, report};
use crate::arguments::Asked;

/// Answers one call.
pub(crate) async fn call(
    desk: Desk,
    does: Does,
    context: Context,
    call: JsonObject,
) -> Result<CallToolResult, ToolError> {
    let arguments = &Arguments::of(call, Some(&desk.project))?;
    let engine = &desk.engine;
    Ok(match does {
        Does::List => list(engine, arguments),
        Does::Check => {
            report::told(&context, |progress| check::check(engine, arguments, progress)).await
        }
        Does::Ask(question) => {
            report::told(&context, |progress| ask(&desk, question, arguments, progress)).await
        }
    })
}

/// Asks the engine about one package, or about all of the project.
async fn ask(
    desk: &Desk,
    question: Question,
    arguments: &Arguments,
    progress: Progress,
) -> CallToolResult {
    let engine = &desk.engine;
    let project = arguments.project().unwrap_or(&desk.project);
    let ecosystem = match question {
        Question::Describe(ecosystem) => ecosystem,
        Question::Readme => Ecosystem::Npm,
        Question::Search if arguments.is_about_all() => Ecosystem::Npm,
        _ => match arguments.ecosystem() {
            Some(ecosystem) => ecosystem,
            None => match Asked::new(&arguments.package).package(engine, project) {
                Ok(package) => package.ecosystem,
                Err(_) => return failed(of_which_language(&arguments.package)),
            },
        },
    };
    let shape = if question == Question::Search { Shape::Found } else { Shape::Described };
    answered(arguments.budget(), shape, |tokens| {
        let style = arguments.style().max_tokens(tokens).progress(progress.clone());
        let target = arguments.target(ecosystem);
        async move {
            match question {
                Question::Search if arguments.is_about_all() => {
                    let query = arguments.query.as_deref().unwrap_or_default();
                    desk.everywhere.search(engine, project, query, &style).await
                }
                Question::Search => {
                    let query = arguments.query.as_deref().unwrap_or_default();
                    engine.search(&[target], query, &style).await
                }
                Question::Describe(_) => {
                    engine.describe(&target, arguments.symbol.as_deref(), &style).await
                }
                Question::Symbols => engine.symbols(&target, &arguments.symbols, &style).await,
                Question::Readme => match &arguments.query {
                    Some(query) => engine.search(&[target], query, &style).await,
                    None => {
                        let section = arguments.section.clone();
                        engine.document(&target, &Document::Readme { section }, &style).await
                    }
                },
                Question::Diff => diff(engine, arguments, target, tokens, &style.progress).await,
            }
        }
    })
    .await
}

/// What to say about a package that no language was named for, and that the project does not have.
fn of_which_language(package: &str) -> String {
    let words = LANGUAGES.map(|(word, _)| format!("`{word}`")).join(", ");
    format!(
        "`{}` is not a package of this project.\nSay its `language`: {words}.",
        package.escape_debug()
    )
}

async fn diff(
    engine: &Engine,
    arguments: &Arguments,
    target: Target,
    max_tokens: usize,
    progress: &Progress,
) -> Result<Answer, Error> {
    let at = |version: Option<&str>| Target {
        package: PackageRef { version: version.map(str::to_owned), ..target.package.clone() },
        project: target.project.clone(),
    };
    let old = at(arguments.from.as_deref());
    let newest = match &arguments.to {
        Some(to) => to.clone(),
        None => engine.newest(&old, progress).await?,
    };
    let diff = engine.diff(&old, &at(Some(&newest)), progress).await?;
    Ok(diff.only(&arguments.symbols).answer(max_tokens))
}

/// What the project depends on, as far as the budget reaches.
fn list(engine: &Engine, arguments: &Arguments) -> CallToolResult {
    let project = arguments.project().unwrap_or(std::path::Path::new("."));
    let asked = arguments.ecosystem();
    let mut packages: Vec<Value> = Vec::new();
    let mut text = String::new();
    let mut left_out = 0;
    // The same list stands in the text and in the structured content, which is the longer one.
    let mut room = arguments.budget().saturating_sub(60);
    for ecosystem in Ecosystem::all().filter(|one| asked.is_none_or(|asked| asked == *one)) {
        let dependencies = engine.dependencies(ecosystem, project);
        let word = LANGUAGES.iter().find(|(_, one)| *one == ecosystem).map_or("", |(word, _)| word);
        for (package, direct) in dependencies {
            if !direct && !arguments.include_indirect {
                continue;
            }
            let entry = json!({
                "language": word, "name": package.name, "version": package.version, "direct": direct,
            });
            let cost = tokens(&entry.to_string()) + 1;
            if cost > room {
                left_out += 1;
                continue;
            }
            room -= cost;
            let version = package.version.as_deref().unwrap_or("not locked");
            let indirect = if direct { "" } else { " (indirect)" };
            let _ = writeln!(text, "- {word} {} {version}{indirect}", package.name);
            packages.push(entry);
        }
    }
    if packages.is_empty() {
        return failed(format!(
            "No dependencies found in {} or above it.\nName the project's folder as \
             `projectPath`; manifests and lockfiles of npm, Python, Rust, Go and Swift are \
             understood.",
            project.display()
        ));
    }
    if left_out > 0 {
        let _ = writeln!(text, "Not shown: {left_out} more. Ask with `language` or `maxTokens`.");
    }
    let structured = json!({ "packages": packages, "notShown": left_out });
    CallToolResult {
        content: vec![ContentBlock::text(text)],
        structured_content: Some(structured),
        ..CallToolResult::default()
    }
}
