//! What can be wrong with a template and with a URI.

use std::fmt;

/// Why a string is not a URI template, or why one cannot be expanded.
///
/// ```
/// use docent_mcp::uri::UriTemplate;
///
/// let error = UriTemplate::new("docs://{package").unwrap_err();
/// assert_eq!(error.position(), 7);
/// assert_eq!(error.to_string(), "URI template, byte 7: this `{` is never closed");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriTemplateError {
    position: usize,
    problem: TemplateProblem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TemplateProblem {
    TooLong { max: usize },
    TooManyVariables { max: usize },
    TooManyPairExpressions { max: usize },
    Unclosed,
    StrayBrace,
    EmptyExpression,
    ReservedOperator(char),
    MissingName,
    InName(char),
    PrefixLength,
    AfterModifier(char),
    InLiteral(char),
    BrokenEscape,
    PrefixOfComposite { name: String },
}

impl UriTemplateError {
    pub(super) fn new(position: usize, problem: TemplateProblem) -> Self {
        UriTemplateError { position, problem }
    }

    /// Where in the template, in bytes from its start.
    pub fn position(&self) -> usize {
        self.position
    }
}

impl fmt::Display for UriTemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use TemplateProblem as P;
        write!(f, "URI template, byte {}: ", self.position)?;
        match &self.problem {
            P::TooLong { max } => write!(f, "longer than {max} bytes"),
            P::TooManyVariables { max } => write!(f, "more than {max} variables"),
            P::TooManyPairExpressions { max } => {
                write!(f, "more than {max} expressions with `;`, `?` or `&`")
            }
            P::Unclosed => f.write_str("this `{` is never closed"),
            P::StrayBrace => f.write_str("`}` closes nothing"),
            P::EmptyExpression => f.write_str("`{}` names no variable"),
            P::ReservedOperator(found) => {
                write!(f, "the operator `{found}` is reserved for later versions of RFC 6570")
            }
            P::MissingName => f.write_str("a variable name is missing"),
            P::InName(found) => write!(
                f,
                "{found:?} cannot stand in a variable name; letters, digits, `_`, `.` and \
                 percent-escapes can"
            ),
            P::PrefixLength => f.write_str("`:` needs a length from 1 to 9999"),
            P::AfterModifier(found) => {
                write!(f, "{found:?} after a modifier; only `,` or `}}` can follow")
            }
            P::InLiteral(found) => write!(f, "{found:?} cannot stand in a URI; escape it"),
            P::BrokenEscape => f.write_str("`%` needs two hexadecimal digits after it"),
            P::PrefixOfComposite { name } => write!(
                f,
                "`{name}` takes the first characters of a string, but its value is a list or a map"
            ),
        }
    }
}

impl std::error::Error for UriTemplateError {}

/// Why a string is not a URI, or names no path that may be served.
///
/// ```
/// use docent_mcp::uri::check_uri;
///
/// let error = check_uri("docs://a b").unwrap_err();
/// assert_eq!(error.position(), Some(8));
/// assert_eq!(error.to_string(), "byte 8: ' ' cannot stand in a URI");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriError(pub(super) UriProblem);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UriProblem {
    TooLong { max: usize },
    NoScheme,
    Character { position: usize, found: char },
    BrokenEscape { position: usize },
    SecondFragment { position: usize },
    NotAFile,
    Unsafe,
    Outside,
}

impl UriError {
    /// Where in the string, in bytes from its start, if one place is to blame.
    pub fn position(&self) -> Option<usize> {
        match self.0 {
            UriProblem::Character { position, .. }
            | UriProblem::BrokenEscape { position }
            | UriProblem::SecondFragment { position } => Some(position),
            _ => None,
        }
    }
}

impl fmt::Display for UriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use UriProblem as P;
        match &self.0 {
            P::TooLong { max } => write!(f, "longer than {max} bytes"),
            P::NoScheme => f.write_str("no scheme, such as `https:`, at the start"),
            P::Character { position, found } => {
                write!(f, "byte {position}: {found:?} cannot stand in a URI")
            }
            P::BrokenEscape { position } => {
                write!(f, "byte {position}: `%` needs two hexadecimal digits after it")
            }
            P::SecondFragment { position } => write!(f, "byte {position}: a second `#`"),
            P::NotAFile => f.write_str(
                "not a `file:` URI of this machine with an absolute path and nothing after it",
            ),
            P::Unsafe => f.write_str("the path has a segment that cannot name one file or folder"),
            P::Outside => f.write_str("the path is outside the folder that may be read"),
        }
    }
}

impl std::error::Error for UriError {}
