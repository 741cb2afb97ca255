//! `check_code`: what code uses that the installed packages do not have.

use std::path::Path;

use docent_mcp::types::{CallToolResult, ContentBlock};
use docent_packages::{Checked, CodeToCheck, Engine, Language, Progress, tokens};
use serde_json::{Value, json};

use super::answer::{explained, failed};
use super::arguments::Arguments;

pub(crate) async fn check(
    engine: &Engine,
    arguments: &Arguments,
    progress: Progress,
) -> CallToolResult {
    let project = arguments.project().unwrap_or(Path::new("."));
    let code = match code(arguments, project) {
        Ok(code) => code,
        Err(problem) => return refused(problem),
    };
    match engine.check(&code, Some(project), &progress).await {
        Ok(checked) => answered(&checked, arguments.budget()),
        Err(error) => refused(explained(&error)),
    }
}

/// The code to check: given, or read from a file of the project.
fn code(arguments: &Arguments, project: &Path) -> Result<CodeToCheck, String> {
    let (text, file) = match (&arguments.code, &arguments.file) {
        (Some(text), file) => (text.clone(), file.clone().unwrap_or_else(|| "code".to_owned())),
        (None, Some(file)) => (read(file, project)?, file.clone()),
        (None, None) => return Err("Give the `code`, or the `file` that it is in.".to_owned()),
    };
    let by_word = arguments.language.as_deref().map(|word| match word {
        // The name of the ecosystem, as the other tools have it.
        "npm" => Some(Language::Tsx),
        word => Language::named(word),
    });
    let language = match by_word {
        Some(language) => language,
        None => Language::of_file(&file),
    };
    let language = language.ok_or_else(|| {
        "Say the `language` of the code: typescript, tsx, javascript, python, rust…".to_owned()
    })?;
    Ok(CodeToCheck { text, language, file })
}

/// The text of a file below the project. Others are none of a caller's business, who may be far
/// away.
fn read(file: &str, project: &Path) -> Result<String, String> {
    let refused =
        |why: String| format!("The file `{}` cannot be checked: {why}.", file.escape_debug());
    let root = project.canonicalize().map_err(|error| refused(error.to_string()))?;
    let path = root.join(file).canonicalize().map_err(|error| refused(error.to_string()))?;
    if !path.starts_with(&root) {
        return Err(refused(
            "it is not in the project's folder; give its text as `code`".to_owned(),
        ));
    }
    let size = path.metadata().map_err(|error| refused(error.to_string()))?.len();
    if size > CODE_BYTES_MAX {
        return Err(refused(format!("{size} bytes are more than {CODE_BYTES_MAX}")));
    }
    std::fs::read_to_string(&path).map_err(|error| refused(error.to_string()))
}

/// The longest file that is read.
const CODE_BYTES_MAX: u64 = 1 << 20;

fn answered(checked: &Checked, budget: usize) -> CallToolResult {
    let text = checked.quoted(budget);
    let mut findings: Vec<Value> =
        checked.findings.iter().filter_map(|finding| serde_json::to_value(finding).ok()).collect();
    let unknown: usize = checked.unknown.iter().map(|unknown| unknown.count).sum();
    let structure = |findings: &[Value]| {
        json!({
            "findings": findings,
            "notShown": checked.findings.len() - findings.len(),
            "confirmed": checked.confirmed,
            "unknown": unknown,
            "packages": checked.packages.iter().map(|one| &one.package).collect::<Vec<_>>(),
        })
    };
    while tokens(&structure(&findings).to_string()) > budget && findings.pop().is_some() {}
    CallToolResult {
        content: vec![ContentBlock::text(text)],
        structured_content: Some(structure(&findings)),
        ..CallToolResult::default()
    }
}

fn refused(text: String) -> CallToolResult {
    let mut result = failed(text);
    if let Some(structured) = &mut result.structured_content {
        structured["findings"] = json!([]);
    }
    result
}
