//! How many requests of one authenticated principal may run at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use http::StatusCode;

use super::reply::Refusal;

#[derive(Clone)]
pub(super) struct Quota {
    running: Arc<Mutex<HashMap<Arc<str>, usize>>>,
    max: usize,
}

/// Counts as one running request until it is dropped.
pub(super) struct Permit(Option<(Quota, Arc<str>)>);

impl Quota {
    pub(super) fn new(max: usize) -> Self {
        Quota { running: Arc::default(), max }
    }

    /// Counts a request. Those of nobody in particular are bounded by connections instead.
    pub(super) fn take(&self, principal: Option<&Arc<str>>) -> Result<Permit, Refusal> {
        let Some(principal) = principal else { return Ok(Permit(None)) };
        let mut running = self.running.lock().expect("no panic while locked");
        let count = running.entry(principal.clone()).or_default();
        if *count >= self.max {
            let message = format!("{} of your requests are running: wait for one to end", self.max);
            return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, message));
        }
        *count += 1;
        Ok(Permit(Some((self.clone(), principal.clone()))))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some((quota, principal)) = self.0.take() else { return };
        let mut running = quota.running.lock().expect("no panic while locked");
        if let Some(count) = running.get_mut(&principal) {
            *count -= 1;
            if *count == 0 {
                running.remove(&principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_principal_has_its_own() {
        let quota = Quota::new(2);
        let (ada, bob): (Arc<str>, Arc<str>) = ("ada".into(), "bob".into());
        let first = quota.take(Some(&ada)).ok().unwrap();
        let _second = quota.take(Some(&ada)).ok().unwrap();
        assert!(quota.take(Some(&ada)).is_err());
        assert!(quota.take(Some(&bob)).is_ok());
        assert!(quota.take(None).is_ok());
        drop(first);
        assert!(quota.take(Some(&ada)).is_ok());
        drop(_second);
        assert!(quota.running.lock().unwrap().is_empty());
    }
}
