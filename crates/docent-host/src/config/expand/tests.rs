//! Templates of any text, in every dialect.

use proptest::prelude::*;

use super::{Piece, Reference, Template};
use crate::config::dialect::ROWS;
use crate::config::expand::Shown;
use crate::config::machine::Platform;
use crate::config::mask;
use crate::config::printable::Printable;

/// Texts made of what matters.
fn text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("${".to_owned()),
        Just("$${".to_owned()),
        Just("}".to_owned()),
        Just("{env:".to_owned()),
        Just("{file:".to_owned()),
        Just("env:".to_owned()),
        Just("input:".to_owned()),
        Just(":-".to_owned()),
        Just("://".to_owned()),
        "[$%A-Z_a-z0-9=@/?&é ]{0,4}",
        any::<String>(),
    ];
    prop::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Nothing is lost: the pieces are the text, but for an escape.
    #[test]
    fn pieces_make_the_text(text in text()) {
        for row in ROWS {
            for platform in [Platform::Linux, Platform::Windows] {
                let template = Template::parse(&text, 1, row.syntax, platform);
                let plain = |text: &str| match row.syntax.escape {
                    true => text.replace("$${", "${"),
                    false => text.to_owned(),
                };
                let all = |piece: &Piece| match piece {
                    Piece::Text(text) => text.clone(),
                    Piece::Reference(raw, _) => plain(raw),
                };
                let got: String = template.pieces.iter().map(all).collect();
                prop_assert_eq!(got, plain(&text), "{}", row.name);
            }
        }
    }

    /// What is shown of any text is one line, and masking never fails.
    #[test]
    fn any_text_can_be_shown(text in text()) {
        for shown in [Shown::Argument, Shown::Address, Shown::Hidden] {
            let visible = Printable(mask::address(&mask::text(&text, shown))).to_string();
            prop_assert!(!visible.chars().any(char::is_control), "{}", visible);
        }
    }
}

#[test]
fn each_form_in_each_dialect() {
    let forms = [
        "${A}",
        "${A:-b}",
        "${env:A}",
        "${input:A}",
        "${workspaceFolder}",
        "$A",
        "{env:A}",
        "${A:-${B}}",
    ];
    let mut seen = String::new();
    for row in ROWS {
        let marks = forms.map(|form| {
            let template = Template::parse(form, 1, row.syntax, Platform::Linux);
            match template.references().next().map(|(_, reference)| reference.clone()) {
                Some(Reference::Variable { name, .. }) if name == "A" => "variable",
                Some(Reference::Variable { .. }) => "other-variable",
                Some(Reference::Input(_)) => "input",
                Some(Reference::Folder(_)) => "folder",
                Some(Reference::File(_)) => "file",
                Some(Reference::Nested) => "refused",
                Some(Reference::Foreign) => "as-it-is",
                None => "text",
            }
        });
        seen.push_str(&format!("{}: {}\n", row.id, marks.join(" ")));
    }
    let expected = "\
docent: variable variable variable input folder as-it-is as-it-is refused
claude-code: variable variable other-variable other-variable other-variable as-it-is as-it-is refused
vscode: as-it-is as-it-is variable input folder as-it-is as-it-is as-it-is
cursor: as-it-is as-it-is variable as-it-is folder as-it-is as-it-is as-it-is
codex: as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is
gemini: variable variable other-variable other-variable other-variable variable as-it-is refused
opencode: as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is variable as-it-is
copilot: variable variable other-variable other-variable other-variable as-it-is as-it-is refused
roo: as-it-is as-it-is variable as-it-is folder as-it-is as-it-is as-it-is
zed: as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is
windsurf: as-it-is as-it-is variable as-it-is as-it-is as-it-is as-it-is as-it-is
cline: as-it-is as-it-is variable as-it-is as-it-is as-it-is as-it-is as-it-is
goose: as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is
claude-desktop: as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is as-it-is
";
    assert_eq!(seen, expected);
}
