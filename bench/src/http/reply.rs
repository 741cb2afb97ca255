//! One HTTP response cut out of what was read: as little of HTTP as servers of MCP send.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::Result;

/// A whole response.
#[derive(Debug, PartialEq)]
pub(super) struct Reply<'a> {
    pub(super) status: u16,
    pub(super) session: Option<&'a str>,
    pub(super) events: bool,
    pub(super) body: Cow<'a, [u8]>,
    /// How much of what was read it takes up.
    pub(super) length: usize,
}

/// The response that `read` begins with, unless more has to be read.
pub(super) fn parse(read: &[u8]) -> Result<Option<Reply<'_>>> {
    let Some(head_bytes) = memmem::find(read, b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&read[..head_bytes])?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 "));
    let status: u16 = status.and_then(|line| line.get(..3)).ok_or("no status line")?.parse()?;
    let (mut length, mut chunked, mut session, mut events) = (None, false, None, false);
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.parse::<usize>()?);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            chunked = value.eq_ignore_ascii_case("chunked");
        } else if name.eq_ignore_ascii_case("content-type") {
            events = value.starts_with("text/event-stream");
        } else if name.eq_ignore_ascii_case("mcp-session-id") {
            session = Some(value);
        }
    }
    let start = head_bytes + 4;
    let found = match (chunked, length) {
        (true, _) => chunks(&read[start..])?,
        (false, Some(length)) => {
            read[start..].get(..length).map(|body| (Cow::Borrowed(body), length))
        }
        // An answer to a notification need not say that it has no body.
        (false, None) if status == 202 || status == 204 => Some((Cow::Borrowed(&[][..]), 0)),
        (false, None) => return Err("a response whose end nothing shows".into()),
    };
    Ok(found.map(|(body, length)| Reply { status, session, events, body, length: start + length }))
}

/// The body of a response in chunks, and how much it takes up.
fn chunks(read: &[u8]) -> Result<Option<(Cow<'_, [u8]>, usize)>> {
    let mut body: Cow<'_, [u8]> = Cow::Borrowed(&[]);
    let mut at = 0;
    loop {
        let Some(line) = memchr(b'\n', &read[at..]) else { return Ok(None) };
        let digits = std::str::from_utf8(&read[at..at + line])?.trim_end();
        let size = usize::from_str_radix(digits, 16)?;
        let start = at + line + 1;
        // Each chunk ends with an empty line, and the last one, which is empty, ends all.
        let Some(chunk) = read.get(start..start + size + 2) else { return Ok(None) };
        at = start + size + 2;
        match (size, body.is_empty()) {
            (0, _) => return Ok(Some((body, at))),
            (_, true) => body = Cow::Borrowed(&chunk[..size]),
            (_, false) => body.to_mut().extend_from_slice(&chunk[..size]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_cut_out_wherever_the_reading_stopped() {
        let json =
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nContent-Length: 2\r\n\r\n{}";
        let events = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nmcp-session-id: a1\r\n\
                      transfer-encoding: chunked\r\n\r\n6\r\ndata: \r\nA\r\n{\"id\":1}\n\n\r\n0\r\n\r\n";
        let nothing = "HTTP/1.1 202 Accepted\r\ndate: now\r\n\r\n";
        for (text, status, session, is_stream, body) in [
            (json, 200, None, false, "{}"),
            (events, 200, Some("a1"), true, "data: {\"id\":1}\n\n"),
            (nothing, 202, None, false, ""),
        ] {
            for cut in 0..text.len() {
                assert_eq!(parse(&text.as_bytes()[..cut]).unwrap(), None, "{text} at {cut}");
            }
            let more = format!("{text}HTTP");
            let reply = parse(more.as_bytes()).unwrap().unwrap();
            let body = Cow::Borrowed(body.as_bytes());
            let expected = Reply { status, session, events: is_stream, body, length: text.len() };
            assert_eq!(reply, expected);
        }
    }

    #[test]
    fn what_is_no_response_is_refused() {
        for text in ["SSH-2.0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
