//! From the tree of an entry to a draft, by a dialect's names for things.

use super::settings::{self, Times};
use super::{Draft, DraftCommand, DraftOAuth};
use crate::config::dialect::{COPIED, Dialect, Field, Shell};
use crate::config::entry::{Client, Filter, HttpKind};
use crate::config::expand::Template;
use crate::config::machine::Platform;
use crate::config::read::{Fault, Node, Value, repeated};

/// How a line is given to a shell.
pub(crate) const SHELL: [&str; 2] = ["/bin/sh", "-c"];

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
pub(super) struct Parts {
    pub(super) kind: Option<(String, u32)>,
    pub(super) command: DraftCommand,
    pub(super) args: Vec<Template>,
    pub(super) url: Option<(Template, HttpKind)>,
    pub(super) headers: Vec<(String, Template)>,
    /// The command that prints more of them.
    pub(super) helper: Vec<Template>,
    pub(super) disabled: bool,
    pub(super) times: Times,
    pub(super) tools: Filter,
    pub(super) oauth: DraftOAuth,
    pub(super) lazy: Option<bool>,
}

pub(super) struct Reader<'a> {
    pub(super) dialect: &'static Dialect,
    pub(super) platform: Platform,
    pub(super) manner: Manner,
    pub(super) parts: Parts,
    pub(super) warnings: &'a mut Vec<(u32, String)>,
    pub(super) line: u32,
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
            Field::HeadersHelper(shell) => self.parts.helper = self.helper(name, node, shell)?,
            Field::Disabled => parts.disabled |= settings::truth(name, node)?,
            Field::Enabled => parts.disabled |= !settings::truth(name, node)?,
            Field::StartMs | Field::StartSec | Field::CallMs | Field::CallSec | Field::Times => {
                parts.times.read(field, name, node)?;
            }
            Field::Allow => {
                parts.tools.allow = settings::names(name, node)?;
            }
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
            Field::Refused(instead) => {
                let what = format!("{} refuses `{name}`; use `{instead}`", self.dialect.name);
                return Err(Fault::new(node.line, what));
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

    /// The command that prints headers. What a shell gets is for the shell to expand.
    fn helper(&self, name: &str, node: &Node, shell: Shell) -> Result<Vec<Template>, Fault> {
        let words = match (shell, self.platform) {
            (Shell::Unused, _) => return self.templates(name, node),
            (Shell::Used, Platform::Windows) => ["cmd.exe", "/c"],
            (Shell::Used, _) => SHELL,
        };
        let line = settings::text(name, node)?;
        if line.trim().is_empty() {
            return Err(Fault::new(node.line, format!("`{name}` is empty")));
        }
        Ok(words.iter().chain([&line]).map(|word| Template::literal(word)).collect())
    }

    pub(super) fn parse(&self, text: &str, line: u32) -> Template {
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
}
