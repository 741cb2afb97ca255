//! Servers that fail are tried again, with pauses that grow while they do.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use docent_host::{Host, HostLimits, State};
use docent_mcp::client::Source;
use docent_mcp::transport::memory;
use docent_mcp::types::Revision;
use serde_json::json;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::fixture::{Behind, host, server, text};

/// A server that can be made to fail, and remembers when it was tried.
#[derive(Clone, Default)]
struct Shaky(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    /// How often it fails from now on.
    failures: usize,
    tried: Vec<Instant>,
    serving: Option<AbortHandle>,
}

impl Shaky {
    fn new(failures: usize) -> Self {
        Shaky(Arc::new(Mutex::new(Inner { failures, ..Inner::default() })))
    }

    fn host(&self) -> Host {
        let (shaky, one) = (self.clone(), server(Revision::NEWEST_MODERN, &Behind::default()));
        let connect = move || {
            let (shaky, one) = (shaky.clone(), one.clone());
            Source::connector(move || {
                let mut inner = shaky.0.lock().unwrap();
                inner.tried.push(Instant::now());
                if let Some(left) = inner.failures.checked_sub(1) {
                    inner.failures = left;
                    return std::future::ready(Err(std::io::Error::other("not today")));
                }
                let (near, far) = memory();
                let serving = tokio::spawn(one.clone().serve(far));
                inner.serving = Some(serving.abort_handle());
                std::future::ready(Ok(near))
            })
        };
        let host = host()
            .configure(|_, client| client.without_restart())
            .connector("shaky", connect)
            .from_entries([]);
        host.start();
        host
    }

    /// Ends the connection, and has it noticed. It fails so often then.
    async fn end(&self, host: &Host, failures: usize) {
        {
            let mut inner = self.0.lock().unwrap();
            inner.failures = failures;
            inner.tried.clear();
            inner.serving.take().expect("it was there").abort();
        }
        host.call("shaky.echo", json!({ "message": "x" })).await.unwrap_err();
        while !matches!(host.servers()[0].state, State::Failed(_)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The seconds between one try and the next.
    fn pauses(&self) -> Vec<u64> {
        let inner = self.0.lock().unwrap();
        inner.tried.windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).collect()
    }
}

async fn works(host: &Host) {
    while !matches!(host.servers()[0].state, State::Ready(_)) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let result = host.call("shaky.echo", json!({ "message": "here" })).await.unwrap();
    assert_eq!(text(&result), "here");
}

#[tokio::test(start_paused = true)]
async fn pauses_grow_up_to_the_longest() {
    let shaky = Shaky::new(usize::MAX);
    let host = shaky.host();
    tokio::time::sleep(Duration::from_secs(125)).await;
    assert_eq!(shaky.pauses(), [1, 2, 4, 8, 16, 30, 30, 30]);
    let failed = host.call("shaky.echo", json!({})).await.unwrap_err();
    assert!(failed.to_string().contains("not today"), "{failed}");
    host.close().await;
}

#[tokio::test(start_paused = true)]
async fn one_that_fails_twice_and_then_works_is_used() {
    let shaky = Shaky::new(2);
    let host = shaky.host();
    works(&host).await;
    assert_eq!(shaky.pauses(), [1, 2]);
    host.close().await;
}

/// A server that worked for long is tried again soon; one that keeps ending is not.
#[tokio::test(start_paused = true)]
async fn pauses_begin_anew_after_a_connection_that_lived() {
    let longest = HostLimits::default().retry_pause_max;
    for (lived, pauses) in [
        (longest, [2, 4]),
        // Four failures and one connection that ended soon were before these.
        (Duration::from_secs(5), [30, 30]),
    ] {
        let shaky = Shaky::new(4);
        let host = shaky.host();
        works(&host).await;
        assert_eq!(shaky.pauses(), [1, 2, 4, 8]);
        tokio::time::sleep(lived).await;
        shaky.end(&host, 2).await;
        works(&host).await;
        assert_eq!(shaky.pauses(), pauses, "after {lived:?}");
        host.close().await;
    }
}
