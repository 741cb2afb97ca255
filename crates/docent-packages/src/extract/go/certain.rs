//! Where everything is known: packages and types without gaps, and what functions and fields are.
//!
//! Filled by [`super::items`] while it writes; read by [`crate::check`]. A package with a file that
//! could not be read, or a type that embeds one that is not at hand, is not vouched for.

use std::rc::Rc;

use super::declare::{Function, Made, Member, Shape, Type};
use super::modules::Modules;
use super::package::{Package, Placed};
use super::promote::{Gained, is_empty};
use super::syntax::Reference;
use super::text::is_exported;
use crate::hashing::HashMap;
use crate::{Surface, Whole};

/// How many names for names are followed.
const ALIASES_MAX: usize = 8;

/// What is certain so far.
#[derive(Default)]
pub(super) struct Certain {
    /// The items of types, by package and name.
    types: HashMap<(String, String), u32>,
    typed: Vec<Typed>,
    surface: Surface,
}

/// An item and the type of its value.
struct Typed {
    item: u32,
    package: Rc<Package>,
    /// The file that the type is named in, whose imports count.
    file: usize,
    of: Reference,
}

/// Where a type is.
enum Found {
    Here(u32),
    /// In another package, as a module and a name.
    There(String, String),
}

impl Certain {
    /// Vouches for a package.
    pub(super) fn package(&mut self, item: u32, package: &Package) {
        if package.is_whole {
            let names = package.also.iter().filter(|name| !name.contains('.'));
            self.surface.members.push(Whole { item, names: names.cloned().collect() });
        }
    }

    /// Notes the item of a type.
    pub(super) fn declared(&mut self, item: u32, package: &Rc<Package>, declared: &Placed<Type>) {
        let it = &declared.it;
        self.types.insert((package.path.clone(), it.name.clone()), item);
        if let (Shape::Alias, Some(of)) = (it.shape, &it.target) {
            self.note(item, package, declared.file, of);
        }
        if it.shape == Shape::Struct && is_sure(package, &it.name) {
            let fields = it.members.iter().map(|member| member.name.clone());
            let names = fields.chain(package.also_in(&it.name)).collect();
            self.surface.keywords.push(Whole { item, names });
        }
    }

    /// Vouches for a type, all of whose embedded types are known.
    pub(super) fn members(
        &mut self,
        item: u32,
        package: &Package,
        declared: &Placed<Type>,
        is_hidden_alias: bool,
        gained: Gained,
    ) {
        let it = &declared.it;
        let is_whole = match it.shape {
            Shape::Struct | Shape::Interface => true,
            // A type that is made of a structure has its fields.
            Shape::Other => it.target.as_ref().is_none_or(is_empty),
            Shape::Alias => is_hidden_alias,
        };
        if is_whole && is_sure(package, &it.name) {
            let mut names = gained.also;
            names.extend(package.also_in(&it.name));
            names.extend(gained.is_error.then(|| "Error".to_owned()));
            self.surface.members.push(Whole { item, names });
        }
    }

    /// Notes what a function or method returns.
    pub(super) fn result(
        &mut self,
        item: u32,
        package: &Rc<Package>,
        function: &Placed<Function>,
        name: &str,
    ) {
        if let Some(of) = function.it.result.as_ref().filter(|_| !package.varies.contains(name)) {
            self.note(item, package, function.file, of);
        }
    }

    /// Notes what a field is, or what a method of an interface returns.
    pub(super) fn member(
        &mut self,
        item: u32,
        package: &Rc<Package>,
        file: usize,
        member: &Member,
        name: &str,
    ) {
        if let Some(of) = member.of.as_ref().filter(|_| !package.varies.contains(name)) {
            self.note(item, package, file, of);
        }
    }

    /// Notes what a constant or variable is.
    pub(super) fn value(&mut self, item: u32, package: &Rc<Package>, file: usize, made: &Made) {
        match made {
            Made::Of(of) => self.note(item, package, file, of),
            Made::By(name) if !package.varies.contains(name) => {
                let makers = package.types.values().filter_map(|named| named.makers.get(name));
                let function = package.functions.get(name).into_iter().chain(makers).next();
                if let Some(Placed { it: Function { result: Some(of), .. }, file, .. }) = function {
                    self.note(item, package, *file, of);
                }
            }
            Made::By(_) | Made::Unknown => {}
        }
    }

    fn note(&mut self, item: u32, package: &Rc<Package>, file: usize, of: &Reference) {
        self.typed.push(Typed { item, package: Rc::clone(package), file, of: of.clone() });
    }

    /// All that is certain, when everything has been written.
    pub(super) fn surface(mut self, modules: &Modules<'_>) -> Surface {
        for typed in std::mem::take(&mut self.typed) {
            match self.find(modules, &typed) {
                Some(Found::Here(of)) if of != typed.item => {
                    self.surface.returns.push((typed.item, of));
                }
                Some(Found::There(module, name)) => {
                    self.surface.elsewhere.push((typed.item, module, name));
                }
                _ => {}
            }
        }
        self.surface.modules = modules.listed();
        self.surface
    }

    /// The type that a reference means, behind all its other names.
    fn find(&self, modules: &Modules<'_>, typed: &Typed) -> Option<Found> {
        let (mut package, mut file) = (Rc::clone(&typed.package), typed.file);
        let mut of = typed.of.clone();
        let mut found = None;
        for _ in 0..ALIASES_MAX {
            if let Some(ident) = &of.package {
                let path = imported(modules, &package, file, ident)?;
                if !modules.is_own(&path) {
                    return found.or(Some(Found::There(path, of.name)));
                }
                package = modules.get(&path)?;
            }
            if let Some(&item) = self.types.get(&(package.path.clone(), of.name.clone())) {
                found = Some(Found::Here(item));
            }
            let declared = package.types.get(&of.name).and_then(|named| named.declared.as_ref())?;
            match (declared.it.shape, &declared.it.target) {
                (Shape::Alias, Some(target)) => {
                    file = declared.file;
                    of = target.clone();
                }
                (Shape::Alias, None) => return None,
                _ => {
                    let is_reachable = package.is_public && is_exported(&of.name);
                    let there = || Found::There(package.path.clone(), of.name.clone());
                    let is_here = modules.is_own(&package.path) && !modules.is_apart(&package.path);
                    return found.or_else(|| (is_reachable && !is_here).then(there));
                }
            }
        }
        None
    }
}

/// Whether all of a type is known that its package declares.
fn is_sure(package: &Package, name: &str) -> bool {
    package.is_whole && !package.varies.contains(name)
}

/// The import path that a name stands for in a file, if there can be no doubt.
fn imported(modules: &Modules<'_>, package: &Package, file: usize, ident: &str) -> Option<String> {
    let imports = &package.files.get(file)?.imports;
    let is_it = |(alias, path): &&(Option<String>, String)| match alias {
        Some(alias) => alias == ident,
        None if modules.is_own(path) => modules.get(path).is_some_and(|found| found.name == *ident),
        None => ends_with(path, ident),
    };
    let mut fitting = imports.iter().filter(is_it);
    let (_, path) = fitting.next()?;
    fitting.next().is_none().then(|| path.clone())
}

/// Whether the last part of an import path is a name, major versions aside.
fn ends_with(path: &str, name: &str) -> bool {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let digits = last.strip_prefix('v').unwrap_or_default();
    let is_version = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    last == name || is_version && parts.next() == Some(name)
}
