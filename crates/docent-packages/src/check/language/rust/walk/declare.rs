//! What a file declares and imports: the names that are bound before its code is read, and the imports
//! that are uses themselves.

use ra_ap_syntax::ast::{self, HasGenericParams as _, HasName as _};
use ra_ap_syntax::{AstNode as _, SyntaxKind, SyntaxNode};

use super::super::scopes::{Path, Space};
use super::{Named, Walk, guard};
use crate::check::found::Why;
use crate::check::uses::Use;

impl Walk {
    /// The structures and functions of the file.
    pub(super) fn collect(&mut self, file: &SyntaxNode) {
        for node in file.descendants() {
            if let Some(item) = ast::Struct::cast(node.clone()) {
                let Some(name) = item.name() else { continue };
                let fields = match item.field_list() {
                    Some(ast::FieldList::RecordFieldList(list)) => list.fields(),
                    _ => continue,
                };
                let is_plain = item.generic_param_list().is_none();
                let fields = fields
                    .filter(|_| is_plain)
                    .filter_map(|field| Some((field.name()?.text().to_string(), field.ty()?)));
                let entry = self.structures.entry(name.text().to_string());
                entry.and_modify(|known| *known = None).or_insert(Some(fields.collect()));
            } else if let Some(item) = ast::Fn::cast(node) {
                let Some(name) = item.name() else { continue };
                let is_plain = item.async_token().is_none()
                    && item.generic_param_list().is_none()
                    && item
                        .syntax()
                        .parent()
                        .is_some_and(|it| it.kind() != SyntaxKind::ASSOC_ITEM_LIST);
                let ty = item.ret_type().filter(|_| is_plain).and_then(|it| it.ty());
                let entry = self.functions.entry(name.text().to_string());
                entry.and_modify(|known| *known = None).or_insert(ty);
            }
        }
    }

    /// Binds the names of the items that are directly inside a node.
    pub(super) fn declare(&mut self, node: &SyntaxNode) {
        for item in node.children().filter_map(ast::Item::cast) {
            let mut own = |item: &dyn Named, space: Space| {
                if let Some(name) = item.called() {
                    self.scopes.own(self.scope, &name, space);
                }
            };
            match &item {
                ast::Item::Const(item) => own(item, Space::Values),
                ast::Item::Static(item) => own(item, Space::Values),
                ast::Item::Fn(item) => own(item, Space::Values),
                ast::Item::Enum(item) => own(item, Space::Types),
                ast::Item::Module(item) => own(item, Space::Types),
                ast::Item::Struct(item) => {
                    own(item, Space::Types);
                    own(item, Space::Values);
                }
                ast::Item::Trait(item) => own(item, Space::Types),
                ast::Item::TypeAlias(item) => own(item, Space::Types),
                ast::Item::Union(item) => own(item, Space::Types),
                ast::Item::MacroRules(item) => own(item, Space::Macros),
                ast::Item::Use(item) => {
                    let doubt = guard(item.syntax());
                    if let Some(tree) = item.use_tree() {
                        self.import(&tree, &Path::default(), doubt, 0);
                    }
                }
                ast::Item::ExternCrate(item) => {
                    let Some(name) = item.name_ref() else { continue };
                    let renamed = item.rename().and_then(|it| it.name());
                    let text = name.text().to_string();
                    let here = renamed.map_or(text.clone(), |name| name.text().to_string());
                    let at = self.at(name.syntax().text_range().start());
                    let path = Path { segments: vec![(text, at)], is_absolute: true };
                    let doubt = guard(item.syntax());
                    self.scopes.import(self.scope, &here, path, doubt);
                }
                _ => {}
            }
        }
    }

    /// Binds the names of an import.
    fn import(&mut self, tree: &ast::UseTree, before: &Path, doubt: Option<Why>, depth: usize) {
        if depth > 32 {
            return;
        }
        let mut path = before.clone();
        if let Some(own) = tree.path() {
            let Some(own) = self.path(&own) else { return };
            path.is_absolute |= path.segments.is_empty() && own.is_absolute;
            path.segments.extend(own.segments);
        } else if tree.coloncolon_token().is_some() && path.segments.is_empty() {
            path.is_absolute = true;
        }
        if let Some(list) = tree.use_tree_list() {
            for inner in list.use_trees() {
                self.import(&inner, &path, doubt, depth + 1);
            }
            return;
        }
        if tree.star_token().is_some() {
            self.star(&path, doubt);
            return;
        }
        // `a::{self}` is `a`.
        if path.segments.len() > 1 && path.segments.last().is_some_and(|(name, _)| name == "self") {
            path.segments.pop();
        }
        let Some((last, _)) = path.segments.last().cloned() else { return };
        let rename = tree.rename();
        let name = match &rename {
            Some(rename) => {
                rename.name().map(|name| name.text().trim_start_matches("r#").to_owned())
            }
            None => Some(last),
        };
        if let Some(name) = name {
            self.scopes.import(self.scope, &name, path, doubt);
        }
    }

    /// An import of everything.
    fn star(&mut self, path: &Path, doubt: Option<Why>) {
        let names: Vec<&str> = path.segments.iter().map(|(name, _)| name.as_str()).collect();
        if !path.is_absolute && names == ["super"] {
            if !self.scopes.star_of_super(self.scope) {
                self.uses.has_own_star = true;
            }
            return;
        }
        let is_own = !path.is_absolute
            && names
                .first()
                .is_none_or(|first| matches!(*first, "crate" | "self" | "super" | "Self"));
        let found = if is_own { None } else { self.scopes.resolve_import(self.scope, "", path) };
        match found {
            Some(found) => {
                let found = Use { doubt, ..found.used() };
                if matches!(found.module.as_str(), "std" | "core" | "alloc") {
                    return;
                }
                self.uses.globs.push(found.clone());
                self.uses.uses.push(found);
            }
            // The variants of an enumeration are no modules and no traits.
            None if names.last().is_some_and(|last| last.starts_with(char::is_uppercase)) => {}
            None => {
                self.scopes.star(self.scope);
                self.uses.has_own_star = true;
            }
        }
    }

    /// The names of an import, as far as they are a crate's.
    pub(super) fn imported(&mut self, node: &SyntaxNode) {
        let Some(item) = ast::Use::cast(node.clone()) else { return };
        let mut open: Vec<(ast::UseTree, Path)> =
            item.use_tree().map(|tree| (tree, Path::default())).into_iter().collect();
        while let Some((tree, before)) = open.pop() {
            let mut path = before;
            if let Some(own) = tree.path() {
                let Some(own) = self.path(&own) else { continue };
                path.is_absolute |= path.segments.is_empty() && own.is_absolute;
                path.segments.extend(own.segments);
            } else if tree.coloncolon_token().is_some() && path.segments.is_empty() {
                path.is_absolute = true;
            }
            if let Some(list) = tree.use_tree_list() {
                open.extend(list.use_trees().map(|inner| (inner, path.clone())));
                continue;
            }
            if tree.star_token().is_some() {
                continue;
            }
            if path.segments.len() > 1 && path.segments.last().is_some_and(|(it, _)| it == "self") {
                path.segments.pop();
            }
            let Some((last, _)) = path.segments.last().cloned() else { continue };
            let renamed = tree.rename();
            let name = match &renamed {
                Some(rename) => rename.name().map(|name| name.text().to_string()),
                None => Some(last.clone()),
            };
            let name = name.unwrap_or_default();
            let Some(mut found) = self.scopes.resolve_import(self.scope, &name, &path) else {
                continue;
            };
            found.doubt = found.doubt.or(self.doubt);
            let found = found.used();
            if last.starts_with(char::is_uppercase) {
                self.uses.brought.push(found.clone());
            }
            self.uses.uses.push(found);
        }
    }
}
