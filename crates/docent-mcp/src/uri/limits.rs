//! The bounds on URIs and templates.
//!
//! Fed by the caller, usually as `UriLimits::default()`. Read by `parse`, `matching` and `check`.

/// How large a URI or a template may be.
///
/// With the defaults, matching the longest URI against the worst template stays within a few
/// milliseconds and a few megabytes: both grow with the product of the two lengths, at 64
/// characters a step.
///
/// ```
/// use docent_mcp::uri::{UriLimits, UriTemplate};
///
/// let limits = UriLimits { variables_max: 1, ..UriLimits::default() };
/// assert!(UriTemplate::with_limits("a:{one}", &limits).is_ok());
/// assert!(UriTemplate::with_limits("a:{one}/{two}", &limits).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UriLimits {
    /// Longest URI that is accepted or matched, in bytes.
    pub uri_bytes_max: usize,
    /// Longest template, in bytes.
    pub template_bytes_max: usize,
    /// Most variables in one template, repetitions included.
    pub variables_max: usize,
    /// Most expressions with `;`, `?` or `&` in one template.
    pub pair_expressions_max: usize,
}

impl Default for UriLimits {
    fn default() -> Self {
        UriLimits {
            uri_bytes_max: 64 << 10,
            template_bytes_max: 2048,
            variables_max: 64,
            pair_expressions_max: 4,
        }
    }
}
