//! The attributes and documentation comments of one item.

use ra_ap_syntax::SyntaxKind::{ATTR, COMMENT};
use ra_ap_syntax::{NodeOrToken, SyntaxNode};

use super::cfg::{Cfg, Platform, Presence};
use super::meta::{Meta, Value};
use crate::extract::Package;

/// What attributes say, as far as documentation is concerned.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    pub(super) docs: String,
    pub(super) is_hidden: bool,
    /// `#[doc(inline)]`.
    pub(super) is_inline: bool,
    pub(super) deprecated: Option<String>,
    pub(super) conditions: Vec<Cfg>,
    /// `#[doc(cfg(…))]`, which takes the place of the conditions.
    pub(super) told: Option<Cfg>,
    pub(super) presence: Presence,
    /// `#[path = "…"]`.
    pub(super) path: Option<String>,
    /// The same, under conditions that do not hold.
    pub(super) other_paths: Vec<String>,
    pub(super) is_macro_export: bool,
    pub(super) is_macro_use: bool,
    pub(super) is_non_exhaustive: bool,
    pub(super) derives: Vec<String>,
    /// Whether a macro that is not known is given the item.
    pub(super) is_given_away: bool,
    pub(super) proc_macro: Option<ProcMacro>,
    /// The primitive type that a module of the standard library documents.
    pub(super) primitive: Option<String>,
    /// Whether the standard library promises to keep it.
    pub(super) is_stable: bool,
    /// The feature that it is part of as long as it does not.
    pub(super) unstable: Option<String>,
    /// Whether only nightly compilers let constants use it.
    pub(super) is_const_unstable: bool,
    /// Whether the compiler itself knows what a macro stands for.
    pub(super) is_builtin: bool,
}

/// Derives that do no more than implement the trait of their name.
const DERIVES: &[&str] =
    &["Clone", "Copy", "Debug", "Default", "Eq", "Hash", "Ord", "PartialEq", "PartialOrd"];

/// The same, with attributes of their own.
const DERIVES_WITH_ATTRIBUTES: &[&str] = &["Deserialize", "Error", "Serialize"];

/// Attributes of the language, as far as they are not read.
const OF_LANGUAGE: &[&str] = &[
    "allow",
    "allow_internal_unstable",
    "automatically_derived",
    "cold",
    "const_trait",
    "coverage",
    "default",
    "deny",
    "expect",
    "export_name",
    "forbid",
    "fundamental",
    "global_allocator",
    "ignore",
    "inline",
    "lang",
    "link",
    "link_name",
    "link_section",
    "may_dangle",
    "must_use",
    "naked",
    "no_mangle",
    "no_std",
    "optimize",
    "recursion_limit",
    "repr",
    "should_panic",
    "target_feature",
    "test",
    "track_caller",
    "type_length_limit",
    "unsafe",
    "used",
    "warn",
];

/// The first parts of attributes that are for tools.
const OF_TOOLS: &[&str] = &["clippy::", "diagnostic::", "rustc_", "rustdoc::", "rustfmt::"];

impl Attributes {
    /// Whether a macro that is not known is given the item, and may make anything of it.
    pub(super) fn may_add(&self) -> bool {
        // Derives have attributes of their own, which are no macros.
        let is_plain = |it: &String| DERIVES.contains(&it.as_str());
        self.is_given_away && self.derives.iter().all(is_plain)
    }

    /// Whether `const` before a function is not for everybody yet.
    pub(super) fn hides_const(&self) -> bool {
        self.is_stable && self.is_const_unstable
    }

    /// Whether something is derived that may add methods, and items beside it.
    pub(super) fn derives_more(&self) -> bool {
        let is_known = |it: &String| {
            DERIVES.contains(&it.as_str()) || DERIVES_WITH_ATTRIBUTES.contains(&it.as_str())
        };
        !self.derives.iter().all(is_known)
    }
}

/// What kind of macro a function is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ProcMacro {
    Function,
    Attribute,
    /// With the attributes that it understands.
    Derive(String, Vec<String>),
}

/// Where attributes are read, for what they include.
pub(super) struct Reader<'a> {
    pub(super) package: &'a Package,
    pub(super) platform: &'a Platform,
    /// The folder of the file.
    pub(super) folder: &'a str,
}

/// Which of the attributes and comments inside a node are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// `#[…]` and `///`.
    Outer,
    /// `#![…]` and `//!`.
    Inner,
}

impl Reader<'_> {
    /// Adds what is said inside a node.
    pub(super) fn read(&self, node: &SyntaxNode, side: Side, into: &mut Attributes) {
        for element in node.children_with_tokens() {
            match element {
                NodeOrToken::Token(token) if token.kind() == COMMENT => {
                    if let Some(text) = comment(token.text(), side) {
                        append(&mut into.docs, &text);
                    }
                }
                NodeOrToken::Node(attribute) if attribute.kind() == ATTR => {
                    let text = attribute.text().to_string();
                    let text = text.trim_start_matches('#').trim_start();
                    let (found, text) = match text.strip_prefix('!') {
                        Some(text) => (Side::Inner, text.trim_start()),
                        None => (Side::Outer, text),
                    };
                    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
                    if found == side
                        && let Some(meta) = inside.and_then(Meta::parse)
                    {
                        self.attribute(&meta, into, 0);
                    }
                }
                _ => {}
            }
        }
    }

    fn attribute(&self, meta: &Meta, into: &mut Attributes, depth: usize) {
        match meta.path.as_str() {
            "doc" => self.doc(meta, into),
            "cfg" => {
                let condition = meta.list.first().and_then(Cfg::of);
                if let Some(condition) = condition {
                    into.presence = into.presence.max(condition.presence(self.platform));
                    into.conditions.push(condition);
                }
            }
            "cfg_attr" if depth < 8 => {
                let condition = meta.list.first().and_then(Cfg::of);
                if condition.is_some_and(|it| it.presence(self.platform) == Presence::Here) {
                    for inner in meta.list.iter().skip(1) {
                        self.attribute(inner, into, depth + 1);
                    }
                } else {
                    let paths = meta.list.iter().skip(1).filter(|inner| inner.path == "path");
                    into.other_paths.extend(paths.filter_map(Meta::text).map(str::to_owned));
                }
            }
            "deprecated" => {
                let note = meta.inner("note").and_then(Meta::text).or(meta.text());
                let since = meta.inner("since").and_then(Meta::text);
                let mut reason = note.unwrap_or_default().trim().to_owned();
                if let Some(since) = since.filter(|since| *since != "TBD") {
                    let since = format!("Since {since}.");
                    reason = if reason.is_empty() { since } else { format!("{since} {reason}") };
                }
                into.deprecated = Some(reason);
            }
            "path" => into.path = meta.text().map(str::to_owned),
            "macro_export" => into.is_macro_export = true,
            "macro_use" => into.is_macro_use = true,
            "non_exhaustive" => into.is_non_exhaustive = true,
            "derive" => {
                into.derives.extend(meta.list.iter().map(|derive| derive.name().to_owned()));
            }
            "proc_macro" => into.proc_macro = Some(ProcMacro::Function),
            "proc_macro_attribute" => into.proc_macro = Some(ProcMacro::Attribute),
            "proc_macro_derive" => {
                let name = meta.list.first().map(|first| first.path.clone()).unwrap_or_default();
                let known = meta.inner("attributes").map(|it| it.list.as_slice()).unwrap_or(&[]);
                let known = known.iter().map(|attribute| attribute.path.clone()).collect();
                into.proc_macro = Some(ProcMacro::Derive(name, known));
            }
            "stable" => into.is_stable = true,
            "unstable" => {
                into.unstable = meta.inner("feature").and_then(Meta::text).map(str::to_owned);
            }
            "rustc_const_unstable" => into.is_const_unstable = true,
            "rustc_builtin_macro" => into.is_builtin = true,
            "rustc_doc_primitive" => into.primitive = meta.text().map(str::to_owned),
            path => {
                let is_known = OF_LANGUAGE.contains(&path)
                    || OF_TOOLS.iter().any(|start| path.starts_with(start));
                into.is_given_away |= !is_known;
            }
        }
    }

    fn doc(&self, meta: &Meta, into: &mut Attributes) {
        if let Some(value) = &meta.value {
            let mut text = String::new();
            self.value(value, &mut text);
            append(&mut into.docs, &text);
        }
        for inner in &meta.list {
            match inner.path.as_str() {
                "hidden" => into.is_hidden = true,
                "inline" => into.is_inline = true,
                "primitive" => into.primitive = inner.text().map(str::to_owned),
                "cfg" => into.told = inner.list.first().and_then(Cfg::of),
                _ => {}
            }
        }
    }

    fn value(&self, value: &Value, text: &mut String) {
        match value {
            Value::Literal(literal) => text.push_str(literal),
            Value::Macro(name, values) => match (name.as_str(), values.as_slice()) {
                ("include_str", [path]) => {
                    let mut written = String::new();
                    self.value(path, &mut written);
                    // `concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")` is the package's root.
                    let folder = if written.starts_with('/') { "" } else { self.folder };
                    let path = crate::tree::join(folder, written.trim_start_matches('/'));
                    let included = path.and_then(|path| self.package.tree.text_of(&path));
                    text.push_str(&included.unwrap_or_default());
                }
                ("concat", values) => values.iter().for_each(|value| self.value(value, text)),
                ("env", [Value::Literal(name)]) => match name.as_str() {
                    "CARGO_PKG_VERSION" => text.push_str(&self.package.version),
                    "CARGO_PKG_NAME" => text.push_str(&self.package.name),
                    _ => {}
                },
                // What a macro was given has spaces that nobody wrote.
                ("stringify", [Value::Literal(literal)]) => {
                    text.push_str(&literal.replace("- ", "-"));
                }
                _ => {}
            },
        }
    }
}

fn append(docs: &mut String, text: &str) {
    if !docs.is_empty() {
        docs.push('\n');
    }
    docs.push_str(text);
}

/// What a comment documents, if it does.
pub(super) fn comment(text: &str, side: Side) -> Option<String> {
    let (line, block) = match side {
        Side::Outer => ("///", "/**"),
        Side::Inner => ("//!", "/*!"),
    };
    if let Some(rest) = text.strip_prefix(line) {
        // The space behind the slashes is not part of the text.
        let own = rest.strip_prefix(' ').unwrap_or(rest);
        return (side == Side::Inner || !rest.starts_with('/')).then(|| own.to_owned());
    }
    let rest = text.strip_prefix(block)?;
    if side == Side::Outer && (rest.starts_with('*') || rest == "/") {
        return None;
    }
    let rest = rest.strip_suffix("*/").unwrap_or(rest);
    let starred = rest.lines().skip(1).all(|line| {
        let line = line.trim_start();
        line.is_empty() || line.starts_with('*')
    });
    let lines = rest.lines().enumerate().map(|(at, line)| match starred && at > 0 {
        true => {
            let line = line.trim_start().trim_start_matches('*');
            line.strip_prefix(' ').unwrap_or(line)
        }
        false if at == 0 => line.trim_start(),
        false => line,
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_told_apart() {
        let outer = |text| comment(text, Side::Outer);
        assert_eq!(outer("/// a").as_deref(), Some("a"));
        assert_eq!(outer("//// a"), None);
        assert_eq!(outer("// a"), None);
        assert_eq!(outer("//! a"), None);
        assert_eq!(outer("/** a\n * b\n */").as_deref(), Some("a\nb\n"));
        assert_eq!(outer("/**/"), None);
        assert_eq!(outer("/***/"), None);
        assert_eq!(comment("//! a", Side::Inner).as_deref(), Some("a"));
    }
}
