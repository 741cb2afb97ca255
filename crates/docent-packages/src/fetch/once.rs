//! One piece of work for any number of waiters.
//!
//! The work runs in a task of its own, so that a waiter that goes away takes nothing from the
//! others; when the last one goes, the work ends. Its result, good or bad, reaches all who wait and
//! is then forgotten: whoever asks later starts anew.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::{Error, ErrorKind};

/// Bytes that have arrived, of how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Loaded {
    pub(super) bytes: u64,
    pub(super) total: Option<u64>,
}

struct State<V> {
    loaded: Option<Loaded>,
    result: Option<Result<V, Error>>,
}

type Map<K, V> = Arc<Mutex<HashMap<K, (u64, Weak<Running<K, V>>)>>>;

/// The work under way, by what it is for.
pub(super) struct Once<K: Clone + Eq + Hash, V> {
    running: Map<K, V>,
    ids: AtomicU64,
}

/// Held by every waiter.
struct Running<K: Clone + Eq + Hash, V> {
    key: K,
    id: u64,
    state: watch::Receiver<State<V>>,
    task: AbortHandle,
    running: Map<K, V>,
}

impl<K: Clone + Eq + Hash, V> Drop for Running<K, V> {
    fn drop(&mut self) {
        self.task.abort();
        forget(&self.running, &self.key, self.id);
    }
}

/// Where the work says how far it is.
pub(super) struct Reporter<V>(Arc<watch::Sender<State<V>>>);

impl<V> Reporter<V> {
    pub(super) fn loaded(&self, loaded: Loaded) {
        self.0.send_modify(|state| state.loaded = Some(loaded));
    }
}

impl<K, V> Once<K, V>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    pub(super) fn new() -> Self {
        Self { running: Map::default(), ids: AtomicU64::new(0) }
    }

    /// The result of the work for this key, which is started unless it is under way. `heard` is
    /// called with how far it is.
    pub(super) async fn run<F>(
        &self,
        key: K,
        work: impl FnOnce(Reporter<V>) -> F,
        mut heard: impl FnMut(Loaded),
    ) -> Result<V, Error>
    where
        F: Future<Output = Result<V, Error>> + Send + 'static,
    {
        let running = self.join(key, work);
        let mut state = running.state.clone();
        let mut last = None;
        loop {
            let (loaded, result) = {
                let state = state.borrow_and_update();
                (state.loaded, state.result.clone())
            };
            if let Some(loaded) = loaded.filter(|_| loaded != last) {
                last = Some(loaded);
                heard(loaded);
            }
            if let Some(result) = result {
                return result;
            }
            if state.changed().await.is_err() {
                return Err(Error::new(ErrorKind::Network, "a fetch ended without a result"));
            }
        }
    }

    fn join<F>(&self, key: K, work: impl FnOnce(Reporter<V>) -> F) -> Arc<Running<K, V>>
    where
        F: Future<Output = Result<V, Error>> + Send + 'static,
    {
        let mut map = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = map.get(&key).and_then(|(_, running)| running.upgrade()) {
            return running;
        }
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        let (sender, state) = watch::channel(State { loaded: None, result: None });
        let sender = Arc::new(sender);
        let work = work(Reporter(Arc::clone(&sender)));
        let (all, of) = (Arc::clone(&self.running), key.clone());
        let task = tokio::spawn(async move {
            let result = work.await;
            // First forgotten, then told: nobody can join what is over.
            forget(&all, &of, id);
            sender.send_modify(|state| state.result = Some(result));
        });
        let task = task.abort_handle();
        let running = Arc::clone(&self.running);
        let running = Arc::new(Running { key: key.clone(), id, state, task, running });
        map.insert(key, (id, Arc::downgrade(&running)));
        running
    }
}

fn forget<K: Clone + Eq + Hash, V>(running: &Map<K, V>, key: &K, id: u64) {
    let mut map = running.lock().unwrap_or_else(PoisonError::into_inner);
    if map.get(key).is_some_and(|(found, _)| *found == id) {
        map.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use super::*;

    fn counted(
        runs: &Arc<AtomicUsize>,
        result: Result<u32, Error>,
    ) -> impl FnOnce(Reporter<u32>) -> crate::ecosystem::BoxFuture<'static, Result<u32, Error>> + use<>
    {
        let runs = Arc::clone(runs);
        move |_| {
            Box::pin(async move {
                runs.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_secs(1)).await;
                result
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn many_waiters_share_one_run() {
        let once = Once::new();
        let runs = Arc::new(AtomicUsize::new(0));
        let run = |_| once.run("key", counted(&runs, Ok(7)), |_| ());
        let (a, b, c) = tokio::join!(run(0), run(1), run(2));
        assert_eq!((a.unwrap(), b.unwrap(), c.unwrap()), (7, 7, 7));
        assert_eq!(runs.load(Ordering::Relaxed), 1);
        assert!(once.running.lock().unwrap().is_empty());
        // Over is over: the next one runs again.
        assert_eq!(run(3).await.unwrap(), 7);
        assert_eq!(runs.load(Ordering::Relaxed), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn an_error_reaches_all_and_is_forgotten() {
        let once = Once::new();
        let runs = Arc::new(AtomicUsize::new(0));
        let error = || Err(Error::new(ErrorKind::Network, "down"));
        let run = |result| once.run(1, counted(&runs, result), |_| ());
        let (a, b) = tokio::join!(run(error()), run(Ok(1)));
        assert_eq!(a.unwrap_err().to_string(), "down");
        assert_eq!(b.unwrap_err().to_string(), "down");
        assert_eq!(run(Ok(1)).await.unwrap(), 1);
        assert_eq!(runs.load(Ordering::Relaxed), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiter_that_goes_away_takes_nothing_from_the_others() {
        let once = Arc::new(Once::new());
        let runs = Arc::new(AtomicUsize::new(0));
        let first = {
            let (once, work) = (Arc::clone(&once), counted(&runs, Ok(3)));
            tokio::spawn(async move { once.run((), work, |_| ()).await })
        };
        tokio::task::yield_now().await;
        let second = {
            let (once, work) = (Arc::clone(&once), counted(&runs, Ok(4)));
            tokio::spawn(async move { once.run((), work, |_| ()).await })
        };
        tokio::time::sleep(Duration::from_millis(500)).await;
        first.abort();
        assert_eq!(second.await.unwrap().unwrap(), 3);
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn work_ends_when_the_last_waiter_goes() {
        let once = Once::<(), u32>::new();
        let finished = Arc::new(AtomicUsize::new(0));
        let work = {
            let finished = Arc::clone(&finished);
            move |_| async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                finished.fetch_add(1, Ordering::Relaxed);
                Ok(0)
            }
        };
        let waited = tokio::time::timeout(Duration::from_millis(1), once.run((), work, |_| ()));
        assert!(waited.await.is_err());
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(finished.load(Ordering::Relaxed), 0);
        assert!(once.running.lock().unwrap().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_panics_is_an_error_and_progress_is_heard_by_all() {
        let once = Once::<u8, u32>::new();
        let died = once.run(0, |_| async { panic!("on purpose") }, |_| ()).await;
        assert_eq!(died.unwrap_err().to_string(), "a fetch ended without a result");
        let work = |reporter: Reporter<u32>| async move {
            reporter.loaded(Loaded { bytes: 5, total: Some(9) });
            Ok(1)
        };
        let (mut one, mut two) = (Vec::new(), Vec::new());
        let (a, b) = tokio::join!(
            once.run(1, work, |loaded| one.push(loaded.bytes)),
            once.run(1, work, |loaded| two.push(loaded.bytes)),
        );
        assert_eq!((a.unwrap(), b.unwrap(), one, two), (1, 1, vec![5], vec![5]));
    }
}
