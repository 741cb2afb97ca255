//! The fields of an entry under another client's names.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::words::Words;
use crate::config::dialect::{Dialect, Field, Kind, Shell, Typing};
use crate::config::draft::{Draft, DraftCommand, DraftTransport, SHELL};
use crate::config::entry::{Client, HttpKind};
use crate::config::expand::{Piece, Reference, Template};

/// The entry.
pub(super) fn shape(draft: &Draft, words: &mut Words<'_>) -> Value {
    let mut entry = Map::new();
    if words.to.client == Client::Goose {
        entry.insert("name".to_owned(), json!(words.name));
        entry.insert("enabled".to_owned(), json!(!draft.disabled));
    }
    match &draft.transport {
        DraftTransport::Stdio(command) => {
            put_type(&mut entry, words.to, Kind::Stdio);
            stdio(command, words, &mut entry);
        }
        DraftTransport::Http { url, headers, helper, kind } => {
            http(url, headers, *kind, words, &mut entry);
            if let Some(command) = helper {
                headers_helper(command, words, &mut entry);
            }
        }
    }
    if draft.disabled && words.to.client != Client::Goose {
        match (words.to.name_of(Field::Disabled), words.to.name_of(Field::Enabled)) {
            (_, Some(name)) => put(&mut entry, name, json!(false)),
            (Some(name), None) => put(&mut entry, name, json!(true)),
            (None, None) => words.lose("`disabled`, so that it would be started"),
        }
    }
    times(draft, words, &mut entry);
    if words.to.client == Client::CopilotCli && draft.tools.allow.is_empty() {
        entry.insert("tools".to_owned(), json!(["*"]));
    }
    filter(draft, words, &mut entry);
    oauth(draft, words, &mut entry);
    if let Some(lazy) = draft.lazy {
        match words.to.name_of(Field::Lazy) {
            Some(name) => put(&mut entry, name, json!(lazy)),
            None => {
                if let Some(name) = words.to.name_of(Field::Eager).filter(|_| !lazy) {
                    put(&mut entry, name, json!(true));
                }
            }
        }
    }
    Value::Object(entry)
}

fn put(entry: &mut Map<String, Value>, name: &str, value: Value) {
    entry.insert(name.to_owned(), value);
}

/// The client's word for what the entry is, where it wants one.
fn put_type(entry: &mut Map<String, Value>, to: &Dialect, kind: Kind) {
    let wanted = match to.typing {
        Typing::Inferred => false,
        Typing::Always => true,
        Typing::Remote | Typing::Optional => kind != Kind::Stdio,
    };
    let exact = to.types.iter().find(|(_, known)| *known == kind);
    // Without a promise, the newer protocol is the better guess.
    let close = to.types.iter().find(|(_, known)| match kind {
        Kind::Http(HttpKind::Auto) => *known == Kind::Http(HttpKind::Streamable),
        Kind::Http(_) => *known == Kind::Http(HttpKind::Auto),
        Kind::Stdio | Kind::Foreign => false,
    });
    if let Some((word, _)) = exact.or(close).filter(|_| wanted) {
        put(entry, "type", json!(word));
    }
}

fn stdio(command: &DraftCommand, words: &mut Words<'_>, entry: &mut Map<String, Value>) {
    let line: Vec<String> = command
        .line
        .iter()
        .enumerate()
        .map(|(index, word)| words.text(word, if index == 0 { "command" } else { "args" }))
        .collect();
    let to = words.to;
    let name = to.name_of(Field::Command).unwrap_or("command");
    match (to.name_of(Field::Args), line.split_first()) {
        (Some(args), Some((program, rest))) => {
            put(entry, name, json!(program));
            if !rest.is_empty() {
                put(entry, args, json!(rest));
            }
        }
        _ => put(entry, name, json!(line)),
    }
    let (mut env, mut pass) = (Map::new(), command.pass.clone());
    for (name, value) in &command.env {
        // A client that expands nothing may still pass a variable on under its own name.
        let same = whole_variable(value) == Some(name.as_str());
        if same && !expands(to) && to.name_of(Field::Pass).is_some() {
            pass.push(name.clone());
        } else {
            env.insert(name.clone(), json!(words.text(value, &format!("env.{name}"))));
        }
    }
    if !pass.is_empty() {
        match to.name_of(Field::Pass) {
            Some(name) => put(entry, name, json!(pass)),
            None => {
                for name in &pass {
                    let template = Template::variable("", name, 0);
                    let text = words.text(&template, &format!("env.{name}"));
                    env.insert(name.clone(), json!(text));
                }
            }
        }
    }
    if !env.is_empty() {
        put(entry, to.name_of(Field::Env).unwrap_or("env"), Value::Object(env));
    }
    for (field, value, what) in [
        (Field::Cwd, &command.cwd, "the folder to start in"),
        (Field::EnvFile, &command.env_file, "the file of variables"),
    ] {
        let Some(template) = value else { continue };
        match to.name_of(field) {
            Some(name) => put(entry, name, json!(words.text(template, name))),
            None => words.lose(what),
        }
    }
    if command.inherit {
        match to.name_of(Field::Inherit) {
            Some(name) => put(entry, name, json!(true)),
            None => words.lose("`inherit`: what environment it gets is the client's choice"),
        }
    }
}

fn http(
    url: &Template,
    headers: &[(String, Template)],
    kind: HttpKind,
    words: &mut Words<'_>,
    entry: &mut Map<String, Value>,
) {
    let to = words.to;
    if !to.remote {
        words.impossible.push(format!("{} knows no addresses", to.name));
        return;
    }
    let own = |wanted: HttpKind| to.name_of(Field::Url(wanted));
    let streamable = if kind == HttpKind::Sse { None } else { own(HttpKind::Streamable) };
    let named = own(kind).or(streamable).or_else(|| own(HttpKind::Auto));
    let Some(name) = named.or_else(|| own(HttpKind::Sse).filter(|_| !to.types.is_empty())) else {
        words.impossible.push(format!("{} speaks no HTTP+SSE", to.name));
        return;
    };
    // Where the field's name is the promise, a type is not needed beside it.
    let promised = to.field(name) == Some(Field::Url(kind)) && kind != HttpKind::Auto;
    let field_says = to.client == Client::Gemini && name == "httpUrl";
    if !promised && !field_says {
        put_type(entry, to, Kind::Http(kind));
    }
    put(entry, name, json!(words.text(url, "url")));
    let (mut plain, mut named) = (Map::new(), Map::new());
    for (header, value) in headers {
        let bearer = to.name_of(Field::BearerFrom).zip(bearer_variable(header, value));
        let variable = to.name_of(Field::HeadersFrom).zip(whole_variable(value));
        match (bearer, variable) {
            (Some((field, variable)), _) => put(entry, field, json!(variable)),
            (None, Some((_, variable))) => {
                named.insert(header.clone(), json!(variable));
            }
            (None, None) => {
                let text = words.text(value, &format!("headers.{header}"));
                plain.insert(header.clone(), json!(text));
            }
        }
    }
    for (field, table) in [(Field::Headers, plain), (Field::HeadersFrom, named)] {
        if let Some(name) = to.name_of(field).filter(|_| !table.is_empty()) {
            put(entry, name, Value::Object(table));
        }
    }
}

/// The command that prints headers: as a list, or as a line for a shell.
fn headers_helper(command: &DraftCommand, words: &mut Words<'_>, entry: &mut Map<String, Value>) {
    let to = words.to;
    let listed = to.name_of(Field::HeadersHelper(Shell::Unused));
    let in_shell = to.name_of(Field::HeadersHelper(Shell::Used));
    let Some(name) = listed.or(in_shell) else {
        return words.lose("the command that prints its headers");
    };
    let texts: Vec<&str> = command.line.iter().map(|word| &*word.raw).collect();
    let value = match &texts[..] {
        [shell, flag, line] if in_shell.is_some() && [*shell, *flag] == SHELL => json!(line),
        _ => {
            let line: Vec<String> =
                command.line.iter().map(|word| words.text(word, name)).collect();
            match listed {
                Some(_) => json!(line),
                None => json!(line.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
            }
        }
    };
    put(entry, name, value);
    let mut env = Map::new();
    for (name, value) in &command.env {
        env.insert(name.clone(), json!(words.text(value, &format!("env.{name}"))));
    }
    if let Some(name) = to.name_of(Field::Env).filter(|_| !env.is_empty()) {
        put(entry, name, Value::Object(env));
    }
}

/// A word that a shell takes for nothing else.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&byte);
    match !word.is_empty() && word.bytes().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn expands(to: &Dialect) -> bool {
    to.syntax.braces || to.syntax.env || to.syntax.curly
}

/// The variable that a text is, if it is nothing else.
fn whole_variable(template: &Template) -> Option<&str> {
    match template.pieces.as_slice() {
        [Piece::Reference(_, Reference::Variable { name, default: None })] => Some(name),
        _ => None,
    }
}

fn bearer_variable<'a>(header: &str, template: &'a Template) -> Option<&'a str> {
    match template.pieces.as_slice() {
        [Piece::Text(scheme), Piece::Reference(_, Reference::Variable { name, default: None })]
            if scheme == "Bearer " && header.eq_ignore_ascii_case("authorization") =>
        {
            Some(name)
        }
        _ => None,
    }
}

fn times(draft: &Draft, words: &mut Words<'_>, entry: &mut Map<String, Value>) {
    let to = words.to;
    let number = |time: Duration, per_second: f64| {
        let number = time.as_secs_f64() * per_second;
        if number.fract() == 0.0 { json!(number.round() as u64) } else { json!(number) }
    };
    for (time, ms, sec, what) in [
        (draft.startup_timeout, Field::StartMs, Field::StartSec, "the time to start"),
        (draft.call_timeout, Field::CallMs, Field::CallSec, "the time for a call"),
    ] {
        let Some(time) = time else { continue };
        match (to.name_of(sec), to.name_of(ms), to.name_of(Field::Times)) {
            (Some(name), ..) => put(entry, name, number(time, 1.0)),
            (_, Some(name), _) => put(entry, name, number(time, 1000.0)),
            // One number, which every version understands; it is the time to start.
            (.., Some(name)) if sec == Field::StartSec => put(entry, name, number(time, 1000.0)),
            _ => words.lose(what),
        }
    }
}

fn filter(draft: &Draft, words: &mut Words<'_>, entry: &mut Map<String, Value>) {
    let to = words.to;
    let lists = [("allow", &draft.tools.allow), ("deny", &draft.tools.deny)];
    for ((key, list), field) in lists.into_iter().zip([Field::Allow, Field::Deny]) {
        if list.is_empty() {
            continue;
        }
        match (to.name_of(field), to.name_of(Field::Tools)) {
            (Some(name), _) => put(entry, name, json!(list)),
            (None, Some(name)) => {
                entry.entry(name).or_insert_with(|| json!({}))[key] = json!(list);
            }
            (None, None) => words.lose("the choice of tools"),
        }
    }
}

fn oauth(draft: &Draft, words: &mut Words<'_>, entry: &mut Map<String, Value>) {
    let (to, from) = (words.to, &draft.oauth);
    if *from == Default::default() {
        return;
    }
    let Some(name) = to.name_of(Field::OAuth) else {
        words.lose("what it says about OAuth");
        return;
    };
    if from.off {
        put(entry, name, json!(false));
        return;
    }
    let snake = matches!(to.client, Client::Docent | Client::Codex);
    let key = |camel: &'static str, snaked: &'static str| if snake { snaked } else { camel };
    let mut table = Map::new();
    if let Some(id) = &from.client_id {
        put(&mut table, key("clientId", "client_id"), json!(words.text(id, "oauth")));
    }
    if let Some(secret) = &from.client_secret {
        put(&mut table, key("clientSecret", "client_secret"), json!(words.text(secret, "oauth")));
    }
    if let Some(port) = from.callback_port {
        put(&mut table, key("callbackPort", "callback_port"), json!(port));
    }
    if let Some(url) = &from.metadata_url {
        put(&mut table, key("authServerMetadataUrl", "metadata_url"), json!(url));
    }
    if !from.scopes.is_empty() {
        match to.name_of(Field::Scopes) {
            Some(name) => put(entry, name, json!(from.scopes)),
            None if to.client == Client::ClaudeCode => {
                put(&mut table, "scopes", json!(from.scopes.join(" ")));
            }
            None => put(&mut table, "scopes", json!(from.scopes)),
        }
    }
    if let Some(resource) = &from.resource {
        match to.name_of(Field::Resource) {
            Some(name) => put(entry, name, json!(resource)),
            None => put(&mut table, "resource", json!(resource)),
        }
    }
    if !table.is_empty() {
        put(entry, name, Value::Object(table));
    }
}
