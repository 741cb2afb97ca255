//! The type that a declaration says its value has, as far as it is one path.
//!
//! Found in syntax by `collect`, resolved by `certain`. References are looked through, and so are
//! `Result` and `Option`, which are remembered, and what is waited for.

use std::rc::Rc;

use ra_ap_syntax::ast::{self, HasGenericArgs as _, HasGenericParams as _, HasName as _};
use ra_ap_syntax::{AstNode, SyntaxNode};

use super::collect::segments;
use super::world::ModuleId;

/// The type of a value.
#[derive(Clone, Debug)]
pub(super) struct Returned {
    /// Where the path is written.
    pub(super) module: ModuleId,
    /// The path of the type; `Self` for the one that it belongs to.
    pub(super) path: Vec<Rc<str>>,
    /// The path of the `Result` or `Option` around it.
    pub(super) wrapper: Option<Vec<Rc<str>>>,
    /// Whether it has to be waited for.
    pub(super) is_awaited: bool,
}

/// What a function returns.
pub(super) fn of_function(item: &ast::Fn, module: ModuleId) -> Option<Returned> {
    let mut found = of_type(&item.ret_type()?.ty()?, module)?;
    found.is_awaited |= item.async_token().is_some();
    Some(found)
}

/// The type of a field, a constant or a static.
pub(super) fn of_type(ty: &ast::Type, module: ModuleId) -> Option<Returned> {
    let (ty, is_awaited) = match waited_for(ty) {
        Some(inner) => (inner, true),
        None => (ty.clone(), false),
    };
    let ty = behind_references(&ty)?;
    let ast::Type::PathType(ty) = ty else { return None };
    let mut path = ty.path()?;
    let mut wrapper = None;
    if let Some(inner) = wrapped(&path) {
        wrapper = Some(segments(&path)?);
        let ast::Type::PathType(inner) = behind_references(&inner)? else { return None };
        path = inner.path()?;
    }
    let path = segments(&path)?;
    let is_parameter = path.len() == 1 && is_parameter(ty.syntax(), &path[0]);
    // What belongs to `Self` is chosen elsewhere.
    let is_associated = path.len() > 1 && &*path[0] == "Self";
    (!is_parameter && !is_associated).then_some(Returned { module, path, wrapper, is_awaited })
}

fn behind_references(ty: &ast::Type) -> Option<ast::Type> {
    let mut ty = ty.clone();
    loop {
        ty = match ty {
            ast::Type::RefType(it) => it.ty()?,
            ast::Type::ParenType(it) => it.ty()?,
            ty => return Some(ty),
        };
    }
}

/// The first type argument of a path that ends in `Result` or `Option`.
fn wrapped(path: &ast::Path) -> Option<ast::Type> {
    let segment = path.segment()?;
    let name = segment.name_ref()?;
    if !matches!(name.text(), "Result" | "Option") {
        return None;
    }
    first_type(&segment.generic_arg_list()?)
}

fn first_type(list: &ast::GenericArgList) -> Option<ast::Type> {
    list.generic_args().find_map(|argument| match argument {
        ast::GenericArg::TypeArg(it) => it.ty(),
        _ => None,
    })
}

/// The `T` of `impl Future<Output = T>`.
fn waited_for(ty: &ast::Type) -> Option<ast::Type> {
    let ast::Type::ImplTraitType(ty) = ty else { return None };
    ty.type_bound_list()?.bounds().find_map(|bound| {
        let ast::Type::PathType(bound) = bound.ty()? else { return None };
        let segment = bound.path()?.segment()?;
        if segment.name_ref()?.text() != "Future" {
            return None;
        }
        segment.generic_arg_list()?.generic_args().find_map(|argument| match argument {
            ast::GenericArg::AssocTypeArg(it) => it.ty(),
            _ => None,
        })
    })
}

/// Whether a name is a type parameter of something around a node.
fn is_parameter(node: &SyntaxNode, name: &str) -> bool {
    let lists = node.ancestors().filter_map(ast::AnyHasGenericParams::cast);
    let mut lists = lists.filter_map(|item| item.generic_param_list());
    lists.any(|list| {
        list.generic_params().any(|parameter| match parameter {
            ast::GenericParam::TypeParam(it) => it.name().is_some_and(|it| it.text() == name),
            _ => false,
        })
    })
}
