//! `/** … */` comments as Markdown, and what their tags say.
//!
//! Feeds [`super::declare`] with documentation, deprecation and visibility, and, for JavaScript, with
//! the types of parameters.

use std::borrow::Cow;

/// What one comment says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Doc {
    pub(super) text: String,
    pub(super) deprecated: Option<String>,
    /// Not for users: `@internal` and the like.
    pub(super) hidden: bool,
    /// For the type's own use, as a member; what is exported is there to be imported all the same.
    pub(super) private: bool,
    /// About the file, not about what follows.
    pub(super) of_file: bool,
    pub(super) parameters: Vec<Parameter>,
    pub(super) returns: Option<String>,
    /// The type of `@type`.
    pub(super) value_type: Option<String>,
    /// `@typedef` or `@callback`: its type and its name.
    pub(super) typedef: Option<(String, String)>,
    pub(super) properties: Vec<Parameter>,
}

/// `@param {type} name`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) optional: bool,
    /// As written in `[name=default]`; empty without.
    default: String,
}

impl Parameter {
    /// The line of a list that explains it; none if there is nothing to explain.
    fn line(&self, about: &str) -> Option<String> {
        let default = if self.default.is_empty() { "" } else { "=" };
        let name = format!("- `{}{default}{}`", self.name, self.default);
        match (about, self.default.as_str()) {
            ("", "") => None,
            ("", _) => Some(name),
            _ => Some(format!("{name} — {about}")),
        }
    }
}

/// The sections that tags make, in the order they are written.
#[derive(Default)]
struct Sections {
    remarks: Vec<String>,
    parameters: Vec<String>,
    properties: Vec<String>,
    types: Vec<String>,
    returns: Vec<String>,
    throws: Vec<String>,
    facts: Vec<String>,
    see: Vec<String>,
    examples: Vec<String>,
}

/// Tags that say that a comment is about its file.
const OF_FILE: [&str; 6] =
    ["packageDocumentation", "module", "fileoverview", "file", "overview", "license"];

/// Whether a comment has a word that could make it one about its file.
pub(super) fn may_be_of_file(comment: &str) -> bool {
    comment.split('@').skip(1).any(|rest| OF_FILE.iter().any(|tag| rest.starts_with(tag)))
}

/// Reads a comment, with its delimiters or without.
pub(super) fn parse(comment: &str) -> Doc {
    let text = undecorated(comment);
    let (description, tags) = split(&text);
    let description = links(description.trim()).trim().to_owned();
    let mut doc = Doc::default();
    if tags.is_empty() {
        doc.text = description;
        return doc;
    }
    let mut sections = Sections::default();
    for (tag, text) in tags {
        read_tag(&mut doc, &mut sections, tag, text.trim_end());
    }
    let mut parts = vec![description];
    parts.append(&mut sections.remarks);
    let list = |title: &str, lines: Vec<String>| {
        if lines.is_empty() { String::new() } else { format!("{title}:\n{}", lines.join("\n")) }
    };
    parts.push(list("Type parameters", sections.types));
    parts.push(list("Parameters", sections.parameters));
    parts.push(list("Properties", sections.properties));
    parts.append(&mut sections.returns);
    parts.append(&mut sections.throws);
    parts.append(&mut sections.facts);
    parts.append(&mut sections.see);
    parts.append(&mut sections.examples);
    parts.retain(|part| !part.is_empty());
    doc.text = parts.join("\n\n");
    doc
}

/// The text without `/**`, `*/` and the stars that lead its lines.
fn undecorated(comment: &str) -> String {
    let inner = comment.strip_prefix("/**").unwrap_or(comment);
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    for line in inner.lines() {
        let trimmed = line.trim();
        let text = match trimmed.strip_prefix('*') {
            Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
            None => trimmed,
        };
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(text);
    }
    out.truncate(out.trim_end_matches('\n').len());
    out
}

/// The description, and the tags with their text. An `@` inside a code block is no tag.
fn split(text: &str) -> (&str, Vec<(&str, &str)>) {
    let mut description = text;
    let mut tags: Vec<(&str, &str)> = Vec::new();
    let mut fenced = false;
    // Where the line begins, and the text of the last tag.
    let (mut next, mut start) = (0, 0);
    for line in text.split('\n') {
        let begin = next;
        next += line.len() + 1;
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let tag = if fenced { None } else { tag_at(line.trim_start()) };
        if let Some((tag, rest)) = tag {
            // The fence may open on the line of the tag.
            if rest.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            let before = text[start..begin].trim_matches('\n');
            *tags.last_mut().map_or(&mut description, |(_, text)| text) = before;
            start = begin + line.len() - rest.len();
            tags.push((tag, &text[start..]));
        }
    }
    if let Some((_, text)) = tags.last_mut() {
        *text = text.trim_start_matches('\n');
    }
    (description, tags)
}

fn tag_at(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('@')?;
    let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let after = &rest[end..];
    let is_tag = end > 0 && after.chars().next().is_none_or(|next| " \t{:".contains(next));
    is_tag.then(|| (&rest[..end], after.trim_start_matches([' ', '\t', ':'])))
}

fn read_tag(doc: &mut Doc, sections: &mut Sections, tag: &str, text: &str) {
    let labelled = |label: &str| {
        let text = links(text.trim());
        if text.is_empty() { String::new() } else { format!("{label}: {text}") }
    };
    match tag {
        "internal" | "hidden" | "ignore" => doc.hidden = true,
        "private" => doc.private = true,
        tag if OF_FILE.contains(&tag) => {
            doc.of_file = true;
            let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
            sections.remarks.push(links(rest.trim()).into());
        }
        "access" if text.trim() == "private" => doc.private = true,
        "deprecated" => doc.deprecated = Some(links(&one_line(text)).into()),
        "description" | "desc" | "summary" | "remarks" | "note" | "classdesc" => {
            sections.remarks.push(links(text.trim()).into());
        }
        "param" | "arg" | "argument" => {
            let (parameter, about) = parameter(text);
            if !parameter.name.is_empty() {
                sections.parameters.extend(parameter.line(&about));
            }
            doc.parameters.push(parameter);
        }
        "template" | "typeParam" | "typeparam" => {
            let (parameter, about) = parameter(text);
            sections.types.extend(parameter.line(&about));
        }
        "property" | "prop" => {
            let (parameter, about) = parameter(text);
            sections.properties.extend(parameter.line(&about));
            doc.properties.push(parameter);
        }
        "returns" | "return" => {
            let (kind, about) = braces(text);
            doc.returns = kind.map(str::to_owned);
            let about = links(about.trim().trim_start_matches("- "));
            if !about.is_empty() {
                sections.returns.push(format!("Returns: {about}"));
            }
        }
        "throws" | "throw" | "exception" => {
            let (kind, about) = braces(text);
            let kind = kind.map_or(String::new(), |kind| format!("`{kind}` "));
            let about = format!("{kind}{}", links(about.trim()));
            sections.throws.push(format!("Throws: {}", about.trim()));
        }
        "type" => doc.value_type = braces(text).0.map(str::to_owned),
        "typedef" | "callback" => {
            let (kind, rest) = braces(text);
            let name = rest.split_whitespace().next().unwrap_or_default();
            let default = if tag == "callback" { "Function" } else { "Object" };
            doc.typedef = Some((kind.unwrap_or(default).to_owned(), name.to_owned()));
        }
        "default" | "defaultValue" | "defaultvalue" => {
            let value = text.trim().trim_matches('`');
            if !value.is_empty() && !value.contains('\n') {
                sections.facts.push(format!("Default: `{value}`"));
            } else if !value.is_empty() {
                sections.facts.push(format!("Default:\n{}", text.trim()));
            }
        }
        "since" => sections.facts.push(labelled("Since")),
        "see" | "link" | "external" => sections.see.push(labelled("See")),
        "example" => sections.examples.push(example(text)),
        "experimental" | "alpha" | "beta" => sections.facts.push(format!("Stability: {tag}")),
        _ => {}
    }
}

/// `{type} rest`; braces nest.
fn braces(text: &str) -> (Option<&str>, &str) {
    let text = text.trim_start();
    if !text.starts_with('{') || text.starts_with("{@") {
        return (None, text);
    }
    let mut open = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' => {
                open -= 1;
                if open == 0 {
                    return (Some(text[1..at].trim()), &text[at + 1..]);
                }
            }
            _ => {}
        }
    }
    (None, text)
}

fn parameter(text: &str) -> (Parameter, String) {
    let (kind, rest) = braces(text);
    let rest = rest.trim_start();
    if rest.starts_with('{') {
        return (Parameter::default(), String::new());
    }
    let (name, default, about, optional) = match rest.strip_prefix('[') {
        Some(inner) => {
            let (name, about) = bracketed_name(inner);
            let (name, default) = name.split_once('=').unwrap_or((name, ""));
            (name.trim(), default.trim(), about, true)
        }
        None => {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            (&rest[..end], "", &rest[end..], false)
        }
    };
    let kind = kind.unwrap_or_default();
    let optional = optional || kind.ends_with('=');
    let kind = kind.trim_end_matches('=').to_owned();
    let about = about.trim().trim_start_matches(['-', '—', ':']).trim();
    let (name, default) = (name.to_owned(), default.to_owned());
    (Parameter { name, kind, optional, default }, links(about).into())
}

/// What stands inside of `[name=default]`, whose default may have brackets too, and what follows.
fn bracketed_name(inner: &str) -> (&str, &str) {
    let mut open = 1usize;
    for (at, c) in inner.char_indices() {
        match c {
            '[' => open += 1,
            ']' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return (&inner[..at], &inner[at + 1..]);
        }
    }
    inner.split_once(']').unwrap_or((inner, ""))
}

/// Example code in a block of its own, unless it brings one.
fn example(text: &str) -> String {
    let text = text.trim_matches('\n').trim_end();
    if text.trim().is_empty() {
        return String::new();
    }
    let (caption, code) = match text.trim_start().strip_prefix("<caption>") {
        Some(rest) => rest.split_once("</caption>").unwrap_or(("", rest)),
        None => ("", text),
    };
    let title =
        if caption.is_empty() { "Example:".to_owned() } else { format!("Example: {caption}") };
    let code = code.trim_matches('\n').trim_end();
    if code.contains("```") {
        return format!("{title}\n{}", links(code.trim_start()));
    }
    format!("{title}\n```ts\n{}\n```", code.trim_start())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `{@link x}` and its relatives as Markdown.
fn links(text: &str) -> Cow<'_, str> {
    if !text.contains("{@") {
        return text.into();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("{@") {
        let Some(length) = rest[at..].find('}') else { break };
        out.push_str(&rest[..at]);
        let inner = &rest[at + 2..at + length];
        rest = &rest[at + length + 1..];
        let (tag, target) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        let target = target.trim();
        let (to, label) = match target.split_once('|') {
            Some((to, label)) => (to.trim(), label.trim()),
            None => target.split_once(char::is_whitespace).unwrap_or((target, "")),
        };
        let label = label.trim();
        if tag.eq_ignore_ascii_case("inheritdoc") || target.is_empty() {
            continue;
        }
        let written = match (to.contains("://"), label) {
            (true, "") => format!("<{to}>"),
            (true, label) => format!("[{label}]({to})"),
            (false, "") => format!("`{to}`"),
            (false, label) => label.to_owned(),
        };
        out.push_str(&written);
    }
    out.push_str(rest);
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(comment: &str, expected: &str) {
        assert_eq!(parse(comment).text, expected);
    }

    #[test]
    fn descriptions_and_tags() {
        check("/** One line. */", "One line.");
        check(
            "/**\n * A\n *\n * B {@link Foo} {@link Foo|the foo} {@link https://a.example x}\n */",
            "A\n\nB `Foo` the foo [x](https://a.example)",
        );
        check(
            "/** @param {string} [a=1] - first\n * @param b second\n * @returns {number} sum */",
            "Parameters:\n- `a=1` — first\n- `b` — second\n\nReturns: sum",
        );
        check(
            "/**\n * @example\n * f(1)\n * @example\n * ```js\n * @decorator\n * ```\n */",
            "Example:\n```ts\nf(1)\n```\n\nExample:\n```js\n@decorator\n```",
        );
        check("/** @default `5` */", "Default: `5`");
        check(
            "/** mail a@b.example\n @throws {TypeError} if bad */",
            "mail a@b.example\n\nThrows: `TypeError` if bad",
        );
        check("/***/", "");
        check("/** {@link } {@link", "{@link");
        check("/** @param {{a: 1} x */", "");
    }

    #[test]
    fn deprecation_and_visibility() {
        assert_eq!(parse("/** @deprecated use\n * b */").deprecated.as_deref(), Some("use b"));
        assert_eq!(parse("/** @deprecated */").deprecated.as_deref(), Some(""));
        assert!(parse("/** @internal */").hidden);
        assert!(parse("/** @packageDocumentation */").of_file);
        assert!(!parse("/** `@internal` */").hidden);
    }
}
