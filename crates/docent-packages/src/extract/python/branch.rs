//! What the test of an `if` is about, as far as it decides which branch counts.

use ruff_python_ast::{CmpOp, Expr, UnaryOp};

use super::text::{dotted, last, literal};

/// What a branch is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Test {
    /// `if TYPE_CHECKING`.
    Types,
    /// `if not TYPE_CHECKING`.
    NotTypes,
    /// An old version, or a platform that most do not have.
    Unlikely,
    /// `if __name__ == "__main__"`.
    Script,
    /// An `else`.
    Otherwise,
    /// Anything else.
    Plain,
}

impl Test {
    pub(super) fn of(test: Option<&Expr>) -> Self {
        match test {
            None => Self::Otherwise,
            Some(Expr::UnaryOp(not))
                if not.op == UnaryOp::Not && is_type_checking(&not.operand) =>
            {
                Self::NotTypes
            }
            Some(test) if is_type_checking(test) => Self::Types,
            Some(Expr::BooleanLiteral(constant)) if !constant.value => Self::Unlikely,
            Some(Expr::Compare(compare)) => {
                let left = match compare.left.as_ref() {
                    Expr::Subscript(subscript) => dotted(&subscript.value),
                    other => dotted(other),
                };
                let left = left.unwrap_or_default();
                let op = compare.ops.first();
                match last(&left) {
                    "__name__" => Self::Script,
                    "version_info" if matches!(op, Some(CmpOp::Lt | CmpOp::LtE)) => Self::Unlikely,
                    "platform" | "name" => {
                        let value = compare.comparators.first().and_then(literal);
                        let windows = matches!(value, Some("win32" | "nt"));
                        let equal = matches!(op, Some(CmpOp::Eq));
                        if windows == equal { Self::Unlikely } else { Self::Plain }
                    }
                    _ => Self::Plain,
                }
            }
            Some(_) => Self::Plain,
        }
    }
}

fn is_type_checking(test: &Expr) -> bool {
    dotted(test).is_some_and(|name| last(&name) == "TYPE_CHECKING")
}
