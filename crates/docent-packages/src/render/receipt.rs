//! Where an answer comes from.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Extent;
use crate::resolve::Reason;

/// Which package, which version, why that one, and from where.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Receipt {
    /// The package with its exact version: `npm:zod@4.1.12`.
    pub package: String,
    /// The exact version.
    pub version: String,
    /// Why this version.
    pub reason: Reason,
    /// Where its files are from.
    pub origin: Origin,
    /// The newest release, if it is known.
    pub newest: Option<String>,
    /// Other versions in the project, and where.
    #[serde(with = "crate::paths::named")]
    pub others: Vec<(String, PathBuf)>,
    /// What could not be read on the way.
    pub problems: Vec<String>,
    /// How much of it was read.
    #[serde(default, skip_serializing_if = "Extent::is_whole")]
    pub extent: Extent,
}

/// Where files are from.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Origin {
    /// A folder or archive of the project.
    Installed {
        /// Where.
        #[serde(with = "crate::paths")]
        path: PathBuf,
    },
    /// A registry.
    Registry {
        /// The address, without credentials.
        url: String,
        /// The SHA-256 of the artifact, in hexadecimal.
        sha256: String,
    },
}

impl Receipt {
    /// All of it on one line, for people and models.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = format!("{} · ", self.package);
        match &self.reason {
            Reason::Explicit { requirement } if *requirement == self.version => {
                line.push_str("as asked")
            }
            Reason::Explicit { requirement } => {
                line.push_str(&format!("asked for `{requirement}`"))
            }
            Reason::Installed => line.push_str("installed in this project"),
            Reason::Project => line.push_str("used by this project"),
            Reason::Bundled => line.push_str("part of the language"),
            Reason::Locked { file } => line.push_str(&format!("locked in {}", file.display())),
            Reason::LockedByConda { file } => line.push_str(&format!(
                "the version of conda's package of this name in {}",
                file.display()
            )),
            Reason::Declared { file, requirement } => {
                line.push_str(&format!("newest for `{requirement}` in {}", file.display()));
            }
            Reason::OnDisk => {
                line.push_str("not in this project, so the newest on this machine");
            }
            Reason::Newest => line.push_str("not in this project, so the newest release"),
        }
        match &self.origin {
            Origin::Installed { path } => line.push_str(&format!(" · {}", path.display())),
            Origin::Registry { sha256, .. } => {
                let short = sha256.get(..12).unwrap_or(sha256);
                line.push_str(&format!(" · registry, sha256 {short}"));
            }
        }
        if let Some(newest) = self.newest.as_ref().filter(|newest| **newest != self.version) {
            line.push_str(&format!(" · newest is {newest}"));
        }
        if !self.others.is_empty() {
            let mut versions: Vec<&str> =
                self.others.iter().map(|(version, _)| version.as_str()).collect();
            versions.dedup();
            versions.truncate(4);
            line.push_str(&format!(" · also installed: {}", versions.join(", ")));
        }
        match &self.extent {
            Extent::Whole => {}
            Extent::Listed => line.push_str(" · too large to be read at once: ask for one package"),
            Extent::Module(module) => line.push_str(&format!(" · of it, {module} was read")),
        }
        line
    }
}
