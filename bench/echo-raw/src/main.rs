//! The floor: one blocking thread reads a line, parses it, matches on the method and writes the
//! answer. It knows nothing else of the protocol, so an SDK can approach it but not pass it by much.
//! `echo-raw http`, with the feature `http`, is the same in axum; see `http.rs`.

#[cfg(feature = "http")]
mod http;

use std::io::{self, BufRead, BufReader, BufWriter, Write};

use serde_json::{Value, json};

const BUFFER_BYTES: usize = 64 * 1024;

fn main() -> io::Result<()> {
    let more_tools = std::env::var("BENCH_TOOLS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    #[cfg(feature = "http")]
    if std::env::args().nth(1).is_some_and(|word| word == "http") {
        return http::run(more_tools);
    }
    let mut input = BufReader::with_capacity(BUFFER_BYTES, io::stdin().lock());
    let mut output = BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        answer(&line, more_tools, &mut output)?;
        line.clear();
        // Requests that arrived together are answered together, with one write.
        if memchr::memchr(b'\n', input.buffer()).is_none() {
            output.flush()?;
        }
    }
    output.flush()
}

/// Writes the response to one line; notifications have no id and get none.
fn answer(line: &[u8], more_tools: usize, output: &mut impl Write) -> io::Result<()> {
    let message: Value = serde_json::from_slice(line)?;
    let Some(id) = message.get("id") else { return Ok(()) };
    write!(output, r#"{{"jsonrpc":"2.0","id":{id},"result":"#)?;
    match message["method"].as_str() {
        Some("initialize") => serde_json::to_writer(&mut *output, &initialize())?,
        Some("tools/list") => serde_json::to_writer(&mut *output, &tools(more_tools))?,
        Some("tools/call") => call(&message["params"], output)?,
        _ => output.write_all(b"{}")?,
    }
    output.write_all(b"}\n")
}

fn initialize() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "echo-raw", "version": env!("CARGO_PKG_VERSION") },
    })
}

fn tools(more: usize) -> Value {
    let mut tools = vec![json!({
        "name": "echo",
        "description": "Returns the message",
        "inputSchema": {
            "type": "object",
            "properties": { "message": { "type": "string" } },
            "required": ["message"],
        },
    })];
    tools.extend((0..more).map(|n| {
        json!({
            "name": format!("tool_{n}"),
            "description": "Does nothing",
            "inputSchema": { "type": "object", "properties": {} },
        })
    }));
    json!({ "tools": tools })
}

fn call(params: &Value, output: &mut impl Write) -> io::Result<()> {
    let text = match params["name"].as_str() {
        Some("echo") => params["arguments"]["message"].as_str().unwrap_or_default(),
        _ => "ok",
    };
    output.write_all(br#"{"content":[{"type":"text","text":"#)?;
    serde_json::to_writer(&mut *output, text)?;
    output.write_all(br#"}],"isError":false}"#)
}
