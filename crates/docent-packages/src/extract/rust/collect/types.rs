//! Structures and enumerations: their fields and variants.
//!
//! Fed by `collect`, which knows an item by its kind.

use std::rc::Rc;

use ra_ap_syntax::ast::{self, AstNode as _};

use super::super::attributes::Attributes;
use super::super::cfg::Presence;
use super::super::load::{At, Loader};
use super::super::world::{Def, Member, Spaces};
use super::super::{docs, doubt, returned, signature, text};
use super::Site;
use crate::Kind;

impl Loader<'_, '_> {
    pub(super) fn structure(
        &mut self,
        item: &ast::Struct,
        is_public: bool,
        attributes: &Attributes,
        at: &At,
    ) {
        let name = signature::name(item);
        let fields = item.field_list();
        let spaces = match &fields {
            Some(ast::FieldList::RecordFieldList(_)) => Spaces::TYPES,
            _ => Spaces::TYPES_AND_VALUES,
        };
        let text = signature::structure(item);
        let def = self.plain(
            Site { node: item.syntax(), is_public, attributes, at },
            &name,
            Kind::Struct,
            text,
            spaces,
        );
        if let Some(ast::FieldList::RecordFieldList(list)) = fields {
            let members = self.fields(&list, at);
            self.world.give(def, members);
            self.world.defs[def].fields = Some(signature::field_names(&list));
        }
        if attributes.derives_more() {
            let names = self.world.defs[def].fields.clone().unwrap_or_default();
            self.world.defs[def].doubts.stems = doubt::derived(&names, false);
        }
    }

    pub(super) fn fields(&self, list: &ast::RecordFieldList, at: &At) -> Vec<Member> {
        let public = list.fields().filter(signature::is_public);
        let members = public.map(|field| {
            let text = text::written(field.syntax());
            let name = signature::name(&field);
            let member = self.member(field.syntax(), &name, Kind::Property, text, at);
            let returned = field.ty().and_then(|ty| returned::of_type(&ty, at.module));
            Member { returned, ..member }
        });
        members.collect()
    }

    pub(super) fn enumeration(
        &mut self,
        item: &ast::Enum,
        is_public: bool,
        attributes: &Attributes,
        at: &At,
    ) {
        let name = signature::name(item);
        let mut variants = Vec::new();
        let mut others: Vec<Rc<str>> = Vec::new();
        for variant in item.variant_list().into_iter().flat_map(|list| list.variants()) {
            let mut attributes = self.attributes(variant.syntax(), &at.file);
            if attributes.is_hidden || attributes.presence != Presence::Here {
                others.push(signature::name(&variant).trim_start_matches("r#").into());
                continue;
            }
            self.describe_fields(&variant, &mut attributes, at);
            variants.push((variant, attributes));
        }
        let texts: Vec<String> = variants.iter().map(|(it, _)| signature::variant(it)).collect();
        let text = signature::enumeration(item, &texts);
        let def = self.plain(
            Site { node: item.syntax(), is_public, attributes, at },
            &name,
            Kind::Enum,
            text,
            Spaces::TYPES,
        );
        if attributes.derives_more() {
            let shown = variants.iter().map(|(it, _)| signature::name(it).as_str().into());
            let names: Vec<Rc<str>> = shown.chain(others.iter().cloned()).collect();
            self.world.defs[def].doubts.stems = doubt::derived(&names, true);
        }
        self.world.defs[def].doubts.names = others;
        for ((variant, attributes), text) in variants.into_iter().zip(texts) {
            let id = self.world.defs.len();
            let fields = match variant.field_list() {
                Some(ast::FieldList::RecordFieldList(list)) => Some(signature::field_names(&list)),
                _ => None,
            };
            self.world.defs.push(Def {
                name: signature::name(&variant).trim_start_matches("r#").into(),
                kind: Kind::Variant,
                signature: text,
                docs: docs::clean(&attributes.docs),
                deprecated: attributes.deprecated.clone(),
                line: at.lines.of(variant.syntax()),
                needs: self.needs(&attributes, at),
                owner: Some(def),
                variants: Vec::new(),
                implements: Vec::new(),
                fields,
                ..self.world.defs[def].clone()
            });
            self.world.defs[def].variants.push(id);
        }
    }

    /// What is said of the fields of a variant, which are no members of their own.
    fn describe_fields(&self, variant: &ast::Variant, attributes: &mut Attributes, at: &At) {
        let Some(ast::FieldList::RecordFieldList(list)) = variant.field_list() else { return };
        for field in list.fields() {
            let about = docs::clean(&self.attributes(field.syntax(), &at.file).docs);
            if !about.is_empty() {
                attributes.docs = docs::clean(&attributes.docs);
                let about = about.replace('\n', " ");
                attributes.docs.push_str(&format!("\n- `{}`: {about}", signature::name(&field)));
            }
        }
    }
}
