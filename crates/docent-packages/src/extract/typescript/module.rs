//! Parses one file and notes what it declares, imports and exports.
//!
//! The syntax tree lives only as long as the file is read; [`super::program`] says what is kept.
//! Types are read by [`super::shape`], members by [`super::member`], CommonJS by
//! [`super::javascript`].

use std::rc::Rc;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Class, Declaration as Syntax, ExportDefaultDeclarationKind, Expression, Function,
    ImportDeclaration, ImportDeclarationSpecifier, ModuleExportName, Statement,
    TSInterfaceDeclaration, TSModuleReference, TSNamespaceDeclaration, TSNamespaceDeclarationBody,
};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType};

use super::program::{
    Declaration, DeclarationKind, ExportSource, File, FileId, Import, Program, Range, ScopeId,
    Shape,
};
use super::{commonjs, member, rename, shape};

/// How deep namespaces are followed into one another.
const NAMESPACES_DEEP_MAX: usize = 32;

/// Reads a file into the program; `None` if it cannot be parsed at all.
pub(super) fn read(
    program: &mut Program,
    package: usize,
    path: &str,
    text: String,
) -> Option<FileId> {
    let source_type = source_type(path);
    let file = program.files.len();
    let scope = program.add_scope(file, None);
    let mut entry = File::new(package, path, String::new(), scope);
    entry.javascript = source_type.is_javascript();
    let allocator = Allocator::default();
    let mut parsed = Parser::new(&allocator, &text, source_type).parse();
    if parsed.panicked && source_type.is_javascript() {
        // Sloppy scripts and JSX in `.js` files.
        let other = SourceType::cjs().with_jsx(true);
        parsed = Parser::new(&allocator, &text, other).parse();
    }
    if parsed.panicked {
        program.scopes.truncate(scope);
        return None;
    }
    entry.comments = parsed.program.comments.iter().map(|comment| comment.span.into()).collect();
    for comment in &parsed.program.comments {
        if comment.span.start > first_statement(&parsed.program.body) {
            break;
        }
        read_reference(&mut entry, comment.span.source_text(&text));
    }
    program.files.push(entry);
    let ambient = source_type.is_typescript_definition();
    let mut reader = Reader { program, file, text: &text, implicit: ambient, depth: 0 };
    reader.statements(&parsed.program.body, scope);
    if source_type.is_javascript() {
        commonjs::read(&mut reader, &parsed.program.body, scope);
    }
    rename::note_references(program, file, scope, &parsed.program);
    program.files[file].text = text;
    Some(file)
}

fn first_statement(body: &[Statement<'_>]) -> u32 {
    body.first().map_or(u32::MAX, |statement| statement.span().start)
}

fn source_type(path: &str) -> SourceType {
    let declarations = [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| path.ends_with(end));
    let arbitrary = path.ends_with(".ts") && path.contains(".d.");
    if declarations || arbitrary {
        return SourceType::d_ts();
    }
    let known = SourceType::from_path(path);
    known.unwrap_or_else(|_| SourceType::unambiguous())
}

/// `/// <reference path="…" />` and `/// <reference types="…" />`.
fn read_reference(file: &mut File, comment: &str) {
    let Some(rest) = comment.strip_prefix("///") else { return };
    let Some(rest) = rest.trim_start().strip_prefix("<reference") else { return };
    let value = |key: &str| {
        let at = rest.find(key)? + key.len();
        let value = rest[at..].trim_start().strip_prefix('=')?.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        value[1..].split(quote).next()
    };
    if let Some(path) = value(" path") {
        file.reference_paths.push(path.to_owned());
    } else if let Some(types) = value(" types") {
        file.reference_types.push(types.to_owned());
    }
}

/// Reads the statements of one file.
pub(super) struct Reader<'p> {
    pub(super) program: &'p mut Program,
    pub(super) file: FileId,
    pub(super) text: &'p str,
    /// Whether declarations are exported where nothing says otherwise.
    implicit: bool,
    depth: usize,
}

impl Reader<'_> {
    fn statements(&mut self, statements: &[Statement<'_>], scope: ScopeId) {
        // In an ambient block, only an export statement without a declaration makes the others
        // private.
        let explicit = statements.iter().any(is_export_list);
        let implicit = self.implicit && !explicit;
        for statement in statements {
            self.statement(statement, scope, implicit);
        }
    }

    fn statement(&mut self, statement: &Statement<'_>, scope: ScopeId, implicit: bool) {
        let start = statement.span().start;
        let top = self.program.scopes[scope].parent.is_none();
        if top && statement.is_module_declaration() {
            self.program.files[self.file].is_module = true;
        }
        match statement {
            Statement::ImportDeclaration(import) => self.import(import, scope),
            Statement::ExportDeclaration(export) => {
                self.declaration(&export.declaration, start, scope, true);
            }
            Statement::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    let local = ExportSource::Local(name_of(&specifier.local).into());
                    self.program.export(scope, &name_of(&specifier.exported), local);
                }
            }
            Statement::ExportFromDeclaration(export) => {
                for specifier in &export.specifiers {
                    let module = export.source.value.as_str().into();
                    let source =
                        ExportSource::From { module, name: name_of(&specifier.local).into() };
                    self.program.export(scope, &name_of(&specifier.exported), source);
                }
            }
            Statement::ExportAllDeclaration(export) => {
                let module: Rc<str> = export.source.value.as_str().into();
                match &export.exported {
                    Some(name) => {
                        let source = ExportSource::Namespace { module };
                        self.program.export(scope, &name_of(name), source);
                    }
                    None => self.program.scopes[scope].stars.push(module),
                }
            }
            Statement::ExportDefaultDeclaration(export) => {
                self.export_default(&export.declaration, start, scope);
            }
            Statement::TSExportAssignment(export) => {
                let path = dotted(&export.expression);
                let path = path.unwrap_or_else(|| {
                    self.expression_value("export=", &export.expression, start, scope);
                    vec!["export=".into()]
                });
                self.program.scopes[scope].assigned = Some(path);
            }
            statement => {
                if let Some(declaration) = statement.as_declaration() {
                    self.declaration(declaration, start, scope, implicit);
                }
            }
        }
    }

    fn import(&mut self, import: &ImportDeclaration<'_>, scope: ScopeId) {
        let module = import.source.value.as_str();
        if import.specifiers.as_ref().is_none_or(|specifiers| specifiers.is_empty()) {
            self.program.files[self.file].effects.push(module.to_owned());
        }
        for specifier in import.specifiers.iter().flatten() {
            let (local, import) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                    let name = name_of(&specifier.imported).into();
                    (&specifier.local, Import::Named { module: module.into(), name })
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => {
                    let name = "default".into();
                    (&specifier.local, Import::Named { module: module.into(), name })
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(specifier) => {
                    (&specifier.local, Import::Whole { module: module.into() })
                }
            };
            self.bind(scope, local.name.as_str(), import);
        }
    }

    pub(super) fn bind(&mut self, scope: ScopeId, name: &str, import: Import) {
        let symbol = self.program.symbol(scope, name);
        self.program.symbols[symbol].import = Some(import);
    }

    fn export_default(
        &mut self,
        declaration: &ExportDefaultDeclarationKind<'_>,
        start: u32,
        scope: ScopeId,
    ) {
        let local: Rc<str> = match declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                self.function(function, None, start, scope)
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                self.class(class, None, start, scope)
            }
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                self.interface(interface, start, scope)
            }
            declaration => match declaration.as_expression() {
                Some(Expression::Identifier(name)) => name.name.as_str().into(),
                Some(expression) => {
                    self.expression_value("default", expression, start, scope);
                    "default".into()
                }
                None => return,
            },
        };
        self.program.export(scope, "default", ExportSource::Local(local));
    }

    fn declaration(&mut self, syntax: &Syntax<'_>, start: u32, scope: ScopeId, export: bool) {
        let name: Rc<str> = match syntax {
            Syntax::VariableDeclaration(variables) => {
                return self.variables(variables, start, scope, export);
            }
            Syntax::FunctionDeclaration(function) => self.function(function, None, start, scope),
            Syntax::ClassDeclaration(class) => self.class(class, None, start, scope),
            Syntax::TSInterfaceDeclaration(interface) => self.interface(interface, start, scope),
            Syntax::TSTypeAliasDeclaration(alias) => {
                let name = alias.id.name.as_str();
                let mut found = self.found(DeclarationKind::TypeAlias, start, alias.span);
                found.name = Some(alias.id.span.into());
                found.shape = shape::read(self.text, self.file, &alias.type_annotation);
                let parameters = alias.type_parameters.iter().flat_map(|list| &list.params);
                found.parameters =
                    parameters.map(|parameter| parameter.name.name.as_str().into()).collect();
                self.add(scope, name, found)
            }
            Syntax::TSEnumDeclaration(syntax) => {
                let name = syntax.id.name.as_str();
                let mut found = self.found(DeclarationKind::Enum, start, syntax.span);
                found.signature.end = syntax.body.span.start;
                found.name = Some(syntax.id.span.into());
                found.members = member::of_enum(self.file, &syntax.body.members);
                self.add(scope, name, found)
            }
            Syntax::TSNamespaceDeclaration(namespace) => self.namespace(namespace, start, scope),
            Syntax::TSExternalModuleDeclaration(module) => {
                let statements = module.body.as_ref().map_or(&[][..], |body| &body.body);
                return self.ambient(module.id.value.as_str(), statements, scope);
            }
            Syntax::TSGlobalDeclaration(global) => {
                return self.ambient("", &global.body.body, scope);
            }
            Syntax::TSImportEqualsDeclaration(import) => {
                if self.program.scopes[scope].parent.is_none() {
                    self.program.files[self.file].is_module |= matches!(
                        import.module_reference,
                        TSModuleReference::ExternalModuleReference(_)
                    );
                }
                let name = import.id.name.as_str();
                let target = match &import.module_reference {
                    TSModuleReference::ExternalModuleReference(reference) => {
                        Import::Whole { module: reference.expression.value.as_str().into() }
                    }
                    TSModuleReference::IdentifierReference(target) => {
                        Import::Alias(vec![target.name.as_str().into()])
                    }
                    TSModuleReference::QualifiedName(target) => {
                        Import::Alias(shape::qualified(target))
                    }
                };
                self.bind(scope, name, target);
                // An import is never exported without saying so.
                if self.text.get(start as usize..).is_none_or(|text| !text.starts_with("export")) {
                    return;
                }
                name.into()
            }
        };
        if export {
            self.program.export(scope, &name, ExportSource::Local(name.clone()));
        }
    }

    pub(super) fn found(
        &self,
        kind: DeclarationKind,
        start: u32,
        signature: impl Into<Range>,
    ) -> Declaration {
        Declaration {
            kind,
            file: self.file,
            start,
            signature: signature.into(),
            prefix: "".into(),
            written: None,
            name: None,
            members: Vec::new(),
            bases: Vec::new(),
            parameters: Vec::new(),
            shape: Shape::Unknown,
            scope: None,
            home: 0,
        }
    }

    pub(super) fn add(&mut self, scope: ScopeId, name: &str, mut found: Declaration) -> Rc<str> {
        found.home = scope;
        let symbol = self.program.symbol(scope, name);
        self.program.symbols[symbol].declarations.push(found);
        name.into()
    }

    pub(super) fn function(
        &mut self,
        function: &Function<'_>,
        name: Option<&str>,
        start: u32,
        scope: ScopeId,
    ) -> Rc<str> {
        let own = function.id.as_ref().map(|id| id.name.as_str());
        let name = name.or(own).unwrap_or("default");
        let mut found = self.found(DeclarationKind::Function, start, function.span);
        if let Some(body) = &function.body {
            found.signature.end = body.span.start;
            // In TypeScript, the implementation of overloads is not one of them.
            let known = self.program.scopes[scope].names.get(name);
            let overloaded = known.is_some_and(|&symbol| {
                let others = &self.program.symbols[symbol].declarations;
                others.iter().any(|other| other.kind == DeclarationKind::Function)
            });
            if overloaded && !self.program.files[self.file].javascript {
                return name.into();
            }
        }
        found.name = function.id.as_ref().map(|id| id.span.into());
        self.add(scope, name, found)
    }

    pub(super) fn class(
        &mut self,
        class: &Class<'_>,
        name: Option<&str>,
        start: u32,
        scope: ScopeId,
    ) -> Rc<str> {
        let own = class.id.as_ref().map(|id| id.name.as_str());
        let name = name.or(own).unwrap_or("default");
        let mut found = self.found(DeclarationKind::Class, start, class.span);
        if let Some(last) = class.decorators.last() {
            found.signature.start = last.span.end.max(found.signature.start);
        }
        found.signature.end = class.body.span.start;
        found.name = class.id.as_ref().map(|id| id.span.into());
        found.members = member::of_class(self.text, self.file, class);
        if let Some(heritage) = &class.heritage {
            found.bases.push(shape::of_base(&heritage.expression));
        }
        self.add(scope, name, found)
    }

    fn interface(
        &mut self,
        interface: &TSInterfaceDeclaration<'_>,
        start: u32,
        scope: ScopeId,
    ) -> Rc<str> {
        let mut found = self.found(DeclarationKind::Interface, start, interface.span);
        found.signature.end = interface.body.span.start;
        found.name = Some(interface.id.span.into());
        found.members = member::of_signatures(self.text, self.file, &interface.body.body);
        let bases = interface.extends.iter();
        found.bases = bases
            .map(|base| {
                let arguments = base.type_arguments.as_deref();
                shape::of_name(self.text, self.file, &base.type_name, arguments)
            })
            .collect();
        self.add(scope, interface.id.name.as_str(), found)
    }

    fn namespace(
        &mut self,
        namespace: &TSNamespaceDeclaration<'_>,
        start: u32,
        scope: ScopeId,
    ) -> Rc<str> {
        let name = namespace.id.name.as_str();
        let mut found = self.found(DeclarationKind::Namespace, start, namespace.span);
        found.signature.end = namespace.id.span.end;
        found.name = Some(namespace.id.span.into());
        if self.depth < NAMESPACES_DEEP_MAX {
            self.depth += 1;
            let inner = self.program.add_scope(self.file, Some(scope));
            found.scope = Some(inner);
            match &namespace.body {
                TSNamespaceDeclarationBody::TSNamespaceDeclaration(nested) => {
                    let name = self.namespace(nested, nested.span.start, inner);
                    self.program.export(inner, &name, ExportSource::Local(name.clone()));
                }
                TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                    let implicit = self.implicit;
                    self.implicit |= namespace.declare;
                    self.statements(&block.body, inner);
                    self.implicit = implicit;
                }
            }
            self.depth -= 1;
        }
        self.add(scope, name, found)
    }

    fn ambient(&mut self, specifier: &str, statements: &[Statement<'_>], scope: ScopeId) {
        if self.depth >= NAMESPACES_DEEP_MAX {
            return;
        }
        self.depth += 1;
        let inner = self.program.add_scope(self.file, Some(scope));
        self.program.files[self.file].ambient.push((specifier.to_owned(), inner));
        let implicit = std::mem::replace(&mut self.implicit, true);
        self.statements(statements, inner);
        self.implicit = implicit;
        self.depth -= 1;
    }
}

fn is_export_list(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ExportNamedDeclaration(_)
        | Statement::ExportFromDeclaration(_)
        | Statement::ExportAllDeclaration(_)
        | Statement::TSExportAssignment(_) => true,
        Statement::ExportDefaultDeclaration(export) => export.declaration.is_expression(),
        _ => false,
    }
}

fn name_of(name: &ModuleExportName<'_>) -> String {
    name.name().to_string()
}

/// `a.b.c` as its parts.
pub(super) fn dotted(expression: &Expression<'_>) -> Option<Vec<Rc<str>>> {
    let mut parts: Vec<Rc<str>> = Vec::new();
    let mut expression = expression;
    loop {
        match expression {
            Expression::Identifier(name) => {
                parts.push(name.name.as_str().into());
                parts.reverse();
                return Some(parts);
            }
            Expression::StaticMemberExpression(member) => {
                parts.push(member.property.name.as_str().into());
                expression = &member.object;
            }
            Expression::ParenthesizedExpression(inner) => expression = &inner.expression,
            _ => return None,
        }
    }
}
