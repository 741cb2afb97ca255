//! Counts what nests: open brackets, and chains between the separators of each of them.

/// Links of a chain for each level of brackets that the limit allows.
const LINKS: usize = 16;

/// Parts of an expression for each level of brackets that the limit allows. Parsers loop over
/// these, but the tree that comes of them is as deep as they are long.
const PARTS: usize = 256;

/// What is open.
pub(super) struct Chains {
    limit: usize,
    levels: Vec<Level>,
    exceeded: bool,
}

/// One level of brackets.
#[derive(Clone, Copy, Default)]
struct Level {
    /// What closes it means to the one who opened it.
    mark: u8,
    links: usize,
    parts: usize,
}

impl Chains {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, levels: vec![Level::default()], exceeded: false }
    }

    pub(super) fn exceeded(&self) -> bool {
        self.exceeded
    }

    /// Whether no bracket is open.
    pub(super) fn is_outside(&self) -> bool {
        self.levels.len() == 1
    }

    /// A bracket opens.
    pub(super) fn open(&mut self, mark: u8) {
        self.part();
        if self.levels.len() > self.limit {
            self.exceeded = true;
        } else {
            self.levels.push(Level { mark, ..Level::default() });
        }
    }

    /// A bracket closes; what it was opened with. Closing what is not open does nothing.
    pub(super) fn close(&mut self) -> Option<u8> {
        if self.is_outside() { None } else { self.levels.pop().map(|level| level.mark) }
    }

    /// Something that a parser calls itself for.
    pub(super) fn link(&mut self) {
        let most = self.limit.saturating_mul(LINKS);
        if let Some(level) = self.levels.last_mut() {
            level.links += 1;
            self.exceeded |= level.links > most;
        }
    }

    /// Something that makes an expression longer.
    pub(super) fn part(&mut self) {
        let most = self.limit.saturating_mul(PARTS);
        if let Some(level) = self.levels.last_mut() {
            level.parts += 1;
            self.exceeded |= level.parts > most;
        }
    }

    /// Something after which expressions begin anew.
    pub(super) fn separate(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            (level.links, level.parts) = (0, 0);
        }
    }
}
