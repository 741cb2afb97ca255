//! What the terminal can do, from flags, variables and the terminal itself.

use std::io::IsTerminal as _;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// When to use color.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` or `CLICOLOR=0` is set
    #[default]
    Auto,
    /// Also where output goes elsewhere
    Always,
    /// Nowhere
    Never,
}

impl Color {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

/// How output is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Terminal {
    /// Whether a person looks at it: answers are laid out, not left as Markdown.
    pub(crate) layout: bool,
    pub(crate) color: bool,
    /// Whether links can be clicked.
    pub(crate) links: bool,
    pub(crate) columns: usize,
}

/// Wider than this, lines of prose are hard to read.
const MEASURE: usize = 100;
const COLUMNS_MIN: usize = 40;
const COLUMNS_MAX: usize = 400;
const COLUMNS_ELSEWHERE: usize = 10_000;

impl Terminal {
    /// Standard output as it is.
    pub(crate) fn of_stdout(color: Color) -> Self {
        let size = terminal_size::terminal_size_of(std::io::stdout());
        let columns = size.map(|(width, _)| usize::from(width.0));
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self::detect(color, std::io::stdout().is_terminal(), columns, variable)
    }

    /// Standard error, for messages beside the answer.
    pub(crate) fn of_stderr(color: Color) -> Self {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let size = terminal_size::terminal_size_of(std::io::stderr());
        let columns = size.map(|(width, _)| usize::from(width.0));
        Self::detect(color, std::io::stderr().is_terminal(), columns, variable)
    }

    fn detect(
        color: Color,
        is_terminal: bool,
        columns: Option<usize>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let forced = variable("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let refused = variable("NO_COLOR").is_some()
            || variable("CLICOLOR").is_some_and(|value| value == "0")
            || variable("TERM").is_some_and(|value| value == "dumb");
        let color = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => (is_terminal || forced) && !refused,
        };
        let set = variable("COLUMNS").and_then(|columns| columns.parse().ok());
        let layout = is_terminal || color;
        // What is set counts for more: it is how tests and scripts choose.
        let columns = set.or(columns).unwrap_or(80).clamp(COLUMNS_MIN, COLUMNS_MAX);
        Self {
            layout,
            color,
            links: color && has_links(&variable),
            // Other programs want one thing on one line.
            columns: if layout { columns } else { COLUMNS_ELSEWHERE },
        }
    }

    /// The width of prose.
    pub(crate) fn measure(&self) -> usize {
        self.columns.min(MEASURE)
    }
}

/// Whether the terminal is one that is known to show links; others may print them as junk.
fn has_links(variable: &impl Fn(&str) -> Option<String>) -> bool {
    if let Some(forced) = variable("FORCE_HYPERLINK") {
        return forced != "0";
    }
    const PROGRAMS: [&str; 8] =
        ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "zed"];
    const TERMS: [&str; 4] = ["kitty", "alacritty", "ghostty", "foot"];
    let term = variable("TERM").unwrap_or_default();
    // Inside a multiplexer the variables of the terminal around it say nothing.
    if term.starts_with("screen") || term.starts_with("tmux") {
        return false;
    }
    let program = variable("TERM_PROGRAM").unwrap_or_default();
    let vte = variable("VTE_VERSION").and_then(|version| version.parse::<u32>().ok());
    PROGRAMS.contains(&program.as_str())
        || TERMS.iter().any(|known| term.contains(known))
        || vte.is_some_and(|version| version >= 5000)
        || ["KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION"]
            .iter()
            .any(|name| variable(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(color: Color, is_terminal: bool, variables: &[(&str, &str)]) -> Terminal {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Terminal::detect(color, is_terminal, None, variable)
    }

    #[test]
    fn color_only_where_it_is_wanted() {
        let check = |color, is_terminal, variables: &[(&str, &str)], expected: (bool, bool)| {
            let found = detect(color, is_terminal, variables);
            assert_eq!((found.layout, found.color), expected, "{color:?} {variables:?}");
        };
        check(Color::Auto, true, &[], (true, true));
        check(Color::Auto, false, &[], (false, false));
        check(Color::Auto, true, &[("NO_COLOR", "1")], (true, false));
        check(Color::Auto, true, &[("CLICOLOR", "0")], (true, false));
        check(Color::Auto, true, &[("TERM", "dumb")], (true, false));
        check(Color::Auto, false, &[("CLICOLOR_FORCE", "1")], (true, true));
        check(Color::Auto, false, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], (false, false));
        check(Color::Always, false, &[("NO_COLOR", "1")], (true, true));
        check(Color::Never, true, &[], (true, false));
    }

    #[test]
    fn width_and_links() {
        assert_eq!(detect(Color::Auto, true, &[]).columns, 80);
        assert_eq!(detect(Color::Auto, true, &[("COLUMNS", "160")]).columns, 160);
        assert_eq!(detect(Color::Auto, true, &[("COLUMNS", "3")]).columns, 40);
        let links = |variables: &[(&str, &str)]| detect(Color::Auto, true, variables).links;
        assert!(!links(&[("TERM", "xterm-256color")]));
        assert!(links(&[("VTE_VERSION", "7600")]));
        assert!(!links(&[("VTE_VERSION", "7600"), ("TERM", "tmux-256color")]));
        assert!(links(&[("TERM", "tmux-256color"), ("FORCE_HYPERLINK", "1")]));
        assert!(!links(&[("WT_SESSION", "x"), ("NO_COLOR", "1")]));
    }
}
