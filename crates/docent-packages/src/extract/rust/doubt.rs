//! What may be there beside what a crate's source shows: hidden names, those of other conditions,
//! those that macros make.
//!
//! Filled while a crate is read, asked by `certain`. A macro that is not understood is taken to be able
//! to say anything about what it is given, and to make names of what it is given; one that is given
//! no names may make any. A derive makes methods that are named after fields and variants, or with a
//! few words.

use std::rc::Rc;

use ra_ap_syntax::SyntaxKind::{IDENT, TOKEN_TREE};
use ra_ap_syntax::ast::{self, AstNode as _, HasName};

use super::attributes::Attributes;
use super::cfg::{Cfg, Presence};
use super::imports::use_leaves;
use super::load::{At, Loader};
use super::macros::Tokens;
use super::world::{Import, ModuleId, Target};

/// Words that derived methods are named with, beside the names of fields and variants.
const DERIVED: &[&str] = &["builder", "new"];

/// The same, of enumerations.
const DERIVED_OF_ENUMS: &[&str] = &["all", "count", "from", "iter", "names", "valid", "values"];

/// What methods may be named after that are derived for a structure of these fields, or for an
/// enumeration of these variants.
pub(super) fn derived(names: &[Rc<str>], is_enum: bool) -> Vec<Rc<str>> {
    let more = if is_enum { DERIVED_OF_ENUMS } else { &[] };
    let words = DERIVED.iter().chain(more).map(|&word| word.into());
    names.iter().cloned().chain(words).collect()
}

/// Shorter names are no parts of others.
const STEM_BYTES_MIN: usize = 3;

impl Loader<'_, '_> {
    /// Notes that code of a module was left out.
    pub(super) fn leave_out(&mut self, module: ModuleId) {
        self.world.modules[module].doubts.is_open = true;
        self.world.crates[self.of].is_open = true;
    }

    /// Notes that a module has more elsewhere, where another one has its name.
    pub(super) fn doubt_copies(&mut self, item: &ast::Module, at: &At) {
        let Some(name) = item.name() else { return };
        let here = &self.world.modules[at.module];
        let named = here.by_name.get(name.text().trim_start_matches("r#")).into_iter().flatten();
        let modules: Vec<ModuleId> = named
            .filter_map(|&at| match here.names[at].target {
                Target::Module(module) => Some(module),
                Target::Def(_) => None,
            })
            .collect();
        for module in modules {
            self.world.modules[module].doubts.is_open = true;
        }
    }

    /// Modules that pass on all that a private module of another platform has may have more there.
    pub(super) fn doubt_private(&mut self) {
        for (item, _, at) in &self.private {
            let Some(name) = item.name() else { continue };
            let name = name.text().trim_start_matches("r#").to_owned();
            let module = &mut self.world.modules[at.module];
            let leads = |import: &Rc<Import>| {
                let is_glob = import.is_public && import.name.is_none();
                is_glob && import.path.iter().any(|part| **part == *name)
            };
            module.doubts.is_open |= module.imports.iter().any(leads);
        }
    }

    /// Notes the names in a call that was not understood, or not as a whole.
    pub(super) fn mention(&mut self, tokens: &Tokens, module: ModuleId) {
        let names = tokens.all.iter().filter(|token| token.kind == IDENT);
        let names: Vec<Rc<str>> =
            names.map(|token| token.text.trim_start_matches("r#").into()).collect();
        let makes_macros = names.iter().any(|name| &**name == "macro_rules");
        let root = self.world.crates[self.of].root;
        let doubts = &mut self.world.modules[module].doubts;
        doubts.is_open |= names.is_empty();
        doubts.names.extend(names.iter().cloned());
        doubts.stems.extend(names.iter().filter(|name| name.len() >= STEM_BYTES_MIN).cloned());
        if makes_macros {
            self.world.modules[root].doubts.names.extend(names.iter().cloned());
        }
        self.world.crates[self.of].mentioned.extend(names);
    }

    /// Notes what may be there because of an item beside what is read of it.
    pub(super) fn doubt(&mut self, item: &ast::Item, attributes: &Attributes, at: &At) {
        if attributes.may_add() || attributes.derives_more() {
            let stems = named(item);
            let doubts = &mut self.world.modules[at.module].doubts;
            doubts.stems.extend(stems.into_iter().filter(|name| name.len() >= STEM_BYTES_MIN));
        }
        // What is only for the crate's own tests is for nobody else.
        let is_for_tests = attributes.conditions.iter().any(Cfg::is_for_tests);
        if attributes.presence != Presence::Never || is_for_tests {
            return;
        }
        let root = self.world.crates[self.of].root;
        match item {
            ast::Item::Use(item) => {
                let mut leaves = Vec::new();
                item.use_tree().iter().for_each(|tree| use_leaves(tree, &[], &mut leaves, 0));
                let doubts = &mut self.world.modules[at.module].doubts;
                for (_, name) in leaves {
                    match name {
                        Some(name) => doubts.names.push(name),
                        None => doubts.is_open |= super::signature::is_public(item),
                    }
                }
            }
            ast::Item::MacroCall(call) => {
                let tree = call.syntax().children().find(|node| node.kind() == TOKEN_TREE);
                let text = tree.map_or("", |tree| at.text(&tree));
                let tokens = Tokens::lex(text, self.manifest().edition, 1);
                self.mention(&tokens, at.module);
            }
            ast::Item::MacroRules(_) => {
                self.world.modules[root].doubts.names.extend(named(item));
            }
            item => self.world.modules[at.module].doubts.names.extend(named(item)),
        }
    }
}

/// The name of an item, and those of its variants.
fn named(item: &ast::Item) -> Vec<Rc<str>> {
    fn of(item: &impl HasName) -> Vec<Rc<str>> {
        let name = item.name();
        name.map(|name| name.text().trim_start_matches("r#").into()).into_iter().collect()
    }
    match item {
        ast::Item::Const(item) => of(item),
        ast::Item::Enum(item) => {
            let mut names = of(item);
            let variants = item.variant_list().into_iter().flat_map(|list| list.variants());
            names.extend(variants.flat_map(|variant| of(&variant)));
            names
        }
        ast::Item::Fn(item) => of(item),
        ast::Item::MacroDef(item) => of(item),
        ast::Item::MacroRules(item) => of(item),
        ast::Item::Module(item) => of(item),
        ast::Item::Static(item) => of(item),
        ast::Item::Struct(item) => of(item),
        ast::Item::Trait(item) => of(item),
        ast::Item::TypeAlias(item) => of(item),
        ast::Item::Union(item) => of(item),
        _ => Vec::new(),
    }
}
