//! Sections as chunks of a bounded size.
//!
//! The last step: takes what [`super::filter`] kept and packs whole blocks together, splitting only
//! what is longer than a chunk, and code only where it is longer than four.

use super::markdown::{Block, Shape};

/// Texts of at most `max` bytes, each with its line, that hold the blocks in order.
pub(super) fn pack(blocks: &[Block], max: usize) -> Vec<(String, u32)> {
    let max = max.max(64);
    let mut chunks: Vec<(String, u32)> = Vec::new();
    for block in blocks {
        for (piece, offset) in pieces(block, max) {
            match chunks.last_mut() {
                Some((text, _)) if text.len() + piece.len() + 2 <= max => {
                    text.push_str("\n\n");
                    text.push_str(&piece);
                }
                _ => chunks.push((piece, block.line.saturating_add(offset))),
            }
        }
    }
    chunks
}

/// A block as pieces that fit, each with the number of lines before it.
fn pieces(block: &Block, max: usize) -> Vec<(String, u32)> {
    let room = if block.shape == Shape::Code { max.saturating_mul(4) } else { max };
    if block.text.len() <= room {
        return vec![(block.text.clone(), 0)];
    }
    let lines: Vec<&str> = block.text.split('\n').collect();
    // Code is reopened and a table gets its header again, so that each piece is whole.
    let (before, after, lines, first) = match block.shape {
        Shape::Code if lines.len() > 2 => {
            let close = lines[0].trim_end_matches(|c| c != '`');
            (lines[0].to_owned(), close, &lines[1..lines.len() - 1], 1)
        }
        Shape::Table if lines.len() > 2 && lines[0].len() + lines[1].len() < max / 4 => {
            (format!("{}\n{}", lines[0], lines[1]), "", &lines[2..], 2)
        }
        _ => (String::new(), "", &lines[..], 0),
    };
    let overhead = before.len() + after.len() + 2;
    let mut pieces: Vec<(Vec<&str>, u32)> = vec![(Vec::new(), first)];
    let (mut size, mut fence) = (overhead, None);
    for (line, number) in lines.iter().zip(first..) {
        for part in parts(line, max.saturating_sub(overhead).max(16)) {
            // Inside a list, a fence stays whole unless it is very long.
            let limit = if fence.is_some() { room.saturating_mul(4) } else { room };
            if size + part.len() + 1 > limit && size > overhead {
                pieces.push((Vec::new(), number));
                size = overhead;
            }
            size += part.len() + 1;
            if let Some((piece, _)) = pieces.last_mut() {
                piece.push(part);
            }
        }
        if block.shape != Shape::Code {
            let mark = line.trim_start().get(..3).filter(|mark| matches!(*mark, "```" | "~~~"));
            fence = match (fence, mark) {
                (None, mark) => mark,
                (Some(open), Some(mark)) if open == mark => None,
                (open, _) => open,
            };
        }
    }
    let whole =
        pieces.into_iter().filter(|(lines, _)| lines.iter().any(|line| !line.trim().is_empty()));
    let wrap = |(lines, number): (Vec<&str>, u32)| {
        let parts = [before.as_str(), &lines.join("\n"), after];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        (parts.join("\n"), number)
    };
    whole.map(wrap).collect()
}

/// A line that is longer than `max`, cut at spaces where there are any.
fn parts(mut line: &str, max: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    while line.len() > max {
        let end = line.floor_char_boundary(max);
        let space = line[..end].rfind(' ').filter(|&at| at > max / 2);
        let (part, rest) = line.split_at(space.map_or(end, |at| at + 1));
        parts.push(part);
        line = rest;
    }
    parts.push(line);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(shape: Shape, text: &str) -> Block {
        Block { shape, text: text.to_owned(), line: 10, ..Block::default() }
    }

    #[test]
    fn blocks_are_packed_whole() {
        let blocks =
            ["a".repeat(40), "b".repeat(30), "c".repeat(30)].map(|text| block(Shape::Text, &text));
        let sizes: Vec<usize> = pack(&blocks, 64).iter().map(|(text, _)| text.len()).collect();
        assert_eq!(sizes, [40, 62]);
    }

    #[test]
    fn code_is_whole_up_to_four_times_the_limit() {
        let code = format!("```js\n{}```", "let x = 1;\n".repeat(20));
        assert_eq!(pack(&[block(Shape::Code, &code)], 64), [(code.clone(), 10)]);
        let long = format!("````js\n{}````", "let x = 1;\n".repeat(60));
        let chunks = pack(&[block(Shape::Code, &long)], 64);
        assert_eq!(chunks.len(), 3);
        assert!(
            chunks.iter().all(|(text, _)| text.starts_with("````js\n") && text.ends_with("\n````"))
        );
        assert_eq!(chunks.iter().map(|(text, _)| text.matches("let").count()).sum::<usize>(), 60);
    }

    #[test]
    fn a_table_keeps_its_header() {
        let table = format!("|a|b|\n|-|-|\n{}", "| some | thing |\n".repeat(8));
        let chunks = pack(&[block(Shape::Table, table.trim_end())], 64);
        assert!(chunks.len() > 1);
        assert!(
            chunks.iter().all(|(text, _)| text.starts_with("|a|b|\n|-|-|\n") && text.len() <= 64)
        );
    }

    #[test]
    fn a_list_is_not_split_inside_its_code() {
        let list = format!("- one\n  ```js\n{}  ```\n- two", "  code();\n".repeat(12));
        let chunks = pack(&[block(Shape::List, &list)], 64);
        assert!(chunks.iter().all(|(text, _)| text.matches("```").count() % 2 == 0), "{chunks:?}");
    }

    #[test]
    fn a_long_line_is_cut() {
        let chunks = pack(&[block(Shape::Text, &"é ".repeat(200))], 64);
        assert!(chunks.iter().all(|(text, _)| text.len() <= 64));
        assert_eq!(chunks.iter().map(|(text, _)| text.matches('é').count()).sum::<usize>(), 200);
    }
}
