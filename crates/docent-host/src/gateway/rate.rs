//! At most so many calls per time, for each principal.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::layer::Refusal;
use docent_mcp::server::Context;
use tokio::time::Instant;

/// A bucket of tokens for each principal, or for each connection where nobody is authenticated.
pub(super) struct Rate {
    burst: u32,
    interval: Duration,
    principals_max: usize,
    /// When each bucket will be full again.
    full_at: Mutex<HashMap<Option<Arc<str>>, Instant>>,
}

impl Rate {
    pub(super) fn new(burst: u32, interval: Duration, principals_max: usize) -> Self {
        Rate { burst: burst.max(1), interval, principals_max, full_at: Mutex::default() }
    }

    /// Takes a token of the caller, or says when there will be one.
    pub(super) fn take(&self, context: &Context) -> Result<(), ErrorObject> {
        let caller = match (context.principal(), context.connection()) {
            (Some(principal), _) => Some(principal.into()),
            (None, Some(connection)) => Some(format!("\0{connection}").into()),
            (None, None) => None,
        };
        self.take_of(caller, Instant::now()).map_err(|wait| Refusal::RateLimited(wait).into())
    }

    fn take_of(&self, caller: Option<Arc<str>>, now: Instant) -> Result<(), Duration> {
        let mut full_at = self.full_at.lock().expect("no panic while locked");
        if full_at.len() >= self.principals_max && !full_at.contains_key(&caller) {
            // A full bucket is as good as none, and the fullest is the next best.
            full_at.retain(|_, full| *full > now);
            if full_at.len() >= self.principals_max {
                let fullest = full_at.iter().min_by_key(|(_, full)| **full);
                let fullest = fullest.map(|(caller, _)| caller.clone());
                fullest.map(|caller| full_at.remove(&caller));
            }
        }
        let full = full_at.get(&caller).copied().unwrap_or(now).max(now) + self.interval;
        let wait = (full - now).saturating_sub(self.interval * self.burst);
        if !wait.is_zero() {
            return Err(wait);
        }
        full_at.insert(caller, full);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_principal_has_its_own_bucket() {
        let second = Duration::from_secs(1);
        let rate = Rate::new(2, second, 2);
        let now = Instant::now();
        let take = |who: &str, at| rate.take_of(Some(who.into()), at);
        assert_eq!([take("a", now), take("a", now)], [Ok(()), Ok(())]);
        assert_eq!(take("a", now), Err(second));
        assert_eq!(take("b", now), Ok(()), "a neighbor loses nothing");
        assert_eq!(take("a", now + second), Ok(()));
        // More principals than are remembered: those that wait for nothing are forgotten.
        assert_eq!(take("c", now + 5 * second), Ok(()));
        assert_eq!(rate.full_at.lock().unwrap().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_principals_are_remembered_than_there_is_room_for() {
        let second = Duration::from_secs(1);
        let rate = Rate::new(2, second, 2);
        let now = Instant::now();
        let take = |who: &str| rate.take_of(Some(who.into()), now);
        assert_eq!([take("a"), take("a"), take("b")], [Ok(()); 3]);
        // At the limit, both are known.
        assert_eq!([take("a"), take("b"), take("b")], [Err(second), Ok(()), Err(second)]);
        // One past it, somebody is forgotten, and not the one who just came.
        assert_eq!([take("c"), take("c"), take("c")], [Ok(()), Ok(()), Err(second)]);
        assert_eq!(rate.full_at.lock().unwrap().len(), 2);
    }
}
