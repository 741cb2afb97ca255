//! Names that a module gives to what it imports for itself (`use a::B as C;`), in declarations that others
//! read: they cannot type them, nor look them up, so that the real name takes their place.
//!
//! After `load`, before `write`.

use std::rc::Rc;

use super::world::{Import, Member, ModuleId, World};
use crate::hashing::HashMap;

/// What the private names of each module stand for.
pub(super) struct Renames {
    of: HashMap<ModuleId, HashMap<Rc<str>, String>>,
}

impl Renames {
    pub(super) fn of(world: &World) -> Self {
        let mut of: HashMap<ModuleId, HashMap<Rc<str>, String>> = HashMap::default();
        for (at, module) in world.modules.iter().enumerate() {
            let private = module.imports.iter().filter(|import| !import.is_public);
            for (name, real) in private.filter_map(|import| renamed(import)) {
                of.entry(at).or_default().insert(name, real);
            }
        }
        Self { of }
    }

    /// Writes the real names into all declarations, and what belongs to them.
    pub(super) fn apply(&self, world: &mut World) {
        if self.of.is_empty() {
            return;
        }
        for def in &mut world.defs {
            if let Some(names) = self.of.get(&def.module) {
                replace(names, &mut def.signature);
                def.members.iter_mut().for_each(|member| replace(names, &mut member.signature));
            }
        }
    }

    /// The same for the members of a block in a module.
    pub(super) fn members(&self, module: ModuleId, members: &mut [Member]) {
        if let Some(names) = self.of.get(&module) {
            members.iter_mut().for_each(|member| replace(names, &mut member.signature));
        }
    }
}

/// The name that an import gives, and what a reader would know it by: `vec::IntoIter`.
fn renamed(import: &Import) -> Option<(Rc<str>, String)> {
    let name = import.name.clone()?;
    let (last, before) = import.path.split_last()?;
    if *last == name {
        return None;
    }
    let is_near = |part: &str| matches!(part, "crate" | "self" | "super" | "");
    let home = before.last().filter(|home| !is_near(home));
    Some((name, home.map_or(last.to_string(), |home| format!("{home}::{last}"))))
}

/// Puts real names in the place of others.
fn replace(names: &HashMap<Rc<str>, String>, text: &mut String) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(start) = text[at..].find(is_word).map(|found| at + found) {
        let end = text[start..].find(|c| !is_word(c)).map_or(text.len(), |found| start + found);
        at = end;
        let Some(real) = names.get(&text[start..end]) else { continue };
        // A part of a path, a lifetime, or the name of a parameter.
        let is_other = text[..start].ends_with(['\'', '.'])
            || text[..start].ends_with("::")
            || text[end..].starts_with(": ");
        if !is_other {
            out.push_str(&text[from..start]);
            out.push_str(real);
            from = end;
        }
    }
    if from > 0 {
        out.push_str(&text[from..]);
        *text = out;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_names_take_the_place_of_private_ones() {
        let names = [("Other", "vec::IntoIter"), ("StdError", "error::Error"), ("sio", "std::io")];
        let names = names.map(|(name, real)| (name.into(), real.to_owned()));
        let names = HashMap::from_iter(names);
        for (text, expected) in [
            ("fn a(self) -> Other<T>", "fn a(self) -> vec::IntoIter<T>"),
            ("fn a<E: StdError + Send>()", "fn a<E: error::Error + Send>()"),
            ("fn a() -> sio::Result<()>", "fn a() -> std::io::Result<()>"),
            ("fn a(Other: x::Other, b: Others)", "fn a(Other: x::Other, b: Others)"),
            ("fn a() -> u8", "fn a() -> u8"),
        ] {
            let mut text = text.to_owned();
            replace(&names, &mut text);
            assert_eq!(text, expected);
        }
    }
}
