//! Names that mean something in their own module only, in declarations that others read: what it imports
//! for itself under another name (`use a::B as C;`), and types that it gives a private name
//! (`type C<T> = a::B<T>;`). Nobody else can type them, nor look them up, so that what they stand for takes
//! their place.
//!
//! After `load`, before `write`.

use std::rc::Rc;

use super::resolve::Resolver;
use super::world::{Import, Member, ModuleId, Spaces, Target, World};
use crate::Kind;
use crate::hashing::{HashMap, HashSet};

/// A longer type is better read by its private name.
const TYPE_BYTES_MAX: usize = 160;

/// What a name stands for.
#[derive(Clone, Debug)]
enum Real {
    Name(String),
    /// A type with the names of its parameters.
    Type(Rc<[String]>, Rc<str>),
}

/// What the private names of a module stand for.
type Names = HashMap<Rc<str>, Real>;

/// The same of each module.
pub(super) struct Renames {
    of: HashMap<ModuleId, Names>,
}

impl Renames {
    pub(super) fn of(resolver: &mut Resolver<'_, '_>) -> Self {
        let mut of: HashMap<ModuleId, Names> = HashMap::default();
        let mut aliases: HashSet<Rc<str>> = HashSet::default();
        let mut imported: Vec<(ModuleId, Rc<Import>)> = Vec::new();
        for (at, module) in resolver.world.modules.iter().enumerate() {
            for known in module.names.iter().filter(|known| !known.is_public) {
                if let Some(real) = alias(&resolver.world, known.target) {
                    aliases.insert(Rc::clone(&known.name));
                    of.entry(at).or_default().insert(Rc::clone(&known.name), real);
                }
            }
            for import in module.imports.iter().filter(|import| !import.is_public) {
                match renamed(import) {
                    Some((name, real)) => {
                        of.entry(at).or_default().insert(name, real);
                    }
                    None => imported.push((at, Rc::clone(import))),
                }
            }
        }
        // Another module of the crate may import such a type as it is.
        imported.retain(|(_, import)| import.name.as_ref().is_some_and(|it| aliases.contains(it)));
        for (at, import) in imported {
            let mut found = resolver.path(at, &import.path).into_iter();
            let found = found.find(|found| found.spaces.meet(Spaces::TYPES));
            let real = found.and_then(|found| {
                let is_private = !resolver.is_public(found.target);
                alias(&resolver.world, found.target).filter(|_| is_private)
            });
            if let (Some(name), Some(real)) = (import.name.clone(), real) {
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
            // What has a private name itself is not shown.
            let names = self.of.get(&def.module).filter(|names| !names.contains_key(&def.name));
            if let Some(names) = names {
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
fn renamed(import: &Import) -> Option<(Rc<str>, Real)> {
    let name = import.name.clone()?;
    let (last, before) = import.path.split_last()?;
    if *last == name {
        return None;
    }
    let is_near = |part: &str| matches!(part, "crate" | "self" | "super" | "");
    let home = before.last().filter(|home| !is_near(home));
    let real = home.map_or(last.to_string(), |home| format!("{home}::{last}"));
    Some((name, Real::Name(real)))
}

/// What a type stands for that has another name only.
fn alias(world: &World, target: Target) -> Option<Real> {
    let Target::Def(def) = target else { return None };
    let def = &world.defs[def];
    let rest = def.signature.strip_prefix("pub type ").filter(|_| def.kind == Kind::TypeAlias)?;
    let (head, real) = rest.split_once(" = ").filter(|(head, _)| !head.contains(['=', ':']))?;
    let real = real.trim();
    if real.len() > TYPE_BYTES_MAX || real.contains("where") {
        return None;
    }
    let parameters = head.strip_prefix(&*def.name)?.trim();
    let parameters = match parameters.strip_prefix('<') {
        Some(inside) => split(inside.strip_suffix('>')?),
        None => Vec::new(),
    };
    Some(Real::Type(parameters.into_iter().map(str::to_owned).collect(), real.into()))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The end of what is between angle brackets, the first of which is open.
fn close(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' if last == '-' => {}
            '>' | ')' | ']' if depth == 0 => return Some(at),
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        last = c;
    }
    None
}

/// The parts between commas that are outside of all brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0usize, 0);
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' if last == '-' => {}
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
        last = c;
    }
    parts.push(text[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// What one use of a name is written as, and how much of the text behind the name belongs to it.
fn written(real: &Real, after: &str) -> Option<(String, usize)> {
    let (parameters, body) = match real {
        Real::Name(name) => return Some((name.clone(), 0)),
        Real::Type(parameters, body) => (parameters, body),
    };
    let inside = after.strip_prefix('<').filter(|_| !parameters.is_empty());
    let end = inside.and_then(close);
    let given = inside.zip(end).map_or(Vec::new(), |(inside, end)| split(&inside[..end]));
    if given.len() != parameters.len() {
        return None;
    }
    let names = parameters.iter().map(|name| name.as_str().into());
    let names: Names =
        names.zip(given.iter().map(|given| Real::Name((*given).to_owned()))).collect();
    let mut text = body.to_string();
    replace(&names, &mut text);
    Some((text, end.map_or(0, |end| end + "<>".len())))
}

/// Puts what names stand for in their place.
fn replace(names: &Names, text: &mut String) {
    let mut out = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some(start) = text[at..].find(is_word).map(|found| at + found) {
        let end = text[start..].find(|c| !is_word(c)).map_or(text.len(), |found| start + found);
        at = end;
        // The names of lifetimes begin with their mark.
        let is_lifetime = text[..start].ends_with('\'');
        let start = start - usize::from(is_lifetime);
        let Some(real) = names.get(&text[start..end]) else { continue };
        // A part of a path, or the name of a parameter.
        let is_other = text[..start].ends_with('.')
            || text[..start].ends_with("::")
            || text[end..].starts_with(": ");
        let Some((real, more)) = written(real, &text[end..]).filter(|_| !is_other) else {
            continue;
        };
        out.push_str(&text[from..start]);
        out.push_str(&real);
        from = end + more;
        at = from;
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
    fn what_private_names_stand_for_takes_their_place() {
        let names = [("Other", "vec::IntoIter"), ("StdError", "error::Error"), ("sio", "std::io")];
        let names = names.map(|(name, real)| (name.into(), Real::Name(real.to_owned())));
        let mut names: Names = names.into_iter().collect();
        let parameters = ["'a", "T"].map(str::to_owned);
        names.insert(
            "Boxed".into(),
            Real::Type(parameters.into(), "Pin<Box<dyn A<T> + 'a>>".into()),
        );
        names.insert("Pair".into(), Real::Type([].into(), "(usize, Option<usize>)".into()));
        for (text, expected) in [
            ("fn a(self) -> Other<T>", "fn a(self) -> vec::IntoIter<T>"),
            ("fn a<E: StdError + Send>()", "fn a<E: error::Error + Send>()"),
            ("fn a() -> sio::Result<()>", "fn a() -> std::io::Result<()>"),
            ("fn a(Other: x::Other, b: Others)", "fn a(Other: x::Other, b: Others)"),
            ("fn a() -> Boxed<'b, Fn(u8) -> u8>", "fn a() -> Pin<Box<dyn A<Fn(u8) -> u8> + 'b>>"),
            ("fn a() -> Option<Pair>", "fn a() -> Option<(usize, Option<usize>)>"),
            ("fn a() -> Boxed<'b>", "fn a() -> Boxed<'b>"),
            ("fn a() -> Boxed<", "fn a() -> Boxed<"),
            ("fn a() -> u8", "fn a() -> u8"),
        ] {
            let mut text = text.to_owned();
            replace(&names, &mut text);
            assert_eq!(text, expected);
        }
    }
}
