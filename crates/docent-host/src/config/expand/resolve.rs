//! From a template to its value, with a note of where each part came from.

use std::path::Path;

use serde::Serialize;

use super::{Folder, Piece, Reference, Template};
use crate::config::dialect::Dialect;
use crate::config::entry::Masked;
use crate::config::input::{self, Answers};
use crate::config::machine::{Machine, Platform};
use crate::config::mask;
use crate::config::read::Fault;

/// Everything a reference can refer to.
pub(crate) struct Scene<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) dialect: &'static Dialect,
    /// The file that the text stands in.
    pub(crate) file: &'a Path,
    /// The project's folder.
    pub(crate) workspace: &'a Path,
    pub(crate) answers: &'a mut Answers<'a>,
    /// The server is not going to be started, so nothing is looked up and nobody is asked:
    /// references stay as they are.
    pub(crate) idle: bool,
}

/// How much of a value may be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// What is written in the file, unless it looks like a secret.
    Argument,
    /// An address, without what it may carry as a secret.
    Address,
    /// Nothing but references and the scheme of a credential.
    Hidden,
}

/// What became of a reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Resolution {
    /// The field it stands in, such as `env.TOKEN`.
    pub field: String,
    /// The line it stands on.
    pub line: u32,
    /// As it stands in the file.
    pub reference: String,
    /// Where its value came from.
    pub source: Source,
}

/// Where the value of a reference came from. Values themselves are shown only of folders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "from")]
#[non_exhaustive]
pub enum Source {
    /// A variable of the environment that is set.
    Variable {
        /// Its name.
        name: String,
    },
    /// A variable that is not set.
    Unset {
        /// Its name.
        name: String,
    },
    /// The default that stands beside a variable which is not set.
    Default {
        /// The variable.
        name: String,
    },
    /// The user's answer.
    Input {
        /// The id of the question.
        id: String,
        /// Whether there was an answer.
        answered: bool,
    },
    /// A folder.
    Folder {
        /// Which.
        path: String,
    },
    /// The content of a file.
    File {
        /// Which.
        path: String,
    },
    /// Nowhere: the owner of the file does not expand this form, and passes it on as it is.
    Literal,
    /// Nowhere yet: the server is not started, so nothing is looked up.
    NotAsked,
}

/// The notes that resolving leaves.
#[derive(Default)]
pub(crate) struct Trace {
    pub(crate) resolutions: Vec<Resolution>,
    /// What to tell the user, with the line.
    pub(crate) warnings: Vec<(u32, String)>,
}

impl Scene<'_> {
    /// The value of a template.
    pub(crate) fn resolve(
        &mut self,
        template: &Template,
        field: &str,
        shown: Shown,
        trace: &mut Trace,
    ) -> Result<Masked, Fault> {
        let (mut value, mut visible) = (String::new(), String::new());
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => {
                    value.push_str(text);
                    visible.push_str(&mask::text(text, shown));
                }
                Piece::Reference(raw, reference) => {
                    let note = |source| Resolution {
                        field: field.to_owned(),
                        line: template.line,
                        reference: raw.clone(),
                        source,
                    };
                    let (text, source) = self.look_up(raw, reference, template.line, trace);
                    trace.resolutions.push(note(source.clone()));
                    let text = text.map_err(|message| Fault { line: template.line, message })?;
                    match source {
                        Source::Folder { .. } => visible.push_str(&text),
                        _ => visible.push_str(raw),
                    }
                    value.push_str(&text);
                }
            }
        }
        if shown == Shown::Address {
            visible = mask::address(&visible);
        }
        Ok(Masked::shown_as(value, visible))
    }

    fn look_up(
        &mut self,
        raw: &str,
        reference: &Reference,
        line: u32,
        trace: &mut Trace,
    ) -> (Result<String, String>, Source) {
        match reference {
            Reference::Foreign => {
                trace.warnings.push((line, self.foreign(raw)));
                (Ok(raw.to_owned()), Source::Literal)
            }
            Reference::Nested => {
                let what = format!(
                    "`{raw}` has a reference inside another, which would have to be expanded \
                     twice; use one with a plain default"
                );
                (Err(what), Source::Literal)
            }
            Reference::Folder(folder) => {
                let path = self.folder(*folder);
                (Ok(path.clone()), Source::Folder { path })
            }
            Reference::Variable { name, default } => self.variable(raw, name, default.as_deref()),
            _ if self.idle => (Ok(raw.to_owned()), Source::NotAsked),
            Reference::Input(id) if self.machine.variable(&input::variable(id)).is_some() => {
                self.variable(raw, &input::variable(id), None)
            }
            Reference::Input(id) => {
                let answer = self.answers.answer(id);
                let source = Source::Input { id: id.clone(), answered: answer.is_ok() };
                (answer.map(|answer| answer.expose().to_owned()), source)
            }
            Reference::File(path) => {
                let path = self.path(path);
                let source = Source::File { path: path.display().to_string() };
                let text = crate::config::read_text(&path)
                    .map_err(|error| format!("cannot read `{}`: {error}", path.display()));
                (text.map(|text| text.trim().to_owned()), source)
            }
        }
    }

    fn variable(
        &self,
        raw: &str,
        name: &str,
        default: Option<&str>,
    ) -> (Result<String, String>, Source) {
        let value = self.machine.variable(name);
        let own = || name.to_owned();
        match (value, default) {
            (Some(value), default) if default.is_none() || !value.is_empty() => {
                let text = if self.idle { raw } else { value };
                (Ok(text.to_owned()), Source::Variable { name: own() })
            }
            (_, Some(default)) => (Ok(default.to_owned()), Source::Default { name: own() }),
            _ if self.idle => (Ok(raw.to_owned()), Source::Unset { name: own() }),
            _ => (Err(self.unset(raw, name)), Source::Unset { name: own() }),
        }
    }

    /// What to say about a variable that is not set.
    fn unset(&self, raw: &str, name: &str) -> String {
        let client = self.dialect.name;
        let plain = name.strip_prefix("env:").or_else(|| name.strip_prefix("input:"));
        if let Some(plain) = plain {
            return format!(
                "`{raw}` is a form that {client} does not know: it would look for a variable \
                 called `{name}`; write `${{{plain}}}` and set `{plain}`"
            );
        }
        format!("the variable `{name}` is not set; set it, or replace `{raw}`")
    }

    /// What to say about a form of another dialect.
    fn foreign(&self, raw: &str) -> String {
        let client = self.dialect.name;
        let name = raw.trim_start_matches(['$', '{']).trim_end_matches('}');
        let name = name.strip_prefix("env:").unwrap_or(name);
        let syntax = self.dialect.syntax;
        let advice = match () {
            () if syntax.env => format!("; it would expand `${{env:{name}}}`"),
            () if syntax.braces => format!("; it would expand `${{{name}}}`"),
            () if syntax.curly => format!("; it would expand `{{env:{name}}}`"),
            () => String::new(),
        };
        format!("{client} passes `{raw}` on as it is{advice}")
    }

    fn folder(&self, folder: Folder) -> String {
        let workspace = self.workspace;
        match folder {
            Folder::Workspace => workspace.display().to_string(),
            Folder::WorkspaceName => {
                workspace.file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            Folder::Home => {
                self.machine.home().map(|home| home.display().to_string()).unwrap_or_default()
            }
            Folder::Separator if self.machine.platform() == Platform::Windows => "\\".to_owned(),
            Folder::Separator => "/".to_owned(),
        }
    }

    /// A path in a file, which is relative to that file's folder.
    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        match (path.strip_prefix("~/"), self.machine.home()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.file.parent().unwrap_or(Path::new("")).join(path),
        }
    }
}
