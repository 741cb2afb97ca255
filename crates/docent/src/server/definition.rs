//! What clients see of each tool: its name, when to use it, and its parameters.
//!
//! Everything here is read by a model before it has asked anything, so every word costs; a test
//! holds the whole list to its size. `mod.rs` puts the functions behind the names.

use docent_mcp::types::{Tool, ToolAnnotations};
use docent_packages::Ecosystem;
use serde_json::{Map, Value, json};

/// One tool.
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    /// A name of the past that is still understood, but not listed.
    pub(crate) alias: Option<&'static str>,
    about: &'static str,
    pub(crate) parameters: &'static [Parameter],
    pub(crate) does: Does,
}

/// What a tool does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Does {
    /// Asks the engine about one package.
    Ask(Question),
    /// Lists what the project depends on.
    List,
    /// Checks code.
    Check,
}

/// What is asked about a package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Question {
    Search,
    Describe(Ecosystem),
    Readme,
    Symbols,
    Diff,
}

/// One parameter.
#[derive(Clone, Copy)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) holds: Holds,
    required: bool,
    about: &'static str,
}

/// What a parameter holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Text,
    Texts,
    Flag,
    Number,
    Language,
}

/// The words for the ecosystems, as the tools have always had them.
pub(crate) const LANGUAGES: [(&str, Ecosystem); 5] = [
    ("go", Ecosystem::Go),
    ("python", Ecosystem::Python),
    ("npm", Ecosystem::Npm),
    ("swift", Ecosystem::Swift),
    ("rust", Ecosystem::Rust),
];

const fn text(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, holds: Holds::Text, required: false, about }
}

const fn flag(name: &'static str) -> Parameter {
    Parameter { name, holds: Holds::Flag, required: false, about: "" }
}

const fn required(parameter: Parameter) -> Parameter {
    Parameter { required: true, ..parameter }
}

const PACKAGE: Parameter = required(text("package", ""));
const LANGUAGE: Parameter =
    Parameter { name: "language", holds: Holds::Language, required: true, about: "" };
const SYMBOL: Parameter = text("symbol", "e.g. ZodString.email");
const VERSION: Parameter = text("version", "Default: the project's, else newest");
const PROJECT: Parameter = text("projectPath", "");
const MAX_TOKENS: Parameter =
    Parameter { name: "maxTokens", holds: Holds::Number, required: false, about: "Default 2000" };
const SYMBOLS: Parameter =
    Parameter { name: "symbols", holds: Holds::Texts, required: false, about: "" };

const DESCRIBE: &[Parameter] = &[PACKAGE, SYMBOL, VERSION, PROJECT, MAX_TOKENS];

/// All tools, in the order in which they are listed.
pub(crate) const TOOLS: &[Definition] = &[
    Definition {
        name: "search_package_docs",
        alias: None,
        about: "Search the API and guides of a package, in the exact version this project uses, \
                by words or symbol. For how-to questions. If you know the symbol, use get_symbol.",
        parameters: &[
            text("package", "Default: all packages of the project"),
            required(text("query", "")),
            Parameter { required: false, about: "Of the package", ..LANGUAGE },
            flag("fuzzy"),
            VERSION,
            PROJECT,
            MAX_TOKENS,
        ],
        does: Does::Ask(Question::Search),
    },
    Definition {
        name: "get_symbol",
        alias: None,
        about: "Signatures, docs, members, import paths and source position of known symbols. \
                Says if one does not exist in this version and what comes nearest.",
        parameters: &[PACKAGE, LANGUAGE, required(SYMBOLS), VERSION, PROJECT, MAX_TOKENS],
        does: Does::Ask(Question::Symbols),
    },
    Definition {
        name: "list_project_packages",
        alias: None,
        about: "The packages this project depends on, with exact versions. Call it first if unsure \
                what is installed.",
        parameters: &[
            Parameter { required: false, ..LANGUAGE },
            PROJECT,
            flag("includeIndirect"),
            MAX_TOKENS,
        ],
        does: Does::List,
    },
    Definition {
        name: "diff_package_versions",
        alias: None,
        about: "What changed in a package's public API between two versions: removed, changed, \
                moved, deprecated, added. For upgrades.",
        parameters: &[
            PACKAGE,
            LANGUAGE,
            text("from", "Default: the project's version"),
            text("to", "Default: newest"),
            Parameter { about: "Only these", ..SYMBOLS },
            PROJECT,
            MAX_TOKENS,
        ],
        does: Does::Ask(Question::Diff),
    },
    Definition {
        name: "check_code",
        alias: None,
        about: "Check code you wrote, or a file of the project: imports, symbols, members and \
                keyword arguments that the installed versions do not have, with the nearest right \
                ones. Call it before you are done. What it cannot know it does not report.",
        parameters: &[
            text("code", ""),
            text("file", "Instead of code"),
            text("language", "ts, tsx, js, python, rust… Default: by file"),
            PROJECT,
            MAX_TOKENS,
        ],
        does: Does::Check,
    },
    Definition {
        name: "describe_npm_package",
        alias: Some("lookup_npm_doc"),
        about: "Overview of an npm package, or one symbol of it.",
        parameters: &[
            PACKAGE,
            SYMBOL,
            VERSION,
            PROJECT,
            flag("includeTypes"),
            flag("includeExamples"),
            MAX_TOKENS,
        ],
        does: Does::Ask(Question::Describe(Ecosystem::Npm)),
    },
    Definition {
        name: "describe_python_package",
        alias: Some("lookup_python_doc"),
        about: "Overview of a Python package (distribution or module name), or one symbol of it.",
        parameters: DESCRIBE,
        does: Does::Ask(Question::Describe(Ecosystem::Python)),
    },
    Definition {
        name: "describe_rust_package",
        alias: None,
        about: "Overview of a Rust crate, or one symbol of it.",
        parameters: DESCRIBE,
        does: Does::Ask(Question::Describe(Ecosystem::Rust)),
    },
    Definition {
        name: "describe_go_package",
        alias: Some("lookup_go_doc"),
        about: "Overview of a Go package by import path, or one symbol of it.",
        parameters: DESCRIBE,
        does: Does::Ask(Question::Describe(Ecosystem::Go)),
    },
    Definition {
        name: "describe_swift_package",
        alias: None,
        about: "Overview of a Swift package (repository URL or identity), or one symbol of it.",
        parameters: DESCRIBE,
        does: Does::Ask(Question::Describe(Ecosystem::Swift)),
    },
    Definition {
        name: "get_npm_package_doc",
        alias: None,
        about: "README of an npm package, one section of it, or what it says about a query.",
        parameters: &[
            PACKAGE,
            VERSION,
            PROJECT,
            text("section", "A heading"),
            text("query", ""),
            Parameter {
                name: "maxLength",
                holds: Holds::Number,
                required: false,
                about: "Characters",
            },
            flag("includeTypes"),
            flag("includeExamples"),
            MAX_TOKENS,
        ],
        does: Does::Ask(Question::Readme),
    },
];

impl Definition {
    /// The definition as clients get it.
    pub(crate) fn tool(&self) -> Tool {
        let properties: Map<String, Value> = self
            .parameters
            .iter()
            .map(|parameter| (parameter.name.to_owned(), parameter.schema()))
            .collect();
        let required: Vec<&str> = self
            .parameters
            .iter()
            .filter(|parameter| parameter.required)
            .map(|parameter| parameter.name)
            .collect();
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        Tool {
            annotations: Some(ToolAnnotations {
                read_only_hint: Some(true),
                ..ToolAnnotations::default()
            }),
            output_schema: Some(self.output()),
            ..Tool::new(self.name, self.about, schema)
        }
    }

    /// What the structured content always has; the guide of the tools lists all of it.
    fn output(&self) -> Value {
        let (key, kind) = match self.does {
            Does::List => ("packages", "array"),
            Does::Check => ("findings", "array"),
            _ => ("description", "string"),
        };
        json!({ "type": "object", "properties": { key: { "type": kind } }, "required": [key] })
    }
}

impl Parameter {
    fn schema(&self) -> Value {
        let mut schema = match self.holds {
            Holds::Text => json!({ "type": "string" }),
            Holds::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Holds::Flag => json!({ "type": "boolean" }),
            Holds::Number => json!({ "type": "integer" }),
            Holds::Language => json!({ "enum": LANGUAGES.map(|(word, _)| word) }),
        };
        if !self.about.is_empty() {
            schema["description"] = json!(self.about);
        }
        schema
    }
}
