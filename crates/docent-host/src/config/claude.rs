//! What only Claude Code has: servers for one project in the user's file, switches, and rules of the
//! administrator.

use std::path::Path;

use super::draft::{Draft, DraftTransport};
use super::machine::{Machine, Platform};
use super::read::{Format, Leniency, Node, read};

const FORMAT: Format = Format::Json(Leniency::STRICT);

/// The tables of servers that the user keeps for the project that is worked in, nearest first.
pub(crate) fn local<'a>(root: &'a Node, machine: &Machine) -> Vec<&'a Node> {
    let projects = projects(root, machine).into_iter();
    projects.filter_map(|project| project.get("mcpServers")).collect()
}

fn projects<'a>(root: &'a Node, machine: &Machine) -> Vec<&'a Node> {
    let Some(projects) = root.get("projects") else { return Vec::new() };
    let folders = machine.project_folders();
    folders.iter().filter_map(|folder| projects.get(folder.to_str()?)).collect()
}

/// The names of project servers that the user switched off.
pub(crate) fn switched_off(machine: &Machine, user: Option<&Node>) -> Vec<String> {
    let mut names = Vec::new();
    let mut take = |node: &Node| {
        for list in ["disabledMcpjsonServers", "disabledMcpServers"] {
            let list = node.get(list).and_then(Node::list).unwrap_or_default();
            names.extend(list.iter().filter_map(Node::text).map(str::to_owned));
        }
    };
    for project in user.map(|root| projects(root, machine)).unwrap_or_default() {
        take(project);
    }
    let folders = machine.project_folders();
    let project = folders.iter().flat_map(|folder| {
        ["settings.local.json", "settings.json"].map(|name| folder.join(".claude").join(name))
    });
    let own = machine.home().map(|home| home.join(".claude").join("settings.json"));
    for path in project.chain(own) {
        if let Some(node) = settings(&path) {
            take(&node);
        }
    }
    names
}

/// A file of settings, if there is one. One that is broken is Claude Code's to complain about.
fn settings(path: &Path) -> Option<Node> {
    read(&super::file::read_text(path).ok()?, FORMAT).ok()
}

/// Which servers the administrator allows.
#[derive(Default)]
pub(crate) struct Policy {
    allowed: Option<Vec<Node>>,
    denied: Vec<Node>,
}

impl Policy {
    pub(crate) fn of(machine: &Machine) -> Self {
        let folder = match machine.platform() {
            Platform::Linux => "etc/claude-code",
            Platform::Mac => "Library/Application Support/ClaudeCode",
            Platform::Windows => "Program Files/ClaudeCode",
        };
        let path = machine.root().join(folder).join("managed-settings.json");
        let Some(root) = settings(&path) else { return Policy::default() };
        let list = |name| root.get(name).and_then(Node::list).map(<[Node]>::to_vec);
        Policy {
            allowed: list("allowedMcpServers"),
            denied: list("deniedMcpServers").unwrap_or_default(),
        }
    }

    /// Why a server is not allowed, if it is not.
    pub(crate) fn objection(&self, name: &str, draft: Option<&Draft>) -> Option<&'static str> {
        if self.denied.iter().any(|rule| matches(rule, name, draft)) {
            return Some("the administrator's `deniedMcpServers` names it");
        }
        let allowed = self.allowed.as_ref()?;
        // As soon as one rule is about commands, a command must match one of those; likewise for
        // addresses. Names count for what is left.
        let about = match draft.map(|draft| &draft.transport) {
            Some(DraftTransport::Stdio(_)) => "serverCommand",
            Some(DraftTransport::Http { .. }) => "serverUrl",
            None => "serverName",
        };
        let strict = allowed.iter().any(|rule| rule.get(about).is_some());
        let counts = |rule: &&Node| !strict || rule.get(about).is_some();
        match allowed.iter().filter(counts).any(|rule| matches(rule, name, draft)) {
            true => None,
            false => Some("the administrator's `allowedMcpServers` does not name it"),
        }
    }
}

fn matches(rule: &Node, name: &str, draft: Option<&Draft>) -> bool {
    if let Some(wanted) = rule.get("serverName") {
        return wanted.text() == Some(name);
    }
    match draft.map(|draft| &draft.transport) {
        Some(DraftTransport::Stdio(command)) => {
            let wanted = rule.get("serverCommand").and_then(Node::list);
            wanted.is_some_and(|wanted| {
                let line = command.line.iter().map(|template| Some(template.raw.as_str()));
                wanted.iter().map(Node::text).eq(line)
            })
        }
        Some(DraftTransport::Http { url, .. }) => {
            let wanted = rule.get("serverUrl").and_then(Node::text);
            wanted.is_some_and(|pattern| glob(pattern, &url.raw))
        }
        None => false,
    }
}

/// Whether a text fits a pattern in which `*` stands for any text.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        if let Some(before) = last.replace(part) {
            match rest.find(before) {
                Some(at) => rest = &rest[at + before.len()..],
                None => return false,
            }
        }
    }
    match last {
        Some(last) => rest.ends_with(last),
        None => rest.is_empty(),
    }
}
