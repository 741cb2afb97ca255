//! One source file: the names it binds and what it says of its exports.
//!
//! Fed by [`super::layout`]'s table through [`super::modules`]; the syntax tree does not outlive
//! [`Module::read`].

use ruff_python_ast::PySourceType;
use ruff_python_ast::token::Token;
use ruff_text_size::Ranged;

use super::added::Added;
use super::declare;
use super::dynamic::Deeds;
use super::forward::Forward;
use super::scope::Scope;
use super::text::Text;
use crate::Text as SharedText;
use crate::extract::{Input, Package};
use crate::hashing::HashMap;

/// One source file.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// What it is imported as.
    pub(super) name: String,
    /// Its file, as items name it.
    pub(super) file: SharedText,
    pub(super) is_package: bool,
    pub(super) is_stub: bool,
    pub(super) docs: Option<String>,
    pub(super) deprecated: Option<String>,
    pub(super) scope: Scope,
    /// What its code does to names when it runs.
    pub(super) deeds: Deeds,
    /// Whether not all of it could be parsed.
    pub(super) is_broken: bool,
    /// The documentation that it gives to things elsewhere.
    pub(super) added: Vec<Added>,
    /// What `__all__` is put together from; `None` if there is none.
    pub(super) all: Option<Vec<AllPart>>,
    /// The modules that `from … import *` names.
    pub(super) stars: Vec<String>,
    /// Literal tables of strings, by name: what lazy imports are looked up in.
    pub(super) tables: HashMap<String, Vec<(String, Vec<String>)>>,
    /// Names that a call gives to a lazy importer: submodule and names.
    pub(super) attached: Vec<(String, Vec<String>)>,
    /// Names that `sys.modules` is told: the public one, and the local one for the module.
    pub(super) registered: Vec<(String, String)>,
    /// The modules that `__getattr__` hands all other names on to.
    pub(super) forwards: Vec<Forward>,
    /// The names that `__getattr__` imports when it is asked for one: module and name in it.
    pub(super) imported_late: HashMap<String, (String, String)>,
}

/// One step of building `__all__`.
#[derive(Debug, PartialEq)]
pub(super) enum AllPart {
    Name(String),
    /// The names of a local list, or the keys of a local table.
    Table(String),
    /// The `__all__` of what a dotted name stands for.
    Of(String),
    /// The `__all__` of a module that is named in full.
    OfModule(String),
    Without(String),
    /// Something that only running would tell.
    Unknown,
}

/// How a module is called, and whether its file is a package's `__init__`.
pub(super) struct Identity<'a> {
    pub(super) name: &'a str,
    pub(super) file: &'a str,
    pub(super) is_package: bool,
    /// Whether there is a stub for it, which may leave out what only the source says.
    pub(super) has_stub: bool,
}

impl Module {
    /// Reads and parses a file; what is wrong with it becomes a problem, and the rest is there.
    pub(super) fn read(input: &Input<'_>, package: &Package, file: &Identity<'_>) -> Option<Self> {
        let source = input.source(package, file.file)?;
        if u32::try_from(source.len()).is_err() {
            return None;
        }
        let is_stub = file.file.ends_with(".pyi");
        let kind = if is_stub { PySourceType::Stub } else { PySourceType::Python };
        let parsed = ruff_python_parser::parse_unchecked_source(&source, kind);
        let tokens: &[Token] = parsed.tokens();
        let text = Text::new(&source, tokens);
        let is_own = std::ptr::eq(package, input.package);
        if let Some(error) = parsed.errors().first()
            && is_own
        {
            let line = text.line(error.range().start());
            input.problem(
                file.file,
                Some(line),
                format!("not all of it is Python: {}", error.error),
            );
        }
        let shown = if is_own {
            file.file.into()
        } else {
            format!("{}@{}:{}", package.name, package.version, file.file).into()
        };
        let mut module = Self {
            name: file.name.to_owned(),
            file: shown,
            is_package: file.is_package,
            is_stub,
            is_broken: !parsed.errors().is_empty(),
            ..Self::default()
        };
        let (body, nesting_max) = (&parsed.syntax().body, input.limits.nesting_max);
        declare::module(&mut module, &text, body, file.has_stub, nesting_max);
        Some(module)
    }

    /// The full name of a module that an import statement of this module names.
    pub(super) fn absolute(&self, level: u32, module: Option<&str>) -> Option<String> {
        if level == 0 {
            return module.map(str::to_owned);
        }
        let mut parts: Vec<&str> = self.name.split('.').collect();
        let up = if self.is_package { level - 1 } else { level };
        for _ in 0..up {
            parts.pop()?;
        }
        parts.extend(module);
        (!parts.is_empty()).then(|| parts.join("."))
    }
}
