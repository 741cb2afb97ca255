//! Everything there is to know about what is configured, for people who wonder.
//!
//! Data first: `verdict` says what other clients would make of an entry, `text` renders all of it.
//! No value of a variable and no secret is in it.

mod text;
mod verdict;

use std::path::PathBuf;

use serde::Serialize;

use super::approve::Approvals;
use super::draft::{DraftOAuth, helper_shown, shown};
use super::entry::{Approval, Client, Scope, Transport};
use super::examine::{Examined, Given, examine, problems};
use super::expand::{Resolution, Shown, Template};
use super::input::Input;
use super::mask;
use super::problem::{Problem, Severity};
use super::survey::{Occurrence, Survey};

pub use verdict::Verdict;

/// What is configured, where, and what comes of it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// Every file that was found.
    pub files: Vec<FileReport>,
    /// Every server that stands in one.
    pub servers: Vec<ServerReport>,
    /// What is wrong with files as a whole.
    pub problems: Vec<String>,
}

/// A file.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FileReport {
    /// Where it is.
    pub path: PathBuf,
    /// Whose it is.
    pub client: &'static str,
    /// For whom it speaks.
    pub scope: &'static str,
    /// How many servers count here; none if it could not be read.
    pub servers: Option<usize>,
}

/// A server, by its name.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ServerReport {
    /// Its name.
    pub name: String,
    /// In one word: `ready`, `disabled`, `needs-approval`, `failed` or `set-aside`.
    pub state: &'static str,
    /// Everywhere it occurs, in order of precedence.
    pub places: Vec<Place>,
    /// The command or the address of the one that wins.
    pub target: Option<String>,
    /// The folder it starts in, if the file says so.
    pub folder: Option<PathBuf>,
    /// What it gets beside that: variables or headers, without their values.
    pub settings: Vec<String>,
    /// Each reference in it, and where its value comes from.
    pub references: Vec<Resolution>,
    /// What is wrong with it.
    pub problems: Vec<String>,
    /// What each other client would make of the same entry.
    pub verdicts: Vec<Verdict>,
}

/// One occurrence of a server.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line in it.
    pub line: u32,
    /// Whose file it is.
    pub client: &'static str,
    /// For whom it speaks.
    pub scope: &'static str,
    /// What became of it.
    pub standing: Standing,
}

/// What became of an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Standing {
    /// It is the one that counts.
    Wins,
    /// Another one comes before it.
    Shadowed,
    /// A rule keeps it out.
    SetAside(&'static str),
}

impl Survey {
    /// Explains everything. Nobody is asked anything, and nothing is started.
    #[must_use]
    pub fn explain(&self, approvals: &Approvals) -> Explanation {
        let files = self.files.iter().map(|file| FileReport {
            path: file.found.path.clone(),
            client: file.found.client.name(),
            scope: file.found.scope.name(),
            servers: file.servers,
        });
        let servers = self.by_name().into_iter().map(|(name, all)| {
            let mut report = ServerReport::empty(name, &all);
            if let Some(winner) = all.first().filter(|winner| winner.set_aside.is_none()) {
                // What the user will be asked is left open.
                let mut ask = |_: &Input| Some("".into());
                let mut given = Given::new();
                let examined = examine(winner, &self.machine, approvals, &mut ask, &mut given);
                report.fill(winner, examined, self);
            }
            report
        });
        Explanation {
            files: files.collect(),
            servers: servers.collect(),
            problems: self.problems.iter().map(said).collect(),
        }
    }
}

/// A problem, with what it is said about in front.
fn said(problem: &Problem) -> String {
    let word = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    format!("{word}: {problem}")
}

impl ServerReport {
    fn empty(name: &str, all: &[&Occurrence]) -> Self {
        let mut won = false;
        let place = |occurrence: &&Occurrence| {
            let standing = match occurrence.set_aside {
                Some(why) => Standing::SetAside(why),
                None if won => Standing::Shadowed,
                None => {
                    won = true;
                    Standing::Wins
                }
            };
            let origin = &occurrence.origin;
            let (client, scope) = (origin.client.name(), origin.scope.name());
            Place { file: origin.file.clone(), line: origin.line, client, scope, standing }
        };
        ServerReport {
            name: name.to_owned(),
            state: "set-aside",
            places: all.iter().map(place).collect(),
            target: None,
            folder: None,
            settings: Vec::new(),
            references: Vec::new(),
            problems: Vec::new(),
            verdicts: Vec::new(),
        }
    }

    fn fill(&mut self, winner: &Occurrence, examined: Examined, survey: &Survey) {
        self.problems = problems(winner, &examined).iter().map(said).collect();
        self.state = match &examined.entry {
            Err(_) => "failed",
            Ok(entry) if entry.disabled => "disabled",
            Ok(entry) if entry.approval != Approval::Approved => "needs-approval",
            Ok(_) => "ready",
        };
        if let Some(draft) = &examined.draft {
            self.target = Some(shown(draft));
            self.verdicts = verdict::all(winner, draft, &survey.machine);
            for (field, template) in draft.templates() {
                let visible = |text: &str| mask::text(text, Shown::Hidden);
                match field.split_once('.') {
                    Some(("env", name)) => {
                        self.settings.push(format!("{name} = {}", template.visible(visible)));
                    }
                    Some((_, name)) => {
                        self.settings.push(format!("{name}: {}", template.visible(visible)));
                    }
                    None => {}
                }
            }
        }
        if let Ok(entry) = &examined.entry {
            match &entry.transport {
                Transport::Stdio { command, args, env, cwd, inherit } => {
                    let words = std::iter::once(command).chain(args);
                    let words: Vec<String> = words.map(|word| quoted(&word.to_string())).collect();
                    self.target = Some(words.join(" "));
                    self.folder = cwd.clone();
                    self.settings =
                        env.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                    if *inherit {
                        self.settings.push("the whole environment".to_owned());
                    }
                }
                Transport::Http { url, headers, .. } => {
                    self.target = Some(url.to_string());
                    self.settings =
                        headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
                }
            }
        }
        if let Some(draft) = &examined.draft {
            self.settings.extend(helper_shown(draft).map(|line| format!("headers of: {line}")));
            self.settings.extend(login(&draft.oauth));
        }
        self.references = examined.trace.resolutions;
    }
}

/// What an entry says about logging in, without its secret.
fn login(oauth: &DraftOAuth) -> Vec<String> {
    if oauth.off {
        return vec!["no login".to_owned()];
    }
    let visible = |template: &Template, shown| template.visible(|text| mask::text(text, shown));
    let id = oauth.client_id.as_ref().map(|id| visible(id, Shown::Argument));
    let secret = oauth.client_secret.as_ref().map(|secret| visible(secret, Shown::Hidden));
    let scopes = (!oauth.scopes.is_empty()).then(|| oauth.scopes.join(" "));
    let port = oauth.callback_port.map(|port| port.to_string());
    let said = [
        ("client id", id),
        ("client secret", secret),
        ("scopes", scopes),
        ("callback port", port),
        ("authorization server", oauth.metadata_url.as_deref().map(mask::address)),
        ("resource", oauth.resource.as_deref().map(mask::address)),
    ];
    let said = said.into_iter().filter_map(|(what, value)| Some((what, value?)));
    said.map(|(what, value)| format!("login, {what}: {value}")).collect()
}

/// A word as a shell would want it, so that it can be told from its neighbors.
fn quoted(word: &str) -> String {
    match word.is_empty() || word.contains([' ', '\'', '"', '\n']) {
        true => format!("'{}'", word.replace('\'', "'\\''")),
        false => word.to_owned(),
    }
}

impl Scope {
    /// In one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scope::Managed => "managed",
            Scope::Local => "local",
            Scope::Project => "project",
            Scope::User => "user",
        }
    }
}

impl std::fmt::Display for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
