//! `docent symbols`: the outline of a package's public API.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use docent_packages::{Engine, Item, Kind, Receipt};
use serde::Serialize;

use crate::arguments::{Asked, Common};
use crate::failure::Failure;
use crate::print::{Console, receipt_lines};
use crate::suggest;
use crate::terminal::progress::Waiting;
use crate::terminal::{Look, Span, Terminal, count, line, markdown, plain};

#[derive(Args)]
pub(crate) struct Symbols {
    /// The package, such as `npm:zod@4` or `pypi:requests`; for one of the project its name is enough
    pub(crate) package: Asked,
    /// Only names with this in them; `*` stands for anything
    pub(crate) pattern: Option<String>,
    /// Only these kinds
    #[arg(long, value_delimiter = ',', value_name = "KIND")]
    pub(crate) kind: Vec<KindArgument>,
    /// Members of types too, which a pattern finds anyway
    #[arg(long)]
    pub(crate) members: bool,
    /// Also what is inherited, and what cannot be imported
    #[arg(long)]
    pub(crate) all: bool,
    /// Whole declarations instead of the first line of the documentation
    #[arg(long)]
    pub(crate) signatures: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArgument {
    Module,
    Namespace,
    Class,
    Interface,
    Struct,
    Enum,
    Variant,
    Function,
    Method,
    Property,
    Constant,
    Variable,
    Type,
    Macro,
}

impl KindArgument {
    fn is(self, kind: Kind) -> bool {
        self.to_possible_value().is_some_and(|value| value.get_name() == kind.word())
    }
}

/// One line of the outline.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    module: &'a str,
    path: &'a str,
    kind: &'static str,
    signature: &'a str,
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<&'a str>,
    file: &'a str,
    line: u32,
}

#[derive(Serialize)]
struct Outline<'a> {
    receipt: &'a Receipt,
    symbols: Vec<Row<'a>>,
}

pub(crate) async fn run(
    engine: &Engine,
    symbols: &Symbols,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let target = symbols.common.target(&symbols.package, engine)?;
    let waiting = Waiting::new();
    let loaded = engine.load(&target, &waiting.progress()).await;
    drop(waiting);
    let loaded = loaded.map_err(|error| symbols.common.explain(error, &target, engine))?;
    let items = &loaded.extraction().items;
    let chosen: Vec<&Item> = items.iter().filter(|item| symbols.wants(item, items)).collect();
    if chosen.is_empty() {
        return Err(symbols.nothing(items, &loaded.receipt().package));
    }
    let rows: Vec<Row<'_>> = chosen.into_iter().map(row).collect();
    let text = if console.json {
        String::new()
    } else {
        let terminal = &console.terminal;
        let head = receipt_lines(loaded.receipt(), terminal);
        format!("{head}{}", outline(&rows, symbols.signatures, terminal))
    };
    console.value(&Outline { receipt: loaded.receipt(), symbols: rows }, &text)?;
    Ok(ExitCode::SUCCESS)
}

impl Symbols {
    fn wants(&self, item: &Item, items: &[Item]) -> bool {
        if !self.all && (item.local || item.inherited.is_some()) {
            return false;
        }
        if !self.kind.is_empty() && !self.kind.iter().any(|kind| kind.is(item.kind)) {
            return false;
        }
        match &self.pattern {
            Some(pattern) => {
                // Half of a module's name would mean everything in it.
                let whole = format!("{}.{}", item.module, item.path);
                let whole = pattern.contains(['.', '/']) && matches(pattern, &whole);
                whole || matches(pattern, &item.path)
            }
            // A kind that only members have asks for members.
            None => self.members || !self.kind.is_empty() || is_top(item, items),
        }
    }

    fn nothing(&self, items: &[Item], package: &str) -> Failure {
        let what = self.pattern.as_ref().map_or("symbols of that kind".to_owned(), |pattern| {
            format!("symbols like `{}`", pattern.escape_debug())
        });
        let failure = Failure::absent(format!("there are no {what} in {package}"));
        let Some(pattern) = &self.pattern else { return failure };
        let near = suggest::nearest(pattern, items.iter().map(Item::name));
        match near.is_empty() {
            true => failure.hint(format!("search it: `docent search {package} WORDS`")),
            false => failure.hint(format!("there is {}", near.join(", "))),
        }
    }
}

/// Whether an item belongs to no type.
fn is_top(item: &Item, items: &[Item]) -> bool {
    let mut parent = item.parent;
    while let Some(above) = parent.and_then(|position| items.get(position as usize)) {
        if !matches!(above.kind, Kind::Module | Kind::Namespace) {
            return false;
        }
        parent = above.parent;
    }
    true
}

/// Whether a name has the pattern in it, in any case; with a `*` the whole name has to fit.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    if !pattern.contains('*') {
        return name.contains(&pattern);
    }
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn row(item: &Item) -> Row<'_> {
    Row {
        module: &item.module,
        path: &item.path,
        kind: item.kind.word(),
        signature: &item.signature,
        summary: markdown::first_line(&item.docs),
        deprecated: item.deprecated.as_deref(),
        file: &item.file,
        line: item.line,
    }
}

/// The rows, module by module.
fn outline(rows: &[Row<'_>], signatures: bool, terminal: &Terminal) -> String {
    let mut out = String::new();
    let mut modules: Vec<&str> = Vec::new();
    for row in rows {
        if !modules.contains(&row.module) {
            modules.push(row.module);
        }
    }
    for module in modules {
        let own: Vec<&Row<'_>> = rows.iter().filter(|row| row.module == module).collect();
        let named: Vec<&&Row<'_>> = own.iter().filter(|row| !row.path.is_empty()).collect();
        let total = Span::new(format!("  {}", count(named.len(), "symbol")), Look::Dim);
        out.push('\n');
        out.push_str(&line(&[Span::new(module, Look::Strong), total], terminal));
        let kinds = named.iter().map(|row| row.kind.len()).max().unwrap_or(0);
        let names = named.iter().map(|row| plain(row.path).width()).filter(|width| *width <= 32);
        let names = names.max().unwrap_or(0);
        for row in named {
            out.push_str(&row_line(row, kinds, names, signatures, terminal));
        }
    }
    out
}

fn row_line(
    row: &Row<'_>,
    kinds: usize,
    names: usize,
    signatures: bool,
    terminal: &Terminal,
) -> String {
    let kind = format!("  {:kinds$}  ", row.kind);
    let mut spans = vec![Span::new(kind, Look::Kind), Span::new(row.path, Look::Code)];
    if row.deprecated.is_some() {
        spans.push(Span::new(" (deprecated)", Look::Warn));
    }
    if signatures {
        let indent = " ".repeat(kinds + 4);
        let mut out = line(&spans, terminal);
        for declared in row.signature.lines().filter(|line| !line.trim().is_empty()) {
            out.push_str(&markdown::code_lines(declared.trim_end(), &indent, terminal));
        }
        return out;
    }
    let used: usize = spans.iter().map(Span::width).sum();
    let start = kinds + 4 + names;
    spans.push(plain(" ".repeat(start.saturating_sub(used) + 2)));
    let used = used.max(start) + 2;
    // Elsewhere than on a terminal, whoever reads it may cut it.
    let room = if terminal.layout { terminal.columns.saturating_sub(used) } else { usize::MAX };
    spans.push(Span::new(cut(&row.summary, room), Look::Dim));
    line(&spans, terminal)
}

/// At most that wide, with a mark where something is missing.
fn cut(text: &str, room: usize) -> String {
    if plain(text).width() <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for word in text.split(' ') {
        if plain(&kept).width() + plain(word).width() + 3 > room {
            break;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(word);
    }
    if kept.is_empty() { String::new() } else { format!("{kept} …") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let check = |pattern: &str, name: &str, expected: bool| {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        };
        check("str", "ZodString.email", true);
        check("STR", "ZodString", true);
        check("ZodString.*", "ZodString.email", true);
        check("Zod*", "isZod", false);
        check("*email", "ZodString.email", true);
        check("*a*b", "xaxb", true);
        check("a*a", "a", false);
        check("*", "anything", true);
    }

    #[test]
    fn cuts_at_words() {
        assert_eq!(cut("one two three", 80), "one two three");
        assert_eq!(cut("one two three", 10), "one two …");
        assert_eq!(cut("incomprehensible", 8), "");
    }
}
