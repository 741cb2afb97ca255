//! How a connection ends, and what that means for those who use it.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use docent_mcp::transport::{FrameReader, FrameWriter, Incoming, Transport};
use docent_mcp::types::Revision;
use serde_json::{Value, json};

use super::fake::{connected, heard, said};
use super::{ERAS, builder, with_fixture};

/// A server that closes in the middle of calls: each gets an error at once, and so does the next.
#[tokio::test(start_paused = true)]
async fn calls_end_with_the_connection() {
    for revision in Revision::ALL {
        let (client, mut fake) = connected(revision, builder()).await;
        let calls: Vec<_> = (0..50)
            .map(|_| {
                let client = client.clone();
                tokio::spawn(async move { client.call("any", json!({})).await })
            })
            .collect();
        for _ in 0..50 {
            fake.expect("tools/call").await;
        }
        let started = tokio::time::Instant::now();
        drop(fake);
        for call in calls {
            assert!(call.await.unwrap().unwrap_err().is_closed());
        }
        assert!(client.call("any", json!({})).await.unwrap_err().is_closed());
        assert_eq!(started.elapsed(), Duration::ZERO, "nobody had to wait");
    }
}

/// What the server had sent before it closed still counts.
#[tokio::test(start_paused = true)]
async fn the_last_answer_before_the_end_arrives() {
    for revision in ERAS {
        let (client, mut fake) = connected(revision, builder()).await;
        let (called, ()) = tokio::join!(client.call("any", json!({})), async {
            let call = fake.expect("tools/call").await;
            fake.answer(&call, said("last words")).await;
            drop(fake);
        });
        assert_eq!(heard(&called.unwrap()), "last words");
    }
}

/// Closing with calls open returns, ends the calls with an error, tells other handles, and the
/// server sees the end of its input.
#[tokio::test(start_paused = true)]
async fn closing_ends_open_calls() {
    for revision in ERAS {
        let (client, mut fake) = connected(revision, builder()).await;
        let calls: Vec<_> = (0..20)
            .map(|_| {
                let client = client.clone();
                tokio::spawn(async move { client.call("slow", json!({})).await })
            })
            .collect();
        for _ in 0..20 {
            fake.expect("tools/call").await;
        }
        let other = client.clone();
        client.close().await;
        assert_eq!(fake.rest().await, Vec::<Value>::new());
        for call in calls {
            assert!(call.await.unwrap().unwrap_err().is_closed());
        }
        assert!(other.ping().await.unwrap_err().is_closed());
        other.close().await;
    }
}

/// A server that neither reads nor answers does not keep a client from closing.
#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_read_cannot_block_closing() {
    let (client, _fake) = connected(Revision::V2026_07_28, builder()).await;
    let calling = tokio::spawn({
        let client = client.clone();
        // More than any pipe holds.
        async move { client.call("any", json!({ "text": "x".repeat(1 << 20) })).await }
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    client.close().await;
    assert!(calling.await.unwrap().unwrap_err().is_closed());
}

/// Dropping the last handle closes the connection; any other one keeps it open.
#[tokio::test(start_paused = true)]
async fn the_last_handle_closes_the_connection() {
    for revision in ERAS {
        let (client, mut fake) = connected(revision, builder()).await;
        let other = client.clone();
        let pages = other.tool_pages();
        drop(client);
        fake.expect_silence().await;
        drop(other);
        fake.expect_silence().await;
        drop(pages);
        assert_eq!(fake.rest().await, Vec::<Value>::new());
    }
}

/// Clones are the same client.
#[tokio::test(start_paused = true)]
async fn clones_share_the_connection() {
    let client = with_fixture(Revision::V2026_07_28, builder()).await;
    let other = client.clone();
    client.call("add_tool", json!({})).await.unwrap();
    assert!(other.tool("extra").await.unwrap().is_some());
    client.close().await;
    assert!(other.tools().await.unwrap_err().is_closed());
}

/// A transport of the program's own that panics takes the connection down and nothing else: those
/// who wait are told.
#[tokio::test(start_paused = true)]
async fn a_transport_that_panics_ends_its_connection() {
    struct Reader(tokio::sync::mpsc::UnboundedReceiver<Bytes>);
    impl FrameReader for Reader {
        async fn read(&mut self, items: &mut Vec<Incoming>) -> io::Result<()> {
            let frame = self.0.recv().await.expect("a bug in this transport");
            items.push(Incoming::Frame(frame));
            Ok(())
        }
    }
    struct Writer(tokio::sync::mpsc::UnboundedSender<Bytes>);
    impl FrameWriter for Writer {
        async fn write(&mut self, frames: &mut Vec<Bytes>) -> io::Result<()> {
            frames.drain(..).for_each(|frame| drop(self.0.send(frame)));
            Ok(())
        }
        async fn close(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (to_client, from_server) = tokio::sync::mpsc::unbounded_channel();
    let (to_server, mut from_client) = tokio::sync::mpsc::unbounded_channel::<Bytes>();
    let transport = Transport::new(Reader(from_server), Writer(to_server));
    let (client, ()) = tokio::join!(builder().connect(transport), async {
        let discover: Value = serde_json::from_slice(&from_client.recv().await.unwrap()).unwrap();
        let result = super::fake::discovered(&["2026-07-28"], json!({}));
        let answer = json!({ "jsonrpc": "2.0", "id": discover["id"], "result": result });
        to_client.send(answer.to_string().into()).unwrap();
    });
    let client = client.unwrap();
    let (called, ()) = tokio::join!(client.call("any", json!({})), async {
        from_client.recv().await.unwrap();
        drop(to_client);
    });
    assert!(called.unwrap_err().is_closed());
    assert!(client.ping().await.unwrap_err().is_closed());
    client.close().await;
}
