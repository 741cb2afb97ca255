//! How a piece of text can look.
//!
//! Only the sixteen colors that a terminal's theme defines, and of those only the ones that are
//! legible on light and on dark backgrounds; never black, white or blue. What matters is never told
//! by color alone.

use anstyle::{AnsiColor, Style};

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Look {
    #[default]
    Plain,
    /// A heading, or what a line is about.
    Strong,
    Emphasis,
    /// Names and short code inside prose.
    Code,
    /// Code in a heading.
    Name,
    /// What is there for the sake of completeness.
    Dim,
    /// What sort of thing something is; words of a language.
    Kind,
    /// Text inside code.
    Text,
    Good,
    Warn,
    Bad,
    Link,
}

impl Look {
    pub(crate) fn style(self) -> Style {
        let style = Style::new();
        let colored = |color: AnsiColor| style.fg_color(Some(color.into()));
        match self {
            Self::Plain => style,
            Self::Strong => style.bold(),
            Self::Emphasis => style.italic(),
            Self::Code => colored(AnsiColor::Cyan),
            Self::Name => colored(AnsiColor::Cyan).bold(),
            Self::Dim => style.dimmed(),
            Self::Kind => colored(AnsiColor::Magenta),
            Self::Text | Self::Good => colored(AnsiColor::Green),
            Self::Warn => colored(AnsiColor::Yellow).bold(),
            Self::Bad => colored(AnsiColor::Red).bold(),
            Self::Link => style.underline(),
        }
    }
}
