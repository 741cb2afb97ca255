//! What a Swift file declares, before it is known what belongs to what.
//!
//! Made by [`super::parse`], put together by [`super::link`].

use super::availability::Availability;

/// One declaration.
#[derive(Clone, Debug, Default)]
pub(super) struct Declaration {
    pub(super) what: What,
    /// `append`; for an extension, the type that it extends: `Array`, `Outer.Inner`.
    pub(super) name: String,
    /// With the labels of its arguments: `append(contentsOf:)`.
    pub(super) full_name: String,
    pub(super) access: Access,
    /// Without access, body, and attributes that say nothing to a user.
    pub(super) signature: String,
    /// As Markdown.
    pub(super) docs: String,
    pub(super) availability: Availability,
    /// Whether it is public for the compiler only.
    pub(super) hidden: bool,
    /// The conditions of `#if` that it is under, outermost first.
    pub(super) conditions: Vec<String>,
    pub(super) line: u32,
    /// What it inherits from or conforms to.
    pub(super) bases: Vec<String>,
    /// What follows `where`, for an extension.
    pub(super) constraint: String,
    pub(super) members: Vec<Declaration>,
}

/// What is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum What {
    Struct,
    Class,
    Actor,
    Enum,
    Protocol,
    Extension,
    #[default]
    Function,
    Initializer,
    Subscript,
    Property,
    Constant,
    Case,
    Alias,
    Associated,
    Macro,
    Operator,
}

impl What {
    /// Whether it is a type with members.
    pub(super) fn is_type(self) -> bool {
        matches!(self, Self::Struct | Self::Class | Self::Actor | Self::Enum | Self::Protocol)
    }
}

/// Who may use a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Access {
    /// Nothing is said: what it is in decides.
    #[default]
    Unsaid,
    Public,
    /// Nobody outside the package.
    Internal,
}

/// What a file declares.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) declarations: Vec<Declaration>,
    /// Modules that it re-exports.
    pub(super) exported: Vec<String>,
    /// All modules that it imports.
    pub(super) imported: Vec<String>,
    /// What could not be made sense of: line and message.
    pub(super) problems: Vec<(u32, &'static str)>,
}
