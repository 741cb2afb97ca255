//! Runs of `name=value` in a URI: `{?a,b}`, `{&a}` and `{;a}`.
//!
//! Used by `matching`: [`PairsUnit::starts`] finds where a run can start, [`PairsUnit::run`] reads
//! the one that was chosen.

use super::bits::Bits;
use super::characters::Class;
use super::program::PairsUnit;
use super::template::{Modifier, Operator};

/// What ends a pair.
const QUERY_ENDS: Class = Class::of(b"&#");
const PARAMETER_ENDS: Class = Class::of(b";/?#");

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

    /// Whether a run of pairs can end in this one: behind its value, or inside it if what
    /// follows in the template can start there. `ends` are counted from the end of the URI.
    pub(super) fn can_end(&self, uri: &str, ends: &Bits, boundaries: &Bits) -> bool {
        let (from, to) = (uri.len() - self.end, uri.len() - self.value_start());
        ends.first_common(boundaries, from, to).is_some()
    }
}

impl PairsUnit {
    /// The pairs from `start` on, as far as they belong together: with names that somebody asked
    /// for, and one for each name. Two values for one name are how a filter in front of a server
    /// is made to read another one than the server, so a second one ends the run.
    pub(super) fn run(&self, uri: &str, start: usize) -> Vec<Pair> {
        let bytes = uri.as_bytes();
        let mut seen = vec![false; self.variables.len()];
        let mut run = Vec::new();
        let mut at = start;
        loop {
            let from = at + 1;
            let end = bytes[from..].iter().position(|byte| self.ends().has(*byte));
            let end = end.map_or(bytes.len(), |length| from + length);
            let name = bytes[from..end].iter().position(|byte| *byte == b'=');
            let name_end = name.map_or(end, |length| from + length);
            let Some(variable) = self.variable(&bytes[from..name_end]) else { break };
            if std::mem::replace(&mut seen[variable], true) && self.is_single(variable) {
                break;
            }
            run.push(Pair { start: at, name_end, end, variable });
            if bytes.get(end) != Some(&self.operator.separator()) {
                break;
            }
            at = end;
        }
        run
    }

    /// The places where a run can start that ends in one of `ends`, all counted from the end of
    /// the URI.
    pub(super) fn starts(&self, uri: &str, ends: &Bits, boundaries: &Bits) -> Bits {
        let mut starts = Bits::empty(uri.len());
        if self.operator == Operator::Query {
            // A query starts at the first `?` and nowhere else, and not inside a fragment.
            if let Some(at) = memchr::memchr2(b'?', b'#', uri.as_bytes())
                && uri.as_bytes()[at] == b'?'
                && self.run(uri, at).iter().any(|pair| pair.can_end(uri, ends, boundaries))
            {
                starts.insert(uri.len() - at);
            }
            return starts;
        }
        // One pass from the end, with what each pair has to know of those behind it: where the
        // first pair starts that a run must leave out, and the nearest in which it can end.
        let (mut limit, mut nearest_end) = (usize::MAX, usize::MAX);
        let mut next_of_same = vec![usize::MAX; self.variables.len()];
        let (delimiters, separator) = (self.ends(), self.operator.separator());
        let (mut end, mut name_end) = (uri.len(), uri.len());
        for (at, byte) in uri.bytes().enumerate().rev() {
            if byte == b'=' {
                name_end = at;
            } else if delimiters.has(byte) {
                let pair = (byte == separator)
                    .then(|| self.variable(&uri.as_bytes()[at + 1..name_end]))
                    .flatten()
                    .map(|variable| Pair { start: at, name_end, end, variable });
                if let Some(pair) = pair {
                    if self.is_single(pair.variable) {
                        limit = limit.min(next_of_same[pair.variable]);
                        next_of_same[pair.variable] = at;
                    }
                    if pair.can_end(uri, ends, boundaries) {
                        nearest_end = at;
                    }
                    if nearest_end < limit {
                        starts.insert(uri.len() - at);
                    }
                } else {
                    limit = at;
                }
                (end, name_end) = (at, at);
            }
        }
        starts
    }

    /// The variable that takes a name.
    fn variable(&self, name: &[u8]) -> Option<usize> {
        self.variables
            .binary_search_by(|variable| variable.name.as_bytes().cmp(name))
            .ok()
            .or(self.takes_all.filter(|_| !name.is_empty()))
    }

    /// Whether a variable takes one pair only.
    fn is_single(&self, variable: usize) -> bool {
        self.variables[variable].modifier != Modifier::Explode
    }

    fn ends(&self) -> Class {
        match self.operator {
            Operator::Parameter => PARAMETER_ENDS,
            _ => QUERY_ENDS,
        }
    }
}
