//! What names stand for, block by block.

use crate::check::uses::Step;
use crate::hashing::HashMap;

/// The steps to a value, from a type that a module has; nothing if they are not known.
pub(super) type Value = Option<Vec<Step>>;

/// One block.
#[derive(Default)]
struct Block<'t> {
    names: HashMap<&'t str, Value>,
    /// The token that ends it.
    end: usize,
    is_type: bool,
    /// What names stand for from a token on.
    later: Vec<(usize, &'t str, Value)>,
}

#[derive(Default)]
pub(super) struct Scopes<'t> {
    blocks: Vec<Block<'t>>,
}

impl<'t> Scopes<'t> {
    pub(super) fn open(&mut self, end: usize, is_type: bool) {
        self.blocks.push(Block { end, is_type, ..Block::default() });
    }

    /// Goes on to a token: blocks end there, and names begin.
    pub(super) fn go_to(&mut self, at: usize) {
        while self.blocks.last().is_some_and(|block| block.end <= at && block.end > 0) {
            self.blocks.pop();
        }
        if let Some(Block { names, later, .. }) = self.blocks.last_mut() {
            for (_, name, value) in later.extract_if(.., |(from, ..)| *from <= at) {
                names.insert(name, value);
            }
        }
    }

    pub(super) fn bind(&mut self, name: &'t str, value: Value) {
        if let Some(block) = self.blocks.last_mut().filter(|_| name != "_") {
            block.names.insert(name, value);
        }
    }

    /// Binds a name from a token on; until then nothing is known of it.
    pub(super) fn bind_from(&mut self, at: usize, name: &'t str, value: Value) {
        self.bind(name, None);
        if let Some(block) = self.blocks.last_mut().filter(|_| value.is_some()) {
            block.later.push((at, name, value));
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.blocks.iter().any(|block| block.names.contains_key(name))
    }

    /// What a name stands for here.
    pub(super) fn get(&self, name: &str) -> Option<&[Step]> {
        let found = self.blocks.iter().rev().find_map(|block| block.names.get(name));
        found.and_then(|value| value.as_deref())
    }

    /// What a property of the type around stands for.
    pub(super) fn of_self(&self, name: &str) -> Option<&[Step]> {
        let around = self.blocks.iter().rev().find(|block| block.is_type)?;
        around.names.get(name).and_then(|value| value.as_deref())
    }
}
