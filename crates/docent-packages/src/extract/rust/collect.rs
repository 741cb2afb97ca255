//! From syntax to what the world keeps: one declaration at a time.
//!
//! Fed by `load` and `expand`. What has parts of its own is read in `types`, `associated` and
//! `foreign`, imports in `imports`, macros in `expand`.

mod associated;
mod foreign;
mod types;

use std::rc::Rc;

use ra_ap_syntax::ast::{self, AstNode as _, HasVisibility};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};

use super::attributes::Attributes;
use super::load::{At, Loader};
use super::world::{Def, DefId, Member, Named, Spaces, Target};
use super::{docs, returned, signature};
use crate::Kind;

pub(super) use associated::Owner;

/// One declaration, and where it is.
pub(super) struct Item<'a> {
    pub(super) item: ast::Item,
    pub(super) attributes: Attributes,
    pub(super) at: &'a Rc<At>,
}

/// What stands around a declaration: its syntax, who may see it, what its attributes say, and where
/// it is.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) node: &'a SyntaxNode,
    pub(super) is_public: bool,
    pub(super) attributes: &'a Attributes,
    pub(super) at: &'a At,
}

impl Loader<'_, '_> {
    pub(super) fn item(&mut self, item: Item<'_>) {
        let Item { item, attributes, at } = item;
        let node = item.syntax().clone();
        let is_public = item_visibility(&item);
        let site = Site { node: &node, is_public, attributes: &attributes, at };
        match item {
            ast::Item::Fn(item) => match &attributes.proc_macro {
                Some(kind) => self.proc_macro(kind.clone(), &item, &attributes, at),
                None => {
                    let text = signature::function(&item, true);
                    let name = signature::name(&item);
                    let def = self.plain(site, &name, Kind::Function, text, Spaces::VALUES);
                    self.world.defs[def].returned = returned::of_function(&item, at.module);
                }
            },
            ast::Item::Const(item) => {
                let name = signature::name(&item);
                let text = signature::value(&node, true);
                let def = self.plain(site, &name, Kind::Constant, text, Spaces::VALUES);
                self.world.defs[def].returned =
                    item.ty().and_then(|ty| returned::of_type(&ty, at.module));
            }
            ast::Item::Static(item) => {
                let name = signature::name(&item);
                let text = signature::value(&node, true);
                let def = self.plain(site, &name, Kind::Variable, text, Spaces::VALUES);
                self.world.defs[def].returned =
                    item.ty().and_then(|ty| returned::of_type(&ty, at.module));
            }
            ast::Item::TypeAlias(item) => {
                let name = signature::name(&item);
                let text = signature::head(&node, true, &[]);
                let stands_for = item.ty().and_then(|ty| type_path(&ty)).map(|(path, _)| path);
                let def = self.plain(site, &name, Kind::TypeAlias, text, Spaces::TYPES);
                self.world.defs[def].stands_for = stands_for;
            }
            ast::Item::Struct(item) => self.structure(&item, is_public, &attributes, at),
            ast::Item::Union(item) => {
                let name = signature::name(&item);
                let text = signature::union(&item);
                let def = self.plain(site, &name, Kind::Struct, text, Spaces::TYPES);
                let fields = item.record_field_list().map(|list| self.fields(&list, at));
                self.world.give(def, fields.unwrap_or_default());
                self.world.defs[def].fields =
                    item.record_field_list().as_ref().map(signature::field_names);
            }
            ast::Item::Enum(item) => self.enumeration(&item, is_public, &attributes, at),
            ast::Item::Trait(item) => self.trait_item(&item, is_public, &attributes, at),
            ast::Item::Impl(item) => self.implementation(&item, &attributes, at),
            ast::Item::Use(item) => self.import(&item, is_public, &attributes, at),
            ast::Item::ExternCrate(item) => self.extern_crate(&item, is_public, &attributes, at),
            ast::Item::ExternBlock(item) => self.extern_block(&item, at),
            ast::Item::MacroRules(item) => self.macro_rules(&item, &attributes, at),
            ast::Item::MacroDef(item) => self.macro_definition(&item, site),
            ast::Item::MacroCall(call) => self.call(&call, &attributes, at),
            ast::Item::Module(_) | ast::Item::AsmExpr(_) => {}
        }
    }

    /// Declares something under its name.
    pub(super) fn plain(
        &mut self,
        site: Site<'_>,
        name: &str,
        kind: Kind,
        mut text: String,
        spaces: Spaces,
    ) -> DefId {
        let Site { node, is_public, attributes, at } = site;
        let id = self.world.defs.len();
        let name: Rc<str> = name.trim_start_matches("r#").into();
        if kind == Kind::Function && attributes.hides_const() {
            text = signature::without_const(text);
        }
        if attributes.is_non_exhaustive {
            text = format!("#[non_exhaustive]\n{text}");
        }
        self.world.defs.push(Def {
            of: self.of,
            module: at.module,
            name: Rc::clone(&name),
            kind,
            signature: text,
            docs: docs::clean(&attributes.docs),
            deprecated: attributes.deprecated.clone(),
            file: Rc::clone(&at.file),
            line: at.lines.of(node),
            needs: self.needs(attributes, at),
            is_hidden: attributes.is_hidden,
            is_primitive: false,
            members: Vec::new(),
            owner: None,
            variants: Vec::new(),
            stands_for: None,
            implements: attributes.derives.clone(),
            implementors: Vec::new(),
            doubts: super::world::Doubts {
                is_open: attributes.may_add(),
                ..super::world::Doubts::default()
            },
            derefs: false,
            fields: None,
            returned: None,
        });
        let named = Named {
            name,
            target: Target::Def(id),
            spaces,
            is_public,
            is_hidden: attributes.is_hidden,
            presence: attributes.presence,
        };
        let home = if kind == Kind::Macro && attributes.is_macro_export {
            self.world.root_of(at.module)
        } else {
            at.module
        };
        // `const _` is nothing that anybody could name, and neither is what has lost its name.
        if &*named.name != "_" {
            self.world.declare(home, named);
        }
        id
    }

    /// A member, shown or not.
    pub(super) fn member(
        &self,
        node: &SyntaxNode,
        name: &str,
        kind: Kind,
        mut text: String,
        at: &At,
    ) -> Member {
        let attributes = self.attributes(node, &at.file);
        if kind == Kind::Method && attributes.hides_const() {
            text = signature::without_const(text);
        }
        Member {
            of: self.of,
            name: name.trim_start_matches("r#").into(),
            kind,
            signature: text,
            docs: docs::clean(&attributes.docs),
            deprecated: attributes.deprecated.clone(),
            file: Rc::clone(&at.file),
            line: at.lines.of(node),
            needs: self.needs(&attributes, at),
            presence: attributes.presence,
            is_hidden: attributes.is_hidden,
            returned: None,
        }
    }
}

fn item_visibility(item: &ast::Item) -> bool {
    fn of(item: &impl HasVisibility) -> bool {
        signature::is_public(item)
    }
    match item {
        ast::Item::Fn(item) => of(item),
        ast::Item::Const(item) => of(item),
        ast::Item::Static(item) => of(item),
        ast::Item::TypeAlias(item) => of(item),
        ast::Item::Struct(item) => of(item),
        ast::Item::Union(item) => of(item),
        ast::Item::Enum(item) => of(item),
        ast::Item::Trait(item) => of(item),
        ast::Item::Use(item) => of(item),
        ast::Item::ExternCrate(item) => of(item),
        ast::Item::MacroDef(item) => of(item),
        _ => false,
    }
}

/// The path of a type, and whether the type is that path rather than a reference to it.
fn type_path(ty: &ast::Type) -> Option<(Vec<Rc<str>>, bool)> {
    let mut ty = ty.clone();
    let mut is_direct = true;
    loop {
        ty = match ty {
            ast::Type::PathType(it) => return Some((segments(&it.path()?)?, is_direct)),
            ast::Type::RefType(it) => {
                is_direct = false;
                it.ty()?
            }
            ast::Type::ParenType(it) => it.ty()?,
            ast::Type::DynTraitType(it) => {
                let bound = it.type_bound_list()?.bounds().next()?;
                bound.ty()?
            }
            ast::Type::SliceType(_) => return Some((vec!["slice".into()], is_direct)),
            ast::Type::ArrayType(_) => return Some((vec!["array".into()], is_direct)),
            ast::Type::PtrType(_) => return Some((vec!["pointer".into()], is_direct)),
            _ => return None,
        };
    }
}

/// The names of a path, without generic arguments; `None` for `<T as U>::V`.
pub(super) fn segments(path: &ast::Path) -> Option<Vec<Rc<str>>> {
    let mut names: Vec<Rc<str>> = Vec::new();
    let mut at = Some(path.clone());
    while let Some(path) = at {
        let segment = path.segment()?;
        let name =
            segment.syntax().children_with_tokens().find_map(|element| match element.kind() {
                SyntaxKind::NAME_REF => Some(element.to_string()),
                SyntaxKind::CRATE_KW | SyntaxKind::SELF_KW | SyntaxKind::SUPER_KW => {
                    Some(element.to_string())
                }
                _ => None,
            })?;
        names.push(name.trim_start_matches("r#").into());
        at = path.qualifier();
        if at.is_none() && segment.coloncolon_token().is_some() {
            names.push("".into());
        }
    }
    names.reverse();
    Some(names)
}
