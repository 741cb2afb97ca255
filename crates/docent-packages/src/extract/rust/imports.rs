//! `use` and `extern crate`: the names they give, and the paths those stand for.
//!
//! Fed by `collect`, kept by the world; `resolve` follows them.

use std::rc::Rc;

use ra_ap_syntax::ast::{self, AstNode as _, HasName as _};

use super::attributes::Attributes;
use super::collect::segments;
use super::docs;
use super::load::{At, Loader};
use super::world::Import;

impl Loader<'_, '_> {
    pub(super) fn import(
        &mut self,
        item: &ast::Use,
        is_public: bool,
        attributes: &Attributes,
        at: &At,
    ) {
        let Some(tree) = item.use_tree() else { return };
        let mut leaves = Vec::new();
        use_leaves(&tree, &[], &mut leaves, 0);
        let line = at.lines.of(item.syntax());
        for (path, name) in leaves {
            let import = self.new_import(path, name, is_public, attributes, at, line);
            self.world.import(at.module, import);
        }
    }

    fn new_import(
        &self,
        path: Vec<Rc<str>>,
        name: Option<Rc<str>>,
        is_public: bool,
        attributes: &Attributes,
        at: &At,
        line: u32,
    ) -> Import {
        Import {
            path,
            name,
            is_public,
            is_hidden: attributes.is_hidden,
            is_inline: attributes.is_inline,
            is_extern_crate: false,
            presence: attributes.presence,
            docs: docs::clean(&attributes.docs),
            deprecated: attributes.deprecated.clone(),
            needs: self.needs(attributes, at),
            file: Rc::clone(&at.file),
            line,
        }
    }

    pub(super) fn extern_crate(
        &mut self,
        item: &ast::ExternCrate,
        is_public: bool,
        attributes: &Attributes,
        at: &At,
    ) {
        let Some(name) = item.name_ref() else { return };
        let name = name.text().to_string();
        let renamed =
            item.rename().and_then(|rename| rename.name()).map(|name| name.text().to_string());
        let here: Rc<str> = renamed.unwrap_or_else(|| name.clone()).as_str().into();
        let path: Vec<Rc<str>> = match name.as_str() {
            "self" => vec!["crate".into()],
            name => vec!["".into(), name.into()],
        };
        let line = at.lines.of(item.syntax());
        let import = self.new_import(path, Some(here), is_public, attributes, at, line);
        self.world.import(at.module, Import { is_extern_crate: true, ..import });
    }
}

/// A name that an import gives, and the path that it stands for.
pub(super) type Leaf = (Vec<Rc<str>>, Option<Rc<str>>);

pub(super) fn use_leaves(
    tree: &ast::UseTree,
    before: &[Rc<str>],
    leaves: &mut Vec<Leaf>,
    depth: usize,
) {
    if depth > 32 {
        return;
    }
    let mut path = before.to_vec();
    match tree.path() {
        Some(own) => path.extend(segments(&own).unwrap_or_default()),
        None if tree.coloncolon_token().is_some() && path.is_empty() => path.push("".into()),
        None => {}
    }
    if let Some(list) = tree.use_tree_list() {
        for inner in list.use_trees() {
            use_leaves(&inner, &path, leaves, depth + 1);
        }
        return;
    }
    if tree.star_token().is_some() {
        leaves.push((path, None));
        return;
    }
    // `a::{self}` is `a`.
    if path.len() > 1 && path.last().is_some_and(|last| &**last == "self") {
        path.pop();
    }
    let renamed = tree.rename();
    let name = match &renamed {
        Some(rename) => match rename.name() {
            Some(name) => Some(name.text().trim_start_matches("r#").into()),
            None => return,
        },
        None => path.last().cloned(),
    };
    if let Some(name) = name {
        leaves.push((path, Some(name)));
    }
}
