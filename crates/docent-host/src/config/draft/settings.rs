//! The parts of an entry that are more than a text: lists of names, times, OAuth.

use std::time::Duration;

use super::DraftOAuth;
use super::fields::Manner;
use crate::config::dialect::{Dialect, Field};
use crate::config::expand::Template;
use crate::config::machine::Platform;
use crate::config::read::{Fault, Key, Node, Value};

/// A value is not what its field wants.
pub(super) fn wrong(name: &str, wanted: &str, node: &Node) -> Fault {
    Fault::new(node.line, format!("`{name}` should be {wanted}, not {}", node.kind()))
}

pub(super) fn text<'a>(name: &str, node: &'a Node) -> Result<&'a str, Fault> {
    node.text().ok_or_else(|| wrong(name, "a text", node))
}

pub(super) fn truth(name: &str, node: &Node) -> Result<bool, Fault> {
    node.bool().ok_or_else(|| wrong(name, "true or false", node))
}

pub(super) fn table<'a>(name: &str, node: &'a Node) -> Result<&'a [(Key, Node)], Fault> {
    node.table().ok_or_else(|| wrong(name, "a table", node))
}

/// A list of names. Some clients have one text with spaces, some a table for each name.
pub(super) fn names(name: &str, node: &Node) -> Result<Vec<String>, Fault> {
    if let Some(text) = node.text() {
        return Ok(text.split_whitespace().map(str::to_owned).collect());
    }
    let items = node.list().ok_or_else(|| wrong(name, "a list of names", node))?;
    let one = |item: &Node| {
        let named = item.text().or_else(|| item.get("name")?.text());
        named.map(str::to_owned).ok_or_else(|| wrong(name, "a list of names", item))
    };
    items.iter().map(one).collect()
}

/// The words of a command that has no arguments because they stand in it. A program with a path may
/// well have spaces in it; `npx -y server` cannot be one.
pub(super) fn whole_line(line: &[Template], manner: Manner) -> Option<Vec<String>> {
    let [only] = line else { return None };
    let (first, _) = only.raw.trim().split_once(' ')?;
    let is_name = !first.contains(['/', '\\', '"', '\'', '$']);
    let plain = !only.raw.contains(['"', '\'']);
    (is_name && plain && manner == Manner::ToUse)
        .then(|| only.raw.split_whitespace().map(str::to_owned).collect())
}

/// How long things may take.
#[derive(Default)]
pub(super) struct Times {
    startup: Option<Duration>,
    call: Option<Duration>,
}

impl Times {
    pub(super) fn read(&mut self, field: Field, name: &str, node: &Node) -> Result<(), Fault> {
        match field {
            Field::StartMs => self.startup = time(name, node, 1000.0)?,
            Field::StartSec => self.startup = time(name, node, 1.0)?,
            Field::CallMs => self.call = time(name, node, 1000.0)?,
            Field::CallSec => self.call = time(name, node, 1.0)?,
            _ => match &node.value {
                Value::Table(_) => {
                    for (key, value) in table(name, node)? {
                        match key.text.as_str() {
                            "startup" => self.startup = time("timeout.startup", value, 1000.0)?,
                            "request" => self.call = time("timeout.request", value, 1000.0)?,
                            _ => {}
                        }
                    }
                }
                _ => self.call = time(name, node, 1000.0)?,
            },
        }
        Ok(())
    }
}

impl From<Times> for (Option<Duration>, Option<Duration>) {
    fn from(times: Times) -> Self {
        (times.startup, times.call)
    }
}

/// A time; nothing if it is zero, which means "the usual" or "none" depending on whom one asks.
fn time(name: &str, node: &Node, per_second: f64) -> Result<Option<Duration>, Fault> {
    let number = node.number().ok_or_else(|| wrong(name, "a number", node))?;
    let time = Duration::try_from_secs_f64(number / per_second)
        .map_err(|_| wrong(name, "a number of reasonable size", node))?;
    Ok((!time.is_zero()).then_some(time))
}

impl DraftOAuth {
    pub(super) fn read(
        &mut self,
        name: &str,
        node: &Node,
        dialect: &'static Dialect,
        platform: Platform,
        warnings: &mut Vec<(u32, String)>,
    ) -> Result<(), Fault> {
        if let Some(on) = node.bool() {
            self.off = !on;
            return Ok(());
        }
        for (key, value) in table(name, node)? {
            let field = format!("{name}.{}", key.text);
            let parse = |value: &Node| {
                let text = text(&field, value)?;
                Ok(Some(Template::parse(text, value.line, dialect.syntax, platform)))
            };
            match key.text.as_str() {
                "clientId" | "client_id" | "CLIENT_ID" => self.client_id = parse(value)?,
                "clientSecret" | "client_secret" | "CLIENT_SECRET" => {
                    self.client_secret = parse(value)?;
                }
                "scopes" | "scope" => self.scopes = names(&field, value)?,
                "callbackPort" | "callback_port" => {
                    let port = value.number().filter(|port| *port < 65536.0 && port.fract() == 0.0);
                    let port = port.ok_or_else(|| wrong(&field, "a port", value))?;
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "just compared"
                    )]
                    let port = port as u16;
                    self.callback_port = Some(port);
                }
                "authServerMetadataUrl" | "metadata_url" => {
                    let url = text(&field, value)?;
                    if !url.starts_with("https://") {
                        return Err(wrong(&field, "an address with `https:`", value));
                    }
                    self.metadata_url = Some(url.to_owned());
                }
                "resource" => self.resource = Some(text(&field, value)?.to_owned()),
                "enabled" => self.off = !truth(&field, value)?,
                _ => warnings.push((key.line, format!("`{field}` is not supported"))),
            }
        }
        Ok(())
    }
}
