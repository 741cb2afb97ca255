//! The record of calls: what stands in it, and what becomes of it when it cannot be written.

use std::io::Write;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use docent_host::{Gateway, HostLimits};
use docent_mcp::types::Revision;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::fixture::{Behind, Way, client, connect, host, server, soon, source};
use crate::heard::Heard;

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Paper {
    fn lines(&self) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Takes a line when the function says so.
struct Pen<F> {
    line: Vec<u8>,
    paper: Paper,
    press: F,
}

impl<F: FnMut() -> std::io::Result<()>> Write for Pen<F> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.line.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        (self.press)()?;
        self.paper.write_all(&std::mem::take(&mut self.line))
    }
}

/// A gateway that writes there, after so many calls.
async fn called(
    calls: usize,
    flush_timeout: Duration,
    press: impl FnMut() -> std::io::Result<()> + Send + 'static,
) -> (Arc<Gateway>, Paper) {
    let (behind, paper) = (Behind::default(), Paper::default());
    let mut limits = HostLimits::default();
    limits.connection.flush_timeout = flush_timeout;
    let one = server(Revision::NEWEST_MODERN, &behind);
    let host = host().limits(limits).connector("one", source(&one, &behind)).from_entries([]);
    let pen = Pen { line: Vec::new(), paper: paper.clone(), press };
    let gateway = Arc::new(Gateway::builder(host).record(pen).unwrap().build());
    let client = connect(&gateway, Way::Memory, client(Revision::NEWEST_MODERN).0).await;
    for _ in 0..calls {
        soon(client.call("one__echo", json!({ "message": "hunter2" }))).await.unwrap();
    }
    (gateway, paper)
}

const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn calls_are_written_down_without_what_was_said() {
    let (gateway, paper) = called(1, LONG, || Ok(())).await;
    gateway.close().await;
    let lines = paper.lines();
    let [line] = &lines[..] else { panic!("{lines:?}") };
    assert!(!line.to_string().contains("hunter2"), "{line}");
    assert_eq!(line["name"], "one__echo");
    assert_eq!(line["arguments"]["message"], "string of 7");
}

/// Whoever closes a gateway has its whole record, however slow the disk is.
#[tokio::test]
async fn closing_waits_for_the_last_lines() {
    let slow = || {
        std::thread::sleep(Duration::from_millis(20));
        Ok(())
    };
    let (gateway, paper) = called(5, LONG, slow).await;
    gateway.close().await;
    assert_eq!(paper.lines().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_hangs_is_not_waited_for_forever() {
    let heard = Heard::default();
    let _hearing = tracing::subscriber::set_default(heard.clone());
    let (go_on, gone_on) = mpsc::channel::<()>();
    let hangs = move || {
        let _ = gone_on.recv();
        Ok(())
    };
    let patience = Duration::from_secs(3);
    let (gateway, _paper) = called(2, patience, hangs).await;
    let begun = Instant::now();
    gateway.close().await;
    assert!(begun.elapsed() >= patience, "{:?}", begun.elapsed());
    assert_eq!(heard.warnings("its last lines are lost"), 1, "{heard:?}");
    drop(go_on);
}

/// That a record ends is said once, with the reason, and costs no call.
#[tokio::test]
async fn a_record_that_cannot_be_written_says_so_once() {
    let heard = Heard::default();
    let _hearing = tracing::subscriber::set_default(heard.clone());
    let full = || Err(std::io::Error::other("no room left"));
    let (gateway, paper) = called(5, LONG, full).await;
    gateway.close().await;
    assert_eq!(heard.warnings("no room left"), 1, "{heard:?}");
    assert_eq!(heard.warnings("the record of calls"), 1, "{heard:?}");
    assert!(paper.lines().is_empty());
}
