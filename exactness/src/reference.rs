//! What the ecosystem's own tool says: the lines that `npm/reference.mjs`,
//! `python/reference.py` and `go/reference.go` print, which explain what counts as public.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::Deserialize;

/// One public name.
#[derive(Deserialize, Debug)]
pub(crate) struct Row {
    pub(crate) module: String,
    pub(crate) path: String,
    /// Other roots for a path that begins with `default`.
    pub(crate) also: Vec<String>,
    pub(crate) kind: String,
    /// Each way to write it that is right.
    pub(crate) signatures: Vec<String>,
    /// The names of the parameters, where the text of the signature is not known.
    pub(crate) parameters: Option<Vec<String>>,
    /// Whether a reader would miss it.
    pub(crate) required: bool,
}

impl Row {
    /// The paths that count as this name.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths = vec![self.path.clone()];
        if let Some(rest) = self.path.strip_prefix("default")
            && (rest.is_empty() || rest.starts_with('.'))
        {
            // Nobody calls it `default`: a reader sees the declared name, or the module's.
            let roots = self.also.iter();
            paths.extend(
                roots.map(|root| format!("{root}{rest}").trim_start_matches('.').to_owned()),
            );
        }
        if self.kind == "constructor" {
            // The languages have their own words for it; which one is shown is a matter of taste.
            let class = self.path.rsplit_once('.').map_or("", |(class, _)| class);
            paths.extend(["constructor", "new"].map(|word| format!("{class}.{word}")));
        }
        paths
    }
}

/// All that the tool says of one package.
pub(crate) struct Reference {
    pub(crate) rows: Vec<Row>,
    pub(crate) modules: HashSet<String>,
    known: HashMap<String, HashSet<String>>,
}

impl Reference {
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let cannot = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| cannot(&error))?;
        let rows: Result<Vec<Row>, _> = text.lines().map(serde_json::from_str).collect();
        Ok(Self::new(rows.map_err(|error| cannot(&error))?))
    }

    pub(crate) fn new(rows: Vec<Row>) -> Self {
        let modules = rows.iter().map(|row| row.module.clone()).collect();
        let mut known: HashMap<String, HashSet<String>> = HashMap::new();
        for row in &rows {
            known.entry(row.module.clone()).or_default().extend(row.paths());
        }
        Self { rows, modules, known }
    }

    pub(crate) fn has(&self, module: &str, path: &str) -> bool {
        self.known.get(module).is_some_and(|paths| paths.contains(path))
    }
}
