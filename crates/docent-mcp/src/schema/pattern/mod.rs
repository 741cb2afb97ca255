//! Regular expressions from schemas, matched in linear time.
//!
//! Fed by `pattern` and `patternProperties`, written in the ECMA-262 syntax. `translate`
//! rewrites them for an engine without backtracking, so no pattern can be made to hang.
//!
//! What such an engine cannot express is refused, with one exception: look-ahead right after
//! a leading `^`, as in `^(?=.*\d)(?!.*\s).{8,}$`. There it only asks that the text also
//! matches, or does not match, a second pattern from its start. Generated schemas are full of
//! these, so they are honored.

mod class;
mod escape;
mod translate;

use super::walk::{Stop, Walk};
use regex_lite::{Regex, RegexBuilder};
use translate::Translated;

/// A compiled regular expression.
#[derive(Debug)]
pub(super) struct Pattern {
    main: Regex,
    /// Look-ahead from the start: the expression, and whether it must match.
    also: Box<[(Regex, bool)]>,
    states: usize,
}

/// Why a pattern cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PatternError {
    Unsupported(String),
    TooManyStates,
}

impl Pattern {
    pub(super) fn new(text: &str, states_max: usize) -> Result<Self, PatternError> {
        let Translated { main, also, states } =
            translate::translate(text).map_err(PatternError::Unsupported)?;
        if states > states_max {
            return Err(PatternError::TooManyStates);
        }
        let main = build(&main)?;
        let also = also.into_iter().map(|(text, wanted)| Ok((build(&text)?, wanted)));
        let also = also.collect::<Result<_, PatternError>>()?;
        Ok(Self { main, also, states })
    }

    /// An estimate of the states of the automaton, which bounds the work per character.
    pub(super) fn states(&self) -> usize {
        self.states
    }

    /// Whether the pattern matches somewhere in `text`.
    pub(super) fn matches(&self, walk: &mut Walk<'_>, text: &str) -> Result<bool, Stop> {
        // Each character visits each state at most once; four visits cost about a step.
        walk.charge(1 + (text.len() as u64).saturating_mul(self.states as u64) / 4)?;
        Ok(self.main.is_match(text)
            && self.also.iter().all(|(pattern, wanted)| pattern.is_match(text) == *wanted))
    }
}

fn build(text: &str) -> Result<Regex, PatternError> {
    // The nesting bounds the recursion inside the engine's parser.
    let built = RegexBuilder::new(text).nest_limit(64).size_limit(8 << 20).build();
    built.map_err(|error| PatternError::Unsupported(error.to_string()))
}
