//! Puts together what belongs together in a module: types with what their extensions add.
//!
//! Fed by [`super::parse`] with files, feeds [`super::items`]. An extension may stand in another
//! file than its type, and the type may be one of another module.

use super::availability::Availability;
use super::declaration::{Access, Declaration, File, What};
use crate::hashing::{HashMap, HashSet};

/// A module put together.
#[derive(Debug, Default)]
pub(super) struct Linked<'d> {
    /// Types, and what is extended, by path: `Outer.Inner`. The module itself is at the empty path.
    pub(super) holders: HashMap<String, Holder<'d>>,
    /// Paths that are extended but not declared here, in the order of their appearance.
    pub(super) foreign: Vec<String>,
}

/// Something with members.
#[derive(Debug, Default)]
pub(super) struct Holder<'d> {
    /// Its declarations: more than one if each is for another platform.
    pub(super) declared: Vec<Placed<'d>>,
    pub(super) extensions: Vec<Placed<'d>>,
    pub(super) members: Vec<Member<'d>>,
    pub(super) is_public: bool,
}

/// A declaration and the file it is in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'d> {
    pub(super) declaration: &'d Declaration,
    pub(super) file: &'d str,
}

/// A member of a holder.
#[derive(Clone, Debug)]
pub(super) struct Member<'d> {
    pub(super) placed: Placed<'d>,
    /// What the extension that it is in asks of the type.
    pub(super) constraint: &'d str,
    pub(super) availability: Availability,
    pub(super) in_extension: bool,
    /// For a type, its path.
    pub(super) path: Option<String>,
}

/// What a declaration is in.
#[derive(Clone, Copy)]
struct Around<'d> {
    file: &'d str,
    constraint: &'d str,
    availability: &'d Availability,
    in_extension: bool,
    /// Whether what says nothing of its access is public.
    is_open: bool,
    is_hidden: bool,
}

/// Puts a module together. `modules` are names that may stand before a type's own.
pub(super) fn link<'d>(files: &'d [(String, File)], modules: &HashSet<String>) -> Linked<'d> {
    let mut linked = Linked::default();
    linked.holders.entry(String::new()).or_default().is_public = true;
    // Types first: an extension may come before what it extends.
    let mut todo: Vec<(&'d Declaration, String, Around<'d>)> = Vec::new();
    let nothing: &'static Availability = &NOTHING;
    for (path, file) in files.iter().rev() {
        for declaration in file.declarations.iter().rev() {
            let around = Around {
                file: path,
                constraint: "",
                availability: nothing,
                in_extension: false,
                is_open: false,
                is_hidden: false,
            };
            todo.push((declaration, String::new(), around));
        }
    }
    while let Some((declaration, path, around)) = todo.pop() {
        let placed = Placed { declaration, file: around.file };
        if declaration.what == What::Extension {
            let target = extended(&declaration.name, modules, files, around.file);
            let holder = linked.holders.entry(target.clone()).or_default();
            if holder.declared.is_empty() && holder.extensions.is_empty() {
                linked.foreign.push(target.clone());
            }
            holder.extensions.push(placed);
            let inner = Around {
                constraint: &declaration.constraint,
                availability: &declaration.availability,
                in_extension: true,
                is_open: declaration.access == Access::Public,
                is_hidden: declaration.hidden || declaration.access == Access::Internal,
                ..around
            };
            let members = declaration.members.iter().rev();
            todo.extend(members.map(|member| (member, target.clone(), inner)));
            continue;
        }
        let is_public = is_public(declaration, &around);
        let own = if path.is_empty() {
            declaration.name.clone()
        } else {
            format!("{path}.{}", declaration.name)
        };
        let is_type = declaration.what.is_type();
        if is_type {
            let holder = linked.holders.entry(own.clone()).or_default();
            holder.declared.push(placed);
            holder.is_public |= is_public;
            let is_protocol = declaration.what == What::Protocol;
            let inner = Around {
                constraint: "",
                availability: nothing,
                in_extension: false,
                is_open: is_protocol,
                is_hidden: false,
                ..around
            };
            let members = declaration.members.iter().rev();
            todo.extend(members.map(|member| (member, own.clone(), inner)));
        }
        if is_public {
            let member = Member {
                placed,
                constraint: around.constraint,
                availability: declaration.availability.within(around.availability),
                in_extension: around.in_extension,
                path: is_type.then_some(own),
            };
            linked.holders.entry(path).or_default().members.push(member);
        }
    }
    let holders = &linked.holders;
    linked.foreign.retain(|path| holders.get(path).is_some_and(|one| one.declared.is_empty()));
    linked
}

static NOTHING: Availability = Availability { since: Vec::new(), deprecated: None };

fn is_public(declaration: &Declaration, around: &Around<'_>) -> bool {
    let by_place = around.is_open || matches!(declaration.what, What::Case | What::Operator);
    let is_public = match declaration.access {
        Access::Public => true,
        Access::Internal => false,
        Access::Unsaid => by_place,
    };
    // What begins with an underscore is public for the sake of the compiler.
    is_public && !around.is_hidden && !declaration.hidden && !declaration.name.starts_with('_')
}

/// The path of the type that an extension names, without the module in front of it.
fn extended(name: &str, modules: &HashSet<String>, files: &[(String, File)], file: &str) -> String {
    let Some((first, rest)) = name.split_once('.') else { return name.to_owned() };
    let imported = || {
        let file = files.iter().find(|(path, _)| path == file);
        file.is_some_and(|(_, file)| file.imported.iter().any(|module| module == first))
    };
    if first == "Swift" || modules.contains(first) || imported() {
        rest.to_owned()
    } else {
        name.to_owned()
    }
}
