//! A text with the references in it, as one dialect sees them.

use crate::config::dialect::Syntax;
use crate::config::machine::Platform;

/// A text taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Template {
    /// As it stands in the file.
    pub(crate) raw: String,
    pub(crate) line: u32,
    pub(crate) pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    /// What stands in the file, and what it refers to.
    Reference(String, Reference),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reference {
    Variable {
        name: String,
        default: Option<String>,
    },
    Input(String),
    Folder(Folder),
    /// The content of a file.
    File(String),
    /// A form of some other dialect. The owner passes it on as it is.
    Foreign,
    /// A reference inside the default of another, which would take a second expansion.
    Nested,
}

/// What the path references of editors stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folder {
    Workspace,
    WorkspaceName,
    Home,
    Separator,
}

impl Folder {
    const NAMES: &[(&str, Folder)] = &[
        ("workspaceFolder", Folder::Workspace),
        ("workspaceRoot", Folder::Workspace),
        ("workspaceFolderBasename", Folder::WorkspaceName),
        ("userHome", Folder::Home),
        ("pathSeparator", Folder::Separator),
        ("/", Folder::Separator),
    ];

    fn named(name: &str) -> Option<Folder> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, folder)| *folder)
    }

    /// How editors write it.
    pub(crate) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, folder)| *folder == self).map_or("", |(name, _)| name)
    }
}

impl Template {
    /// A text that means itself.
    pub(crate) fn literal(text: &str) -> Self {
        let pieces = Piece::Text(text.to_owned()).non_empty().into_iter().collect();
        Template { raw: text.to_owned(), line: 0, pieces }
    }

    /// The value of one variable after some text, for fields that hold the name of a variable.
    pub(crate) fn variable(before: &str, name: &str, line: u32) -> Self {
        let raw = format!("${{{name}}}");
        let reference = Reference::Variable { name: name.to_owned(), default: None };
        let text = Piece::Text(before.to_owned()).non_empty();
        let pieces = text.into_iter().chain([Piece::Reference(raw.clone(), reference)]).collect();
        Template { raw: format!("{before}{raw}"), line, pieces }
    }

    /// Finds the references in a text.
    pub(crate) fn parse(raw: &str, line: u32, syntax: Syntax, platform: Platform) -> Self {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut rest = raw;
        while let Some(c) = rest.chars().next() {
            if syntax.escape && rest.starts_with("$${") {
                text.push_str("${");
                rest = &rest[3..];
                continue;
            }
            match reference(rest, raw, syntax, platform) {
                Some((length, reference)) => {
                    pieces.extend(Piece::Text(std::mem::take(&mut text)).non_empty());
                    pieces.push(Piece::Reference(rest[..length].to_owned(), reference));
                    rest = &rest[length..];
                }
                None => {
                    text.push(c);
                    rest = &rest[c.len_utf8()..];
                }
            }
        }
        pieces.extend(Piece::Text(text).non_empty());
        Template { raw: raw.to_owned(), line, pieces }
    }

    /// What may be seen of it: references as they are, and what `visible` leaves of the rest.
    pub(crate) fn visible(&self, visible: impl Fn(&str) -> String) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => visible(text),
            Piece::Reference(raw, _) => raw.clone(),
        };
        self.pieces.iter().map(piece).collect()
    }

    pub(crate) fn references(&self) -> impl Iterator<Item = (&str, &Reference)> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Reference(raw, reference) => Some((raw.as_str(), reference)),
            Piece::Text(_) => None,
        })
    }
}

impl Piece {
    fn non_empty(self) -> Option<Piece> {
        (self != Piece::Text(String::new())).then_some(self)
    }
}

/// The reference that `rest` starts with, and its length.
fn reference(
    rest: &str,
    whole: &str,
    syntax: Syntax,
    platform: Platform,
) -> Option<(usize, Reference)> {
    if let Some(inner) = rest.strip_prefix("${") {
        let (length, nested) = closing(inner)?;
        let found = match nested && syntax.default {
            true => Reference::Nested,
            false => braced(&inner[..length], syntax),
        };
        return Some((length + 3, found));
    }
    if let Some(inner) = rest.strip_prefix('{') {
        return curly(inner, syntax);
    }
    if let Some(inner) = rest.strip_prefix('$') {
        let length = name_length(inner);
        // Elsewhere a bare `$VAR` is only suspicious if it is the whole value and shouts.
        let shouts = inner[..length].chars().all(|c| !c.is_ascii_lowercase());
        return match length {
            0 => None,
            _ if syntax.dollar => Some((length + 1, variable(&inner[..length], None))),
            _ if shouts && rest.len() == whole.len() && length == inner.len() => {
                Some((length + 1, Reference::Foreign))
            }
            _ => None,
        };
    }
    if let Some(inner) = rest.strip_prefix('%').filter(|_| syntax.percent) {
        let length = name_length(inner);
        let closed = length > 0 && inner[length..].starts_with('%');
        return (closed && platform == Platform::Windows)
            .then(|| (length + 2, variable(&inner[..length], None)));
    }
    None
}

/// Where the `}` stands that closes what was opened before, and whether another `${` is inside.
fn closing(inner: &str) -> Option<(usize, bool)> {
    let (mut depth, mut nested) = (0, false);
    for (at, c) in inner.char_indices() {
        match c {
            '{' if inner[..at].ends_with('$') => {
                depth += 1;
                nested = true;
            }
            '}' if depth == 0 => return Some((at, nested)),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn braced(inner: &str, syntax: Syntax) -> Reference {
    let (name, default) = match inner.split_once(":-").filter(|_| syntax.default) {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    if let Some(name) = name.strip_prefix("env:").filter(|_| syntax.env) {
        return variable(name, default);
    }
    if let Some(id) = inner.strip_prefix("input:").filter(|_| syntax.input) {
        return Reference::Input(id.to_owned());
    }
    match Folder::named(inner).filter(|_| syntax.folders) {
        Some(folder) => Reference::Folder(folder),
        // To a client that knows no other form, whatever is in the braces is a variable.
        None if syntax.braces => variable(name, default),
        None => Reference::Foreign,
    }
}

fn curly(inner: &str, syntax: Syntax) -> Option<(usize, Reference)> {
    let length = inner.find('}')?;
    let (kind, value) = inner[..length].split_once(':')?;
    let found = match kind {
        "env" if syntax.curly => variable(value, None),
        "file" if syntax.curly => Reference::File(value.to_owned()),
        "env" if name_length(value) == value.len() => Reference::Foreign,
        _ => return None,
    };
    Some((length + 2, found))
}

fn variable(name: &str, default: Option<&str>) -> Reference {
    Reference::Variable { name: name.to_owned(), default: default.map(str::to_owned) }
}

/// How many bytes of `text` are the name of a variable.
fn name_length(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let length = end.unwrap_or(text.len());
    if text.starts_with(|c: char| c.is_ascii_digit()) { 0 } else { length }
}
