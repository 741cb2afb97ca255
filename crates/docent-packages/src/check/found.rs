//! What a check answers.

use serde::{Deserialize, Serialize};

/// The outcome of one check.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Checked {
    /// What the installed versions do not have, in the order of the code.
    pub findings: Vec<Finding>,
    /// What could not be judged, and why: no statement about it, good or bad.
    pub unknown: Vec<Unknown>,
    /// What the code was checked against.
    pub packages: Vec<CheckedPackage>,
    /// How many uses were found to be there.
    pub confirmed: usize,
}

/// Something that code uses and that the package at hand does not have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Finding {
    /// What kind of thing is missing.
    pub kind: FindingKind,
    /// The name that is not there.
    pub name: String,
    /// What it was looked for in: a module, a type, a function.
    pub within: String,
    /// The package it was checked against, with its version: `npm:zod@4.1.0`.
    pub package: String,
    /// Where in the code it is.
    pub position: Position,
    /// A sentence for people.
    pub message: String,
    /// What may have been meant, the likeliest first; at most three.
    pub suggestions: Vec<Suggestion>,
}

/// The kinds of [`Finding`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum FindingKind {
    /// A module that cannot be imported.
    Module,
    /// A name that a module does not have.
    Name,
    /// A member that a type, object or enumeration does not have.
    Member,
    /// A keyword argument that a function does not take.
    Keyword,
    /// A key that the type of an argument does not have.
    Option,
}

/// Something that is there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Suggestion {
    /// Its name, to write in place of the other.
    pub name: String,
    /// Where to import it from, if that is another module.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub module: Option<String>,
    /// Its declaration, if it has one of its own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub signature: Option<String>,
}

/// A place in the code.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// The file, as it was called.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
}

/// Uses that could not be judged, for one reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Unknown {
    /// Why.
    pub reason: Why,
    /// How many.
    pub count: usize,
    /// A few of them.
    pub examples: Vec<UnknownUse>,
}

/// One use that could not be judged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UnknownUse {
    /// As the code has it.
    pub name: String,
    /// Where.
    pub position: Position,
}

/// Why something could not be judged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Why {
    /// The code is not of its language, or too long or too deep to be parsed.
    NotParsed,
    /// The project does not have the package.
    NotInstalled,
    /// The package could not be loaded, or files of it could not be read.
    NotRead,
    /// The package or type may have more than can be seen: made at run time, or out of sight.
    Open,
    /// The name is bound more than once.
    Rebound,
    /// A star import may bind the name.
    Star,
    /// The code itself asks first whether it is there, or is ready for its absence.
    Guarded,
    /// What is used has a type that is not known.
    Untyped,
    /// The name is only known when the code runs.
    Computed,
    /// Other files add to the types of this package.
    Augmented,
    /// Only the declarations that others wrote for the package say that it is not there.
    Declared,
    /// It is part of what a macro is given, who may make anything of it.
    Macro,
}

impl Why {
    /// The reason in a few words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::NotParsed => "the code could not be parsed",
            Self::NotInstalled => "not installed in this project",
            Self::NotRead => "the package could not be read",
            Self::Open => "not all of it can be known without running it",
            Self::Rebound => "the name is bound more than once",
            Self::Star => "a star import may bind the name",
            Self::Guarded => "the code is ready for its absence",
            Self::Untyped => "its type is not known",
            Self::Computed => "the name is computed",
            Self::Augmented => "other files add to the package's types",
            Self::Declared => "only declarations written by others speak against it",
            Self::Macro => "a macro is given it",
        }
    }
}

/// A package that code was checked against.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CheckedPackage {
    /// With its version: `npm:zod@4.1.0`.
    pub package: String,
    /// The modules that the code imports from it.
    pub modules: Vec<String>,
}
