//! Fits text into a number of tokens that is never exceeded.

/// How many tokens a text takes, counted so that a real tokenizer hardly ever counts more: four
/// ASCII characters a token, and one for every other character.
#[must_use]
pub fn tokens(text: &str) -> usize {
    let other = text.chars().filter(|c| !c.is_ascii()).count();
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii.div_ceil(4) + other
}

/// At most that many tokens of a text: whole lines if possible, with open code fences closed, and a
/// mark where it was cut.
pub(crate) fn clip(text: &str, limit: usize) -> String {
    const MARK: &str = "…";
    const FENCE: &str = "```";
    if tokens(text) <= limit {
        return text.to_owned();
    }
    // The mark, and the fence that may have to be closed.
    let Some(room) = limit.checked_sub(4) else { return String::new() };
    let mut kept = String::new();
    let mut used = 0;
    let mut open = false;
    for line in text.split_inclusive('\n') {
        let cost = tokens(line);
        if used + cost > room {
            // A single line that is too long by itself is cut inside.
            if kept.is_empty() {
                kept = inside(line, room);
            }
            break;
        }
        used += cost;
        open ^= line.trim_start().starts_with(FENCE);
        kept.push_str(line);
    }
    let kept = kept.trim_end();
    if open { format!("{kept}\n{FENCE}\n{MARK}") } else { format!("{kept}\n{MARK}") }
}

fn inside(line: &str, room: usize) -> String {
    let mut kept = String::new();
    let mut quarters = 0;
    for c in line.chars() {
        quarters += if c.is_ascii() { 1 } else { 4 };
        if quarters > room * 4 {
            break;
        }
        kept.push(c);
    }
    kept
}

/// Something to show, in several sizes.
pub(crate) struct Block {
    /// Smallest first; never empty.
    pub(crate) forms: Vec<String>,
    /// What to do when there is no room even for the smallest: the heading it is missed under.
    pub(crate) missed: &'static str,
}

/// Chooses a form for each block, or none: first the lead block as large as `lead_share` percent of
/// the room allows, then every block small, in order, then larger ones while there is room.
pub(crate) fn fit(blocks: &[Block], room: usize, lead_share: usize) -> Vec<Option<usize>> {
    let costs: Vec<Vec<usize>> = blocks
        .iter()
        .map(|block| block.forms.iter().map(|form| tokens(form) + 1).collect())
        .collect();
    let mut chosen: Vec<Option<usize>> = vec![None; blocks.len()];
    let mut left = room;
    let largest = |costs: &[usize], room: usize| costs.iter().rposition(|&cost| cost <= room);
    if let Some(lead) = costs.first() {
        let share = room * lead_share / 100;
        chosen[0] = largest(lead, share).or_else(|| largest(lead, room));
        left -= chosen[0].map_or(0, |form| lead[form]);
    }
    // What is small leaves a part of the room for the larger forms of what comes first.
    let reserve = left * 2 / 5;
    for (choice, costs) in chosen.iter_mut().zip(&costs).skip(1) {
        if costs[0] + reserve <= left {
            *choice = Some(0);
            left -= costs[0];
        }
    }
    for (choice, costs) in chosen.iter_mut().zip(&costs) {
        let held = choice.map_or(0, |form| costs[form]);
        if let Some(form) =
            largest(costs, left + held).filter(|form| choice.is_none_or(|now| *form > now))
        {
            left = left + held - costs[form];
            *choice = Some(form);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cut_inside_a_fence_closes_it() {
        let text = "Intro\n\n```ts\nlet a = 1;\nlet b = 2;\nlet c = 3;\n```\n";
        let cut = clip(text, 11);
        assert_eq!(cut.matches("```").count() % 2, 0, "{cut}");
        assert!(cut.ends_with('…'));
    }

    proptest! {
        #[test]
        fn clipped_text_fits(text in "(?s).{0,400}", limit in 0usize..80) {
            prop_assert!(tokens(&clip(&text, limit)) <= limit);
        }

        #[test]
        fn chosen_forms_fit(
            sizes in proptest::collection::vec(proptest::collection::vec(1usize..200, 1..4), 0..20),
            room in 0usize..600,
        ) {
            let blocks: Vec<Block> = sizes
                .into_iter()
                .map(|mut sizes| {
                    sizes.sort_unstable();
                    let forms = sizes.into_iter().map(|size| "x".repeat(size * 4)).collect();
                    Block { forms, missed: "" }
                })
                .collect();
            let used: usize = fit(&blocks, room, 50)
                .iter()
                .zip(&blocks)
                .filter_map(|(form, block)| form.map(|form| tokens(&block.forms[form]) + 1))
                .sum();
            prop_assert!(used <= room);
        }
    }
}
