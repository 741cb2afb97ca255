//! What is different from what was approved.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::Lock;
use super::hash::{Pin, name};

/// A difference between a server's tools and the lock file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "change")]
#[non_exhaustive]
pub enum Change {
    /// A tool that was never approved.
    Added {
        /// Its name.
        tool: String,
    },
    /// A tool that is gone.
    Removed {
        /// Its name.
        tool: String,
    },
    /// A tool that is not what was approved.
    Changed {
        /// Its name.
        tool: String,
        /// The parts of its definition that changed.
        parts: Vec<String>,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Added { tool } => write!(f, "+ {tool}"),
            Change::Removed { tool } => write!(f, "- {tool}"),
            Change::Changed { tool, parts } => write!(f, "~ {tool}: {}", parts.join(", ")),
        }
    }
}

impl Lock {
    /// How one tool of a server is different from what was approved, if it is.
    #[must_use]
    pub fn change(&self, server: &str, tool: &Value) -> Option<Change> {
        let pinned = self.servers.get(server).and_then(|tools| tools.get(name(tool)));
        change(name(tool), pinned, &Pin::of(tool))
    }

    /// What is different in the tools that a server has now, by name.
    #[must_use]
    pub fn diff<'a>(
        &self,
        server: &str,
        tools: impl IntoIterator<Item = &'a Value>,
    ) -> Vec<Change> {
        let none = BTreeMap::new();
        let pinned = self.servers.get(server).unwrap_or(&none);
        let now: BTreeMap<&str, Pin> =
            tools.into_iter().map(|tool| (name(tool), Pin::of(tool))).collect();
        let mut changes = Vec::new();
        for (tool, pin) in &now {
            changes.extend(change(tool, pinned.get(*tool), pin));
        }
        let gone = pinned.keys().filter(|tool| !now.contains_key(tool.as_str()));
        changes.extend(gone.map(|tool| Change::Removed { tool: tool.clone() }));
        changes.sort_by(|left, right| left.tool().cmp(right.tool()));
        changes
    }
}

impl Change {
    /// The name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        match self {
            Change::Added { tool } | Change::Removed { tool } | Change::Changed { tool, .. } => {
                tool
            }
        }
    }
}

fn change(tool: &str, pinned: Option<&Pin>, now: &Pin) -> Option<Change> {
    let tool = tool.to_owned();
    match pinned {
        None => Some(Change::Added { tool }),
        Some(old) if old.hash != now.hash => Some(Change::Changed { tool, parts: parts(old, now) }),
        Some(_) => None,
    }
}

fn parts(old: &Pin, new: &Pin) -> Vec<String> {
    let mut names: Vec<&String> = old.parts.keys().chain(new.parts.keys()).collect();
    names.sort();
    names.dedup();
    let changed = names.into_iter().filter(|name| old.parts.get(*name) != new.parts.get(*name));
    changed.cloned().collect()
}
