//! Items: modules, functions and `impl` blocks with the names that they bind, and attributes.

use ra_ap_syntax::ast::{self, HasName as _};
use ra_ap_syntax::{AstNode as _, SyntaxKind, SyntaxNode};

use super::super::scopes::{Path, Space};
use super::{Named as _, Walk, guard};
use crate::check::uses::Step;

impl Walk {
    pub(super) fn module(&mut self, node: &SyntaxNode) {
        let Some(module) = ast::Module::cast(node.clone()) else { return };
        // What a macro makes of a whole module is its own business.
        if has_foreign_attribute(node) {
            return;
        }
        let Some(list) = module.item_list() else { return };
        let (first, this) = (self.first, self.this.take());
        self.first = self.variables.len();
        self.inside(true, |walk| {
            walk.declare(list.syntax());
            walk.children(list.syntax());
        });
        (self.first, self.this) = (first, this);
    }

    /// Binds the type parameters of an item.
    pub(super) fn parameters(&mut self, node: &SyntaxNode) {
        let list = node.children().find_map(ast::GenericParamList::cast);
        for parameter in list.into_iter().flat_map(|list| list.generic_params()) {
            let (name, space) = match parameter {
                ast::GenericParam::TypeParam(it) => (it.called(), Space::Types),
                ast::GenericParam::ConstParam(it) => (it.called(), Space::Values),
                ast::GenericParam::LifetimeParam(_) => continue,
            };
            if let Some(name) = name {
                self.scopes.own(self.scope, &name, space);
            }
        }
    }

    pub(super) fn function(&mut self, node: &SyntaxNode) {
        let first = self.first;
        self.first = self.variables.len();
        self.inside(false, |walk| {
            walk.parameters(node);
            walk.children(node);
        });
        self.first = first;
    }

    pub(super) fn implementation(&mut self, node: &SyntaxNode) {
        let Some(item) = ast::Impl::cast(node.clone()) else { return };
        let this = match item.self_ty() {
            Some(ast::Type::PathType(ty)) => ty.path().and_then(|path| path.as_single_name_ref()),
            _ => None,
        };
        let outer = std::mem::replace(&mut self.this, this.map(|name| name.text().to_string()));
        self.inside(false, |walk| {
            walk.parameters(node);
            if !has_foreign_attribute(node) {
                walk.implemented(&item);
            }
            walk.children(node);
        });
        self.this = outer;
    }

    /// What is implemented of a trait has to be the trait's.
    fn implemented(&mut self, item: &ast::Impl) {
        let Some(ast::Type::PathType(of)) = item.trait_() else { return };
        let Some(found) = of.path().and_then(|path| self.path_origin(&path, Space::Types)) else {
            return;
        };
        for member in item.assoc_item_list().into_iter().flat_map(|list| list.assoc_items()) {
            let name = match &member {
                ast::AssocItem::Const(it) => it.name(),
                ast::AssocItem::Fn(it) => it.name(),
                ast::AssocItem::TypeAlias(it) => it.name(),
                ast::AssocItem::MacroCall(_) => None,
            };
            let Some(name) = name.filter(|_| guard(member.syntax()).is_none()) else { continue };
            let at = self.at(name.syntax().text_range().start());
            let name = name.text().trim_start_matches("r#").to_owned();
            self.uses.uses.push(found.clone().then(Step::Name { name, at }).used());
        }
    }

    pub(super) fn attribute(&mut self, node: &SyntaxNode) {
        let Some(attribute) = ast::Attr::cast(node.clone()) else { return };
        let Some(path) = attribute.path() else { return };
        if path.qualifier().is_some() {
            self.used_path(Some(&path), Space::Macros);
            return;
        }
        let Some((name, tree)) = attribute.as_simple_call() else { return };
        if name != "derive" {
            return;
        }
        // Between the brackets there are paths and commas.
        let mut path = Path::default();
        let flush = |walk: &mut Self, path: &mut Path| {
            let whole = std::mem::take(path);
            if let Some(mut found) = walk.scopes.resolve(walk.scope, &whole, Space::Macros) {
                found.doubt = found.doubt.or(walk.doubt);
                walk.uses.uses.push(found.used());
            }
        };
        let tokens = tree.syntax().children_with_tokens().filter_map(|it| it.into_token());
        for token in tokens {
            match token.kind() {
                SyntaxKind::IDENT => {
                    let at = self.at(token.text_range().start());
                    path.segments.push((token.text().to_owned(), at));
                }
                SyntaxKind::COMMA => flush(self, &mut path),
                SyntaxKind::COLON | SyntaxKind::COLON2 => {
                    path.is_absolute |= path.segments.is_empty();
                }
                _ => {}
            }
        }
        flush(self, &mut path);
    }
}

/// Whether an attribute hands a node to a macro.
fn has_foreign_attribute(node: &SyntaxNode) -> bool {
    const KNOWN: &[&str] = &[
        "allow",
        "cfg",
        "cfg_attr",
        "cold",
        "deny",
        "deprecated",
        "doc",
        "expect",
        "inline",
        "macro_use",
        "must_use",
        "path",
        "warn",
        "automatically_derived",
        "rustfmt",
    ];
    let attributes = node.children().filter_map(ast::Attr::cast);
    attributes.into_iter().any(|attribute| {
        let path = attribute.path().map(|path| path.to_string()).unwrap_or_default();
        let first = path.split("::").next().unwrap_or_default();
        !KNOWN.contains(&first) && !first.starts_with("clippy") && !first.starts_with("diagnostic")
    })
}
