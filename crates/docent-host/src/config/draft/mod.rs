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

pub(crate) use build::{Built, build, shown};
pub(crate) use fields::{Manner, draft};

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
    Http { url: Template, headers: Vec<(String, Template)>, kind: HttpKind },
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

    /// The same texts, to be changed.
    pub(crate) fn templates_mut(&mut self) -> impl Iterator<Item = &mut Template> {
        let (line, named, single) = match &mut self.transport {
            DraftTransport::Stdio(command) => {
                let single = [command.cwd.as_mut(), command.env_file.as_mut()];
                (command.line.iter_mut(), command.env.iter_mut(), single)
            }
            DraftTransport::Http { url, headers, .. } => {
                (std::slice::from_mut(url).iter_mut(), headers.iter_mut(), [None, None])
            }
        };
        let oauth = [self.oauth.client_id.as_mut(), self.oauth.client_secret.as_mut()];
        let single = single.into_iter().chain(oauth).flatten();
        line.chain(named.map(|(_, template)| template)).chain(single)
    }

    /// Every text in it that may hold references, with the name of its field.
    pub(crate) fn templates(&self) -> Vec<(String, &Template)> {
        let mut found = Vec::new();
        match &self.transport {
            DraftTransport::Stdio(command) => {
                for (index, template) in command.line.iter().enumerate() {
                    let field = match index {
                        0 => "command".to_owned(),
                        _ => format!("args[{}]", index - 1),
                    };
                    found.push((field, template));
                }
                let env = command.env.iter();
                found.extend(env.map(|(name, template)| (format!("env.{name}"), template)));
                found.extend(command.cwd.iter().map(|cwd| ("cwd".to_owned(), cwd)));
                found.extend(command.env_file.iter().map(|file| ("envFile".to_owned(), file)));
            }
            DraftTransport::Http { url, headers, .. } => {
                found.push(("url".to_owned(), url));
                let headers = headers.iter();
                found.extend(headers.map(|(name, value)| (format!("headers.{name}"), value)));
            }
        }
        let secrets = [&self.oauth.client_id, &self.oauth.client_secret];
        found.extend(secrets.into_iter().flatten().map(|secret| ("oauth".to_owned(), secret)));
        found
    }
}
