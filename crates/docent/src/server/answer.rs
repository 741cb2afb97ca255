//! From the engine's answer to a tool result: text, and the same as structured content.
//!
//! Some clients give a model only the text, others only the structured content. So each of them
//! holds the whole answer, and each of them keeps to the budget by itself.

use std::future::Future;

use docent_mcp::types::{CallToolResult, ContentBlock};
use docent_packages::{Answer, Ecosystem, Error, Origin, Reason, Receipt, tokens};
use serde_json::{Value, json};

/// Where the results of an answer go in its structured content.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A description, and the items it is made of.
    Described,
    /// Results of a search.
    Found,
}

/// Asks for an answer of at most `budget` tokens, and again for a shorter one if its structured
/// content would be longer than that.
pub(crate) async fn answered<F, Fut>(budget: usize, shape: Shape, ask: F) -> CallToolResult
where
    F: Fn(usize) -> Fut,
    Fut: Future<Output = Result<Answer, Error>>,
{
    let answer = match ask(budget).await {
        Ok(answer) => answer,
        Err(error) => return failed(explained(&error)),
    };
    let mut structured = structure(&answer, shape, true);
    let over = |structured: &Value| tokens(&structured.to_string()).saturating_sub(budget);
    let mut room = budget;
    for _ in 0..3 {
        let excess = over(&structured);
        if excess == 0 {
            break;
        }
        room = room.saturating_sub(excess + 8);
        match ask(room).await {
            Ok(shorter) => structured = structure(&shorter, shape, room > budget / 2),
            Err(_) => break,
        }
    }
    if over(&structured) > 0 {
        structured = json!({ "description": clipped(&answer.text, budget) });
    }
    CallToolResult {
        content: vec![ContentBlock::text(answer.text)],
        structured_content: Some(structured),
        is_error: (!answer.found).then_some(true),
        ..CallToolResult::default()
    }
}

/// What went wrong and what to do.
pub(crate) fn explained(error: &Error) -> String {
    let hints: String = error.hints().iter().map(|hint| format!("\n{hint}")).collect();
    format!("{error}{hints}")
}

/// A failure, for the model to read.
pub(crate) fn failed(text: String) -> CallToolResult {
    CallToolResult {
        structured_content: Some(json!({ "description": text, "error": text })),
        content: vec![ContentBlock::text(text)],
        is_error: Some(true),
        ..CallToolResult::default()
    }
}

fn structure(answer: &Answer, shape: Shape, with_results: bool) -> Value {
    let mut structured = json!({ "description": answer.text });
    if !answer.found {
        structured["error"] = json!(answer.text.lines().nth(1).unwrap_or("not found"));
    }
    if let Some(receipt) = answer.receipts.first() {
        structured["package"] = json!(receipt.package);
        structured["version"] = json!(receipt.version);
        if let Some(newest) = &receipt.newest {
            structured["newest"] = json!(newest);
        }
        structured["origin"] = json!(receipt.origin);
        if let Some(command) = install_command(receipt) {
            structured["suggestInstall"] = json!(command);
        }
    }
    if !with_results {
        return structured;
    }
    match shape {
        Shape::Described => {
            let items: Vec<Value> = answer
                .results
                .iter()
                .map(|shown| json!({ "symbol": shown.name, "type": shown.kind, "place": shown.place }))
                .collect();
            structured["items"] = json!(items);
        }
        Shape::Found => {
            let results: Vec<Value> = answer
                .results
                .iter()
                .take(8)
                .map(|shown| {
                    json!({
                        "symbol": shown.name,
                        "match": shown.place,
                        "score": shown.score,
                        "type": shown.kind,
                    })
                })
                .collect();
            structured["searchResults"] =
                json!({ "results": results, "totalResults": answer.results.len() });
        }
    }
    if !answer.cut.is_empty() {
        structured["cut"] = json!(answer.cut);
    }
    structured
}

/// How to install a package that was found in a registry only.
fn install_command(receipt: &Receipt) -> Option<String> {
    let from_registry = matches!(receipt.origin, Origin::Registry { .. });
    if !from_registry || !matches!(receipt.reason, Reason::Newest) {
        return None;
    }
    let (scheme, rest) = receipt.package.split_once(':')?;
    let name = rest.rsplit_once('@').map_or(rest, |(name, _)| name);
    let version = &receipt.version;
    Some(match Ecosystem::named(scheme)? {
        Ecosystem::Npm => format!("npm install {name}@{version}"),
        Ecosystem::Python => format!("pip install {name}=={version}"),
        Ecosystem::Rust => format!("cargo add {name}@{version}"),
        Ecosystem::Go => format!("go get {name}@{version}"),
        _ => return None,
    })
}

/// At most that many tokens, four bytes each, quotes and line ends counted twice as JSON does.
fn clipped(text: &str, budget: usize) -> String {
    let mut room = (budget * 4).saturating_sub(24);
    let cost = |c: char| match c {
        '"' | '\\' | '\n' => 2,
        c if c.is_ascii() => 1,
        _ => 4,
    };
    text.chars()
        .take_while(|&c| {
            let fits = cost(c) <= room;
            room = room.saturating_sub(cost(c));
            fits
        })
        .collect()
}
