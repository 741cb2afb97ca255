//! Counts what nests: open brackets, and chains between the separators of each of them.

/// Links of a chain for each level of brackets that the limit allows.
const LINKS: usize = 16;

/// Parts of an expression for each level of brackets that the limit allows. Parsers loop over
/// these, but the tree that comes of them is as deep as they are long.
const PARTS: usize = 256;

/// What is open.
pub(super) struct Chains {
    limit: usize,
    links_max: usize,
    parts_max: usize,
    /// The innermost level, and those around it.
    level: Level,
    around: Vec<Level>,
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
        Self {
            limit,
            links_max: limit.saturating_mul(LINKS),
            parts_max: limit.saturating_mul(PARTS),
            level: Level::default(),
            around: Vec::new(),
            exceeded: false,
        }
    }

    pub(super) fn exceeded(&self) -> bool {
        self.exceeded
    }

    /// Whether no bracket is open.
    pub(super) fn is_outside(&self) -> bool {
        self.around.is_empty()
    }

    /// A bracket opens.
    pub(super) fn open(&mut self, mark: u8) {
        self.part();
        if self.around.len() >= self.limit {
            self.exceeded = true;
        } else {
            self.around.push(self.level);
            self.level = Level { mark, ..Level::default() };
        }
    }

    /// A bracket closes; what it was opened with. Closing what is not open does nothing.
    pub(super) fn close(&mut self) -> Option<u8> {
        let around = self.around.pop()?;
        Some(std::mem::replace(&mut self.level, around).mark)
    }

    /// Something that a parser calls itself for.
    pub(super) fn link(&mut self) {
        self.level.links += 1;
        self.exceeded |= self.level.links > self.links_max;
    }

    /// Something that makes an expression longer.
    pub(super) fn part(&mut self) {
        self.level.parts += 1;
        self.exceeded |= self.level.parts > self.parts_max;
    }

    /// Something after which expressions begin anew.
    pub(super) fn separate(&mut self) {
        (self.level.links, self.level.parts) = (0, 0);
    }
}
