//! What an expression or a type is a use of: paths, calls, methods, fields, `await` and `?`.

use ra_ap_syntax::ast::{self, HasArgList as _, HasGenericArgs as _};
use ra_ap_syntax::{AstNode, SyntaxKind, SyntaxNode};

use super::scopes::{Origin, Path, Space};
use super::walk::Walk;
use crate::check::uses::{Call, Step};

/// How many steps one use may have.
pub(super) const STEPS_MAX: usize = 600;

/// Methods whose value has the type of what they are called on.
const SAME: &[&str] = &["clone", "to_owned"];

/// Methods that take a value out of an `Option` or a `Result`.
const UNWRAPS: &[&str] = &["expect", "unwrap", "unwrap_or", "unwrap_or_default", "unwrap_or_else"];

/// Methods that leave what is inside of an `Option` or a `Result` as it is.
const PASSES: &[&str] = &[
    "as_mut",
    "as_ref",
    "cloned",
    "context",
    "inspect_err",
    "map_err",
    "ok",
    "ok_or",
    "ok_or_else",
    "with_context",
];

/// Types of the standard library whose values are used like what is in them.
const BOXES: &[&str] = &["Arc", "Box", "Rc"];

impl Walk {
    /// A path with the places of its names; `None` for `<T as U>::V`.
    pub(super) fn path(&self, path: &ast::Path) -> Option<Path> {
        let mut found = Path::default();
        let mut next = Some(path.clone());
        while let Some(path) = next {
            let segment = path.segment()?;
            let name = segment.syntax().children_with_tokens().find(|element| {
                use SyntaxKind::{CRATE_KW, NAME_REF, SELF_KW, SELF_TYPE_KW, SUPER_KW};
                matches!(element.kind(), NAME_REF | CRATE_KW | SELF_KW | SELF_TYPE_KW | SUPER_KW)
            })?;
            let text = name.to_string().trim_start_matches("r#").to_owned();
            found.segments.push((text, self.at(name.text_range().start())));
            next = path.qualifier();
            found.is_absolute = next.is_none() && segment.coloncolon_token().is_some();
        }
        found.segments.reverse();
        Some(found)
    }

    /// What a path in the code leads to.
    pub(super) fn path_origin(&self, path: &ast::Path, space: Space) -> Option<Origin> {
        let path = self.path(path)?;
        let mut found = self.scopes.resolve(self.scope, &path, space)?;
        found.doubt = found.doubt.or(self.doubt);
        Some(found)
    }

    /// What an expression is a use of.
    pub(super) fn origin(&self, expression: &ast::Expr) -> Option<Origin> {
        let mut steps: Vec<Step> = Vec::new();
        let mut next = expression.clone();
        let mut found = loop {
            if steps.len() > STEPS_MAX {
                return None;
            }
            next = match next {
                ast::Expr::ParenExpr(inner) => inner.expr()?,
                ast::Expr::RefExpr(inner) => inner.expr()?,
                ast::Expr::AwaitExpr(inner) => {
                    steps.push(Step::Await);
                    inner.expr()?
                }
                ast::Expr::TryExpr(inner) => {
                    steps.push(Step::Unwrap);
                    inner.expr()?
                }
                ast::Expr::FieldExpr(field) => {
                    if let Some(own) = self.own_field(&field) {
                        break own;
                    }
                    steps.extend([self.name_ref(&field.name_ref()?), Step::Value]);
                    field.expr()?
                }
                ast::Expr::MethodCallExpr(call) => {
                    let name = call.name_ref()?;
                    let text = name.text();
                    let count = count(call.arg_list());
                    match text {
                        text if count == Some(0) && SAME.contains(&text) => {}
                        text if UNWRAPS.contains(&text) => steps.push(Step::Unwrap),
                        text if PASSES.contains(&text) => steps.push(Step::Pass),
                        _ => {
                            let call = Step::Call(Call { count, ..Call::default() });
                            steps.extend([call, self.name_ref(&name), Step::Value]);
                        }
                    }
                    call.receiver()?
                }
                ast::Expr::CallExpr(call) => {
                    let function = call.expr()?;
                    if let Some(own) = self.own_call(&function) {
                        break own;
                    }
                    let count = count(call.arg_list());
                    steps.push(Step::Call(Call { count, ..Call::default() }));
                    function
                }
                ast::Expr::RecordExpr(record) => {
                    let fields = record.record_expr_field_list()?.fields();
                    let fields = fields.filter_map(|field| field.field_name());
                    steps.push(self.made_of(fields));
                    break self.path_origin(&record.path()?, Space::Types)?;
                }
                ast::Expr::PathExpr(path) => {
                    let path = path.path()?;
                    let name = path.as_single_name_ref();
                    let variable = name.and_then(|name| self.variable(name.text()));
                    break match variable {
                        Some(value) => value.clone()?,
                        None => self.path_origin(&path, Space::Values)?,
                    };
                }
                _ => return None,
            };
        };
        steps.reverse();
        found.steps.append(&mut steps);
        found.doubt = found.doubt.or(self.doubt);
        (found.steps.len() <= STEPS_MAX).then_some(found)
    }

    /// The fields that something is made of, or taken apart into.
    pub(super) fn made_of(&self, fields: impl Iterator<Item = ast::NameRef>) -> Step {
        let named = fields.filter(|name| !name.text().starts_with(|c: char| c.is_ascii_digit()));
        let keywords = named.map(|name| match self.name_ref(&name) {
            Step::Name { name, at } => (name, at),
            _ => Default::default(),
        });
        Step::New(Call { keywords: keywords.collect(), ..Call::default() })
    }

    fn name_ref(&self, name: &ast::NameRef) -> Step {
        let text = name.text().trim_start_matches("r#").to_owned();
        Step::Name { name: text, at: self.at(name.syntax().text_range().start()) }
    }

    /// What a value of a type is: steps that lead to it.
    pub(super) fn type_origin(&self, ty: &ast::Type) -> Option<Origin> {
        let path = match ty {
            ast::Type::RefType(inner) => return self.type_origin(&inner.ty()?),
            ast::Type::ParenType(inner) => return self.type_origin(&inner.ty()?),
            ast::Type::PathType(path) => path.path()?,
            _ => return None,
        };
        let found = self.path_origin(&path, Space::Types);
        let segment = path.segment()?;
        let name = segment.name_ref()?;
        let inner = segment.generic_arg_list().and_then(|list| {
            list.generic_args().find_map(|argument| match argument {
                ast::GenericArg::TypeArg(it) => it.ty(),
                _ => None,
            })
        });
        let is_plain = path.qualifier().is_none()
            && !self.scopes.is_bound(self.scope, name.text(), Space::Types);
        let of_standard =
            found.as_ref().is_some_and(|it| matches!(it.module.as_str(), "std" | "core" | "alloc"));
        if is_plain || of_standard {
            let inner = self.type_origin(&inner?)?;
            return match name.text() {
                name if BOXES.contains(&name) => Some(inner),
                "Option" | "Result" => Some(inner.then(Step::Wrap)),
                _ => None,
            };
        }
        Some(found?.then(Step::Value))
    }

    /// `self.field` of a structure of this file.
    fn own_field(&self, field: &ast::FieldExpr) -> Option<Origin> {
        let ast::Expr::PathExpr(of) = field.expr()? else { return None };
        let of = of.path()?.as_single_segment()?;
        of.syntax().children_with_tokens().find(|it| it.kind() == SyntaxKind::SELF_KW).or_else(
            || {
                let name = of.name_ref()?;
                (name.text() == "self").then(|| name.syntax().clone().into())
            },
        )?;
        let this = self.this.as_ref()?;
        let is_own = self.scopes.is_own(self.scope, this, Space::Types);
        let fields = self.structures.get(this).filter(|_| is_own)?.as_ref()?;
        let ty = fields.get(field.name_ref()?.text())?;
        self.type_origin(ty)
    }

    /// A call of a function of this file.
    fn own_call(&self, function: &ast::Expr) -> Option<Origin> {
        let ast::Expr::PathExpr(path) = function else { return None };
        let name = path.path()?.as_single_name_ref()?;
        let is_own = self.scopes.is_own(self.scope, name.text(), Space::Values);
        if !is_own || self.variable(name.text()).is_some() {
            return None;
        }
        let ty = self.functions.get(name.text())?.as_ref()?;
        self.type_origin(ty)
    }
}

fn count(list: Option<ast::ArgList>) -> Option<u32> {
    u32::try_from(list?.args().count()).ok()
}

/// Whether an expression may be a use as a whole.
pub(super) fn is_chain(node: &SyntaxNode) -> bool {
    use SyntaxKind::*;
    matches!(
        node.kind(),
        PATH_EXPR | CALL_EXPR | METHOD_CALL_EXPR | FIELD_EXPR | AWAIT_EXPR | TRY_EXPR | RECORD_EXPR
    )
}
