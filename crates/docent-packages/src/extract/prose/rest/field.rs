//! Field lists of reStructuredText: parameters, results and exceptions of a function.
//!
//! What is said of one parameter in two places (`:param x:`, `:type x:`) comes together in one item.

use std::collections::{HashMap, HashSet};

/// The fields of one list.
#[derive(Default)]
pub(super) struct Fields {
    /// The line after the list.
    pub(super) end: usize,
    types: HashMap<String, String>,
    described: HashSet<String>,
    result_type: Option<String>,
    has_result: bool,
}

const PARAMETER: &[&str] = &[
    "param",
    "parameter",
    "arg",
    "argument",
    "key",
    "keyword",
    "kwarg",
    "var",
    "ivar",
    "cvar",
    "attr",
];
const TYPE: &[&str] = &["type", "paramtype", "kwtype", "vartype"];
const RESULT: &[&str] = &["return", "returns"];
const RAISES: &[&str] = &["raise", "raises", "except", "exception"];

/// The name and the text of a field.
pub(super) fn split(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix(':')?;
    let end = rest.find(": ").or_else(|| rest.strip_suffix(':').map(str::len))?;
    let (name, text) = (&rest[..end], rest[end + 1..].trim());
    let is_name = !name.is_empty()
        && name.len() <= 120
        && !name.starts_with([' ', ':', '`'])
        && !name.contains('`');
    is_name.then_some((name, text))
}

impl Fields {
    /// Reads on to the end of the list that begins at line `from`.
    pub(super) fn read<'a>(
        lines: impl Iterator<Item = (usize, &'a str)>,
        indent: usize,
        from: usize,
    ) -> Self {
        let mut fields = Self { end: from, ..Self::default() };
        let mut open: Option<String> = None;
        for (line_indent, content) in lines {
            let field = if line_indent == indent { split(content) } else { None };
            if !content.is_empty() && line_indent <= indent && field.is_none() {
                break;
            }
            fields.end += 1;
            match field {
                Some((name, text)) => open = fields.note(name, text),
                None if content.is_empty() => open = None,
                // A long type goes on in the next line.
                None => {
                    if let Some(kind) = open.as_ref().and_then(|name| fields.types.get_mut(name)) {
                        kind.push(' ');
                        kind.push_str(content);
                    }
                }
            }
        }
        fields
    }

    fn note(&mut self, name: &str, text: &str) -> Option<String> {
        let (word, rest) = name.split_once(' ').unwrap_or((name, ""));
        let subject = rest.trim().to_owned();
        if TYPE.contains(&word) {
            self.types.insert(subject.clone(), text.to_owned());
            return Some(subject);
        }
        if PARAMETER.contains(&word) {
            self.described.insert(subject.rsplit(' ').next().unwrap_or_default().to_owned());
        } else if word == "rtype" {
            self.result_type = Some(text.to_owned());
        }
        self.has_result |= RESULT.contains(&word);
        None
    }

    /// What an item for the field begins with; `None` if another item says it.
    pub(super) fn label(&self, name: &str) -> Option<String> {
        let (word, rest) = name.split_once(' ').unwrap_or((name, ""));
        let rest = rest.trim();
        if PARAMETER.contains(&word) && !rest.is_empty() {
            let (kind, subject) = rest.rsplit_once(' ').unwrap_or(("", rest));
            let kind = self.types.get(subject).map_or(kind, String::as_str);
            return Some(format!("`{}`{}: ", plain(subject), parenthesized(kind)));
        }
        if TYPE.contains(&word) {
            return (!self.described.contains(rest)).then(|| format!("`{}`: ", plain(rest)));
        }
        if RESULT.contains(&word) {
            let kind = self.result_type.as_deref().unwrap_or_default();
            return Some(format!("Returns{}: ", parenthesized(kind)));
        }
        if RAISES.contains(&word) && !rest.is_empty() {
            return Some(format!("Raises `{}`: ", plain(rest)));
        }
        match word {
            "rtype" => (!self.has_result).then(|| "Returns: ".to_owned()),
            "meta" => None,
            _ => Some(format!("**{name}:** ")),
        }
    }
}

fn plain(name: &str) -> String {
    name.trim_start_matches(['~', '\\']).replace(['`', '\\'], "")
}

/// A type in parentheses, without the marks around it.
fn parenthesized(kind: &str) -> String {
    if kind.is_empty() {
        return String::new();
    }
    let kind = super::inline::to_markdown(kind, &super::Names::default()).replace('`', "");
    format!(" ({kind})")
}
