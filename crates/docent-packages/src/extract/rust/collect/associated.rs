//! Traits and `impl` blocks: what belongs to a trait or a type.
//!
//! Fed by `collect`; `implement` brings the blocks to their types when all of a crate is read.

use std::rc::Rc;

use ra_ap_syntax::SyntaxNode;
use ra_ap_syntax::ast::{self, AstNode as _, HasGenericParams as _, HasName as _};

use super::super::attributes::Attributes;
use super::super::cfg::Presence;
use super::super::load::{At, Loader};
use super::super::world::{Impl, Member, Spaces};
use super::super::{docs, returned, signature, text};
use super::{Site, type_path};
use crate::Kind;

/// What associated items belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::extract::rust) enum Owner {
    Type,
    Trait,
}

impl Loader<'_, '_> {
    pub(super) fn trait_item(
        &mut self,
        item: &ast::Trait,
        is_public: bool,
        attributes: &Attributes,
        at: &At,
    ) {
        let name = signature::name(item);
        let text = signature::trait_head(item);
        let def = self.plain(
            Site { node: item.syntax(), is_public, attributes, at },
            &name,
            Kind::Interface,
            text,
            Spaces::TYPES,
        );
        let list = item.assoc_item_list();
        self.has_missed = false;
        let members = list.map(|list| self.associated(list.syntax(), Owner::Trait, at, 0));
        self.world.give(def, members.unwrap_or_default());
        self.world.defs[def].doubts.is_open |= self.has_missed;
    }

    pub(in crate::extract::rust) fn associated(
        &mut self,
        list: &SyntaxNode,
        owner: Owner,
        at: &At,
        depth: usize,
    ) -> Vec<Member> {
        let mut members = Vec::new();
        for item in list.children().filter_map(ast::AssocItem::cast) {
            let node = item.syntax().clone();
            let is_public = owner == Owner::Type;
            match item {
                ast::AssocItem::Fn(item) => {
                    if is_public && !signature::is_public(&item) {
                        continue;
                    }
                    let text = signature::function(&item, is_public);
                    let mut member =
                        self.member(&node, &signature::name(&item), Kind::Method, text, at);
                    member.returned = returned::of_function(&item, at.module);
                    if owner == Owner::Trait {
                        let word = if item.body().is_some() { "Provided" } else { "Required" };
                        docs::with_note(&mut member.docs, &format!("{word} method."));
                    }
                    members.push(member);
                }
                ast::AssocItem::Const(item) => {
                    if is_public && !signature::is_public(&item) {
                        continue;
                    }
                    let text = signature::value(&node, is_public);
                    let name = signature::name(&item);
                    let member = self.member(&node, &name, Kind::Constant, text, at);
                    let returned = item.ty().and_then(|ty| returned::of_type(&ty, at.module));
                    members.push(Member { returned, ..member });
                }
                ast::AssocItem::TypeAlias(item) => {
                    if is_public && !signature::is_public(&item) {
                        continue;
                    }
                    let text = signature::head(&node, is_public, &[]);
                    members.push(self.member(
                        &node,
                        &signature::name(&item),
                        Kind::TypeAlias,
                        text,
                        at,
                    ));
                }
                ast::AssocItem::MacroCall(call) => {
                    let attributes = self.attributes(&node, &at.file);
                    if attributes.presence == Presence::Never {
                        self.has_missed = true;
                    } else {
                        members.extend(self.associated_call(&call, owner, at, depth));
                    }
                }
            }
        }
        members
    }

    pub(super) fn implementation(&mut self, item: &ast::Impl, attributes: &Attributes, at: &At) {
        let Some(this) = item.self_ty() else { return };
        let Some((of, is_direct)) = type_path(&this) else { return };
        let is_parameter = of.len() == 1 && parameters(item).contains(&of[0]);
        if is_parameter {
            return;
        }
        self.has_missed = false;
        let mut inside = at.clone();
        inside.needs = self.needs(attributes, at);
        inside.presence = attributes.presence;
        let list = item.assoc_item_list();
        let (mut members, trait_of) = match item.trait_() {
            None => {
                let members =
                    list.map(|list| self.associated(list.syntax(), Owner::Type, &inside, 0));
                (members.unwrap_or_default(), None)
            }
            Some(it) => {
                let mut written = text::written(it.syntax());
                let path = type_path(&it).map(|(path, _)| path).unwrap_or_default();
                let types = list.into_iter().flat_map(|list| list.assoc_items());
                let types: Vec<String> = types
                    .filter_map(|item| match item {
                        ast::AssocItem::TypeAlias(item) => Some(format!(
                            "{} = {}",
                            signature::name(&item),
                            text::written(item.ty()?.syntax())
                        )),
                        _ => None,
                    })
                    .collect();
                if (1..=2).contains(&types.len()) && !written.ends_with('>') {
                    written = format!("{written}<{}>", types.join(", "));
                }
                (Vec::new(), Some((written, path)))
            }
        };
        for member in &mut members {
            member.presence = member.presence.max(attributes.presence);
            member.is_hidden |= attributes.is_hidden;
        }
        self.world.impls.push(Impl {
            module: at.module,
            of,
            of_text: text::written(this.syntax()),
            is_direct,
            trait_of,
            is_negative: item.excl_token().is_some(),
            is_never: attributes.is_hidden || attributes.presence == Presence::Never,
            is_open: self.has_missed || attributes.may_add(),
            members,
        });
    }
}

/// The names of a block's type parameters.
fn parameters(item: &ast::Impl) -> Vec<Rc<str>> {
    let list = item.generic_param_list();
    let types = list.into_iter().flat_map(|list| list.generic_params());
    let names = types.filter_map(|parameter| match parameter {
        ast::GenericParam::TypeParam(it) => it.name().map(|name| name.text().into()),
        _ => None,
    });
    names.collect()
}
