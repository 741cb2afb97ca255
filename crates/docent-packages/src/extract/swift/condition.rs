//! The conditions of `#if` around declarations.
//!
//! Kept by [`super::parse`] while it reads. All branches are read, since somebody's platform takes
//! each of them; the condition becomes a note, unless only the compiler's version is asked for.

/// The conditions that are open.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    /// Of the branches before this one.
    earlier: Vec<String>,
    /// Of this branch; empty after `#else`.
    own: String,
}

impl Conditions {
    pub(super) fn open(&mut self, condition: String) {
        self.open.push(Open { earlier: Vec::new(), own: condition });
    }

    /// `#elseif`, or `#else` without a condition.
    pub(super) fn next(&mut self, condition: String) {
        if let Some(open) = self.open.last_mut() {
            let before = std::mem::replace(&mut open.own, condition);
            open.earlier.push(before);
        }
    }

    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    /// How many are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Closes those that were opened since.
    pub(super) fn truncate(&mut self, depth: usize) {
        self.open.truncate(depth);
    }

    /// Whether no compiler takes this branch.
    pub(super) fn is_never(&self) -> bool {
        self.open.iter().any(|open| open.own == "false")
    }

    /// What is worth telling of the conditions here, outermost first.
    pub(super) fn notes(&self) -> Vec<String> {
        let note = |open: &Open| {
            if !open.own.is_empty() {
                return is_telling(&open.own).then(|| open.own.clone());
            }
            let [only] = &open.earlier[..] else { return None };
            is_telling(only).then(|| match only.strip_prefix('!') {
                Some(rest) if !rest.contains(['&', '|']) => rest.to_owned(),
                _ if only.contains(['&', '|']) => format!("!({only})"),
                _ => format!("!{only}"),
            })
        };
        self.open.iter().filter_map(note).collect()
    }
}

/// Whether a condition depends on more than the compiler.
fn is_telling(condition: &str) -> bool {
    const OF_COMPILER: &[&str] = &["compiler", "swift", "hasFeature", "hasAttribute", "_endian"];
    let mut names = condition.split(['&', '|', '!', ' ', '(']).filter(|part| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_') && !part.contains(')')
    });
    names.any(|name| !OF_COMPILER.contains(&name)) && condition != "true"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_told_and_compilers_are_not() {
        let check = |condition: &str, expected: bool| {
            assert_eq!(is_telling(condition), expected, "{condition}");
        };
        check("os(Linux)", true);
        check("canImport(UIKit) && compiler(>=5.9)", true);
        check("compiler(>=5.9) || swift(>=5.9)", false);
        check("FEATURE", true);
        check("hasFeature(Macros)", false);
    }

    #[test]
    fn else_is_the_opposite() {
        let mut conditions = Conditions::default();
        conditions.open("os(Linux)".to_owned());
        assert_eq!(conditions.notes(), ["os(Linux)"]);
        conditions.next(String::new());
        assert_eq!(conditions.notes(), ["!os(Linux)"]);
        conditions.close();
        assert!(conditions.notes().is_empty());
        conditions.close();
    }
}
