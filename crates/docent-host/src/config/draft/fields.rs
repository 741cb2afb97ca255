//! From the tree of an entry to a draft, by a dialect's names for things.

use std::time::Duration;

use super::settings::{self, Times};
use super::{Draft, DraftCommand, DraftOAuth, DraftTransport};
use crate::config::dialect::{COPIED, Dialect, Field, Kind, TYPES_SEEN, Typing};
use crate::config::entry::{Client, Filter, HttpKind};
use crate::config::expand::Template;
use crate::config::machine::Platform;
use crate::config::read::{Fault, Node, Value, repeated};

/// How an entry is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// To be used: what is beyond doubt is understood even if the owner would not.
    ToUse,
    /// To know what the owner would make of it.
    AsOwner,
}

/// Reads an entry. What deserves a word but is no error goes into `warnings`.
pub(crate) fn draft(
    node: &Node,
    dialect: &'static Dialect,
    platform: Platform,
    manner: Manner,
    warnings: &mut Vec<(u32, String)>,
) -> Result<Draft, Fault> {
    let Some(entries) = node.table() else {
        return Err(Fault::new(node.line, format!("an entry is a table, not {}", node.kind())));
    };
    for key in repeated(entries) {
        warnings.push((key.line, format!("`{}` stands here twice; the last one counts", key.text)));
    }
    let mut reader =
        Reader { dialect, platform, manner, parts: Parts::default(), warnings, line: node.line };
    for (index, (key, value)) in entries.iter().enumerate() {
        if entries[index + 1..].iter().any(|(later, _)| later.text == key.text) {
            continue;
        }
        match reader.meaning(&key.text, key.line)? {
            Some(_) if value.value == Value::Null => {}
            Some(field) => reader.read(field, &key.text, value)?,
            None => {}
        }
    }
    reader.finish()
}

/// What the fields of an entry say, before it is clear what the entry is.
#[derive(Default)]
struct Parts {
    kind: Option<(String, u32)>,
    command: DraftCommand,
    args: Vec<Template>,
    url: Option<(Template, HttpKind)>,
    headers: Vec<(String, Template)>,
    disabled: bool,
    times: Times,
    tools: Filter,
    oauth: DraftOAuth,
    lazy: Option<bool>,
}

struct Reader<'a> {
    dialect: &'static Dialect,
    platform: Platform,
    manner: Manner,
    parts: Parts,
    warnings: &'a mut Vec<(u32, String)>,
    line: u32,
}

impl Reader<'_> {
    /// What a field means, if it means something.
    fn meaning(&mut self, name: &str, line: u32) -> Result<Option<Field>, Fault> {
        if let Some(field) = self.dialect.field(name) {
            return Ok(Some(field));
        }
        let (client, own) = (self.dialect.name, self.dialect.client == Client::Docent);
        let copied = COPIED.iter().find(|(copied, _)| *copied == name);
        let refused = self.dialect.strict && (own || self.manner == Manner::AsOwner);
        if refused && (!own || copied.is_none()) {
            return Err(Fault::new(line, format!("it does not know the field `{name}`")));
        }
        if self.manner == Manner::AsOwner && !own {
            return Ok(None);
        }
        let what = match copied {
            Some(_) => format!("`{name}` is understood here, but not by {client}"),
            None => format!("{client} has no field `{name}`; it is ignored"),
        };
        self.warnings.push((line, what));
        Ok(copied.map(|(_, field)| *field))
    }

    fn read(&mut self, field: Field, name: &str, node: &Node) -> Result<(), Fault> {
        let parts = &mut self.parts;
        match field {
            Field::Type => parts.kind = Some((settings::text(name, node)?.to_owned(), node.line)),
            Field::Command => self.command(name, node)?,
            Field::Args => {
                self.parts.args = self.templates(name, node)?;
            }
            Field::Env => self.parts.command.env.extend(self.named(name, node)?),
            Field::EnvFile => self.parts.command.env_file = Some(self.template(name, node)?),
            Field::Pass => parts.command.pass = settings::names(name, node)?,
            Field::Inherit => parts.command.inherit = settings::truth(name, node)?,
            Field::Cwd => self.parts.command.cwd = Some(self.template(name, node)?),
            Field::Url(kind) => {
                let url = self.template(name, node)?;
                // Of two addresses, the one that promises the newer protocol.
                if self.parts.url.as_ref().is_none_or(|(_, other)| *other != HttpKind::Streamable) {
                    self.parts.url = Some((url, kind));
                }
            }
            Field::Headers => self.parts.headers.extend(self.named(name, node)?),
            Field::BearerFrom => {
                let variable = settings::text(name, node)?;
                let value = Template::variable("Bearer ", variable, node.line);
                parts.headers.push(("Authorization".to_owned(), value));
            }
            Field::HeadersFrom => {
                for (key, value) in settings::table(name, node)? {
                    let variable = settings::text(name, value)?;
                    let value = Template::variable("", variable, value.line);
                    parts.headers.push((key.text.clone(), value));
                }
            }
            Field::Disabled => parts.disabled |= settings::truth(name, node)?,
            Field::Enabled => parts.disabled |= !settings::truth(name, node)?,
            Field::StartMs | Field::StartSec | Field::CallMs | Field::CallSec | Field::Times => {
                parts.times.read(field, name, node)?;
            }
            Field::Allow => parts.tools.allow = settings::names(name, node)?,
            Field::Deny => parts.tools.deny = settings::names(name, node)?,
            Field::Tools => {
                for (key, value) in settings::table(name, node)? {
                    match key.text.as_str() {
                        "allow" => parts.tools.allow = settings::names("tools.allow", value)?,
                        "deny" => parts.tools.deny = settings::names("tools.deny", value)?,
                        other => {
                            let what = format!("`tools` has `allow` and `deny`, but no `{other}`");
                            return Err(Fault::new(key.line, what));
                        }
                    }
                }
            }
            Field::OAuth => {
                let (dialect, platform) = (self.dialect, self.platform);
                parts.oauth.read(name, node, dialect, platform, self.warnings)?;
            }
            Field::Scopes => parts.oauth.scopes = settings::names(name, node)?,
            Field::Resource => {
                parts.oauth.resource = Some(settings::text(name, node)?.to_owned());
            }
            Field::Lazy => parts.lazy = Some(settings::truth(name, node)?),
            Field::Eager => parts.lazy = settings::truth(name, node)?.then_some(false),
            Field::Ignored => {}
            Field::Undone(what) => {
                if node.bool() != Some(false) && self.manner == Manner::ToUse {
                    self.warnings.push((node.line, format!("`{name}` is not supported: {what}")));
                }
            }
        }
        Ok(())
    }

    /// `command` is a program; or the program and its arguments, as a list, or as one text.
    fn command(&mut self, name: &str, node: &Node) -> Result<(), Fault> {
        let line = match &node.value {
            Value::List(_) => self.templates(name, node)?,
            Value::Table(_) => {
                if let Some(env) = node.get("env") {
                    self.parts.command.env.extend(self.named("command.env", env)?);
                }
                let path = node.get("path").ok_or_else(|| {
                    Fault::new(node.line, format!("`{name}` is a table without `path`"))
                })?;
                let mut line = vec![self.template("command.path", path)?];
                if let Some(args) = node.get("args") {
                    line.extend(self.templates("command.args", args)?);
                }
                line
            }
            _ => vec![self.template(name, node)?],
        };
        self.parts.command.line = line;
        Ok(())
    }

    fn parse(&self, text: &str, line: u32) -> Template {
        Template::parse(text, line, self.dialect.syntax, self.platform)
    }

    fn template(&self, name: &str, node: &Node) -> Result<Template, Fault> {
        Ok(self.parse(settings::text(name, node)?, node.line))
    }

    fn templates(&self, name: &str, node: &Node) -> Result<Vec<Template>, Fault> {
        let Some(items) = node.list() else {
            return Err(settings::wrong(name, "a list of texts", node));
        };
        let one = |item: &Node| {
            let text = item.scalar().ok_or_else(|| settings::wrong(name, "texts", item))?;
            Ok(self.parse(&text, item.line))
        };
        items.iter().map(one).collect()
    }

    /// A table of texts; numbers and truth values occur and stand for themselves.
    fn named(&self, name: &str, node: &Node) -> Result<Vec<(String, Template)>, Fault> {
        let mut found = Vec::new();
        for (key, value) in settings::table(name, node)? {
            if value.value == Value::Null {
                continue;
            }
            let text = value
                .scalar()
                .ok_or_else(|| settings::wrong(&format!("{name}.{}", key.text), "a text", value))?;
            found.retain(|(other, _)| *other != key.text);
            found.push((key.text.clone(), self.parse(&text, value.line)));
        }
        Ok(found)
    }

    fn finish(mut self) -> Result<Draft, Fault> {
        let kind = self.kind()?;
        let transport = match kind {
            Kind::Stdio => DraftTransport::Stdio(self.finish_command()?),
            _ => self.finish_address(kind)?,
        };
        let Parts { disabled, times, tools, oauth, lazy, .. } = self.parts;
        let (startup_timeout, call_timeout): (Option<Duration>, Option<Duration>) = times.into();
        Ok(Draft { transport, disabled, startup_timeout, call_timeout, tools, oauth, lazy })
    }

    /// What the entry is, by its `type` or else by what it has.
    fn kind(&mut self) -> Result<Kind, Fault> {
        let (dialect, client) = (self.dialect, self.dialect.name);
        let has_command = !self.parts.command.line.is_empty();
        let has_url = self.parts.url.is_some();
        let fault = |what: String| Err(Fault::new(self.line, what));
        if let Some((word, line)) = &self.parts.kind {
            let known = |types: &[(&str, Kind)]| {
                types.iter().find(|(known, _)| known == word).map(|(_, kind)| *kind)
            };
            let own = known(dialect.types);
            let any = known(TYPES_SEEN).filter(|_| self.manner == Manner::ToUse);
            if own.is_none() && any.is_some() && dialect.typing != Typing::Inferred {
                let what = format!("{client} does not know the type `{word}`");
                self.warnings.push((*line, what));
            }
            return match own.or(any) {
                Some(Kind::Foreign) => {
                    Err(Fault::new(*line, format!("servers of type `{word}` are not supported")))
                }
                Some(kind) => Ok(kind),
                None => Err(Fault::new(*line, format!("it does not know the type `{word}`"))),
            };
        }
        match (has_command, has_url) {
            (false, false) => fault("it has neither a command nor an address".to_owned()),
            (true, true) if dialect.strict => {
                fault("it has a command and an address; remove one".to_owned())
            }
            (true, _) => {
                if has_url {
                    let what = "it has a command and an address; the command counts".to_owned();
                    self.warnings.push((self.line, what));
                }
                match dialect.typing == Typing::Always && self.manner == Manner::AsOwner {
                    true => fault("it wants a `type`".to_owned()),
                    false => Ok(Kind::Stdio),
                }
            }
            (false, true) => {
                let needed = matches!(dialect.typing, Typing::Remote | Typing::Always);
                if needed && self.manner == Manner::AsOwner {
                    return fault("it wants a `type` beside an address".to_owned());
                }
                if needed {
                    let what = format!("{client} wants a `type` beside an address");
                    self.warnings.push((self.line, what));
                }
                Ok(Kind::Http(self.parts.url.as_ref().map_or(HttpKind::Auto, |(_, kind)| *kind)))
            }
        }
    }

    fn finish_command(&mut self) -> Result<DraftCommand, Fault> {
        let mut command = std::mem::take(&mut self.parts.command);
        let Some(program) = command.line.first() else {
            return Err(Fault::new(self.line, "it has no command"));
        };
        if program.raw.trim().is_empty() {
            return Err(Fault::new(program.line, "its command is empty"));
        }
        command.line.append(&mut self.parts.args);
        if let Some(words) = settings::whole_line(&command.line, self.manner) {
            let line = command.line[0].line;
            let what = "`command` holds a whole command line; it is taken apart at the spaces, \
                        which others do not do: use `args`";
            self.warnings.push((line, what.to_owned()));
            command.line = words.iter().map(|word| self.parse(word, line)).collect();
        }
        Ok(command)
    }

    fn finish_address(&mut self, kind: Kind) -> Result<DraftTransport, Fault> {
        let Some((url, promised)) = self.parts.url.take() else {
            return Err(Fault::new(self.line, "it has no address"));
        };
        if !self.dialect.remote && self.manner == Manner::AsOwner {
            return Err(Fault::new(url.line, "it starts programs only, and knows no addresses"));
        }
        let kind = match kind {
            Kind::Http(HttpKind::Auto) => promised,
            Kind::Http(kind) => kind,
            Kind::Stdio | Kind::Foreign => HttpKind::Auto,
        };
        let scheme = url.raw.split_once("://").map(|(scheme, _)| scheme);
        if let Some(scheme @ ("unix" | "pipe" | "ws" | "wss")) = scheme {
            return Err(Fault::new(url.line, format!("`{scheme}:` addresses are not supported")));
        }
        let headers = std::mem::take(&mut self.parts.headers);
        Ok(DraftTransport::Http { url, headers, kind })
    }
}
