//! Requests as ready bytes.
//!
//! Ids have a fixed width, so a call differs from the one before only in eight digits at a known
//! place: rendering one costs a few nanoseconds, and a batch of them is one slice for one write.

pub(crate) const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"docent-bench","version":"1.0.0"}}}"#,
    "\n"
);

pub(crate) const INITIALIZED: &str =
    concat!(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "\n");

/// Ids of calls start here and stay eight digits wide.
pub(crate) const FIRST_ID: u32 = 10_000_000;
const ID_DIGITS: usize = 8;

/// An endless supply of calls that differ in their id only.
pub(crate) struct Requests {
    /// Room for a batch; its ids are overwritten in place.
    lines: Vec<u8>,
    line_bytes: usize,
    id_at: usize,
    next_id: u32,
}

impl Requests {
    /// Calls of `tool`; `arguments` is JSON text. At most `batch` are rendered at once.
    pub(crate) fn new(tool: &str, arguments: &str, batch: usize) -> Self {
        let head = r#"{"jsonrpc":"2.0","id":"#;
        let line = format!(
            "{head}{FIRST_ID},\"method\":\"tools/call\",\
             \"params\":{{\"name\":\"{tool}\",\"arguments\":{arguments}}}}}\n"
        );
        Self {
            lines: line.as_bytes().repeat(batch),
            line_bytes: line.len(),
            id_at: head.len(),
            next_id: FIRST_ID,
        }
    }

    /// The next `count` calls, `count` being at most the batch size.
    pub(crate) fn next(&mut self, count: usize) -> &[u8] {
        let lines = &mut self.lines[..count * self.line_bytes];
        for line in lines.chunks_exact_mut(self.line_bytes) {
            let mut rest = self.next_id;
            for digit in line[self.id_at..self.id_at + ID_DIGITS].iter_mut().rev() {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
            self.next_id += 1;
        }
        lines
    }
}

/// About a megabyte of text such as tools return: lines, quotes, some of it not ASCII.
pub(crate) fn megabyte() -> String {
    let line = "fn naïve(input: &str) -> Vec<&str> { input.split(\"\\t\").collect() } // café\n";
    line.repeat(1_000_000 / line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_has_its_own_id() {
        let mut requests = Requests::new("echo", r#"{"message":"hello"}"#, 2);
        requests.next(2);
        let line: serde_json::Value = serde_json::from_slice(requests.next(1)).unwrap();
        assert_eq!(line["id"], FIRST_ID + 2);
        assert_eq!(line["params"]["arguments"]["message"], "hello");
    }
}
