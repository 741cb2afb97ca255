//! The bounds on a schema and on checking a value against it.
//!
//! Fed by the caller, usually as `SchemaLimits::default()`. Read by the document scan
//! (`document`), the pattern compiler (`pattern`), and the walk (`walk`).

/// How large a schema may be, and how much work one check may do.
///
/// Schemas and values both come from peers that may be hostile, so every dimension has a
/// bound. The defaults leave room for far larger schemas than tools use, keep a check under
/// about a quarter of a second in the worst case, and are safe on a 2 MiB stack.
///
/// ```
/// use docent_mcp::schema::SchemaLimits;
///
/// let strict = SchemaLimits { steps_max: 10_000, ..SchemaLimits::default() };
/// assert!(strict.steps_max < SchemaLimits::default().steps_max);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaLimits {
    /// Deepest nesting of JSON values inside the schema document.
    pub schema_depth_max: usize,
    /// Most JSON values in the schema document, enumerated choices included.
    pub schema_values_max: usize,
    /// Most subschemas with an `$id` of their own.
    pub schema_resources_max: usize,
    /// Longest `$id`, `$anchor`, or `$ref`, in bytes, before and after resolving.
    pub reference_bytes_max: usize,
    /// Longest regular expression, in bytes.
    pub pattern_bytes_max: usize,
    /// Most regular expression states in the whole schema, after counted repetition is
    /// written out.
    pub pattern_states_max: usize,
    /// Deepest nesting inside the checked value that a schema may look into.
    pub instance_depth_max: usize,
    /// Most schemas applied inside one another during a check; ends endless `$ref` loops.
    ///
    /// Checking recurses once per level. Raising this needs a larger stack.
    pub nesting_max: usize,
    /// Most steps in one check. A step is one schema applied, or work of a similar cost.
    pub steps_max: u64,
    /// Most violations reported by one check.
    pub violations_max: usize,
}

impl Default for SchemaLimits {
    fn default() -> Self {
        Self {
            schema_depth_max: 128,
            schema_values_max: 100_000,
            schema_resources_max: 1_000,
            reference_bytes_max: 2_048,
            pattern_bytes_max: 4_096,
            pattern_states_max: 50_000,
            instance_depth_max: 128,
            nesting_max: 512,
            steps_max: 5_000_000,
            violations_max: 8,
        }
    }
}
