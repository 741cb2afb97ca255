//! One check of one value: applies compiled schemas and counts the work.
//!
//! Fed by [`Validator::check`](super::Validator::check). Feeds back a verdict, and when
//! asked to report, violations.
//!
//! A walk is quiet or reporting. A quiet walk ends at the first failure and allocates
//! nothing; every check begins with one, so a value that fits costs only that. A reporting
//! walk goes on after a failure, to name several at once.
//!
//! Every loop over untrusted data pays for its turns with [`Walk::charge`], and every
//! recursion passes [`Walk::apply`] or [`Walk::enter`]. So both the time and the stack of a
//! check are bounded whatever the schema says: a nest of `anyOf` that would take 2^60 turns
//! ends with [`Stop::Steps`].

use super::keywords::Keyword;
use super::marks::Marks;
use super::node::{Node, NodeId};
use super::preview;
use super::validate::Validator;
use super::violation::{Path, Violation};
use serde_json::Value;

/// Explanations inside one another.
const EXPLAINING_MAX: usize = 3;

/// Why a walk ended before it reached a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// Enough violations have been found.
    Enough,
    /// [`SchemaLimits::steps_max`](super::SchemaLimits::steps_max).
    Steps,
    /// [`SchemaLimits::nesting_max`](super::SchemaLimits::nesting_max).
    Nesting,
    /// [`SchemaLimits::instance_depth_max`](super::SchemaLimits::instance_depth_max).
    Depth,
}

/// Whether the value fits. A `Stop` is neither: `not` must never turn it around.
pub(super) type Verdict = Result<bool, Stop>;

/// The state of one check.
pub(super) struct Walk<'v> {
    pub(super) validator: &'v Validator,
    steps_left: u64,
    nesting_left: usize,
    report: Option<Report>,
    /// How many explanations are being written inside one another.
    explaining: usize,
    /// The resources entered, outermost first; kept only for schemas with `$dynamicRef`.
    pub(super) scope: Vec<u32>,
}

struct Report {
    violations: Vec<Violation>,
    max: usize,
}

impl<'v> Walk<'v> {
    /// A walk that only finds out whether the value fits.
    pub(super) fn quiet(validator: &'v Validator) -> Self {
        Self {
            validator,
            steps_left: validator.limits.steps_max,
            nesting_left: validator.limits.nesting_max,
            report: None,
            explaining: 0,
            scope: Vec::new(),
        }
    }

    /// A walk that collects violations.
    pub(super) fn reporting(validator: &'v Validator) -> Self {
        let max = validator.limits.violations_max.max(1);
        let report = Some(Report { violations: Vec::new(), max });
        Self { report, ..Self::quiet(validator) }
    }

    pub(super) fn into_violations(self) -> Vec<Violation> {
        self.report.map(|report| report.violations).unwrap_or_default()
    }

    /// Pays for work.
    pub(super) fn charge(&mut self, steps: u64) -> Result<(), Stop> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(Stop::Steps)?;
        Ok(())
    }

    /// Pays for one pass over text.
    pub(super) fn charge_bytes(&mut self, bytes: usize) -> Result<(), Stop> {
        self.charge(bytes as u64 / 256)
    }

    /// Refuses to look deeper into the value than allowed.
    pub(super) fn enter(&self, depth: usize) -> Result<(), Stop> {
        if depth >= self.validator.limits.instance_depth_max { Err(Stop::Depth) } else { Ok(()) }
    }

    /// Applies one schema to one value.
    pub(super) fn apply(
        &mut self,
        id: NodeId,
        value: &Value,
        at: &Path<'_>,
        marks: Option<&mut Marks>,
    ) -> Verdict {
        self.charge(1)?;
        let validator = self.validator;
        let node = validator.node(id);
        if !node.types.admit(value) {
            return self.fail(at, "type", || node.types.mismatch(value));
        }
        if node.keywords.is_empty() {
            return Ok(true);
        }
        self.nesting_left = self.nesting_left.checked_sub(1).ok_or(Stop::Nesting)?;
        let entered = validator.dynamic && self.scope.last() != Some(&node.resource);
        if entered {
            self.scope.push(node.resource);
        }
        let verdict = if node.marks_children {
            self.marked(node, value, at, marks)
        } else {
            self.keywords(node, value, at, marks)
        };
        if entered {
            self.scope.pop();
        }
        self.nesting_left += 1;
        verdict
    }

    fn keywords(
        &mut self,
        node: &'v Node,
        value: &Value,
        at: &Path<'_>,
        mut marks: Option<&mut Marks>,
    ) -> Verdict {
        let mut fits = true;
        for keyword in &node.keywords {
            // After a failure, what is left unevaluated says nothing.
            if !fits && matches!(keyword, Keyword::Unevaluated(_)) {
                continue;
            }
            let verdict = keyword.check(self, value, at, marks.as_deref_mut())?;
            if self.ends(&mut fits, verdict) {
                break;
            }
        }
        Ok(fits)
    }

    /// Keywords of a schema with `unevaluated…`: it sees only what its own keywords and
    /// their subschemas looked at, and hands that on to the schema it stands in.
    fn marked(
        &mut self,
        node: &'v Node,
        value: &Value,
        at: &Path<'_>,
        outer: Option<&mut Marks>,
    ) -> Verdict {
        let children = match value {
            Value::Array(items) => items.len(),
            Value::Object(entries) => entries.len(),
            _ => return self.keywords(node, value, at, None),
        };
        let mut own = Marks::new(children);
        self.charge(own.cost())?;
        let fits = self.keywords(node, value, at, Some(&mut own))?;
        if let (true, Some(outer)) = (fits, outer) {
            outer.merge(&own);
        }
        Ok(fits)
    }

    /// Whether someone reads the messages.
    pub(super) fn is_reporting(&self) -> bool {
        self.report.is_some()
    }

    /// Notes the verdict of one part; true when the rest need not be looked at.
    pub(super) fn ends(&self, fits: &mut bool, verdict: bool) -> bool {
        *fits &= verdict;
        !verdict && !self.is_reporting()
    }

    /// Reports that the value does not fit. The message is built only when someone reads it.
    pub(super) fn fail(
        &mut self,
        at: &Path<'_>,
        keyword: &'static str,
        message: impl FnOnce() -> String,
    ) -> Verdict {
        let Some(report) = &mut self.report else { return Ok(false) };
        let instance_path = at.to_string();
        report.violations.push(Violation { instance_path, keyword, message: message() });
        if report.violations.len() >= report.max { Err(Stop::Enough) } else { Ok(false) }
    }

    /// Applies a schema whose failure is not yet a violation: a branch, a condition.
    pub(super) fn test(
        &mut self,
        id: NodeId,
        value: &Value,
        at: &Path<'_>,
        marks: Option<&mut Marks>,
    ) -> Verdict {
        let report = self.report.take();
        let verdict = self.apply(id, value, at, marks);
        self.report = report;
        verdict
    }

    /// The first violation of a schema that is known not to fit, as one line.
    pub(super) fn explain(&mut self, id: NodeId, value: &Value, at: &Path<'_>) -> String {
        if !self.is_reporting() {
            return String::new();
        }
        let mut violation = None;
        // Explanations of explanations grow fast, and say less the deeper they go.
        if self.explaining < EXPLAINING_MAX {
            let inner = Some(Report { violations: Vec::new(), max: 1 });
            let outer = std::mem::replace(&mut self.report, inner);
            let (nesting_left, scope) = (self.nesting_left, self.scope.len());
            self.explaining += 1;
            // The verdict is known; a limit met here only shortens the explanation. Writing
            // one costs more than applying a schema.
            let _ = self.charge(16).and_then(|()| self.apply(id, value, at, None));
            self.explaining -= 1;
            self.nesting_left = nesting_left;
            self.scope.truncate(scope);
            let inner = std::mem::replace(&mut self.report, outer);
            violation = inner.and_then(|report| report.violations.into_iter().next());
        }
        match violation {
            Some(violation) => preview::clip(violation.to_string()),
            None => format!("{} does not fit", preview::describe(value)),
        }
    }
}
