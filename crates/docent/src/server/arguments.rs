//! What a call asks for: the arguments of all tools as one type, since they share their names.

use std::path::{Path, PathBuf};

use docent_mcp::server::ToolError;
use docent_mcp::types::JsonObject;
use docent_packages::{Ecosystem, PackageRef, Style, Target};
use serde::Deserialize;
use serde_json::Value;

use super::definition::LANGUAGES;

/// The arguments of a call. Which of them a tool has, and which it needs, was checked before.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Arguments {
    pub(crate) package: String,
    pub(crate) language: Option<String>,
    pub(crate) query: Option<String>,
    pub(crate) symbol: Option<String>,
    pub(crate) symbols: Vec<String>,
    version: Option<String>,
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
    project_path: Option<PathBuf>,
    pub(crate) section: Option<String>,
    max_tokens: Option<usize>,
    max_length: Option<usize>,
    fuzzy: Option<bool>,
    include_types: Option<bool>,
    include_examples: Option<bool>,
    pub(crate) include_indirect: bool,
    pub(crate) code: Option<String>,
    pub(crate) file: Option<String>,
}

impl Arguments {
    pub(crate) fn of(call: JsonObject, project: Option<&Path>) -> Result<Self, ToolError> {
        let mut arguments: Self = serde_json::from_value(Value::Object(call))?;
        arguments.project_path = arguments.project_path.or_else(|| project.map(Path::to_owned));
        Ok(arguments)
    }

    /// The language, if one was named.
    pub(crate) fn ecosystem(&self) -> Option<Ecosystem> {
        let word = self.language.as_deref()?;
        LANGUAGES.iter().find(|(name, _)| *name == word).map(|(_, ecosystem)| *ecosystem)
    }

    /// Whether no package was named.
    pub(crate) fn is_about_all(&self) -> bool {
        self.package.trim().is_empty()
    }

    /// The folder of the project, if one was named.
    pub(crate) fn project(&self) -> Option<&Path> {
        self.project_path.as_deref()
    }

    /// The package in question. Its name may be written as a reference with a version, since that is
    /// how people and answers write it.
    pub(crate) fn target(&self, ecosystem: Ecosystem) -> Target {
        let written = PackageRef::new(ecosystem, &self.package, self.version.as_deref());
        let reference = self.package.parse::<PackageRef>().ok();
        let package = match reference.filter(|reference| reference.ecosystem == ecosystem) {
            Some(reference) if written.version.is_none() => reference,
            Some(reference) => PackageRef { version: written.version, ..reference },
            None => with_inline_version(written),
        };
        Target { package, project: self.project_path.clone() }
    }

    /// How long the answer may be, in tokens.
    pub(crate) fn budget(&self) -> usize {
        let by_length = self.max_length.map(|characters| characters / 4);
        match (self.max_tokens, by_length) {
            (Some(tokens), Some(length)) => tokens.min(length),
            (tokens, length) => tokens.or(length).unwrap_or(Style::default().max_tokens),
        }
    }

    pub(crate) fn style(&self) -> Style {
        Style::default()
            .fuzzy(self.fuzzy.unwrap_or(true))
            .types(self.include_types.unwrap_or(true))
            .examples(self.include_examples.unwrap_or(true))
    }
}

/// `zod@4` is `zod` in version 4, unless a version is given as well.
fn with_inline_version(package: PackageRef) -> PackageRef {
    let at = package.name.rfind('@').filter(|&at| at > 0 && !package.name[at..].contains('/'));
    match (at, &package.version) {
        (Some(at), None) => {
            let (name, version) = package.name.split_at(at);
            PackageRef::new(package.ecosystem, name, Some(&version[1..]))
        }
        _ => package,
    }
}
