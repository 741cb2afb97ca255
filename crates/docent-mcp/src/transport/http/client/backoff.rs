//! How long to wait before a stream is opened again.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

/// The pause after the first attempt that brought nothing; it doubles from there.
const FIRST: Duration = Duration::from_millis(250);

/// The pause before the next attempt, when `failures` came to nothing before it. What the server
/// asked for is the least, and is kept to closely the first time.
pub(super) fn pause(failures: u32, asked: Option<Duration>, max: Duration) -> Duration {
    let growing = FIRST.saturating_mul(2u32.saturating_pow(failures)).min(max);
    match asked {
        // A little late is polite; early is not.
        Some(asked) if failures == 0 => asked.saturating_add(part(asked.min(max) / 10)),
        Some(asked) => asked.max(growing).saturating_add(part(growing / 10)),
        None => growing / 2 + part(growing / 2),
    }
}

/// A random part of it, so that clients that lost a server together do not come back together.
fn part(whole: Duration) -> Duration {
    let random = RandomState::new().hash_one(0u8) % 1024;
    whole.mul_f64(f64::from(u16::try_from(random).unwrap_or(0)) / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: Duration = Duration::from_secs(30);

    /// Row 11: however often it is tried, the pause neither overflows nor grows beyond its limit.
    #[test]
    fn row_11_pauses_grow_and_stop_growing() {
        for failures in (0..10_000).chain([u32::MAX]) {
            let pause = pause(failures, None, MAX);
            assert!(pause <= MAX, "{failures}: {pause:?}");
            assert!(pause >= FIRST / 2, "{failures}: {pause:?}");
        }
        assert!(pause(9_999, None, MAX) >= MAX / 2);
    }

    #[test]
    fn what_the_server_asks_for_is_the_least() {
        for asked in [0, 1, 500, 90_000].map(Duration::from_millis) {
            for failures in [0, 1, 20] {
                let pause = pause(failures, Some(asked), MAX);
                assert!(pause >= asked, "{failures} {asked:?}: {pause:?}");
            }
            assert!(pause(0, Some(asked), MAX) <= asked + asked / 10);
        }
        assert_eq!(
            pause(0, Some(Duration::MAX), MAX).min(Duration::MAX),
            pause(1, Some(Duration::MAX), MAX)
        );
    }
}
