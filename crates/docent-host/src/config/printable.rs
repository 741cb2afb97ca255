//! Texts of others, as they can be shown to a person without deceiving them.
//!
//! A project's file, or a server's question, may hold anything: sequences that move a terminal's cursor
//! over what was just printed, characters that reverse the order of others or cannot be seen. A user
//! who approves a command has to see that command.

use std::fmt::{self, Display, Formatter, Write as _};

/// Shows a text in one line, with everything that could hide something spelled out.
///
/// ```
/// use docent_host::config::Printable;
///
/// assert_eq!(Printable("rm\u{1b}[2Kls").to_string(), "rm\\u{1b}[2Kls");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Printable<T>(
    /// The text.
    pub T,
);

impl<T: Display> Display for Printable<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(Escaping(f), "{}", self.0)
    }
}

struct Escaping<'a, 'b>(&'a mut Formatter<'b>);

impl fmt::Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match is_deceptive(c) {
                true => write!(self.0, "{}", c.escape_unicode())?,
                false => self.0.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Whether a character cannot be seen, or changes how others are seen.
fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_hide_something_is_spelled_out() {
        for (given, expected) in [
            ("npx -y sérver…", "npx -y sérver…"),
            ("rm\u{1b}[2K\rls", "rm\\u{1b}[2K\\u{d}ls"),
            ("a\nready", "a\\u{a}ready"),
            ("a\u{202e}b\u{200b}c", "a\\u{202e}b\\u{200b}c"),
        ] {
            assert_eq!(Printable(given).to_string(), expected);
        }
    }
}
