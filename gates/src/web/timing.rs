//! How long things took.

use std::time::Duration;

/// Times of many calls.
#[derive(Default)]
pub(crate) struct Timing(Vec<Duration>);

impl Timing {
    pub(crate) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn merge(&mut self, other: Timing) {
        self.0.extend(other.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The time that all but this share of the calls kept; endless if there were none.
    fn quantile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
        sorted.get(index).copied().unwrap_or(Duration::MAX)
    }

    pub(crate) fn p99(&self) -> Duration {
        self.quantile(99)
    }

    pub(crate) fn max(&self) -> Duration {
        self.quantile(100)
    }
}

impl std::fmt::Display for Timing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (p50, p99, max) = (self.quantile(50), self.p99(), self.max());
        write!(f, "{} calls, p50 {p50:.1?}, p99 {p99:.1?}, max {max:.1?}", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles() {
        let mut timing = Timing::default();
        assert_eq!(timing.p99(), Duration::MAX, "nothing measured is nothing shown");
        for millis in (1..=200).rev() {
            timing.add(Duration::from_millis(millis));
        }
        assert_eq!(timing.quantile(50), Duration::from_millis(101));
        assert_eq!(timing.p99(), Duration::from_millis(199));
        assert_eq!(timing.max(), Duration::from_millis(200));
    }
}
