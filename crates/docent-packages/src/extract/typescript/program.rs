//! The files of a package as declarations, imports and exports: what parsing leaves behind.
//!
//! Filled by [`super::module`], one file after the other; read by [`super::link`], which follows the
//! names, and by [`super::declare`], which writes items. Declarations keep positions into the text
//! of their file instead of copies.

use crate::Text;
use crate::hashing::HashMap;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

pub(super) type FileId = usize;
pub(super) type ScopeId = usize;
pub(super) type SymbolId = usize;

/// A range of bytes in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Range {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Range {
    pub(super) fn new(start: u32, end: u32) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The text at this range; empty if the range does not fit the text.
    pub(super) fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

impl From<oxc_span::Span> for Range {
    fn from(span: oxc_span::Span) -> Self {
        Self::new(span.start, span.end)
    }
}

/// One file.
pub(super) struct File {
    /// Position of its package: 0 for the one at hand, then the companions.
    pub(super) package: usize,
    pub(super) path: String,
    pub(super) text: String,
    pub(super) scope: ScopeId,
    /// All comments, in order.
    pub(super) comments: Vec<Range>,
    /// References to names that the file imports or exports under another name.
    pub(super) references: Vec<Range>,
    /// `/// <reference path>`, `/// <reference types>`.
    pub(super) reference_paths: Vec<String>,
    pub(super) reference_types: Vec<String>,
    /// Blocks of `declare module "x"` and `declare global`, by specifier; empty for global.
    pub(super) ambient: Vec<(String, ScopeId)>,
    /// Modules that are imported for what they do: `import "./augment"`.
    pub(super) effects: Vec<String>,
    /// Whether it imports or exports; its declarations are global otherwise.
    pub(super) is_module: bool,
    pub(super) javascript: bool,
    lines: OnceCell<Vec<u32>>,
    /// What items call it.
    pub(super) shown: OnceCell<Text>,
}

impl File {
    pub(super) fn new(package: usize, path: &str, text: String, scope: ScopeId) -> Self {
        Self {
            package,
            path: path.to_owned(),
            text,
            scope,
            comments: Vec::new(),
            references: Vec::new(),
            reference_paths: Vec::new(),
            reference_types: Vec::new(),
            ambient: Vec::new(),
            effects: Vec::new(),
            is_module: false,
            javascript: false,
            lines: OnceCell::new(),
            shown: OnceCell::new(),
        }
    }

    /// The line of a position, from 1.
    pub(super) fn line(&self, at: u32) -> u32 {
        let lines = self.lines.get_or_init(|| {
            let breaks = memchr::memchr_iter(b'\n', self.text.as_bytes());
            breaks.map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect()
        });
        u32::try_from(lines.partition_point(|&line| line < at)).unwrap_or(u32::MAX - 1) + 1
    }

    /// The `/** … */` comment right before a position, with its delimiters.
    pub(super) fn comment_before(&self, at: u32) -> Option<&str> {
        let mut at = at;
        let mut next = self.comments.partition_point(|comment| comment.end <= at);
        while let Some(index) = next.checked_sub(1) {
            let comment = self.comments[index];
            if !Range::new(comment.end, at).of(&self.text).trim().is_empty() {
                return None;
            }
            let text = comment.of(&self.text);
            if text.starts_with("/**") && text.len() > 4 {
                return Some(text);
            }
            at = comment.start;
            next = index;
        }
        None
    }
}

/// What a block of statements declares, imports and exports: a file, a namespace, an ambient module.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) file: FileId,
    pub(super) parent: Option<ScopeId>,
    pub(super) names: HashMap<Rc<str>, SymbolId>,
    pub(super) exports: Vec<Export>,
    /// The exports by name; the last one counts.
    pub(super) export_names: HashMap<Rc<str>, usize>,
    /// The modules of `export * from`.
    pub(super) stars: Vec<Rc<str>>,
    /// The dotted name of `export =`, or of `module.exports =`.
    pub(super) assigned: Option<Vec<Rc<str>>>,
    /// Where its names went, if they were merged into another scope.
    pub(super) merged_into: Option<ScopeId>,
}

/// A name that a scope exports.
#[derive(Clone, Debug)]
pub(super) struct Export {
    pub(super) name: Rc<str>,
    pub(super) source: ExportSource,
}

#[derive(Clone, Debug)]
pub(super) enum ExportSource {
    /// A name of the scope.
    Local(Rc<str>),
    /// A name of another module.
    From { module: Rc<str>, name: Rc<str> },
    /// All of another module, as an object.
    Namespace { module: Rc<str> },
}

/// All declarations of one name in one scope.
pub(super) struct Symbol {
    pub(super) scope: ScopeId,
    pub(super) name: Rc<str>,
    pub(super) declarations: Vec<Declaration>,
    pub(super) import: Option<Import>,
}

/// What a name stands for when it is not declared here.
#[derive(Clone, Debug)]
pub(super) enum Import {
    Named {
        module: Rc<str>,
        name: Rc<str>,
    },
    /// `import * as x`, `import x = require("x")`, `const x = require("x")`.
    Whole {
        module: Rc<str>,
    },
    /// `import x = a.b`.
    Alias(Vec<Rc<str>>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DeclarationKind {
    Class,
    Interface,
    Enum,
    Function,
    Const,
    Variable,
    TypeAlias,
    Namespace,
}

/// One declaration.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) kind: DeclarationKind,
    pub(super) file: FileId,
    /// Where its documentation ends: the start of the whole statement.
    pub(super) start: u32,
    /// The text to show as its signature.
    pub(super) signature: Range,
    /// What to put before that text, such as `const `.
    pub(super) prefix: Cow<'static, str>,
    /// A signature that is not in the file as such, in place of the text.
    pub(super) written: Option<Rc<str>>,
    /// Where its own name is, if it has one.
    pub(super) name: Option<Range>,
    pub(super) members: Vec<Member>,
    pub(super) bases: Vec<Shape>,
    /// The type parameters of an alias.
    pub(super) parameters: Vec<Rc<str>>,
    /// The type of a variable or alias.
    pub(super) shape: Shape,
    /// The body of a namespace.
    pub(super) scope: Option<ScopeId>,
    /// The scope it is written in, where the names it uses are looked up.
    pub(super) home: ScopeId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MemberKind {
    Method,
    Property,
    Getter,
    Setter,
    Variant,
}

/// A member of a class, interface, object type or enumeration.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) kind: MemberKind,
    /// Shared by all types that inherit it.
    pub(super) name: Rc<str>,
    pub(super) file: FileId,
    pub(super) start: u32,
    pub(super) signature: Range,
    pub(super) is_static: bool,
}

/// As much of a type as is needed to find the members of its values.
#[derive(Clone, Debug, Default)]
pub(super) enum Shape {
    #[default]
    Unknown,
    Literal(Vec<Member>),
    Function,
    /// A dotted name.
    Named(Vec<Rc<str>>),
    /// A dotted name, and the types it is applied to.
    Applied(Vec<Rc<str>>, Vec<Shape>),
    /// A type whose names are looked up in a scope of their own.
    Bound(Box<Shape>, ScopeId),
    /// `typeof a.b`.
    Typeof(Vec<Rc<str>>),
    /// `import("x").a.b`, or `typeof` of it.
    Import {
        module: Rc<str>,
        path: Vec<Rc<str>>,
    },
    Intersection(Vec<Shape>),
    /// All members of the type except these.
    Omit(Box<Shape>, Vec<Rc<str>>),
    /// Only these members of the type.
    Pick(Box<Shape>, Vec<Rc<str>>),
}

/// All that was parsed.
#[derive(Default)]
pub(super) struct Program {
    pub(super) files: Vec<File>,
    pub(super) scopes: Vec<Scope>,
    pub(super) symbols: Vec<Symbol>,
}

impl Program {
    pub(super) fn add_scope(&mut self, file: FileId, parent: Option<ScopeId>) -> ScopeId {
        self.scopes.push(Scope { file, parent, ..Scope::default() });
        self.scopes.len() - 1
    }

    /// The symbol of that name in a scope, made if it is not there yet.
    pub(super) fn symbol(&mut self, scope: ScopeId, name: &str) -> SymbolId {
        if let Some(&symbol) = self.scopes[scope].names.get(name) {
            return symbol;
        }
        let symbol = self.symbols.len();
        let name: Rc<str> = name.into();
        self.scopes[scope].names.insert(Rc::clone(&name), symbol);
        self.symbols.push(Symbol { scope, name, declarations: Vec::new(), import: None });
        symbol
    }

    pub(super) fn export(&mut self, scope: ScopeId, name: &str, source: ExportSource) {
        let scope = &mut self.scopes[scope];
        if let Some(&at) = scope.export_names.get(name) {
            scope.exports[at].source = source;
            return;
        }
        let name: Rc<str> = name.into();
        scope.export_names.insert(Rc::clone(&name), scope.exports.len());
        scope.exports.push(Export { name, source });
    }

    /// Moves all that a scope declares and exports into another one.
    pub(super) fn merge(&mut self, from: ScopeId, into: ScopeId) {
        if from == into || self.scopes[from].merged_into.is_some() {
            return;
        }
        self.scopes[from].merged_into = Some(into);
        let mut names: Vec<_> = std::mem::take(&mut self.scopes[from].names).into_iter().collect();
        // Symbols are numbered in the order of the source.
        names.sort_unstable_by_key(|&(_, symbol)| symbol);
        for (name, symbol) in names {
            let target = self.symbol(into, &name);
            let declarations = std::mem::take(&mut self.symbols[symbol].declarations);
            let import = self.symbols[symbol].import.take();
            self.symbols[target].declarations.extend(declarations);
            if import.is_some() {
                self.symbols[target].import = import;
            }
        }
        for export in std::mem::take(&mut self.scopes[from].exports) {
            self.export(into, &export.name, export.source);
        }
        self.scopes[from].export_names.clear();
        let stars = std::mem::take(&mut self.scopes[from].stars);
        self.scopes[into].stars.extend(stars);
        if let Some(assigned) = self.scopes[from].assigned.take() {
            self.scopes[into].assigned = Some(assigned);
        }
    }

    pub(super) fn file_of(&self, scope: ScopeId) -> &File {
        &self.files[self.scopes[scope].file]
    }
}
