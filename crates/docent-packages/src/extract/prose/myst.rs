//! Markdown with the directives and roles of reStructuredText, as Markdown.
//!
//! A fence such as ```` ```{note} ```` is a directive and `` {func}`x` `` is a role; what becomes of
//! them is what [`super::rest`] says. The result goes to [`super::markdown`].

use super::lined::Lined;
use super::rest::{self, Treatment};

/// The page without directives and roles.
pub(super) fn to_markdown(page: Lined) -> Lined {
    let has_any = |line: &str| line.contains("```{") || line.contains("}`") || line.ends_with(")=");
    if !page.lines().any(|(line, _)| has_any(line)) {
        return page;
    }
    let mut out = Lined::default();
    let mut fence: Option<Fence<'_>> = None;
    for (line, number) in page.lines() {
        let trimmed = line.trim_start();
        let marks = trimmed.len() - trimmed.trim_start_matches('`').len();
        if let Some(open) = &mut fence {
            if marks >= open.marks && trimmed[marks..].trim().is_empty() {
                open.close(&mut out, line, number);
                fence = None;
            } else {
                open.line(&mut out, line, number);
            }
        } else if marks >= 3 {
            let mut opened = Fence::new(marks, trimmed[marks..].trim());
            opened.open(&mut out, line, number);
            fence = Some(opened);
        } else if !(trimmed.starts_with('(') && trimmed.trim_end().ends_with(")=")) {
            out.push(&roles(line), number);
        }
    }
    if let Some(mut open) = fence {
        open.close(&mut out, "", 0);
    }
    out
}

/// An open fence.
struct Fence<'a> {
    marks: usize,
    treatment: Option<Treatment>,
    argument: &'a str,
    /// Options come first, and are of no interest.
    in_options: bool,
    /// Text that is to be converted when it is all there.
    rest: Option<Lined>,
}

impl<'a> Fence<'a> {
    fn new(marks: usize, info: &'a str) -> Self {
        let directive = info.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:".contains(&byte))
        };
        let (name, argument) = directive.filter(|(name, _)| is_name(name)).unwrap_or_default();
        let is_rest = name == "eval-rst";
        // A language in braces is no directive that anybody knows.
        let treatment = (!name.is_empty()).then(|| rest::treatment(name));
        let treatment = treatment.filter(|found| is_rest || *found != Treatment::Unknown);
        let rest = is_rest.then(Lined::default);
        Self { marks, treatment, argument: argument.trim(), in_options: true, rest }
    }

    fn open(&mut self, out: &mut Lined, line: &str, number: u32) {
        let label = match self.treatment {
            None => return out.push(line, number),
            Some(Treatment::Code) => {
                return out.push(&format!("{}{}", "`".repeat(self.marks), self.argument), number);
            }
            Some(Treatment::CodeIn(language)) => {
                return out.push(&format!("{}{language}", "`".repeat(self.marks)), number);
            }
            Some(Treatment::Note(word)) => format!("**{word}:** {}", self.argument),
            Some(Treatment::Version(word)) => format!("**{word} {}**", self.argument),
            Some(Treatment::TitledNote | Treatment::Titled) if !self.argument.is_empty() => {
                format!("**{}**", self.argument)
            }
            Some(Treatment::Declaration) => format!("**`{}`**", self.argument.replace('`', "")),
            _ => String::new(),
        };
        out.gap(number);
        if !label.is_empty() {
            out.push(label.trim_end(), number);
        }
    }

    fn line(&mut self, out: &mut Lined, line: &str, number: u32) {
        if let Some(rest) = &mut self.rest {
            rest.push(line, number);
            return;
        }
        if self.treatment.is_some() && self.in_options && line.trim_start().starts_with(':') {
            return;
        }
        self.in_options = false;
        match self.treatment {
            Some(Treatment::Drop | Treatment::Language) => {}
            None | Some(Treatment::Code | Treatment::CodeIn(_)) => out.push(line, number),
            Some(_) => out.push(&roles(line), number),
        }
    }

    fn close(&mut self, out: &mut Lined, line: &str, number: u32) {
        if let Some(text) = self.rest.take() {
            for (line, number) in rest::convert(&text).lines() {
                out.push(line, number);
            }
        }
        match self.treatment {
            None => out.push(line, number),
            Some(Treatment::Code | Treatment::CodeIn(_)) => {
                out.push(&"`".repeat(self.marks), number)
            }
            Some(_) => out.gap(number),
        }
    }
}

/// A line with `` {role}`text` `` replaced.
fn roles(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("}`") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let open = before.rfind('{').map(|open| (open, &before[open + 1..]));
        let is_name = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:".contains(&byte))
        };
        match (open.filter(|(_, name)| is_name(name)), after.find('`')) {
            (Some((open, name)), Some(end)) => {
                out.push_str(&before[..open]);
                rest::push_role(&mut out, name, &after[..end]);
                rest = &after[end + 1..];
            }
            _ => {
                out.push_str(&rest[..at + 2]);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, expected: &str) {
        assert_eq!(to_markdown(Lined::of(page, 1)).text().trim(), expected);
    }

    #[test]
    fn directives_become_what_they_say() {
        check(
            "(label)=\n# T\n\n```{note}\n:class: x\nText with {func}`~a.f`.\n```",
            "# T\n\n**Note:**\nText with `f`.",
        );
        check("```{code-block} python\n:linenos:\nx = 1\n```", "```python\nx = 1\n```");
        check("```{toctree}\n:maxdepth: 2\na\nb\n```\nkept", "kept");
        check("```{eval-rst}\n.. warning:: ``x``\n```", "> **Warning:** `x`");
    }

    #[test]
    fn other_code_is_left_alone() {
        check("```{python}\n{func}`x`\n```", "```{python}\n{func}`x`\n```");
        check("```js\n:a\n```\n{ref}`a <b>` and {x}`", "```js\n:a\n```\na and {x}`");
    }
}
