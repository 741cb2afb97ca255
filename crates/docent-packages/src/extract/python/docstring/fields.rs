//! Docstrings with field lists such as `:param name: text`.

use super::indentation;
use super::section::{dedent, entry, heading, prose};

/// The fields of one docstring, by what they are about.
#[derive(Default)]
struct Fields {
    parameters: Vec<(String, String, String)>,
    returns: String,
    return_type: String,
    raises: Vec<(String, String)>,
}

/// The words and the text of a field.
fn field(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix(':')?;
    let end = rest.find(": ").or_else(|| rest.strip_suffix(':').map(str::len))?;
    let words = &rest[..end];
    let known = matches!(
        words.split(' ').next().unwrap_or_default(),
        "param"
            | "parameter"
            | "arg"
            | "argument"
            | "key"
            | "keyword"
            | "type"
            | "return"
            | "returns"
            | "rtype"
            | "raise"
            | "raises"
            | "except"
            | "exception"
            | "yield"
            | "yields"
            | "ivar"
            | "cvar"
            | "var"
            | "vartype"
    );
    known.then(|| (words, rest[end + 1..].trim()))
}

pub(super) fn applies(lines: &[&str]) -> bool {
    lines.iter().any(|line| field(line).is_some())
}

pub(super) fn to_markdown(lines: &[&str]) -> String {
    let mut fields = Fields::default();
    let mut text: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some((words, first)) = field(lines[at]) else {
            text.push(lines[at]);
            at += 1;
            continue;
        };
        let below = &lines[at + 1..];
        let indented = |line: &&&str| !line.is_empty() && indentation(line) > 0;
        let mut length = below.iter().take_while(indented).count();
        // A paragraph that is indented belongs to the field too.
        while below.get(length).is_some_and(|line| line.is_empty())
            && below.get(length + 1).is_some_and(|line| indentation(line) > 0)
        {
            length += 1;
            length += below[length..].iter().take_while(indented).count();
        }
        let more = dedent(&below[..length]);
        let all: Vec<&str> = std::iter::once(first).chain(more).collect();
        fields.add(words, prose(&all).trim());
        at += 1 + length;
    }
    let mut out = prose(&text);
    fields.write(&mut out);
    out
}

impl Fields {
    fn add(&mut self, words: &str, text: &str) {
        let mut words = words.split_whitespace();
        let kind = words.next().unwrap_or_default();
        let rest: Vec<&str> = words.collect();
        let name = rest.last().copied().unwrap_or_default();
        match kind {
            "type" | "vartype" => {
                if let Some(known) = self.parameters.iter_mut().find(|known| known.0 == name) {
                    text.clone_into(&mut known.1);
                } else {
                    self.parameters.push((name.to_owned(), text.to_owned(), String::new()));
                }
            }
            "return" | "returns" | "yield" | "yields" => text.clone_into(&mut self.returns),
            "rtype" => text.clone_into(&mut self.return_type),
            "raise" | "raises" | "except" | "exception" => {
                self.raises.push((rest.join(" "), text.to_owned()));
            }
            _ => {
                let of = rest[..rest.len().saturating_sub(1)].join(" ");
                if let Some(known) = self.parameters.iter_mut().find(|known| known.0 == name) {
                    text.clone_into(&mut known.2);
                } else {
                    self.parameters.push((name.to_owned(), of, text.to_owned()));
                }
            }
        }
    }

    fn write(&self, out: &mut String) {
        let mut section = |name: &str, entries: String| {
            if !entries.is_empty() {
                out.truncate(out.trim_end().len());
                out.push('\n');
                out.push_str(&heading(name));
                out.push_str(entries.trim_start());
                out.push('\n');
            }
        };
        let parameters = self.parameters.iter();
        section("Parameters", parameters.map(|(name, of, text)| entry(name, of, text)).collect());
        if !self.returns.is_empty() || !self.return_type.is_empty() {
            section("Returns", entry("", &self.return_type, &self.returns));
        }
        section("Raises", self.raises.iter().map(|(name, text)| entry(name, "", text)).collect());
    }
}
