//! The walk over a Rust file: scopes, variables, and every place where something is used.

use ra_ap_syntax::ast::{self, HasArgList as _, HasGenericParams as _, HasName};
use ra_ap_syntax::{AstNode, Edition, SyntaxKind, SyntaxNode};

use super::chain::is_chain;
use super::scopes::{Origin, Path, ScopeId, Scopes, Space};
use crate::check::found::Why;
use crate::check::uses::{Step, Use, Uses};
use crate::hashing::HashMap;

/// The fields of a structure with their types.
type Fields = HashMap<String, ast::Type>;

pub(super) struct Walk {
    pub(super) edition: Edition,
    pub(super) scopes: Scopes,
    pub(super) scope: ScopeId,
    /// Why nothing may be concluded here.
    pub(super) doubt: Option<Why>,
    /// What has to be added to places in the text that is being read.
    pub(super) shift: i64,
    /// Macros that lead here.
    pub(super) depth: usize,
    pub(super) uses: Uses,
    /// Variables, the newest last, and what is known of them.
    variables: Vec<(String, Option<Origin>)>,
    /// Where the variables of the function begin.
    first: usize,
    /// The type that `self` has.
    pub(super) this: Option<String>,
    /// Structures of this file; `None` where several have the name.
    pub(super) structures: HashMap<String, Option<Fields>>,
    /// What functions of this file return; `None` where several have the name.
    pub(super) functions: HashMap<String, Option<ast::Type>>,
}

impl Walk {
    pub(super) fn new(edition: Edition) -> Self {
        Self {
            edition,
            scopes: Scopes::default(),
            scope: 0,
            doubt: None,
            shift: 0,
            depth: 0,
            uses: Uses::default(),
            variables: Vec::new(),
            first: 0,
            this: None,
            structures: HashMap::default(),
            functions: HashMap::default(),
        }
    }

    /// All uses of a file that `before` bytes were put in front of.
    pub(super) fn file(mut self, file: &SyntaxNode, before: usize) -> Uses {
        self.shift = -i64::try_from(before).unwrap_or(0);
        self.collect(file);
        self.scope = self.scopes.add(None, true);
        self.guarded(file, |walk| {
            walk.declare(file);
            walk.children(file);
        });
        self.uses
    }

    /// The structures and functions of the file.
    fn collect(&mut self, file: &SyntaxNode) {
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
    fn declare(&mut self, node: &SyntaxNode) {
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

    /// Reads a node under the conditions that its attributes state.
    fn guarded(&mut self, node: &SyntaxNode, read: impl FnOnce(&mut Self)) {
        let outer = self.doubt;
        self.doubt = outer.or_else(|| guard(node));
        read(self);
        self.doubt = outer;
    }

    /// Reads a node in which new names may be bound.
    fn inside(&mut self, is_module: bool, read: impl FnOnce(&mut Self)) {
        let (scope, variables) = (self.scope, self.variables.len());
        self.scope = self.scopes.add(Some(scope), is_module);
        read(self);
        self.scope = scope;
        self.variables.truncate(variables);
    }

    fn children(&mut self, node: &SyntaxNode) {
        node.children().for_each(|child| self.node(&child));
    }

    fn visit(&mut self, node: Option<impl AstNode>) {
        if let Some(node) = node {
            self.node(node.syntax());
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Option<Origin>> {
        let own = self.variables.get(self.first..).unwrap_or_default();
        own.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub(super) fn block(&mut self, node: &SyntaxNode) {
        self.inside(false, |walk| {
            walk.declare(node);
            walk.children(node);
        });
    }

    fn node(&mut self, node: &SyntaxNode) {
        if node.children().any(|child| child.kind() == SyntaxKind::ATTR) && self.doubt.is_none() {
            self.guarded(node, |walk| walk.read(node));
        } else {
            self.read(node);
        }
    }

    fn read(&mut self, node: &SyntaxNode) {
        use SyntaxKind::*;
        match node.kind() {
            STMT_LIST => self.block(node),
            MODULE => self.module(node),
            FN => self.function(node),
            IMPL => self.implementation(node),
            STRUCT | ENUM | UNION | TRAIT | TYPE_ALIAS => self.inside(false, |walk| {
                walk.parameters(node);
                walk.children(node);
            }),
            USE => self.imported(node),
            ATTR => self.attribute(node),
            LET_STMT => self.let_statement(node),
            LET_EXPR => self.let_expression(node),
            IF_EXPR => self.condition(node),
            WHILE_EXPR | MATCH_ARM | CLOSURE_EXPR => {
                self.inside(false, |walk| walk.children(node));
            }
            FOR_EXPR => self.inside(false, |walk| walk.children(node)),
            MACRO_CALL => {
                if let Some(call) = ast::MacroCall::cast(node.clone()) {
                    self.macro_call(&call);
                }
            }
            PARAM => self.parameter(node),
            IDENT_PAT | TUPLE_STRUCT_PAT | RECORD_PAT | PATH_PAT => {
                if let Some(pattern) = ast::Pat::cast(node.clone()) {
                    self.pattern(&pattern, None);
                }
            }
            PATH_TYPE => {
                let path = ast::PathType::cast(node.clone()).and_then(|ty| ty.path());
                self.used_path(path.as_ref(), Space::Types);
                self.children(node);
            }
            MACRO_RULES | MACRO_DEF => {}
            _ if is_chain(node) => self.expression(node),
            _ => self.children(node),
        }
    }

    fn used_path(&mut self, path: Option<&ast::Path>, space: Space) {
        if let Some(found) = path.and_then(|path| self.path_origin(path, space)) {
            self.uses.uses.push(found.used());
        }
    }

    fn expression(&mut self, node: &SyntaxNode) {
        let Some(expression) = ast::Expr::cast(node.clone()) else { return self.children(node) };
        let Some(found) = self.origin(&expression) else {
            if let ast::Expr::RecordExpr(record) = &expression {
                self.used_path(record.path().as_ref(), Space::Types);
            }
            return self.children(node);
        };
        self.uses.uses.push(found.used());
        // The arguments inside of the chain; the chain itself has been used.
        let mut next = Some(expression);
        while let Some(expression) = next {
            next = match expression {
                ast::Expr::ParenExpr(inner) => inner.expr(),
                ast::Expr::RefExpr(inner) => inner.expr(),
                ast::Expr::AwaitExpr(inner) => inner.expr(),
                ast::Expr::TryExpr(inner) => inner.expr(),
                ast::Expr::FieldExpr(inner) => inner.expr(),
                ast::Expr::MethodCallExpr(call) => {
                    self.visit(ast::HasGenericArgs::generic_arg_list(&call));
                    self.visit(call.arg_list());
                    call.receiver()
                }
                ast::Expr::CallExpr(call) => {
                    self.visit(call.arg_list());
                    call.expr()
                }
                ast::Expr::RecordExpr(record) => {
                    self.visit(record.path());
                    self.visit(record.record_expr_field_list());
                    None
                }
                ast::Expr::PathExpr(path) => {
                    self.visit(path.path());
                    None
                }
                _ => None,
            };
        }
    }

    fn module(&mut self, node: &SyntaxNode) {
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
    fn parameters(&mut self, node: &SyntaxNode) {
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

    fn function(&mut self, node: &SyntaxNode) {
        let first = self.first;
        self.first = self.variables.len();
        self.inside(false, |walk| {
            walk.parameters(node);
            walk.children(node);
        });
        self.first = first;
    }

    fn implementation(&mut self, node: &SyntaxNode) {
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

    /// The names of an import, as far as they are a crate's.
    fn imported(&mut self, node: &SyntaxNode) {
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

    fn attribute(&mut self, node: &SyntaxNode) {
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

    fn let_statement(&mut self, node: &SyntaxNode) {
        let Some(statement) = ast::LetStmt::cast(node.clone()) else { return };
        self.visit(statement.initializer());
        self.visit(statement.let_else());
        self.visit(statement.ty());
        let value = match statement.ty() {
            Some(ty) => self.type_origin(&ty),
            None => statement.initializer().and_then(|value| self.origin(&value)),
        };
        if let Some(pattern) = statement.pat() {
            self.pattern(&pattern, value);
        }
    }

    fn let_expression(&mut self, node: &SyntaxNode) {
        let Some(expression) = ast::LetExpr::cast(node.clone()) else { return };
        self.visit(expression.expr());
        let value = expression.expr().and_then(|value| self.origin(&value));
        if let Some(pattern) = expression.pat() {
            self.pattern(&pattern, value);
        }
    }

    /// What a condition binds is there in the first branch only.
    fn condition(&mut self, node: &SyntaxNode) {
        let Some(expression) = ast::IfExpr::cast(node.clone()) else { return };
        self.inside(false, |walk| {
            walk.visit(expression.condition());
            walk.visit(expression.then_branch());
        });
        match expression.else_branch() {
            Some(ast::ElseBranch::Block(block)) => self.node(block.syntax()),
            Some(ast::ElseBranch::IfExpr(inner)) => self.node(inner.syntax()),
            None => {}
        }
    }

    fn parameter(&mut self, node: &SyntaxNode) {
        let Some(parameter) = ast::Param::cast(node.clone()) else { return };
        self.visit(parameter.ty());
        let value = parameter.ty().and_then(|ty| self.type_origin(&ty));
        if let Some(pattern) = parameter.pat() {
            self.pattern(&pattern, value);
        }
    }

    /// Binds the variables of a pattern, and uses its paths.
    fn pattern(&mut self, pattern: &ast::Pat, value: Option<Origin>) {
        match pattern {
            ast::Pat::IdentPat(name) => {
                if let Some(text) = name.called() {
                    self.variables.push((text, value));
                }
                if let Some(inner) = name.pat() {
                    self.pattern(&inner, None);
                }
            }
            ast::Pat::TupleStructPat(of) => {
                let path = of.path();
                self.used_path(path.as_ref(), Space::Values);
                let name = path.and_then(|path| path.as_single_name_ref());
                let opens = name.is_some_and(|name| {
                    let text = name.text();
                    matches!(text, "Ok" | "Some")
                        && !self.scopes.is_bound(self.scope, text, Space::Values)
                });
                let value = value.filter(|_| opens).map(|value| value.then(Step::Unwrap));
                for inner in of.fields() {
                    self.pattern(&inner, value.clone());
                }
            }
            ast::Pat::RecordPat(of) => {
                let list = of.record_pat_field_list();
                let fields: Vec<ast::RecordPatField> =
                    list.into_iter().flat_map(|list| list.fields()).collect();
                if let Some(found) = of.path().and_then(|it| self.path_origin(&it, Space::Types)) {
                    let named = fields.iter().filter_map(|field| field.name_ref());
                    let made = self.made_of(named);
                    self.uses.uses.push(found.then(made).used());
                }
                for inner in fields.iter().filter_map(|field| field.pat()) {
                    self.pattern(&inner, None);
                }
            }
            ast::Pat::PathPat(of) => self.used_path(of.path().as_ref(), Space::Values),
            ast::Pat::ParenPat(inner) => {
                if let Some(inner) = inner.pat() {
                    self.pattern(&inner, value);
                }
            }
            other => self.children(other.syntax()),
        }
    }
}

/// Something with a name, without the mark for reserved words.
trait Named {
    fn called(&self) -> Option<String>;
}

impl<T: HasName> Named for T {
    fn called(&self) -> Option<String> {
        self.name().map(|name| name.text().trim_start_matches("r#").to_owned())
    }
}

/// Why what a node holds may not be there: a condition.
fn guard(node: &SyntaxNode) -> Option<Why> {
    let attributes = node.children().filter(|child| child.kind() == SyntaxKind::ATTR);
    let is_condition = |attribute: SyntaxNode| {
        let text: String = attribute.to_string().split_whitespace().collect();
        let text = text.trim_start_matches(['#', '!', '[']);
        text.starts_with("cfg(") && text != "cfg(test)]"
    };
    attributes.into_iter().any(is_condition).then_some(Why::Guarded)
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
