//! Results that a server said stay fresh (2026-07-28).
//!
//! One cache per client, so it never crosses principals. A result is dropped when its time is up,
//! when a notification says that it changed, and when there is no room. A result that was on its
//! way while something changed is not kept at all: nobody knows which of the two came first.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use super::handlers::ServerEvent;
use crate::jsonrpc::RawJson;
use crate::types::method;

pub(crate) struct Cache {
    state: Mutex<State>,
    entries_max: usize,
}

#[derive(Default)]
struct State {
    entries: HashMap<Key, Entry>,
    /// How often something was dropped because it changed.
    changes: u64,
}

/// A method and its parameters without metadata, as JSON text.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) method: String,
    pub(crate) params: RawJson,
}

struct Entry {
    result: RawJson,
    fresh_until: Instant,
}

impl Cache {
    pub(crate) fn new(entries_max: usize) -> Self {
        Cache { state: Mutex::default(), entries_max }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while locked")
    }

    /// How often something changed so far, for [`Cache::put`].
    pub(crate) fn changes(&self) -> u64 {
        self.state().changes
    }

    pub(crate) fn get(&self, key: &Key) -> Option<RawJson> {
        let mut state = self.state();
        let entry = state.entries.get(key)?;
        if entry.fresh_until <= Instant::now() {
            state.entries.remove(key);
            return None;
        }
        Some(entry.result.clone())
    }

    /// Keeps a result for as long as it says, unless something changed since it was asked for.
    pub(crate) fn put(&self, key: Key, result: &RawJson, changes_before: u64) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Hints {
            #[serde(default)]
            ttl_ms: Option<serde_json::Number>,
        }
        // A missing, negative or fractional time counts as none.
        let ttl_ms = result.decode::<Hints>().ok().and_then(|hints| hints.ttl_ms?.as_u64());
        let Some(ttl_ms) = ttl_ms.filter(|ttl_ms| *ttl_ms > 0) else { return };
        let now = Instant::now();
        // Servers may say anything; a day is as good as forever here.
        let ttl = Duration::from_millis(ttl_ms).min(Duration::from_secs(86_400));
        let mut state = self.state();
        if state.entries.len() >= self.entries_max {
            state.entries.retain(|_, entry| entry.fresh_until > now);
        }
        if state.entries.len() < self.entries_max && state.changes == changes_before {
            state.entries.insert(key, Entry { result: result.clone(), fresh_until: now + ttl });
        }
    }

    /// Drops what an event says is no longer true.
    pub(crate) fn evict(&self, event: &ServerEvent) {
        let methods: &[&str] = match event {
            ServerEvent::ToolsChanged => &[method::TOOLS_LIST],
            ServerEvent::PromptsChanged => &[method::PROMPTS_LIST],
            ServerEvent::ResourcesChanged => {
                &[method::RESOURCES_LIST, method::RESOURCES_TEMPLATES_LIST]
            }
            ServerEvent::ResourceUpdated(_) => &[method::RESOURCES_READ],
            _ => return,
        };
        let mut state = self.state();
        state.changes += 1;
        state.entries.retain(|key, _| match event {
            ServerEvent::ResourceUpdated(uri) => {
                let uri = RawJson::of(uri);
                key.method != method::RESOURCES_READ
                    || memchr::memmem::find(key.params.as_bytes(), uri.as_bytes()).is_none()
            }
            _ => !methods.contains(&key.method.as_str()),
        });
    }

    pub(crate) fn clear(&self) {
        let mut state = self.state();
        state.changes += 1;
        state.entries.clear();
    }
}

/// Whether results of a method may be kept at all.
pub(crate) fn is_cacheable(method: &str) -> bool {
    matches!(
        method,
        method::SERVER_DISCOVER
            | method::TOOLS_LIST
            | method::PROMPTS_LIST
            | method::RESOURCES_LIST
            | method::RESOURCES_TEMPLATES_LIST
            | method::RESOURCES_READ
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn key(name: &str) -> Key {
        Key { method: method::RESOURCES_READ.to_owned(), params: json!({ "uri": name }).into() }
    }

    fn fresh(ttl_ms: serde_json::Value) -> RawJson {
        RawJson::from(&json!({ "contents": [], "ttlMs": ttl_ms }))
    }

    #[tokio::test(start_paused = true)]
    async fn room_for_as_many_as_the_limit_and_stale_ones_make_room() {
        let cache = Cache::new(2);
        for name in ["a", "b", "c"] {
            cache.put(key(name), &fresh(json!(1000)), cache.changes());
        }
        let held = |name: &str| cache.get(&key(name)).is_some();
        assert_eq!((held("a"), held("b"), held("c")), (true, true, false));
        tokio::time::advance(Duration::from_millis(1000)).await;
        assert!(!held("a"), "its time is up");
        cache.put(key("c"), &fresh(json!(1000)), cache.changes());
        assert!(held("c"));
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_whole_positive_time_keeps_a_result() {
        let cache = Cache::new(10);
        for (ttl_ms, kept) in [
            (json!(1), true),
            (json!(0), false),
            (json!(-1), false),
            (json!(1.5), false),
            (json!("9"), false),
            (json!(null), false),
        ] {
            cache.put(key("x"), &fresh(ttl_ms.clone()), cache.changes());
            assert_eq!(cache.get(&key("x")).is_some(), kept, "{ttl_ms}");
            cache.clear();
        }
    }
}
