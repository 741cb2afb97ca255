//! What the compiler is told apart from Rust's own declarations: foreign functions, macros that are
//! programs, and the types of the language.
//!
//! Fed by `collect` and `load`.

use std::rc::Rc;

use ra_ap_syntax::ast::{self, AstNode as _};

use super::super::attributes::{Attributes, ProcMacro};
use super::super::cfg::Presence;
use super::super::load::{At, Loader};
use super::super::world::Spaces;
use super::super::{signature, text};
use super::Site;
use crate::Kind;

impl Loader<'_, '_> {
    pub(super) fn extern_block(&mut self, block: &ast::ExternBlock, at: &Rc<At>) {
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

    pub(super) fn proc_macro(
        &mut self,
        kind: ProcMacro,
        item: &ast::Fn,
        attributes: &Attributes,
        at: &At,
    ) {
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
    pub(in crate::extract::rust) fn primitive(
        &mut self,
        module: usize,
        attributes: &Attributes,
        at: &At,
    ) {
        let Some(name) = attributes.primitive.clone() else { return };
        let root = self.world.root_of(module);
        let (node, inside) = (
            super::super::syntax::build("", ra_ap_syntax::Edition::CURRENT).0,
            At { module: root, ..at.clone() },
        );
        let shown = Attributes { is_hidden: false, primitive: None, ..attributes.clone() };
        let def = self.plain(
            Site { node: &node, is_public: true, attributes: &shown, at: &inside },
            &name,
            Kind::Struct,
            name.clone(),
            Spaces::PRIMITIVES,
        );
        self.world.defs[def].line = self.world.modules[module].line;
        self.world.defs[def].is_primitive = true;
    }
}
