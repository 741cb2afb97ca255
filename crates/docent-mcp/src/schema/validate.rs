//! [`Validator`]: a schema compiled once, then checked against many values.
//!
//! Fed by `compile`. Used by the server before a tool runs, by the client on structured
//! results, and by both on elicitation answers.

use super::compile::{Compiled, compile};
use super::error::SchemaError;
use super::limits::SchemaLimits;
use super::node::{Node, NodeId};
use super::violation::{Path, Violation};
use super::walk::{Stop, Walk};
use serde_json::Value;
use std::collections::HashMap;

/// A compiled schema.
///
/// Compiling finds every malformed keyword, every pattern that cannot be matched in linear
/// time, and every reference that leads outside the document. After that, checking a value
/// touches only memory, takes a bounded number of steps, and allocates nothing when the value
/// fits.
///
/// ```
/// use docent_mcp::schema::{SchemaLimits, Validator};
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": { "city": { "type": "string" }, "days": { "type": "integer", "minimum": 1 } },
///     "required": ["city"],
/// });
/// let validator = Validator::new(&schema, &SchemaLimits::default())?;
///
/// assert!(validator.check(&json!({ "city": "Oslo", "days": 3 })).is_ok());
///
/// let violations = validator.check(&json!({ "days": 0 })).unwrap_err();
/// let lines: Vec<_> = violations.iter().map(|v| v.to_string()).collect();
/// assert_eq!(lines, [
///     "missing required property \"city\"",
///     "/days: expected a number >= 1, found 0",
/// ]);
/// # Ok::<(), docent_mcp::schema::SchemaError>(())
/// ```
#[derive(Debug)]
pub struct Validator {
    nodes: Box<[Node]>,
    pub(super) dynamic_anchors: HashMap<(u32, u32), NodeId>,
    pub(super) dynamic: bool,
    pub(super) limits: SchemaLimits,
}

impl Validator {
    /// Compiles `schema`. `format` is an annotation, as the specification's default.
    ///
    /// # Errors
    ///
    /// When the schema is malformed, too large, of another dialect than 2020-12 and draft-07,
    /// or has references or patterns that cannot be honored.
    pub fn new(schema: &Value, limits: &SchemaLimits) -> Result<Self, SchemaError> {
        Self::build(schema, limits, false)
    }

    /// Compiles `schema` and also asserts the formats `email`, `uri`, `date`, and
    /// `date-time`: the ones that elicitation forms use. Other formats stay annotations.
    ///
    /// # Errors
    ///
    /// The same as [`Validator::new`].
    pub fn with_formats(schema: &Value, limits: &SchemaLimits) -> Result<Self, SchemaError> {
        Self::build(schema, limits, true)
    }

    fn build(
        schema: &Value,
        limits: &SchemaLimits,
        asserts_formats: bool,
    ) -> Result<Self, SchemaError> {
        let Compiled { nodes, dynamic_anchors } = compile(schema, limits, asserts_formats)?;
        let dynamic = !dynamic_anchors.is_empty();
        Ok(Self { nodes, dynamic_anchors, dynamic, limits: *limits })
    }

    /// Checks `value`, and on failure says what is wrong with it.
    ///
    /// # Errors
    ///
    /// The first [`violations_max`](SchemaLimits::violations_max) violations, at least one.
    /// A check that meets one of the [`SchemaLimits`] fails with a single violation for which
    /// [`is_limit`](Violation::is_limit) is true.
    pub fn check(&self, value: &Value) -> Result<(), Vec<Violation>> {
        match Walk::quiet(self).apply(NodeId::ROOT, value, &Path::ROOT, None) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.violations(value)),
            Err(stop) => Err(vec![self.limit(stop)]),
        }
    }

    /// Whether `value` fits; false also when a limit ends the check.
    pub fn is_valid(&self, value: &Value) -> bool {
        Walk::quiet(self).apply(NodeId::ROOT, value, &Path::ROOT, None) == Ok(true)
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.position()]
    }

    /// Walks again, this time to report. Cold: successful checks never come here.
    #[cold]
    fn violations(&self, value: &Value) -> Vec<Violation> {
        let mut walk = Walk::reporting(self);
        let stop = walk.apply(NodeId::ROOT, value, &Path::ROOT, None);
        let mut violations = walk.into_violations();
        if violations.is_empty() {
            // Reporting looks at more than the first failure, so it can meet a limit first.
            violations.push(self.limit(stop.err().unwrap_or(Stop::Enough)));
        }
        violations
    }

    #[cold]
    fn limit(&self, stop: Stop) -> Violation {
        let limits = &self.limits;
        let message = match stop {
            Stop::Enough => "the value does not fit the schema".to_owned(),
            Stop::Steps => {
                format!("validation too expensive: not finished after {} steps", limits.steps_max)
            }
            Stop::Nesting => format!(
                "validation too expensive: more than {} schemas apply inside one another",
                limits.nesting_max
            ),
            Stop::Depth => {
                format!("the value is nested more than {} levels deep", limits.instance_depth_max)
            }
        };
        Violation { instance_path: String::new(), keyword: "limits", message }
    }
}
