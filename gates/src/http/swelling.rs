//! Small requests that could cost much memory: at most a hundred times what was sent.
//!
//! Each kind is sent over many connections at once, because the memory of a process comes in steps;
//! what the process held at most, above what it held with the connections open, is shared among
//! them.

use serde_json::{Value, json};

use crate::Result;
use crate::web::child::Served;
use crate::web::connection::Connection;
use crate::web::message::{self, Ask};

/// Requests at once.
const CROWD: usize = 100;
/// The largest request that the promise is about.
const SMALL: usize = 10 << 10;

/// The largest amplification of any kind.
pub(super) async fn run() -> Result<f64> {
    let mut most = 0.0_f64;
    for kind in 0.. {
        // Each kind has a server of its own: memory that others have left would hide it.
        let served = Served::start(&[]).await?;
        let Some((about, ask)) = kinds(&served).await?.into_iter().nth(kind) else { break };
        let size = ask.bytes("localhost").len();
        if size > SMALL {
            return Err(format!("{about}: {size} bytes are not a small request").into());
        }
        let (before, peak) = crowd(&served, &ask).await?;
        let bytes = (peak - before).max(0.0) * 1024.0 * 1024.0;
        let times = bytes / f64::from(u32::try_from(size * CROWD)?);
        println!("{about}: {size} bytes, {times:.1} times as much memory");
        most = most.max(times);
    }
    Ok(most)
}

/// Sends one request over many connections at once. Returns the memory before, when the
/// connections had done something small, and the most there was.
async fn crowd(served: &Served, ask: &Ask) -> Result<(f64, f64)> {
    let mut connections = Vec::new();
    for _ in 0..CROWD {
        let mut connection: Connection = served.connect().await?;
        connection.ask(&message::call(1, "hits", &json!({}))).await?;
        connections.push(connection);
    }
    let before = served.rss()?;
    served.forget_peak()?;
    for connection in &mut connections {
        connection.send(ask).await?;
    }
    // Some answers have no end.
    for connection in &mut connections {
        connection.head().await?;
    }
    Ok((before, served.peak()?))
}

async fn kinds(served: &Served) -> Result<Vec<(&'static str, Ask)>> {
    let room = 8 << 10;
    let mut connection = served.connect().await?;
    let begun = connection.begin(&message::initialize("2025-03-26")).await?;
    let session = begun.map_err(|head| format!("no session: {}", head.status))?;
    let echo = |message: Value| message::call(1, "echo", &json!({ "message": message }));
    let broken = |body: String| {
        let mut ask = echo(json!(""));
        ask.body = body.into_bytes();
        ask
    };
    let resources: Vec<String> = (0..900).map(|number| format!("a:{number}")).collect();
    let pings: Vec<Value> =
        (0..100).map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })).collect();
    let mut many_headers = echo(json!("x"));
    for number in 0..80 {
        many_headers = many_headers.with(&format!("x-{number}"), &"y".repeat(80));
    }
    let keys: serde_json::Map<String, Value> =
        (0..900).map(|number| (format!("k{number}"), json!(0))).collect();
    Ok(vec![
        ("a long text", echo(json!("x".repeat(room)))),
        ("a text of escapes", echo(json!("\u{1}".repeat(room / 6)))),
        ("an array", echo(json!(vec![0; room / 2]))),
        ("arrays in an array", echo(json!(vec![json!([]); room / 3]))),
        ("an object", echo(Value::Object(keys))),
        ("arrays as deep as they may be", broken("[".repeat(60) + &"]".repeat(60))),
        ("arrays that never end", broken("[".repeat(room))),
        ("a list of tools", message::modern(1, "tools/list", json!({}))),
        ("a subscription to many resources", message::listen(1, &resources)),
        ("many headers", many_headers),
        ("a batch", message::in_session(&session, &json!(pings))),
    ])
}
