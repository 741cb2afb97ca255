//! What Tab offers: what the servers have at that moment.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::CommandFactory as _;
use docent_host::Host;
use docent_mcp::types::CompletionReference;
use rustyline::completion::Completer;
use rustyline::{Helper, Highlighter, Hinter, Validator};
use serde_json::Value;
use tokio::runtime::Handle;

use super::Line;
use crate::client::questions;
use crate::command::complete;
use crate::command::prompt::pairs;

/// How long somebody who pressed Tab waits for a server's suggestions.
const PATIENCE: Duration = Duration::from_secs(1);

/// What can be typed next, from what the servers have.
#[derive(Helper, Highlighter, Hinter, Validator)]
pub(super) struct Words {
    pub(super) host: Host,
    pub(super) handle: Handle,
}

/// What the servers have, by the names that are typed.
#[derive(Default)]
struct Offers {
    /// Tools and their schemas.
    tools: Vec<(String, Value)>,
    /// Prompts and the names of their arguments.
    prompts: Vec<(String, Vec<String>)>,
    resources: Vec<String>,
    templates: Vec<String>,
}

impl Offers {
    /// The lists as they are now; servers that change theirs are heard by the host.
    async fn of(host: &Host) -> Self {
        let full = |server: &str, own: &str| format!("{server}.{own}");
        let tools = host.tools().await.into_iter();
        let prompts = host.prompts().await.into_iter();
        let arguments = |prompt: &docent_mcp::types::Prompt| {
            prompt.arguments.iter().map(|argument| argument.name.clone()).collect()
        };
        Self {
            tools: tools
                .map(|tool| (full(&tool.server, &tool.own), tool.item.input_schema))
                .collect(),
            prompts: prompts
                .map(|prompt| (full(&prompt.server, &prompt.own), arguments(&prompt.item)))
                .collect(),
            resources: host.resources().await.into_iter().map(|resource| resource.name).collect(),
            templates: host.templates().await.into_iter().map(|template| template.name).collect(),
        }
    }

    /// What may stand where the last word is.
    fn candidates(&self, before: &[&str], last: &str) -> Vec<String> {
        let whole = |names: &mut dyn Iterator<Item = &String>| -> Vec<String> {
            names.map(|name| format!("{} ", quoted(name))).collect()
        };
        match before {
            [] | ["help"] => commands(),
            ["tools" | "call"] => whole(&mut self.tools.iter().map(|(name, _)| name)),
            ["call", name, given @ ..] => {
                let schema = find(&self.tools, name);
                schema.map_or(Vec::new(), |schema| parameters(schema, given, last))
            }
            ["read"] => whole(&mut self.resources.iter().chain(&self.templates)),
            ["subscribe", ..] => whole(&mut self.resources.iter()),
            ["prompt"] => whole(&mut self.prompts.iter().map(|(name, _)| name)),
            ["complete"] => {
                let prompts = self.prompts.iter().map(|(name, _)| name);
                whole(&mut prompts.chain(&self.templates))
            }
            ["prompt" | "complete", name, given @ ..] => {
                let names = find(&self.prompts, name).into_iter().flatten();
                names.filter(|name| !is_given(given, name)).map(|name| format!("{name}=")).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// What has a name, or its bare one.
fn find<'a, T>(named: &'a [(String, T)], name: &str) -> Option<&'a T> {
    let bare = |full: &str| full.split_once('.').is_some_and(|(_, own)| own == name);
    let found = named.iter().find(|(full, _)| full == name);
    found.or_else(|| named.iter().find(|(full, _)| bare(full))).map(|(_, found)| found)
}

fn commands() -> Vec<String> {
    let line = Line::command();
    let names = line.get_subcommands().map(|command| format!("{} ", command.get_name()));
    names.chain(["help ".to_owned()]).collect()
}

/// The parameters of a tool that are not given yet, and the values of one whose values are known.
fn parameters(schema: &Value, given: &[&str], last: &str) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut properties = properties.into_iter().flatten();
    if let Some((name, _)) = last.split_once('=') {
        let field = properties.find(|(key, _)| *key == name).map(|(_, field)| field);
        let values = field.map(values).unwrap_or_default();
        return values.iter().map(|value| format!("{name}={} ", quoted(value))).collect();
    }
    let open = properties.filter(|(key, _)| !is_given(given, key));
    open.map(|(key, _)| format!("{key}=")).collect()
}

fn values(field: &Value) -> Vec<String> {
    match field.get("type").and_then(Value::as_str) {
        Some("boolean") => vec!["true".to_owned(), "false".to_owned()],
        _ => questions::choices(field),
    }
}

fn is_given(given: &[&str], name: &str) -> bool {
    let keys = given.iter().filter_map(|word| word.split_once('='));
    keys.map(|(key, _)| key.trim_end_matches(':')).any(|key| key == name)
}

/// A word as it has to be typed.
fn quoted(word: &str) -> String {
    match (word.contains(char::is_whitespace), word.contains('\'')) {
        (true, false) => format!("'{word}'"),
        (true, true) => format!("\"{word}\""),
        _ => word.to_owned(),
    }
}

impl Words {
    /// What the server itself suggests for an argument of a prompt, or a variable of a template.
    async fn suggested(&self, before: &[&str], last: &str) -> Option<Vec<String>> {
        let ([command @ ("prompt" | "complete"), name, given @ ..], Some((argument, start))) =
            (before, last.split_once('='))
        else {
            return None;
        };
        let given: Vec<String> = given.iter().map(|word| (*word).to_owned()).collect();
        let known: BTreeMap<_, _> = pairs(&given).unwrap_or_default().into_iter().collect();
        let reference = match *command {
            "prompt" => CompletionReference::prompt(*name),
            _ => complete::reference(name),
        };
        let asking = self.host.complete(reference, argument, start, known);
        let found = tokio::time::timeout(PATIENCE, asking).await.ok()?.ok()?;
        Some(found.values.iter().map(|value| format!("{argument}={} ", quoted(value))).collect())
    }
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..position).unwrap_or(line);
        let start = typed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let before: Vec<&str> = typed[..start].split_whitespace().collect();
        let last = &typed[start..];
        let found = self.handle.block_on(async {
            match self.suggested(&before, last).await {
                // As it orders them; it may also know what was meant.
                Some(suggested) => suggested,
                None => {
                    let all = Offers::of(&self.host).await.candidates(&before, last);
                    all.into_iter().filter(|one| one.starts_with(last)).collect()
                }
            }
        });
        Ok((start, found))
    }
}

#[cfg(test)]
mod tests {
    use docent_mcp::Server;
    use docent_mcp::client::Source;
    use docent_mcp::server::{Context, ServerTool, ToolError};
    use docent_mcp::transport::memory;
    use serde_json::json;

    use super::*;

    fn check(typed: &str, expected: &[&str]) {
        let schema = json!({ "type": "object", "properties": {
            "city": { "type": "string" },
            "unit": { "type": "string", "enum": ["metric", "old money"] },
            "kind": { "oneOf": [{ "const": "a", "title": "A" }, { "const": "b" }] },
            "long": { "type": "boolean" },
        }});
        let offers = Offers {
            tools: vec![("sky.weather".to_owned(), schema), ("a.b".to_owned(), json!({}))],
            prompts: vec![("sky.plan".to_owned(), vec!["day".to_owned(), "place".to_owned()])],
            resources: vec!["file:///a b".to_owned(), "file:///c".to_owned()],
            templates: vec!["file:///{name}".to_owned()],
        };
        let (before, last) = typed.rsplit_once(' ').unwrap_or(("", typed));
        let before: Vec<&str> = before.split_whitespace().collect();
        let found = offers.candidates(&before, last);
        let fitting: Vec<_> = found.iter().filter(|one| one.starts_with(last)).collect();
        assert_eq!(fitting, expected, "{typed}");
    }

    /// What a server has learned since the shell began can be typed.
    #[tokio::test]
    async fn lists_are_those_of_now() {
        let tool = |name: &str| {
            let run = async |_: Context, (): ()| Ok::<_, ToolError>("rain");
            ServerTool::new(name, "Tells", run)
        };
        let server = Server::new("x", "1").with_tool(tool("moon"));
        let (near, far) = (server.clone(), server.clone());
        let host = Host::builder("test", "1").connector("sky", move || {
            let server = far.clone();
            Source::connector(move || {
                let (client, far) = memory();
                tokio::spawn(server.clone().serve(far));
                std::future::ready(Ok(client))
            })
        });
        let host = host.from_entries([]);
        assert_eq!(Offers::of(&host).await.candidates(&["call"], ""), ["sky.moon "]);
        near.add_tool(tool("weather")).expect("a tool");
        while Offers::of(&host).await.tools.len() < 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let both = Offers::of(&host).await.candidates(&["call"], "");
        assert_eq!(both, ["sky.moon ", "sky.weather "]);
        host.close().await;
    }

    #[test]
    fn every_word_is_completed_by_what_can_stand_there() {
        check("s", &["servers ", "subscribe "]);
        check("help co", &["complete "]);
        check("call s", &["sky.weather "]);
        check("tools ", &["sky.weather ", "a.b "]);
        check("call sky.weather ", &["city=", "unit=", "kind=", "long="]);
        check("call weather ci", &["city="]);
        check("call sky.weather unit=metric city:=1 ", &["kind=", "long="]);
        check("call sky.weather unit=", &["unit=metric ", "unit='old money' "]);
        check("call sky.weather kind=", &["kind=a ", "kind=b "]);
        check("call sky.weather long=t", &["long=true "]);
        check("call sky.weather city=", &[]);
        check("call unknown ", &[]);
        check("read file:///c", &["file:///c "]);
        check("read ", &["'file:///a b' ", "file:///c ", "file:///{name} "]);
        check("subscribe file:///c ", &["'file:///a b' ", "file:///c "]);
        check("prompt ", &["sky.plan "]);
        check("prompt plan day=1 ", &["place="]);
        check("complete ", &["sky.plan ", "file:///{name} "]);
        check("complete sky.plan d", &["day="]);
        check("quit ", &[]);
    }
}
