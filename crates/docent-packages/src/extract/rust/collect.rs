//! From syntax to what the world keeps: one declaration at a time.

use std::rc::Rc;

use ra_ap_syntax::ast::{self, AstNode as _, HasGenericParams as _, HasName, HasVisibility};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};

use super::attributes::{Attributes, ProcMacro};
use super::cfg::Presence;
use super::load::{At, Loader};
use super::world::{Def, DefId, Impl, Member, Named, Spaces, Target};
use super::{docs, doubt, returned, signature, text};
use crate::Kind;

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
            ast::Item::MacroDef(item) => {
                let name = signature::name(&item);
                let text = format!("pub macro {name}");
                self.plain(site, &name, Kind::Macro, text, Spaces::MACROS);
            }
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
            needs: at.needs.and(&self.needs(attributes)),
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
        text: String,
        at: &At,
    ) -> Member {
        let attributes = self.attributes(node, &at.file);
        Member {
            name: name.trim_start_matches("r#").into(),
            kind,
            signature: text,
            docs: docs::clean(&attributes.docs),
            deprecated: attributes.deprecated.clone(),
            file: Rc::clone(&at.file),
            line: at.lines.of(node),
            needs: at.needs.and(&self.needs(&attributes)),
            presence: attributes.presence,
            is_hidden: attributes.is_hidden,
            returned: None,
        }
    }

    fn structure(&mut self, item: &ast::Struct, is_public: bool, attributes: &Attributes, at: &At) {
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

    fn fields(&self, list: &ast::RecordFieldList, at: &At) -> Vec<Member> {
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

    fn enumeration(&mut self, item: &ast::Enum, is_public: bool, attributes: &Attributes, at: &At) {
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
                needs: at.needs.and(&self.needs(&attributes)),
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

    fn trait_item(&mut self, item: &ast::Trait, is_public: bool, attributes: &Attributes, at: &At) {
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

    pub(super) fn associated(
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

    fn implementation(&mut self, item: &ast::Impl, attributes: &Attributes, at: &At) {
        let Some(this) = item.self_ty() else { return };
        let Some((of, is_direct)) = type_path(&this) else { return };
        let is_parameter = of.len() == 1 && parameters(item).contains(&of[0]);
        if is_parameter {
            return;
        }
        self.has_missed = false;
        let mut inside = at.clone();
        inside.needs = at.needs.and(&self.needs(attributes));
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

    fn extern_block(&mut self, block: &ast::ExternBlock, at: &Rc<At>) {
        let abi = block.abi().map_or("extern".to_owned(), |abi| text::written(abi.syntax()));
        for item in block.extern_item_list().into_iter().flat_map(|list| list.extern_items()) {
            let node = item.syntax().clone();
            let mut attributes = self.attributes(&node, &at.file);
            attributes.presence = attributes.presence.max(at.presence);
            if attributes.presence == Presence::Never {
                continue;
            }
            match item {
                ast::ExternItem::Fn(item) => {
                    let is_safe = item.safe_token().is_some();
                    let text = signature::function(&item, false);
                    let text = text.strip_prefix("unsafe ").unwrap_or(&text);
                    let safety = if is_safe { "" } else { "unsafe " };
                    let text = format!("pub {safety}{abi} {text}");
                    let (name, is_public) = (signature::name(&item), signature::is_public(&item));
                    self.plain(
                        Site { node: &node, is_public, attributes: &attributes, at },
                        &name,
                        Kind::Function,
                        text,
                        Spaces::VALUES,
                    );
                }
                ast::ExternItem::Static(item) => {
                    let (name, is_public) = (signature::name(&item), signature::is_public(&item));
                    let text = signature::head(&node, true, &[]);
                    self.plain(
                        Site { node: &node, is_public, attributes: &attributes, at },
                        &name,
                        Kind::Variable,
                        text,
                        Spaces::VALUES,
                    );
                }
                ast::ExternItem::TypeAlias(item) => {
                    let (name, is_public) = (signature::name(&item), signature::is_public(&item));
                    let text = signature::head(&node, true, &[]);
                    self.plain(
                        Site { node: &node, is_public, attributes: &attributes, at },
                        &name,
                        Kind::TypeAlias,
                        text,
                        Spaces::TYPES,
                    );
                }
                ast::ExternItem::MacroCall(call) => self.call(&call, &attributes, at),
            }
        }
    }

    fn proc_macro(&mut self, kind: ProcMacro, item: &ast::Fn, attributes: &Attributes, at: &At) {
        let name = signature::name(item);
        let (name, text) = match kind {
            ProcMacro::Function => (name.clone(), format!("{name}!() {{ /* proc-macro */ }}")),
            ProcMacro::Attribute => (name.clone(), format!("#[{name}]")),
            ProcMacro::Derive(name, known) => {
                let mut text = format!("#[derive({name})]");
                if !known.is_empty() {
                    let known = known.iter().map(|attribute| format!("    #[{attribute}]\n"));
                    let known: String = known.collect();
                    text.push_str(&format!(
                        "\n{{\n    // Attributes available to this derive:\n{known}}}"
                    ));
                }
                (name, text)
            }
        };
        self.plain(
            Site { node: item.syntax(), is_public: true, attributes, at },
            &name,
            Kind::Macro,
            text,
            Spaces::MACROS,
        );
    }

    /// The standard library documents primitive types in modules that have no other use.
    pub(super) fn primitive(&mut self, module: usize, attributes: &Attributes, at: &At) {
        let Some(name) = attributes.primitive.clone() else { return };
        let root = self.world.root_of(module);
        let (node, inside) = (
            SyntaxNode::clone(&super::syntax::parse("", ra_ap_syntax::Edition::CURRENT)),
            At { module: root, ..at.clone() },
        );
        let shown = Attributes { is_hidden: false, primitive: None, ..attributes.clone() };
        let def = self.plain(
            Site { node: &node, is_public: true, attributes: &shown, at: &inside },
            &name,
            Kind::Struct,
            name.clone(),
            Spaces::TYPES,
        );
        self.world.defs[def].line = self.world.modules[module].line;
        self.world.defs[def].is_primitive = true;
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

/// What associated items belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Type,
    Trait,
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
