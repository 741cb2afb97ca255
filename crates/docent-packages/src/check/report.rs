//! The outcome of a check as text, for a terminal or a model.

use std::fmt::Write as _;

use super::found::{Checked, Finding, Suggestion};
use crate::render::{budget, quote};

impl Checked {
    /// The outcome for a model, at most that many tokens long. What packages declare stands inside a
    /// block that is labeled as a quotation.
    #[must_use]
    pub fn quoted(&self, max_tokens: usize) -> String {
        let (open, close) =
            quote::block(self.packages.iter().map(|package| package.package.as_str()));
        let fixed = budget::tokens(&open) + budget::tokens(&close) + 2;
        let body = quote::clean(&self.text());
        let body = budget::clip(&body, max_tokens.saturating_sub(fixed));
        budget::clip(&format!("{open}\n{}\n{close}", body.trim_end()), max_tokens)
    }

    /// Findings first, one block each, then what could not be judged.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            text.push_str(&finding.text());
            text.push('\n');
        }
        text + &self.summary()
    }

    /// How many findings there are, what could not be judged and why, and what the code was checked
    /// against.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut text = String::new();
        let against: Vec<&str> =
            self.packages.iter().map(|package| package.package.as_str()).collect();
        let outcome = match self.findings.len() {
            0 => "nothing found".to_owned(),
            1 => "1 finding".to_owned(),
            many => format!("{many} findings"),
        };
        let unknown: usize = self.unknown.iter().map(|unknown| unknown.count).sum();
        let confirmed = match self.confirmed {
            1 => "1 use is there".to_owned(),
            many => format!("{many} uses are there"),
        };
        let _ = writeln!(text, "{outcome}; {confirmed}, {unknown} could not be judged");
        for unknown in &self.unknown {
            let shown: Vec<String> = unknown
                .examples
                .iter()
                .map(|one| format!("{} at {}:{}", one.name, one.position.line, one.position.column))
                .collect();
            let more = if unknown.count > shown.len() { ", …" } else { "" };
            let reason = unknown.reason.words();
            let _ = writeln!(text, "  {:>4} {reason}: {}{more}", unknown.count, shown.join(", "));
        }
        if !against.is_empty() {
            let _ = writeln!(text, "checked against {}", against.join(", "));
        }
        text
    }
}

impl Finding {
    /// The place, what is wrong, and what may have been meant.
    #[must_use]
    pub fn text(&self) -> String {
        let place = &self.position;
        let mut text =
            format!("{}:{}:{}: {}\n", place.file, place.line, place.column, self.message);
        for suggestion in &self.suggestions {
            let signature = match &suggestion.signature {
                Some(signature) => format!("  {signature}"),
                None => String::new(),
            };
            let _ = writeln!(text, "    {}{signature}", suggestion.question());
        }
        text
    }
}

impl Suggestion {
    /// Whether this was meant.
    #[must_use]
    pub fn question(&self) -> String {
        let from = match &self.module {
            Some(module) => format!(" (in `{module}`)"),
            None => String::new(),
        };
        format!("did you mean `{}`{from}?", self.name)
    }
}
