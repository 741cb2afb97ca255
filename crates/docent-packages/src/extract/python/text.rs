//! Pieces of a source file as one line each: comments gone, whitespace folded.
//!
//! Works on the parser's tokens, so that strings are never touched. Feeds [`super::signature`] and
//! [`super::declare`].

use crate::hashing::HashMap;
use ruff_python_ast::Expr;
use ruff_python_ast::token::{Token, TokenKind};
use ruff_source_file::LineIndex;
use ruff_text_size::{Ranged, TextRange, TextSize};

/// Lines of `#:` above a statement that are read.
const REMARK_LINES_MAX: usize = 64;

/// One source file and its tokens.
pub(super) struct Text<'a> {
    source: &'a str,
    tokens: &'a [Token],
    lines: LineIndex,
    /// The `#:` comments by line, and whether each has the line for itself.
    remarks: HashMap<u32, (&'a str, bool)>,
}

/// An open bracket on the way through the tokens.
struct Open {
    commas: usize,
    /// Of a call, of parameters or of a subscript: not a tuple's.
    follows_name: bool,
}

impl<'a> Text<'a> {
    pub(super) fn new(source: &'a str, tokens: &'a [Token]) -> Self {
        let lines = LineIndex::from_source_text(source);
        let mut text = Self { source, tokens, lines, remarks: HashMap::default() };
        if source.contains("#:") {
            let comments = tokens.iter().filter(|token| token.kind() == TokenKind::Comment);
            let remarks = comments.filter_map(|token| {
                let remark = text.raw(token.range()).strip_prefix("#:")?;
                let before = source.get(..token.start().to_usize()).unwrap_or_default();
                let alone = before.trim_end_matches([' ', '\t']).ends_with(['\n', '\r']);
                Some((text.line(token.start()), (remark.trim(), alone)))
            });
            text.remarks = remarks.collect();
        }
        text
    }

    pub(super) fn raw(&self, range: TextRange) -> &'a str {
        self.source.get(range.start().to_usize()..range.end().to_usize()).unwrap_or_default()
    }

    /// The line of an offset, from 1.
    pub(super) fn line(&self, at: TextSize) -> u32 {
        u32::try_from(self.lines.line_index(at).get()).unwrap_or(u32::MAX)
    }

    /// The `#:` comment on the lines before a statement, or at its end.
    pub(super) fn remark(&self, statement: TextRange) -> Option<String> {
        if self.remarks.is_empty() {
            return None;
        }
        if let Some((remark, _)) = self.remarks.get(&self.line(statement.end())) {
            return Some((*remark).to_owned());
        }
        let first = self.line(statement.start());
        let above = (1..first).rev().take(REMARK_LINES_MAX);
        let above = above.map_while(|line| self.remarks.get(&line).filter(|remark| remark.1));
        let mut above: Vec<&str> = above.map(|remark| remark.0).collect();
        above.reverse();
        (!above.is_empty()).then(|| above.join("\n"))
    }

    /// An expression on one line.
    pub(super) fn of(&self, expression: &Expr) -> String {
        self.fold(expression.range(), &[])
    }

    /// The range of an expression with the brackets around it that only hold it together.
    pub(super) fn with_brackets(&self, expression: TextRange) -> TextRange {
        let is_code = |token: &&Token| {
            !matches!(token.kind(), TokenKind::Comment | TokenKind::NonLogicalNewline)
        };
        let first = self.tokens.partition_point(|token| token.start() < expression.start());
        let next = self.tokens.partition_point(|token| token.start() < expression.end());
        let before = self.tokens[..first].iter().rev().filter(is_code);
        let after = self.tokens[next..].iter().filter(is_code);
        let pairs = before.zip(after).take_while(|(open, close)| {
            open.kind() == TokenKind::Lpar && close.kind() == TokenKind::Rpar
        });
        let outer = pairs.last().map(|(open, close)| TextRange::new(open.start(), close.end()));
        outer.unwrap_or(expression)
    }

    /// A range on one line, with parts of it replaced; `edits` are sorted and do not overlap.
    pub(super) fn fold(&self, range: TextRange, edits: &[(TextRange, String)]) -> String {
        let mut out = String::with_capacity(range.len().to_usize());
        let mut open: Vec<Open> = Vec::new();
        let mut edits = edits.iter().peekable();
        let mut skip_until = TextSize::default();
        let mut end_before = range.start();
        let mut broken = false;
        let mut before = None;
        let first = self.tokens.partition_point(|token| token.start() < range.start());
        for token in &self.tokens[first..] {
            if token.start() >= range.end() {
                break;
            }
            if token.start() < skip_until {
                continue;
            }
            let kind = token.kind();
            if matches!(
                kind,
                TokenKind::Comment
                    | TokenKind::NonLogicalNewline
                    | TokenKind::Newline
                    | TokenKind::Indent
                    | TokenKind::Dedent
                    | TokenKind::EndOfFile
            ) {
                broken = true;
                continue;
            }
            let closes = matches!(kind, TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace);
            if closes {
                let bracket = open.pop();
                let may_drop = bracket.is_some_and(|bracket| {
                    bracket.commas > 1
                        || (bracket.follows_name && (kind == TokenKind::Rpar || broken))
                });
                if may_drop && before == Some(TokenKind::Comma) && out.ends_with(',') {
                    out.pop();
                }
            }
            let after_open =
                matches!(before, Some(TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace));
            let gap = broken || token.start() > end_before;
            let spaced = gap && !after_open && !closes && kind != TokenKind::Comma;
            if spaced && !out.is_empty() {
                out.push(' ');
            }
            if let Some((place, with)) = edits.next_if(|(place, _)| place.start() == token.start())
            {
                out.push_str(with);
                skip_until = place.end();
                end_before = place.end();
                before = Some(TokenKind::Name);
                broken = false;
                continue;
            }
            let written = self.raw(token.range());
            if written.contains(['\n', '\r']) {
                out.push_str(&written.replace("\r\n", "\\n").replace(['\n', '\r'], "\\n"));
            } else {
                out.push_str(written);
            }
            match kind {
                TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => {
                    let follows_name = matches!(
                        before,
                        None | Some(TokenKind::Name | TokenKind::Rpar | TokenKind::Rsqb)
                    ) && kind != TokenKind::Lbrace;
                    open.push(Open { commas: 0, follows_name });
                }
                TokenKind::Comma => {
                    if let Some(bracket) = open.last_mut() {
                        bracket.commas += 1;
                    }
                }
                _ => {}
            }
            before = Some(kind);
            end_before = token.end();
            broken = false;
        }
        out
    }
}

/// The dotted name that an expression is, if it is one.
pub(super) fn dotted(expression: &Expr) -> Option<String> {
    // Most names have one part.
    if let Expr::Name(name) = expression {
        return Some(name.id.to_string());
    }
    let mut parts: Vec<&str> = Vec::new();
    let mut at = expression;
    loop {
        match at {
            Expr::Attribute(attribute) => {
                parts.push(attribute.attr.as_str());
                at = &attribute.value;
            }
            Expr::Name(name) => {
                parts.push(name.id.as_str());
                parts.reverse();
                return Some(parts.join("."));
            }
            _ => return None,
        }
    }
}

/// The last part of a dotted name.
pub(super) fn last(dotted: &str) -> &str {
    dotted.rsplit('.').next().unwrap_or(dotted)
}

/// The text of a plain string literal.
pub(super) fn literal(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::StringLiteral(string) => Some(string.value.to_str()),
        _ => None,
    }
}
