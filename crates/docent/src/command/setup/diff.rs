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
    lines(old, new).iter().map(|(mark, line)| format!("{mark}{line}\n")).collect()
}

pub(super) fn shown(old: &str, new: &str, terminal: &Terminal) -> String {
    let paint = |(mark, text): &(char, &str)| {
        let look = match mark {
            '+' => Look::Good,
            '-' => Look::Bad,
            _ => Look::Dim,
        };
        line(&[Span::new(format!("  {mark} {text}"), look)], terminal)
    };
    lines(old, new).iter().map(paint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
