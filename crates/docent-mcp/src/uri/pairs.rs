//! Runs of `name=value` in a URI: `{?a,b}`, `{&a}` and `{;a}`.
//!
//! Used by `matching`, both to find where a run can start and to read the one that was chosen.

use super::bits::Bits;
use super::characters::{Class, URI};
use super::program::PairsUnit;
use super::template::{Modifier, Operator};

const QUERY: Class = URI.without(Class::of(b"&#"));
const PARAMETER: Class = URI.without(Class::of(b";/?#"));

/// One `name=value` with the separator in front of it, as offsets into the URI.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) start: usize,
    pub(super) name_end: usize,
    pub(super) end: usize,
    /// Which variable of the unit it belongs to.
    pub(super) variable: usize,
}

impl Pair {
    pub(super) fn name<'u>(&self, uri: &'u str) -> &'u str {
        &uri[self.start + 1..self.name_end]
    }

    /// Where the value starts; a name alone has an empty one.
    pub(super) fn value_start(&self) -> usize {
        (self.name_end + 1).min(self.end)
    }
}

impl PairsUnit {
    /// The pair whose separator is at `start`, unless nobody asked for its name.
    fn pair_at(&self, uri: &str, start: usize) -> Option<Pair> {
        let class = if self.operator == Operator::Parameter { PARAMETER } else { QUERY };
        let text = &uri.as_bytes()[start + 1..];
        let length = text.iter().position(|byte| !class.has(*byte)).unwrap_or(text.len());
        let name_length = memchr::memchr(b'=', &text[..length]).unwrap_or(length);
        let name = &text[..name_length];
        let variable = self
            .variables
            .binary_search_by(|variable| variable.name.as_bytes().cmp(name))
            .ok()
            .or(self.takes_all.filter(|_| name_length > 0))?;
        let (name_end, end) = (start + 1 + name_length, start + 1 + length);
        Some(Pair { start, name_end, end, variable })
    }

    /// Whether a second pair for this variable ends a run. Two values for one name are how a
    /// filter in front of a server is made to read another one than the server.
    fn is_single(&self, variable: usize) -> bool {
        self.variables[variable].modifier != Modifier::Explode
    }

    /// The pairs from `start` on, as far as they belong together.
    pub(super) fn run(&self, uri: &str, start: usize) -> Vec<Pair> {
        let mut seen = vec![false; self.variables.len()];
        let mut run = Vec::new();
        let mut at = start;
        while let Some(pair) = self.pair_at(uri, at) {
            if std::mem::replace(&mut seen[pair.variable], true) && self.is_single(pair.variable) {
                break;
            }
            at = pair.end;
            run.push(pair);
            if uri.as_bytes().get(at) != Some(&self.operator.separator()) {
                break;
            }
        }
        run
    }

    /// The places where a run can start that ends in one of `ends`, all counted from the end of
    /// the URI. Only in its last pair a run can end before the next separator does it. Takes one
    /// pass over the URI and two over its pairs.
    pub(super) fn starts(&self, uri: &str, ends: &Bits) -> Bits {
        let mut starts = Bits::empty(uri.len());
        let pairs = self.pairs(uri);

        // How many pairs, from the first on, lead to the last end that is not behind each pair.
        let mut last_end = Vec::with_capacity(pairs.len() + 1);
        last_end.push(0);
        for (at, pair) in pairs.iter().enumerate() {
            let (from, to) = (uri.len() - pair.end, uri.len() - pair.value_start());
            let can_end = ends.first_common(ends, from, to).is_some();
            last_end.push(if can_end { at + 1 } else { last_end[at] });
        }

        let mut limit = pairs.len();
        let mut next_of_same = vec![usize::MAX; self.variables.len()];
        for (at, pair) in pairs.iter().enumerate().rev() {
            if pairs.get(at + 1).is_some_and(|next| next.start != pair.end) {
                limit = at + 1;
            }
            if self.is_single(pair.variable) {
                limit = limit.min(next_of_same[pair.variable]);
            }
            next_of_same[pair.variable] = at;
            let may_start = self.operator != Operator::Query || at == 0;
            if may_start && last_end[limit] > at {
                starts.insert(uri.len() - pair.start);
            }
        }
        starts
    }

    /// Every pair that somebody asked for, in order.
    fn pairs(&self, uri: &str) -> Vec<Pair> {
        if self.operator == Operator::Query {
            // A query starts at the first `?` and nowhere else, and not inside a fragment.
            return match memchr::memchr2(b'?', b'#', uri.as_bytes()) {
                Some(at) if uri.as_bytes()[at] == b'?' => self.run(uri, at),
                _ => Vec::new(),
            };
        }
        memchr::memchr_iter(self.operator.separator(), uri.as_bytes())
            .filter_map(|at| self.pair_at(uri, at))
            .collect()
    }
}
