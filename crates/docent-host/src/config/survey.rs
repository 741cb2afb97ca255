//! Everything that is configured, wherever it is: which files there are, which servers stand in
//! them, and which of those that share a name wins.
//!
//! `find` says which files there are; the trees of their entries are kept as they are, so that
//! `examine` can read them by the rules of any dialect.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::claude::{self, Policy};
use super::dialect::Dialect;
use super::draft::{Manner, draft};
use super::entry::{Client, Origin, Scope};
use super::file::read_text;
use super::find::{Found, find, owner};
use super::input::{self, Inputs};
use super::machine::Machine;
use super::problem::{Problem, Severity};
use super::read::{Node, Value, read, repeated};

/// What a machine has configured.
pub struct Survey {
    pub(crate) machine: Machine,
    pub(crate) files: Vec<FileSeen>,
    /// In order of precedence: of those with the same name, the first that is not set aside wins.
    pub(crate) occurrences: Vec<Occurrence>,
    pub(crate) problems: Vec<Problem>,
}

/// A file that was found.
pub(crate) struct FileSeen {
    pub(crate) found: Found,
    /// How many servers stand in it; none if it could not be read.
    pub(crate) servers: Option<usize>,
}

/// A server in a file.
pub(crate) struct Occurrence {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) node: Node,
    /// The folder of the project, for references to it.
    pub(crate) folder: PathBuf,
    pub(crate) inputs: Arc<Inputs>,
    /// Why it does not count, if it does not.
    pub(crate) set_aside: Option<&'static str>,
    /// Switched off outside its file.
    pub(crate) switched_off: bool,
}

impl Survey {
    /// Looks at every file of every client.
    #[must_use]
    pub fn of(machine: &Machine) -> Self {
        let mut survey = Survey::empty(machine);
        for file in find(machine) {
            survey.add(file);
        }
        survey.finish();
        survey
    }

    /// Looks at one file that the user named. Whose rules it follows is told by its name, unless
    /// `client` says so. A file of the project that is worked in counts as a project's.
    #[must_use]
    pub fn of_file(machine: &Machine, path: &Path, client: Option<Client>) -> Self {
        let mut survey = Survey::empty(machine);
        let path = plain(&machine.directory().join(path));
        let client = client.or_else(|| owner(&path)).unwrap_or(Client::ClaudeCode);
        let folder = machine.project_root();
        let own = find(machine).iter().any(|file| file.path == path && file.scope == Scope::User);
        // What a link leads to decides as well: either may be what a project brings along.
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let inside = path.starts_with(&folder) || real(&path).starts_with(real(&folder));
        let scope = match inside && !own {
            true => Scope::Project,
            false => Scope::User,
        };
        survey.add(Found { path, client, scope, height: 0, folder });
        survey.finish();
        survey
    }

    fn empty(machine: &Machine) -> Self {
        let (files, occurrences, problems) = Default::default();
        Survey { machine: machine.clone(), files, occurrences, problems }
    }

    fn add(&mut self, found: Found) {
        let problem = |line, message| Problem {
            severity: Severity::Error,
            server: None,
            file: found.path.clone(),
            line,
            message,
        };
        let root = match read_text(&found.path) {
            Ok(text) if text.trim().is_empty() => Ok(Node { line: 1, value: Value::Null }),
            Ok(text) => read(&text, Dialect::of(found.client).format)
                .map_err(|fault| problem(fault.line, fault.message)),
            Err(error) => Err(problem(1, format!("cannot be read: {error}"))),
        };
        match root {
            Ok(root) => self.add_servers(found, &root),
            Err(problem) => {
                self.problems.push(problem);
                self.files.push(FileSeen { found, servers: None });
            }
        }
    }

    fn add_servers(&mut self, found: Found, root: &Node) {
        let dialect = Dialect::of(found.client);
        let inputs = Arc::new(input::read(root));
        let before = self.occurrences.len();
        if found.client == Client::ClaudeCode && found.scope == Scope::User {
            let off = claude::switched_off(&self.machine, Some(root));
            for table in claude::local(root, &self.machine) {
                self.add_table(&found, table, Scope::Local, &inputs);
            }
            for occurrence in &mut self.occurrences {
                let project = occurrence.origin.scope == Scope::Project;
                let claude = occurrence.origin.client == Client::ClaudeCode;
                occurrence.switched_off |= project && claude && off.contains(&occurrence.name);
            }
        }
        // Another client's key is a frequent mistake. It is understood where no other can be meant.
        let servers = dialect.roots.iter().find_map(|path| root.at(path));
        match servers {
            Some(table) => self.add_table(&found, table, found.scope, &inputs),
            None => self.look_elsewhere(&found, root, dialect),
        }
        let servers = Some(self.occurrences.len() - before);
        self.files.push(FileSeen { found, servers });
    }

    /// A file without the key that its owner reads.
    fn look_elsewhere(&mut self, found: &Found, root: &Node, dialect: &Dialect) {
        let wanted = dialect.roots[0].join(".");
        for other in ["mcpServers", "servers", "mcp_servers", "context_servers"] {
            if let Some(node) = root.get(other) {
                self.problems.push(Problem {
                    severity: Severity::Warning,
                    server: None,
                    file: found.path.clone(),
                    line: node.line,
                    message: format!(
                        "{} looks for servers under `{wanted}` and ignores `{other}`",
                        dialect.name
                    ),
                });
            }
        }
    }

    fn add_table(&mut self, found: &Found, table: &Node, scope: Scope, inputs: &Arc<Inputs>) {
        let entries = table.table().unwrap_or_default();
        for key in repeated(entries) {
            self.problems.push(Problem {
                severity: Severity::Warning,
                server: Some(key.text.clone()),
                file: found.path.clone(),
                line: key.line,
                message: "stands twice in this file; the last one counts".to_owned(),
            });
        }
        for (index, (key, node)) in entries.iter().enumerate() {
            let replaced = entries[index + 1..].iter().any(|(later, _)| later.text == key.text);
            if replaced || is_setting(found.client, node) {
                continue;
            }
            self.occurrences.push(Occurrence {
                name: key.text.clone(),
                origin: Origin {
                    file: found.path.clone(),
                    line: key.line,
                    client: found.client,
                    scope,
                },
                node: flattened(found.client, node),
                folder: found.folder.clone(),
                inputs: Arc::clone(inputs),
                set_aside: None,
                switched_off: false,
            });
        }
    }

    /// What can only be said when everything is known.
    fn finish(&mut self) {
        // Files come in order of precedence, but one of them speaks for two scopes.
        self.occurrences.sort_by_key(|occurrence| occurrence.origin.scope);
        let managed = self.files.iter().any(|file| file.found.scope == Scope::Managed);
        let policy = Policy::of(&self.machine);
        let platform = self.machine.platform();
        for occurrence in &mut self.occurrences {
            if only_inside(occurrence) {
                occurrence.set_aside = Some("only the owner of this file can run it");
                continue;
            }
            if occurrence.origin.client != Client::ClaudeCode {
                continue;
            }
            if managed && occurrence.origin.scope != Scope::Managed {
                occurrence.set_aside = Some("the administrator's managed-mcp.json is exclusive");
                continue;
            }
            let dialect = Dialect::of(occurrence.origin.client);
            let read = draft(&occurrence.node, dialect, platform, Manner::ToUse, &mut Vec::new());
            occurrence.set_aside = policy.objection(&occurrence.name, read.ok().as_ref());
        }
    }

    /// The servers by name, each with all its occurrences, the winner first if there is one.
    pub(crate) fn by_name(&self) -> Vec<(&str, Vec<&Occurrence>)> {
        let mut found: Vec<(&str, Vec<&Occurrence>)> = Vec::new();
        for occurrence in &self.occurrences {
            match found.iter_mut().find(|(name, _)| *name == occurrence.name) {
                Some((_, all)) => all.push(occurrence),
                None => found.push((&occurrence.name, vec![occurrence])),
            }
        }
        for (_, all) in &mut found {
            all.sort_by_key(|occurrence| occurrence.set_aside.is_some());
        }
        found
    }
}

/// Whether something among a client's servers is none: opencode 1 has them directly under `mcp`,
/// where opencode 2 has settings.
fn is_setting(client: Client, node: &Node) -> bool {
    client == Client::Opencode && node.table().is_none()
}

/// Whether an entry is something that its client brings along itself.
fn only_inside(occurrence: &Occurrence) -> bool {
    let text = |name| occurrence.node.get(name).and_then(Node::text);
    match occurrence.origin.client {
        Client::Goose => {
            matches!(text("type"), Some("builtin" | "platform" | "frontend" | "inline_python"))
        }
        Client::ClaudeCode => text("type") == Some("sdk"),
        Client::Zed => text("source") == Some("extension"),
        _ => false,
    }
}

/// Older files of Goose have the entry inside another table, beside the switch.
fn flattened(client: Client, node: &Node) -> Node {
    let inner = node.get("config").and_then(Node::table).filter(|_| client == Client::Goose);
    let (Some(outer), Some(inner)) = (node.table(), inner) else { return node.clone() };
    let outer = outer.iter().filter(|(key, _)| key.text != "config");
    let all = outer.chain(inner).cloned().collect();
    Node { line: node.line, value: Value::Table(all) }
}

/// A path without `.` and `..`, which would hide where it leads.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
