//! Where a span belongs: the trace, the span itself, and whether it is kept. Requests carry this
//! in `_meta`, as `traceparent` (W3C Trace Context).

use docent_mcp::types::traceparent_is_valid;
use ring::rand::{SecureRandom, SystemRandom};

tokio::task_local! {
    /// The span of the request that is being answered.
    pub(crate) static SPAN: TraceContext;
}

/// A span's place in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceContext {
    pub(super) trace: u128,
    pub(super) span: u64,
    /// The span that this one is below.
    pub(super) parent: Option<u64>,
    flags: u8,
}

/// The flag that says that spans of this trace are kept.
const SAMPLED: u8 = 1;

impl TraceContext {
    /// Reads a `traceparent`.
    pub(super) fn parse(text: &str) -> Option<TraceContext> {
        if !traceparent_is_valid(text) {
            return None;
        }
        let mut parts = text.split('-').skip(1);
        let trace = u128::from_str_radix(parts.next()?, 16).ok()?;
        let span = u64::from_str_radix(parts.next()?, 16).ok()?;
        let flags = u8::from_str_radix(parts.next()?, 16).ok()?;
        Some(TraceContext { trace, span, parent: None, flags })
    }

    /// A new span below another one, or at the beginning of a trace that may be kept or not.
    pub(super) fn below(
        parent: Option<TraceContext>,
        samples: impl FnOnce(u128) -> bool,
    ) -> TraceContext {
        let trace = parent.map_or_else(random, |parent| parent.trace);
        let flags = if samples(trace) { SAMPLED } else { 0 };
        let span = u64::try_from(random::<u128>() >> 64).unwrap_or(1);
        TraceContext { trace, span: span.max(1), parent: parent.map(|parent| parent.span), flags }
    }

    /// A new span below this one.
    pub(crate) fn child(self) -> TraceContext {
        TraceContext::below(Some(self), |_| self.is_sampled())
    }

    pub(super) fn is_sampled(self) -> bool {
        self.flags & SAMPLED != 0
    }

    /// The form in which requests carry it.
    pub(crate) fn traceparent(self) -> String {
        format!("00-{:032x}-{:016x}-{:02x}", self.trace, self.span, self.flags)
    }
}

fn random<T: From<u128>>() -> T {
    let mut bytes = [0_u8; 16];
    SystemRandom::new().fill(&mut bytes).expect("the system gives random numbers");
    u128::from_be_bytes(bytes).max(1).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_stays_in_the_trace_of_its_parent() {
        let text = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
        let parent = TraceContext::parse(text).unwrap();
        assert_eq!(parent.traceparent(), text);
        let child = parent.child();
        assert_eq!((child.trace, child.parent), (parent.trace, Some(parent.span)));
        assert!(child.is_sampled() && child.span != parent.span);
        assert_eq!(TraceContext::parse(&child.traceparent()).unwrap().span, child.span);
        for bad in ["", "00-0-0-0", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"] {
            assert_eq!(TraceContext::parse(bad), None, "{bad}");
        }
    }
}
