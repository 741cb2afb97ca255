//! The table as people read it, in `docs/tables/host-dialects.md`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Base, Dialect, Field, Place, ROWS, Syntax};
use crate::config::entry::Scope;
use crate::config::machine::Platform;
use crate::config::read::{Format, Leniency};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tables/host-dialects.md");

const ABOUT: &str = "\
# Clients and their files

What [the configuration of servers](../host-config.md) knows about each client, written from the
table in the code: a test fails when they differ. Rows that stand higher win within one scope. A
project's files are looked for from the working folder up to the root of the repository.
";

fn place(place: &Place) -> String {
    let path = place.path;
    let text = match place.base {
        Base::Project => path.to_owned(),
        Base::Home => format!("~/{path}"),
        Base::Variable(name, "") => format!("${name}/{path} or ~/{path}"),
        Base::Variable(name, folder) => format!("${name}/{path} or ~/{folder}/{path}"),
        Base::File(name) => format!("${name}"),
        Base::ApplicationData => format!("DATA/{path}"),
        Base::DotConfig => format!("~/.config/{path}"),
        Base::Own => format!("$DOCENT_CONFIG or ~/.config/docent/{path}"),
        Base::Root => format!("/{path}"),
    };
    let only = match place.only {
        Some(Platform::Linux) => " (Linux)",
        Some(Platform::Mac) => " (macOS)",
        Some(Platform::Windows) => " (Windows)",
        None => "",
    };
    format!("`{text}`{only}")
}

fn places(row: &Dialect, scope: Scope) -> String {
    let places: Vec<String> =
        row.places.iter().filter(|place| place.scope == scope).map(place).collect();
    places.join(", ")
}

fn format(row: &Dialect) -> &'static str {
    match row.format {
        Format::Json(Leniency::STRICT) => "JSON",
        Format::Json(Leniency::COMMENTS) => "JSON with comments",
        Format::Json(_) => "JSON with comments and trailing commas",
        Format::Toml => "TOML",
        Format::Yaml => "YAML",
    }
}

fn references(syntax: Syntax) -> String {
    let forms = [
        (syntax.braces, "`${VAR}`"),
        (syntax.braces && syntax.default, "`${VAR:-default}`"),
        (syntax.env, "`${env:VAR}`"),
        (syntax.env && syntax.default, "`${env:VAR:-default}`"),
        (syntax.dollar, "`$VAR`"),
        (syntax.percent, "`%VAR%` on Windows"),
        (syntax.curly, "`{env:VAR}`, `{file:path}`"),
        (syntax.input, "`${input:id}`"),
        (syntax.folders, "`${workspaceFolder}` and its like"),
        (syntax.escape, "`$${` for a plain `${`"),
    ];
    let forms: Vec<&str> = forms.iter().filter(|(has, _)| *has).map(|(_, form)| *form).collect();
    if forms.is_empty() { "nothing".to_owned() } else { forms.join(", ") }
}

/// The fields that mean something, by what the client calls them.
fn fields(row: &Dialect) -> String {
    let known = row.fields.iter().flat_map(|group| group.iter());
    let meant = known.filter(|(_, field)| {
        !matches!(field, Field::Ignored | Field::Undone(_) | Field::Refused(_))
    });
    let names: Vec<String> = meant.map(|(name, _)| format!("`{name}`")).collect();
    names.join(", ")
}

fn rendered() -> String {
    let mut text = ABOUT.to_owned();
    text.push_str("\n| client | name here | files of a project | files of the user | servers are under | format |\n|---|---|---|---|---|---|\n");
    for row in ROWS {
        let root = row.roots.iter().map(|root| format!("`{}`", root.join(".")));
        let root: Vec<String> = root.collect();
        let _ = writeln!(
            text,
            "| {} | `{}` | {} | {} | {} | {} |",
            row.name,
            row.id,
            places(row, Scope::Project),
            places(row, Scope::User),
            root.join(" or "),
            format(row)
        );
    }
    text.push_str("\n`DATA` is `~/.config` on Linux, `~/Library/Application Support` on macOS and `%APPDATA%` on\nWindows. An administrator's file of Claude Code is ");
    text.push_str(&places(Dialect::of(crate::config::Client::ClaudeCode), Scope::Managed));
    text.push_str(".\n\n| client | expands | fields that count |\n|---|---|---|\n");
    for row in ROWS {
        let _ = writeln!(text, "| {} | {} | {} |", row.name, references(row.syntax), fields(row));
    }
    text
}

#[test]
fn the_documented_table_is_this_one() {
    let rendered = rendered();
    if std::env::var_os("DOCENT_BLESS").is_some() {
        std::fs::write(FILE, &rendered).expect("the table can be written");
    }
    let documented = std::fs::read_to_string(FILE).expect("the table is documented");
    assert!(
        documented == rendered,
        "docs/tables/host-dialects.md differs; run with DOCENT_BLESS=1"
    );
}

#[test]
fn every_client_has_one_row() {
    let clients: BTreeSet<_> = ROWS.iter().map(|row| row.client).collect();
    let ids: BTreeSet<_> = ROWS.iter().map(|row| row.id).collect();
    assert_eq!((clients.len(), ids.len()), (ROWS.len(), ROWS.len()));
    assert_eq!(ROWS.len(), 14, "a client without a row is taken for Docent");
    for row in ROWS {
        assert_eq!(Dialect::named(row.id).map(|found| found.client), Some(row.client));
        assert!(std::ptr::eq(Dialect::of(row.client), row) || Dialect::of(row.client).id == row.id);
    }
}
