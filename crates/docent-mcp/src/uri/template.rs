//! A parsed template: what it is made of, what it is called, how specific it is.
//!
//! Fed by `parse`. Read by `expand`, and by `program`, which prepares it for `matching`.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use super::parse;
use super::program::Program;
use super::{UriLimits, UriTemplateError};

/// A URI template (RFC 6570, all four levels), parsed and ready to expand and match.
///
/// ```
/// use docent_mcp::uri::UriTemplate;
///
/// let template = UriTemplate::new("test://template/{id}/data")?;
/// assert_eq!(template.variable_names().collect::<Vec<_>>(), ["id"]);
/// assert_eq!(template.matches("test://template/123/data").unwrap().get("id"), Some("123"));
/// assert!(template.matches("test://template/1/2/data").is_none());
/// # Ok::<(), docent_mcp::uri::UriTemplateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct UriTemplate {
    source: String,
    pub(super) parts: Vec<Part>,
    pub(super) program: Program,
    pub(super) limits: UriLimits,
}

/// A stretch of a template.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Text, as it stands in the URI: escaped already.
    Literal(String),
    /// What stood between braces.
    Expression(Expression),
}

#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) operator: Operator,
    pub(super) variables: Vec<Variable>,
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) modifier: Modifier,
    /// Where the name stands in the template, for errors.
    pub(super) position: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modifier {
    None,
    /// `*`: every item of a list or map by itself.
    Explode,
    /// `:n`: only the first characters.
    Prefix(usize),
}

/// The character behind `{`, which says how an expression is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Simple,
    Reserved,
    Fragment,
    Label,
    Path,
    Parameter,
    Query,
    Continuation,
}

impl Operator {
    pub(super) fn of(byte: u8) -> Option<Operator> {
        Some(match byte {
            b'+' => Operator::Reserved,
            b'#' => Operator::Fragment,
            b'.' => Operator::Label,
            b'/' => Operator::Path,
            b';' => Operator::Parameter,
            b'?' => Operator::Query,
            b'&' => Operator::Continuation,
            _ => return None,
        })
    }

    /// What is written before the first defined variable.
    pub(super) fn first(self) -> Option<u8> {
        match self {
            Operator::Simple | Operator::Reserved => None,
            Operator::Fragment => Some(b'#'),
            Operator::Query => Some(b'?'),
            _ => Some(self.separator()),
        }
    }

    /// What is written between variables, and between the items of an exploded one.
    pub(super) fn separator(self) -> u8 {
        match self {
            Operator::Simple | Operator::Reserved | Operator::Fragment => b',',
            Operator::Label => b'.',
            Operator::Path => b'/',
            Operator::Parameter => b';',
            Operator::Query | Operator::Continuation => b'&',
        }
    }

    /// Whether values are written as `name=value`.
    pub(super) fn is_named(self) -> bool {
        matches!(self, Operator::Parameter | Operator::Query | Operator::Continuation)
    }

    /// Whether reserved characters stay as they are.
    pub(super) fn allows_reserved(self) -> bool {
        matches!(self, Operator::Reserved | Operator::Fragment)
    }
}

/// How specific a template is; the greater one should answer first.
///
/// More literal text is more specific; then fewer `{+…}`, which can swallow anything; then fewer
/// variables. Sort by it in descending order with a stable sort, and ties keep their order:
///
/// ```
/// use docent_mcp::uri::UriTemplate;
///
/// let mut templates = ["a://{+rest}", "a://{id}", "a://{id}/raw", "a://x/{id}"]
///     .map(|template| UriTemplate::new(template).unwrap());
/// templates.sort_by_key(|template| std::cmp::Reverse(template.specificity()));
/// assert_eq!(
///     templates.each_ref().map(UriTemplate::as_str),
///     ["a://{id}/raw", "a://x/{id}", "a://{id}", "a://{+rest}"],
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Specificity {
    literal_bytes: usize,
    reserved: Reverse<usize>,
    variables: Reverse<usize>,
}

impl UriTemplate {
    /// Parses a template within the default [`UriLimits`].
    pub fn new(template: &str) -> Result<Self, UriTemplateError> {
        Self::with_limits(template, &UriLimits::default())
    }

    /// Parses a template within the given limits, which also bound the URIs that it will match.
    pub fn with_limits(template: &str, limits: &UriLimits) -> Result<Self, UriTemplateError> {
        let parts = parse::parse(template, limits)?;
        let program = Program::of(&parts);
        Ok(UriTemplate { source: template.to_owned(), parts, program, limits: *limits })
    }

    /// The template as it was written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The names of the variables in order of first appearance, each once.
    pub fn variable_names(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = Vec::new();
        for variable in self.expressions().flat_map(|expression| &expression.variables) {
            if !names.contains(&variable.name.as_str()) {
                names.push(&variable.name);
            }
        }
        names.into_iter()
    }

    /// How specific the template is, to rank several that match one URI.
    pub fn specificity(&self) -> Specificity {
        let literal = |part: &Part| match part {
            Part::Literal(text) => text.len(),
            Part::Expression(_) => 0,
        };
        let reserved = |expression: &&Expression| expression.operator == Operator::Reserved;
        Specificity {
            literal_bytes: self.parts.iter().map(literal).sum(),
            reserved: Reverse(self.expressions().filter(reserved).count()),
            variables: Reverse(self.expressions().map(|found| found.variables.len()).sum()),
        }
    }

    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.parts.iter().filter_map(|part| match part {
            Part::Expression(expression) => Some(expression),
            Part::Literal(_) => None,
        })
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl FromStr for UriTemplate {
    type Err = UriTemplateError;

    fn from_str(template: &str) -> Result<Self, UriTemplateError> {
        Self::new(template)
    }
}

/// Two templates are equal when they are written the same.
impl PartialEq for UriTemplate {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for UriTemplate {}
