//! Answers that are so recent that asking the disk again would be a waste.
//!
//! Agents ask in bursts. Within the span kept here, a package that was just looked up is not looked
//! up again; a change of the project is noticed right after.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long something counts as recent.
const SPAN: Duration = Duration::from_secs(2);
const ENTRIES_MAX: usize = 256;

pub(crate) struct Recent<K, V> {
    entries: Mutex<HashMap<K, (Instant, V)>>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self { entries: Mutex::default() }
    }
}

impl<K: Eq + Hash, V: Clone> Recent<K, V> {
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, value) = entries.get(key)?;
        (since.elapsed() < SPAN).then(|| value.clone())
    }

    pub(crate) fn put(&self, key: K, value: V) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|_, (since, _)| since.elapsed() < SPAN);
        if entries.len() < ENTRIES_MAX {
            entries.insert(key, (Instant::now(), value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_recent_is_forgotten_in_time() {
        let recent = Recent::default();
        recent.put("a", 1);
        assert_eq!(recent.get(&"a"), Some(1));
        tokio::time::advance(SPAN).await;
        assert_eq!(recent.get(&"a"), None);
    }
}
