//! Tries again what may work the next time, and knows what will not.

use std::future::Future;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::{Duration, SystemTime};

use reqwest::StatusCode;

use crate::{Error, ErrorKind, Limits};

/// The wait before the second attempt; it doubles with every further one.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Why an attempt failed, and whether to make another.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: Error,
    pub(super) again: Again,
}

/// When to try again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Again {
    Never,
    Soon,
    /// Not before this time has passed, as the server asked.
    After(Duration),
}

impl Failure {
    pub(super) fn never(error: Error) -> Self {
        Self { error, again: Again::Never }
    }

    pub(super) fn soon(error: Error) -> Self {
        Self { error, again: Again::Soon }
    }
}

/// Makes attempts until one succeeds, fails for good, or there were enough.
pub(super) async fn retry<T, F>(limits: &Limits, mut attempt: impl FnMut() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Failure>>,
{
    let mut attempts = 0;
    loop {
        let Failure { error, again } = match attempt().await {
            Ok(done) => return Ok(done),
            Err(failure) => failure,
        };
        let wait = match again {
            Again::Never => return Err(error),
            Again::After(asked) if asked > limits.retry_after_max => {
                let (asked, most) = (asked.as_secs(), limits.retry_after_max.as_secs());
                let hint = format!("the registry asks to wait {asked} s; the limit is {most} s");
                return Err(error.hint(hint));
            }
            Again::After(asked) => asked.max(backoff(attempts, chance())),
            Again::Soon => backoff(attempts, chance()),
        };
        if attempts >= limits.retries_max {
            return Err(error);
        }
        attempts += 1;
        tokio::time::sleep(wait).await;
    }
}

/// The wait after so many further attempts, from half to all of what it doubles to, so that many
/// who failed together do not come back together. `chance` is any number.
fn backoff(attempts: u32, chance: u64) -> Duration {
    let doubled = FIRST_WAIT.saturating_mul(1 << attempts.min(16)).min(LONGEST_WAIT);
    let share = u32::try_from(chance % 1000).unwrap_or(0);
    doubled / 2 + doubled * share / 2000
}

fn chance() -> u64 {
    std::hash::RandomState::new().build_hasher().finish()
}

/// Whether a status is worth another attempt.
pub(super) fn passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 425 | 429)
        || (status.is_server_error() && !matches!(status.as_u16(), 501 | 505))
}

/// What `Retry-After` asks for: seconds, or a date.
pub(super) fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// The failure of a status that another attempt may not meet again.
pub(super) fn passing_failure(message: String, asked: Option<Duration>) -> Failure {
    let again = asked.map_or(Again::Soon, Again::After);
    Failure { error: Error::new(ErrorKind::Network, message), again }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Plays failures one after the other, then succeeds: attempts made, and whether it worked.
    async fn play(failures: &[Again]) -> (u32, Result<(), Error>, Duration) {
        let mut left: VecDeque<Again> = failures.iter().copied().collect();
        let (mut attempts, started) = (0, tokio::time::Instant::now());
        let limits = Limits::default();
        let done = retry(&limits, || {
            attempts += 1;
            let next = left.pop_front();
            async move {
                let error = Error::new(ErrorKind::Network, "no");
                next.map_or(Ok(()), |again| Err(Failure { error, again }))
            }
        });
        let done = done.await;
        (attempts, done, started.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_follow_what_failed() {
        use Again::{After, Never, Soon};
        let long = After(Duration::from_secs(11));
        for (failures, attempts, works) in [
            (&[][..], 1, true),
            (&[Soon], 2, true),
            (&[Soon, Soon, Soon], 4, true),
            (&[Soon, Soon, Soon, Soon], 4, false),
            (&[Never], 1, false),
            (&[Soon, Never], 2, false),
            (&[After(Duration::from_secs(10))], 2, true),
            (&[long], 1, false),
        ] {
            let (made, done, _) = play(failures).await;
            assert_eq!((made, done.is_ok()), (attempts, works), "{failures:?}");
        }
        let (_, refused, _) = play(&[long]).await;
        let hints = refused.unwrap_err().hints().to_vec();
        assert_eq!(hints, ["the registry asks to wait 11 s; the limit is 10 s"]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_a_server_asks_for_is_kept() {
        let (_, _, waited) = play(&[Again::After(Duration::from_secs(9))]).await;
        assert!(waited >= Duration::from_secs(9));
    }

    #[test]
    fn waits_double_with_some_chance_and_an_end() {
        for (attempts, chance, expected) in
            [(0, 0, 125), (0, 999, 249), (1, 0, 250), (3, 1000, 1000), (40, 0, 5000)]
        {
            assert_eq!(backoff(attempts, chance).as_millis(), expected, "{attempts} {chance}");
        }
    }

    #[test]
    fn statuses_worth_another_attempt() {
        for (status, expected) in [
            (400, false),
            (401, false),
            (404, false),
            (408, true),
            (409, false),
            (425, true),
            (429, true),
            (500, true),
            (501, false),
            (502, true),
            (503, true),
            (505, false),
            (599, true),
        ] {
            assert_eq!(passing(StatusCode::from_u16(status).unwrap()), expected, "{status}");
        }
    }

    #[test]
    fn retry_after_in_both_forms() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        for (value, expected) in [
            ("0", Some(0)),
            (" 120 ", Some(120)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
            ("1.5", None),
        ] {
            assert_eq!(retry_after(value, now), expected.map(Duration::from_secs), "{value}");
        }
    }
}
