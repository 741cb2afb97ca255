//! What servers and files ask the user, asked at the terminal.

use std::io::{BufRead as _, Write as _};

use docent_host::config::{Input, Printable};
use docent_mcp::auth::Secret;
use docent_mcp::client::ClientBuilder;
use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::types::{ElicitAction, ElicitRequestFormParams, ElicitResult, JsonObject};
use serde_json::{Value, json};

/// A connection whose questions are put to whoever sits at the terminal.
pub(crate) fn answered(server: &str, client: ClientBuilder) -> ClientBuilder {
    let (of_form, of_page) = (server.to_owned(), server.to_owned());
    client
        .on_elicit_form(move |form| {
            at_terminal(of_form.clone(), move |server| fill(&server, &form))
        })
        .on_elicit_url(move |page| {
            at_terminal(of_page.clone(), move |server| {
                say(&format!(
                    "{server} wants you to visit a page: {}\n  {}\n",
                    page.message, page.url
                ));
                match ask("visit it yourself, then answer [y/N]: ").as_deref() {
                    Some("y" | "yes") => ElicitAction::Accept,
                    Some(_) => ElicitAction::Decline,
                    None => ElicitAction::Cancel,
                }
            })
        })
}

/// Asks whether something may go on; `text` ends with what it is about.
pub(crate) async fn agree(server: String, text: String) -> Result<bool, ErrorObject> {
    at_terminal(server, move |server| {
        say(&format!("{server} asks: {text}\n"));
        matches!(ask("yes or no [y/N]: ").as_deref(), Some("y" | "yes"))
    })
    .await
}

/// One conversation at a time: what is typed must not answer somebody else's question.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// The terminal is read where nothing else has to wait for it.
async fn at_terminal<T: Send + 'static>(
    server: String,
    question: impl FnOnce(String) -> T + Send + 'static,
) -> Result<T, ErrorObject> {
    let turn = TURN.lock().await;
    let asking = move || {
        // Until it is answered, even if whoever asks has gone.
        let _turn = turn;
        question(server)
    };
    tokio::task::spawn_blocking(asking)
        .await
        .map_err(|_| ErrorObject::internal("the question could not be asked"))
}

/// Fills in a form, field by field.
fn fill(server: &str, form: &ElicitRequestFormParams) -> ElicitResult {
    let decided = |action| ElicitResult { action, ..ElicitResult::default() };
    say(&format!("{server} asks: {}\n", form.message));
    let fields = form.requested_schema.get("properties").and_then(Value::as_object);
    let required = form.requested_schema.get("required").and_then(Value::as_array);
    let mut content = JsonObject::default();
    for (name, field) in fields.into_iter().flatten() {
        let needed = required.is_some_and(|list| list.iter().any(|one| one == name.as_str()));
        loop {
            let Some(typed) = ask(&prompt(name, field, needed)) else {
                return decided(ElicitAction::Cancel);
            };
            match value_of(&typed, field) {
                Ok(Some(value)) => {
                    content.insert(name.clone(), value);
                    break;
                }
                Ok(None) if !needed => break,
                Ok(None) => say("  this one is needed\n"),
                Err(problem) => say(&format!("  {problem}\n")),
            }
        }
    }
    match ask("send this? [Y/n]: ").as_deref() {
        Some("" | "y" | "yes") => {
            ElicitResult { content: Some(content), ..decided(ElicitAction::Accept) }
        }
        Some(_) => decided(ElicitAction::Decline),
        None => decided(ElicitAction::Cancel),
    }
}

fn prompt(name: &str, field: &Value, needed: bool) -> String {
    format!("  {}{}: ", title(field).unwrap_or(name), rest(field, needed))
}

/// What a form says about one of its fields.
pub(crate) fn about(name: &str, field: &Value, form: Option<&Value>) -> String {
    let required = form.and_then(|form| form.get("required")?.as_array());
    let needed = required.is_some_and(|list| list.iter().any(|one| one == name));
    let title = title(field).map_or(String::new(), |title| format!("  {title}"));
    format!("{title}{}", rest(field, needed))
}

fn title(field: &Value) -> Option<&str> {
    let text = |key: &str| field.get(key).and_then(Value::as_str);
    text("title").or_else(|| text("description"))
}

fn rest(field: &Value, needed: bool) -> String {
    let choices = choices(field);
    let choices =
        if choices.is_empty() { String::new() } else { format!(" ({})", choices.join(", ")) };
    let default =
        field.get("default").map_or(String::new(), |value| format!(" [{}]", plain(value)));
    let optional = if needed { "" } else { " (optional)" };
    format!("{choices}{optional}{default}")
}

/// The values a field can have, if it has a list of them.
pub(crate) fn choices(field: &Value) -> Vec<String> {
    let list = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned();
    let items = field.get("items").unwrap_or(field);
    let plain_list = list(items, "enum").unwrap_or_default();
    let titled = list(items, "oneOf").or_else(|| list(items, "anyOf")).unwrap_or_default();
    let constant = titled.iter().filter_map(|one| one.get("const"));
    plain_list.iter().chain(constant).map(plain).collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What was typed as a value of the field; nothing for an empty line without a default.
fn value_of(typed: &str, field: &Value) -> Result<Option<Value>, String> {
    if typed.is_empty() {
        return Ok(field.get("default").cloned());
    }
    let choices = choices(field);
    let unknown = |one: &str| !choices.is_empty() && !choices.iter().any(|known| known == one);
    let value = match field.get("type").and_then(Value::as_str) {
        Some("boolean") => match typed.to_ascii_lowercase().as_str() {
            "y" | "yes" | "true" => json!(true),
            "n" | "no" | "false" => json!(false),
            _ => return Err("answer yes or no".to_owned()),
        },
        Some("integer") => json!(typed.parse::<i64>().map_err(|_| "that is no whole number")?),
        Some("number") => json!(typed.parse::<f64>().map_err(|_| "that is no number")?),
        Some("array") => {
            let chosen: Vec<&str> = typed.split(',').map(str::trim).collect();
            if let Some(wrong) = chosen.iter().find(|one| unknown(one)) {
                return Err(format!("`{wrong}` is not among {}", choices.join(", ")));
            }
            json!(chosen)
        }
        _ if unknown(typed) => {
            return Err(format!("`{typed}` is not among {}", choices.join(", ")));
        }
        _ => json!(typed),
    };
    Ok(Some(value))
}

/// Asks what a configuration file wants to know.
pub(crate) fn input(input: &Input) -> Option<Secret> {
    use std::io::IsTerminal as _;
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return None;
    }
    let choices = match input.options.is_empty() {
        true => String::new(),
        false => format!(" ({})", input.options.join(", ")),
    };
    let question = format!("{}{choices}: ", input.description);
    let typed = if input.password { hidden(&question) } else { ask(&question) };
    typed.filter(|typed| !typed.is_empty()).map(Secret::new)
}

/// Tells the user what went wrong beside the answer.
pub(crate) fn warn(text: &str) {
    say(&format!("warning: {text}\n"));
}

fn say(text: &str) {
    eprint!("{}", shown(text));
}

/// What a server says, as it is, except what would keep the user from seeing it.
fn shown(text: &str) -> String {
    let lines = text.split('\n').map(|line| Printable(line.replace('\t', "    ")).to_string());
    lines.collect::<Vec<_>>().join("\n")
}

/// One line from the terminal; nothing when it is closed.
pub(crate) fn ask(question: &str) -> Option<String> {
    say(question);
    let _ = std::io::stderr().flush();
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line.trim().to_owned()),
    }
}

/// One line that is not seen while it is typed.
fn hidden(question: &str) -> Option<String> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let input = std::io::stdin();
    let before = tcgetattr(&input).ok();
    if let Some(before) = &before {
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        let _ = tcsetattr(&input, OptionalActions::Flush, &silent);
    }
    let typed = ask(question);
    if let Some(before) = &before {
        let _ = tcsetattr(&input, OptionalActions::Flush, before);
        say("\n");
    }
    typed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_server_says_is_hidden() {
        let said = "Delete\ta?\n\u{1b}[1Ano \u{202e}sey";
        assert_eq!(shown(said), "Delete    a?\n\\u{1b}[1Ano \\u{202e}sey");
    }

    #[test]
    fn what_is_typed_becomes_what_the_field_holds() {
        let check = |typed: &str, field: Value, expected: Result<Option<Value>, &str>| {
            let found = value_of(typed, &field);
            assert_eq!(found, expected.map_err(str::to_owned), "{typed}");
        };
        check("7", json!({"type": "integer"}), Ok(Some(json!(7))));
        check("7.5", json!({"type": "integer"}), Err("that is no whole number"));
        check("YES", json!({"type": "boolean"}), Ok(Some(json!(true))));
        check("", json!({"type": "string", "default": "x"}), Ok(Some(json!("x"))));
        check("", json!({"type": "string"}), Ok(None));
        check("b", json!({"type": "string", "enum": ["a"]}), Err("`b` is not among a"));
        let several = json!({"type": "array", "items": {"enum": ["a", "b"]}});
        check("a, b", several, Ok(Some(json!(["a", "b"]))));
    }
}
