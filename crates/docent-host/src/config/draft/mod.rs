//! An entry as its file says it: understood, but with its references still in it.
//!
//! `fields` reads a tree by the rules of a dialect, `settings` the parts that are more than a text,
//! and `decide` says what the whole amounts to. `build` expands it into a `ServerEntry`; `convert`
//! writes it in another dialect; `verdict` compares what two dialects make of the same tree.

mod build;
mod decide;
mod fields;
mod settings;

use std::time::Duration;

use super::entry::{Filter, HttpKind};
use super::expand::Template;

pub(crate) use build::{Built, asked, build, helper_shown, shown};
pub(crate) use fields::{Manner, SHELL, draft};

/// An entry before expansion.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    pub(crate) transport: DraftTransport,
    pub(crate) disabled: bool,
    pub(crate) startup_timeout: Option<Duration>,
    pub(crate) call_timeout: Option<Duration>,
    pub(crate) tools: Filter,
    pub(crate) oauth: DraftOAuth,
    pub(crate) lazy: Option<bool>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DraftTransport {
    Stdio(DraftCommand),
    Http {
        url: Template,
        headers: Vec<(String, Template)>,
        /// A command that prints more headers.
        helper: Option<DraftCommand>,
        kind: HttpKind,
    },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DraftCommand {
    /// The program, then its arguments.
    pub(crate) line: Vec<Template>,
    pub(crate) env: Vec<(String, Template)>,
    pub(crate) env_file: Option<Template>,
    /// Variables to pass on if they are set.
    pub(crate) pass: Vec<String>,
    pub(crate) cwd: Option<Template>,
    pub(crate) inherit: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DraftOAuth {
    pub(crate) off: bool,
    pub(crate) client_id: Option<Template>,
    pub(crate) client_secret: Option<Template>,
    pub(crate) scopes: Vec<String>,
    pub(crate) callback_port: Option<u16>,
    pub(crate) metadata_url: Option<String>,
    pub(crate) resource: Option<String>,
}

impl Draft {
    /// A program with its arguments, and nothing else said about it.
    pub(crate) fn starting(line: &[&str]) -> Self {
        let line = line.iter().map(|word| Template::literal(word)).collect();
        Draft {
            transport: DraftTransport::Stdio(DraftCommand { line, ..DraftCommand::default() }),
            disabled: false,
            startup_timeout: None,
            call_timeout: None,
            tools: Filter::default(),
            oauth: DraftOAuth::default(),
            lazy: None,
        }
    }

    /// Every text in it that may hold references, to be changed.
    pub(crate) fn templates_mut(&mut self) -> Vec<&mut Template> {
        let mut found = Vec::new();
        match &mut self.transport {
            DraftTransport::Stdio(command) => found.extend(command.templates_mut()),
            DraftTransport::Http { url, headers, helper, .. } => {
                found.push(url);
                found.extend(headers.iter_mut().map(|(_, template)| template));
                found.extend(helper.iter_mut().flat_map(DraftCommand::templates_mut));
            }
        }
        found.extend(
            [&mut self.oauth.client_id, &mut self.oauth.client_secret].into_iter().flatten(),
        );
        found
    }

    /// The same texts, with the names of their fields.
    pub(crate) fn templates(&self) -> Vec<(String, &Template)> {
        let mut found = Vec::new();
        match &self.transport {
            DraftTransport::Stdio(command) => found.extend(command.templates()),
            DraftTransport::Http { url, headers, helper, .. } => {
                found.push(("url".to_owned(), url));
                let headers = headers.iter();
                found.extend(headers.map(|(name, value)| (format!("headers.{name}"), value)));
                found.extend(helper.iter().flat_map(DraftCommand::templates));
            }
        }
        let secrets = [&self.oauth.client_id, &self.oauth.client_secret];
        found.extend(secrets.into_iter().flatten().map(|secret| ("oauth".to_owned(), secret)));
        found
    }
}

impl DraftCommand {
    fn templates_mut(&mut self) -> impl Iterator<Item = &mut Template> {
        let named = self.env.iter_mut().map(|(_, template)| template);
        let single = [self.cwd.as_mut(), self.env_file.as_mut()].into_iter().flatten();
        self.line.iter_mut().chain(named).chain(single)
    }

    fn templates(&self) -> Vec<(String, &Template)> {
        let mut found = Vec::new();
        for (index, template) in self.line.iter().enumerate() {
            let field = match index {
                0 => "command".to_owned(),
                _ => format!("args[{}]", index - 1),
            };
            found.push((field, template));
        }
        let env = self.env.iter();
        found.extend(env.map(|(name, template)| (format!("env.{name}"), template)));
        found.extend(self.cwd.iter().map(|cwd| ("cwd".to_owned(), cwd)));
        found.extend(self.env_file.iter().map(|file| ("envFile".to_owned(), file)));
        found
    }
}
