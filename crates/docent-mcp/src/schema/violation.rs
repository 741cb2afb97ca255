//! What a check reports: where in the value, what was expected, what was found.
//!
//! Fed by the keywords. Feeds tool errors, which a language model reads and acts on.

use std::fmt;

/// One way in which a value does not fit its schema.
///
/// Displays as `/path: message`, or as the message alone for the whole value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer to the part of the value at fault; empty for the whole value.
    pub instance_path: String,
    /// The schema keyword that was not met, or `limits` when the check was cut short.
    pub keyword: &'static str,
    /// What was expected and what was found.
    pub message: String,
}

impl Violation {
    /// Whether this says that a limit ended the check, rather than that the value is wrong.
    pub fn is_limit(&self) -> bool {
        self.keyword == "limits"
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.instance_path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.instance_path, self.message)
        }
    }
}

/// The way from the root of the value to the part being looked at, as links on the stack:
/// walking down costs no allocation, and only a violation writes it out.
#[derive(Clone, Copy)]
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
    pub(super) depth: usize,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    pub(super) const ROOT: Path<'static> = Path { parent: None, step: Step::Root, depth: 0 };

    pub(super) fn key(&'a self, key: &'a str) -> Path<'a> {
        Path { parent: Some(self), step: Step::Key(key), depth: self.depth + 1 }
    }

    pub(super) fn index(&'a self, index: usize) -> Path<'a> {
        Path { parent: Some(self), step: Step::Index(index), depth: self.depth + 1 }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut links = Vec::with_capacity(self.depth);
        let mut link = Some(self);
        while let Some(path) = link {
            links.push(path.step);
            link = path.parent;
        }
        for step in links.into_iter().rev() {
            match step {
                Step::Root => {}
                Step::Key(key) => write!(f, "/{}", escape(key))?,
                Step::Index(index) => write!(f, "/{index}")?,
            }
        }
        Ok(())
    }
}

/// One token of a JSON pointer.
pub(super) fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}
