//! Conversations as text.
//!
//! ```text
//! # What this shows.
//! > {"jsonrpc":"2.0","id":1,"method":"ping"}
//! < {"jsonrpc":"2.0","id":1,"result":{}}
//! ```
//!
//! | line | means |
//! |---|---|
//! | `> text` | this line is sent |
//! | `< pattern` | the next line received must match this [`pattern`] |
//! | `<* pattern` | one of the lines of this block of `<*` must match it, in any order |
//! | `= name` | the steps of this named opening are inserted (see [`Conversation::parse`]) |
//! | `end` | the input of the server ends; nothing but what is still expected may come |
//! | `# text`, empty | a comment |

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Lines};

use crate::pattern;

/// How long a message may take to arrive before the conversation fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// A conversation, ready to be played.
#[derive(Debug)]
pub struct Conversation {
    steps: Vec<(usize, Step)>,
}

#[derive(Debug)]
enum Step {
    Send(String),
    Expect(Value),
    ExpectAnyOrder(Value),
    End,
}

impl Conversation {
    /// Reads a conversation. `openings` are named steps that many conversations begin with.
    pub fn parse(text: &str, openings: &[(&str, &str)]) -> Result<Self, String> {
        let mut steps = Vec::new();
        for (n, line) in text.lines().enumerate() {
            let n = n + 1;
            let json = |text: &str| {
                serde_json::from_str(text).map_err(|error| format!("line {n}: {error}: {text}"))
            };
            if let Some(name) = line.strip_prefix("= ") {
                let opening = openings.iter().find(|(known, _)| *known == name);
                let (_, opening) =
                    opening.ok_or_else(|| format!("line {n}: no opening `{name}`"))?;
                steps.extend(
                    Conversation::parse(opening, &[])?.steps.into_iter().map(|(_, step)| (n, step)),
                );
            } else if let Some(text) = line.strip_prefix("> ") {
                steps.push((n, Step::Send(text.to_owned())));
            } else if let Some(text) = line.strip_prefix("<* ") {
                steps.push((n, Step::ExpectAnyOrder(json(text)?)));
            } else if let Some(text) = line.strip_prefix("< ") {
                steps.push((n, Step::Expect(json(text)?)));
            } else if line == "end" {
                steps.push((n, Step::End));
            } else if !line.is_empty() && !line.starts_with('#') {
                return Err(format!("line {n}: not a step: {line}"));
            }
        }
        Ok(Conversation { steps })
    }

    /// Plays the conversation. At its end the input is closed, and nothing more may come.
    pub async fn play<R, W>(&self, reader: R, writer: W) -> Result<(), String>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let mut lines = BufReader::new(reader).lines();
        let mut writer = Some(writer);
        let mut any_order: Vec<Value> = Vec::new();
        for (n, step) in &self.steps {
            if !matches!(step, Step::ExpectAnyOrder(_)) {
                settle(&mut lines, &mut any_order).await?;
            }
            match step {
                Step::Send(text) => {
                    let writer =
                        writer.as_mut().ok_or_else(|| format!("line {n}: after the end"))?;
                    let sent = async {
                        writer.write_all(text.as_bytes()).await?;
                        writer.write_all(b"\n").await?;
                        writer.flush().await
                    };
                    sent.await.map_err(|error| format!("line {n}: cannot send: {error}"))?;
                }
                Step::Expect(expected) => {
                    let message = receive(&mut lines).await?;
                    let message = message.ok_or_else(|| format!("line {n}: the peer is gone"))?;
                    pattern::matches(expected, &message)
                        .map_err(|error| format!("line {n}: {error}"))?;
                }
                Step::ExpectAnyOrder(expected) => any_order.push(expected.clone()),
                Step::End => {
                    let writer = writer.take().ok_or_else(|| format!("line {n}: ended twice"))?;
                    close(writer).await;
                }
            }
        }
        settle(&mut lines, &mut any_order).await?;
        if let Some(writer) = writer {
            close(writer).await;
        }
        match receive(&mut lines).await? {
            None => Ok(()),
            Some(message) => Err(format!("after the last line: unexpected {message}")),
        }
    }
}

async fn close<W: AsyncWrite + Unpin>(mut writer: W) {
    // The peer may have gone first.
    let _ = writer.shutdown().await;
}

/// Receives as many messages as are expected in any order, and matches them up.
async fn settle<R: AsyncRead + Unpin>(
    lines: &mut Lines<BufReader<R>>,
    expected: &mut Vec<Value>,
) -> Result<(), String> {
    while !expected.is_empty() {
        let message = receive(lines).await?.ok_or("the peer is gone")?;
        let found = expected.iter().position(|pattern| pattern::matches(pattern, &message).is_ok());
        let found = found.ok_or_else(|| format!("{message} matches none of {expected:?}"))?;
        expected.remove(found);
    }
    Ok(())
}

async fn receive<R: AsyncRead + Unpin>(
    lines: &mut Lines<BufReader<R>>,
) -> Result<Option<Value>, String> {
    let line = tokio::time::timeout(PATIENCE, lines.next_line())
        .await
        .map_err(|_| "no message in time")?
        .map_err(|error| format!("cannot receive: {error}"))?;
    line.map(|line| {
        serde_json::from_str(&line).map_err(|error| format!("not JSON: {error}: {line}"))
    })
    .transpose()
}
