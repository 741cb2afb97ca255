//! Answers on standard output, for people, for other programs, or as JSON.

use std::io::Write as _;
use std::process::ExitCode;

use docent_packages::{Answer, Engine, Receipt, Style};
use serde::Serialize;

use crate::exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::progress::Waiting;
use crate::terminal::{Indent, Look, Span, Terminal, line, markdown, plain, wrap};

/// Where answers go, and how.
pub(crate) struct Console {
    pub(crate) settings: Settings,
    pub(crate) terminal: Terminal,
    /// Standard error.
    pub(crate) beside: Terminal,
    pub(crate) json: bool,
}

impl Console {
    pub(crate) fn new(settings: Settings, json: bool) -> Self {
        let color = settings.color.value;
        let terminal = Terminal::of_stdout(color);
        Self { settings, terminal, beside: Terminal::of_stderr(color), json }
    }

    /// How the engine is to answer.
    pub(crate) fn style(&self, max_tokens: Option<usize>, waiting: &Waiting) -> Style {
        let max_tokens = max_tokens.unwrap_or(self.settings.max_tokens.value);
        Style::default().max_tokens(max_tokens).progress(waiting.progress())
    }

    /// What was asked for and is not there is told by the exit code too.
    pub(crate) fn answer(&self, answer: &Answer) -> Result<ExitCode, Failure> {
        if self.json {
            self.print_json(answer)?;
        } else if self.terminal.layout {
            self.print(&self.laid_out(answer))?;
        } else {
            self.print(&format!("{}\n", ours_as_flags(answer.text.trim_end())))?;
        }
        Ok(if answer.found { ExitCode::SUCCESS } else { exit::absent() })
    }

    /// A value as JSON, or the text for it.
    pub(crate) fn value(&self, value: &impl Serialize, text: &str) -> Result<(), Failure> {
        if self.json { self.print_json(value) } else { self.print(text) }
    }

    fn print_json(&self, value: &impl Serialize) -> Result<(), Failure> {
        let json = serde_json::to_string_pretty(value)
            .map_err(|error| Failure::new(format!("the answer has no form as JSON: {error}")))?;
        self.print(&format!("{json}\n"))
    }

    /// Text on standard output, all of it or an error.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = std::io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| Failure::io("the answer could not be written", &error))
    }

    fn laid_out(&self, answer: &Answer) -> String {
        let mut out = String::new();
        let mut text = answer.text.as_str();
        for receipt in &answer.receipts {
            out.push_str(&receipt_lines(receipt, &self.terminal));
            let own = format!("{}\n", receipt.line());
            text = text.strip_prefix(&own).unwrap_or(text);
        }
        out.push_str(&markdown::render(&ours_as_flags(text), &self.terminal));
        out
    }

    /// A warning beside the answer.
    pub(crate) fn warn(&self, text: &str) {
        let spans = [Span::new("warning: ", Look::Warn), plain(text)];
        eprint!("{}", line(&spans, &self.beside));
    }

    /// What to try, beside the answer.
    pub(crate) fn hint(&self, text: &str) {
        let spans = [Span::new("hint: ", Look::Code), plain(text)];
        eprint!("{}", line(&spans, &self.beside));
    }

    /// Says why a command failed.
    pub(crate) fn fail(&self, failure: &Failure) -> ExitCode {
        if failure.is_silent() {
            return failure.code();
        }
        if self.json {
            // Whoever asked for JSON reads that; if it cannot be written either, the rest is for people.
            let _ = self.print_json(&failure.json());
        }
        let spans = [Span::new("error: ", Look::Bad), plain(failure.to_string())];
        eprint!("{}", line(&spans, &self.beside));
        for hint in &failure.hints {
            self.hint(hint);
        }
        failure.code()
    }
}

/// The receipt with the package in front and the rest less loud.
pub(crate) fn receipt_lines(receipt: &Receipt, terminal: &Terminal) -> String {
    let text = receipt.line();
    if !terminal.layout {
        return format!("{text}\n");
    }
    let rest = text.strip_prefix(&receipt.package).unwrap_or_default();
    let rest = Span::new(shorter_paths(rest), Look::Dim);
    let indent = Indent { first: Vec::new(), rest: vec![plain("  ")] };
    let spans = [Span::new(&receipt.package, Look::Strong), rest];
    let lines = wrap(&spans, terminal.columns, &indent);
    lines.iter().map(|spans| line(spans, terminal)).collect()
}

/// Paths as somebody in this folder would write them.
fn shorter_paths(text: &str) -> String {
    let mut text = text.to_owned();
    let here = std::env::current_dir().ok();
    for (folder, short) in [(here, ""), (std::env::home_dir(), "~/")] {
        let folder = folder.and_then(|folder| folder.into_os_string().into_string().ok());
        if let Some(folder) = folder.filter(|folder| folder.len() > 1) {
            text = text.replace(&format!(" {folder}/"), &format!(" {short}"));
        }
    }
    text
}

/// Names of the tools' parameters as the flags they are here.
pub(crate) fn as_flags(text: &str) -> String {
    const WORDS: [(&str, &str); 6] = [
        ("Ask for one of them as `symbol`", "Describe one of them"),
        ("Ask with `symbol`, search", "Describe one, search"),
        ("Ask for some `symbols` only, or ask", "Ask"),
        ("Ask for some `symbols` only, or", "Ask"),
        ("`maxTokens`", "`--max-tokens`"),
        ("`projectPath`", "`--project`"),
    ];
    WORDS.iter().fold(text.to_owned(), |text, (tool, flag)| text.replace(tool, flag))
}

/// As [`as_flags`], but only in what Docent itself says: the package's words stay.
fn ours_as_flags(text: &str) -> String {
    let Some(end) = text.rfind("\n</quoted ") else { return as_flags(text) };
    let start = text.find("<quoted ").unwrap_or(end);
    format!("{}{}{}", as_flags(&text[..start]), &text[start..end], as_flags(&text[end..]))
}

/// Leaves the engine as it is: the process ends, and taking apart what is in memory takes time.
pub(crate) fn leave(engine: Engine) {
    std::mem::forget(engine);
}
