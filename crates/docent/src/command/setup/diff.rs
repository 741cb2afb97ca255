//! The difference between two texts that differ in one place, as people know it from patches.

use crate::terminal::{Look, Span, Terminal, line};

const CONTEXT: usize = 3;

/// The lines around the change; the look says which are old and which new.
fn lines<'a>(old: &'a str, new: &'a str) -> Vec<(char, &'a str)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let shorter = old.len().min(new.len()) - same;
    let tail = old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(a, b)| a == b);
    let tail = tail.count();
    let mut all = Vec::new();
    all.extend(old[same.saturating_sub(CONTEXT)..same].iter().map(|line| (' ', *line)));
    all.extend(old[same..old.len() - tail].iter().map(|line| ('-', *line)));
    all.extend(new[same..new.len() - tail].iter().map(|line| ('+', *line)));
    all.extend(old[old.len() - tail..].iter().take(CONTEXT).map(|line| (' ', *line)));
    all
}

pub(super) fn plain(old: &str, new: &str) -> String {
    lines(old, new).iter().map(|(mark, line)| format!("{mark}{}\n", masked(*mark, line))).collect()
}

/// What stands around the change may be somebody's token, and is shown without its values.
fn masked(mark: char, line: &str) -> String {
    if mark != ' ' {
        return line.to_owned();
    }
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('"') {
        let text = &rest[start..];
        let mut escaped = false;
        let end = text.char_indices().skip(1).find(|(_, c)| {
            let closes = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            closes
        });
        let end = end.map_or(text.len(), |(at, _)| at + 1);
        let is_key = text[end..].trim_start().starts_with([':', '=']);
        out.push_str(&rest[..start]);
        out.push_str(if is_key { &text[..end] } else { "\"…\"" });
        rest = &text[end..];
    }
    out.push_str(rest);
    out
}

pub(super) fn shown(old: &str, new: &str, terminal: &Terminal) -> String {
    let paint = |(mark, text): &(char, &str)| {
        let look = match mark {
            '+' => Look::Good,
            '-' => Look::Bad,
            _ => Look::Dim,
        };
        line(&[Span::new(format!("  {mark} {}", masked(*mark, text)), look)], terminal)
    };
    lines(old, new).iter().map(paint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_around_it_stay_private() {
        let check = |line: &str, expected: &str| assert_eq!(masked(' ', line), expected);
        check("  \"TOKEN\": \"a\\\"b\", \"x\": 1", "  \"TOKEN\": \"…\", \"x\": 1");
        check("\"args\": [\"--key=1\"],", "\"args\": [\"…\"],");
        check("token = \"abc", "token = \"…\"");
        check("// a comment", "// a comment");
        assert_eq!(masked('+', "\"a\": \"b\""), "\"a\": \"b\"");
    }

    #[test]
    fn only_what_changed_and_a_little_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nx\ny\n6\n7\n8\n9\n";
        assert_eq!(plain(old, new), " 2\n 3\n 4\n-5\n+x\n+y\n 6\n 7\n 8\n");
        assert_eq!(plain("", "a\n"), "+a\n");
        assert_eq!(plain("a\na\n", "a\na\na\n"), " a\n a\n+a\n");
        assert_eq!(plain("a\n", "a\n"), " a\n");
    }
}
