//! Writes the items: one for each declaration at its best public place, and one for each member.
//!
//! Fed by [`super::place`] and [`super::inherit`].

use std::rc::Rc;

use super::inherit::Flat;
use super::jsdoc::{self, Doc};
use super::link::{Linker, Target};
use super::members::Worded;
use super::place::{Module, Placed};
use super::program::{Declaration, DeclarationKind, FileId, Range, Shape, SymbolId};
use crate::hashing::{HashMap, HashSet};
use crate::{Item, Kind, Surface, Text};

/// How many members of a value's type get the value's path too.
const VALUE_MEMBERS_MAX: usize = 1000;
/// How many other places a member gets.
const MEMBER_ALIASES_MAX: usize = 8;
/// How many aliases are followed to the function that they stand for.
const ALIASES_DEEP_MAX: usize = 6;
/// How many overloads are shown.
pub(super) const OVERLOADS_MAX: usize = 40;

/// References in a file and the public names to write in their places.
pub(super) type PublicNames = Rc<Vec<(Range, Rc<str>)>>;

/// The name of a member and what it says, unless it is not for users.
type Known = (Rc<str>, Option<Rc<Worded>>);

pub(super) struct Writer<'l, 'i> {
    pub(super) linker: &'l mut Linker<'i>,
    modules: &'l [Module],
    /// What each of them is imported as.
    specifiers: Vec<Text>,
    pub(super) items: Vec<Item>,
    /// The items of what was placed.
    pub(super) written: HashMap<Target, u32>,
    /// The items of the members of a symbol.
    pub(super) members: HashMap<SymbolId, std::ops::Range<usize>>,
    /// What to write in place of names that a bundler made up, by file.
    pub(super) replacements: HashMap<FileId, PublicNames>,
    pub(super) inherited: usize,
    /// What members say, by place and number of overloads, with their names.
    pub(super) worded: HashMap<(FileId, u32, usize), Known>,
    /// Values whose type has items of its own: the value's paths, and the type.
    values: Vec<(u32, SymbolId)>,
    /// The items of what `export =` names.
    assigned: HashSet<u32>,
    assigned_symbols: HashSet<SymbolId>,
    /// What signatures mention, with the module and its item, in the order it was met.
    pub(super) mentioned: Vec<(SymbolId, Text, u32)>,
}

/// The items of all that was placed, after one for each module.
pub(super) fn write(
    linker: &mut Linker<'_>,
    modules: &[Module],
    placed: &[Placed],
    package: usize,
) -> (Vec<Item>, Surface) {
    let mut assigned_symbols = HashSet::default();
    for module in modules {
        if let Some(Target::Symbol(symbol)) = linker.assigned_to(module.scope) {
            assigned_symbols.insert(symbol);
        }
    }
    let mut writer = Writer {
        assigned_symbols,
        linker,
        modules,
        specifiers: modules.iter().map(|module| Text::from(&module.specifier)).collect(),
        items: Vec::new(),
        written: HashMap::default(),
        members: HashMap::default(),
        replacements: HashMap::default(),
        inherited: 0,
        worded: HashMap::default(),
        values: Vec::new(),
        assigned: HashSet::default(),
        mentioned: Vec::new(),
    };
    let mut by_module: Vec<Vec<&Placed>> = modules.iter().map(|_| Vec::new()).collect();
    for one in placed {
        by_module[one.best.module].push(one);
    }
    let mut module_items: HashMap<&str, u32> = HashMap::default();
    for (at, module) in modules.iter().enumerate() {
        if !module_items.contains_key(module.specifier.as_str()) {
            if module.open && by_module[at].is_empty() {
                continue;
            }
            module_items.insert(&module.specifier, writer.next());
            writer.module(at, package);
        }
        for one in &by_module[at] {
            if writer.items.len() >= writer.linker.input.limits.items_max {
                // Something is missing, so nothing is certain.
                return (writer.items, Surface::default());
            }
            writer.placed(one, module_items[module.specifier.as_str()]);
        }
    }
    writer.locals();
    writer.alias_values();
    let surface = writer.surface(modules, &module_items);
    (writer.items, surface)
}

impl Writer<'_, '_> {
    fn next(&self) -> u32 {
        u32::try_from(self.items.len()).unwrap_or(u32::MAX)
    }

    fn module(&mut self, at: usize, package: usize) {
        let module = &self.modules[at];
        let file = self.linker.program.file_of(module.scope);
        let real = !module.open && file.package == package;
        let docs = if real { file_docs(file).into() } else { Text::default() };
        let path = self.file_name(self.linker.program.scopes[module.scope].file);
        self.items.push(Item {
            module: self.specifiers[at].clone(),
            kind: Kind::Module,
            docs,
            file: if real { path } else { "package.json".into() },
            line: 1,
            ..Item::default()
        });
    }

    fn placed(&mut self, placed: &Placed, module_item: u32) {
        let owner = placed.best.owner.and_then(|owner| self.written.get(&owner).copied());
        let parent = owner.unwrap_or(module_item);
        let aliases: Vec<(String, String)> = placed
            .others
            .iter()
            .map(|place| (self.modules[place.module].specifier.clone(), place.path.clone()))
            .filter(|(module, path)| {
                *module != self.modules[placed.best.module].specifier || *path != placed.best.path
            })
            .collect();
        let item = Item {
            module: self.specifiers[placed.best.module].clone(),
            path: placed.best.path.clone(),
            aliases,
            parent: Some(parent),
            ..Item::default()
        };
        match placed.target {
            Target::Symbol(symbol) => {
                let (module, first) = (item.module.clone(), self.items.len());
                self.symbol(symbol, item);
                self.mention(symbol, first, &module, module_item);
            }
            Target::Module(scope) => {
                let file = self.linker.program.file_of(scope);
                let item = Item {
                    kind: Kind::Namespace,
                    signature: format!("namespace {}", item.name()).into(),
                    docs: file_docs(file).into(),
                    file: self.file_name(self.linker.program.scopes[scope].file),
                    line: 1,
                    ..item
                };
                self.written.insert(placed.target, self.next());
                self.items.push(item);
            }
        }
    }

    pub(super) fn symbol(&mut self, symbol: SymbolId, mut item: Item) {
        let name = item.name().to_owned();
        let shown = if name == "default" {
            self.linker.program.symbols[symbol].name.to_string()
        } else {
            name
        };
        let declarations = &self.linker.program.symbols[symbol].declarations;
        let callable = declarations.iter().any(|one| one.kind == DeclarationKind::Function);
        let mut docs: Vec<Option<Doc>> = declarations
            .iter()
            .filter(|one| !callable || one.kind == DeclarationKind::Function)
            .map(|one| self.linker.program.files[one.file].comment_before(one.start))
            .map(|comment| comment.map(jsdoc::parse).filter(|doc| !doc.of_file))
            .collect();
        if is_hidden(&docs) {
            return;
        }
        let Some(main) = main_declaration(declarations) else { return };
        item.kind = kind_of(main);
        item.line = self.linker.program.files[main.file].line(main.signature.start.max(main.start));
        item.file = self.file_name(main.file);
        let is_value = matches!(main.kind, DeclarationKind::Const | DeclarationKind::Variable);
        let instance = is_value.then(|| (main.shape.clone(), main.home));
        let first = docs.iter().flatten().next();
        item.signature = self.signatures(symbol, &shown, first).into();
        if let Some((shape, home)) = &instance
            && let Some(of) = self.callable(shape, *home)
        {
            item.kind = Kind::Function;
            // What stands for a function elsewhere shows that function.
            if let Some(of) = of {
                let name = self.linker.public_name(of);
                item.signature.push_str(&format!("\n{}", self.signatures(of, &name, None)));
                if docs.iter().all(Option::is_none) {
                    docs = self.docs_of(of);
                }
            }
        }
        describe(&mut item, &docs);
        let at = self.next();
        self.written.insert(Target::Symbol(symbol), at);
        if self.assigned_symbols.contains(&symbol) {
            self.assigned.insert(at);
        }
        let (module, path, kind) = (item.module.clone(), item.path.clone(), item.kind);
        self.items.push(item);
        if let Some((shape, home)) = instance
            && matches!(shape, Shape::Named(_) | Shape::Import { .. } | Shape::Applied(..))
            && let Some(Target::Symbol(of)) = self.linker.shape_target(&shape, home)
            && self.linker.placed.contains(&of)
        {
            self.values.push((at, of));
            // The type has the members; what else is declared under this name may have some too.
            let own: Vec<Flat> = self.own_members(symbol);
            self.members(symbol, at, &module, &path, kind, &own);
            return;
        }
        let members = self.linker.members(symbol);
        self.members(symbol, at, &module, &path, kind, &members);
    }

    fn docs_of(&self, symbol: SymbolId) -> Vec<Option<Doc>> {
        let declarations = self.linker.program.symbols[symbol].declarations.iter();
        let comments =
            declarations.map(|one| self.linker.program.files[one.file].comment_before(one.start));
        comments.map(|comment| comment.map(jsdoc::parse)).collect()
    }

    /// Whether values of a type are functions, and the declared function that the type stands for.
    fn callable(&mut self, shape: &Shape, home: usize) -> Option<Option<SymbolId>> {
        let mut next = (shape.clone(), home);
        for _ in 0..ALIASES_DEEP_MAX {
            if matches!(next.0, Shape::Function) {
                return Some(None);
            }
            let Some(Target::Symbol(symbol)) = self.linker.shape_target(&next.0, next.1) else {
                return None;
            };
            let declarations = &self.linker.program.symbols[symbol].declarations;
            if declarations.iter().any(|one| one.kind == DeclarationKind::Function) {
                let of_value = !matches!(next.0, Shape::Named(_) | Shape::Applied(..));
                return of_value.then_some(Some(symbol));
            }
            let calls = |one: &Declaration| {
                one.kind == DeclarationKind::Interface
                    && one.members.iter().any(|member| &*member.name == super::member::CALL)
            };
            if declarations.iter().any(calls) {
                return Some(None);
            }
            let alias = declarations.iter().find(|one| !matches!(one.shape, Shape::Unknown))?;
            next = (alias.shape.clone(), alias.home);
        }
        None
    }

    pub(super) fn file_name(&self, file: FileId) -> Text {
        let Some(file) = self.linker.program.files.get(file) else { return Text::default() };
        let shown = file.shown.get_or_init(|| {
            if file.package == 0 {
                return Text::from(&file.path);
            }
            let package = &self.linker.packages[file.package];
            format!("{}@{}:{}", package.name, package.version, file.path).into()
        });
        shown.clone()
    }

    /// Gives the members of a type the paths that they have on its public values.
    fn alias_values(&mut self) {
        for (value, of) in std::mem::take(&mut self.values) {
            let Some(range) = self.members.get(&of).cloned() else { continue };
            let item = &self.items[value as usize];
            let mut owners = vec![(item.module.to_string(), item.path.clone())];
            owners.extend(item.aliases.iter().take(2).cloned());
            let assigned = self.assigned.contains(&value);
            for member in self.items[range].iter_mut().take(VALUE_MEMBERS_MAX) {
                let name = member.path.rsplit('.').next().unwrap_or_default().to_owned();
                // The properties of what `export =` names can be imported by name.
                if assigned && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
                {
                    member.aliases.push((owners[0].0.clone(), name.clone()));
                }
                for (module, path) in &owners {
                    if member.aliases.len() < MEMBER_ALIASES_MAX {
                        member.aliases.push((module.clone(), [path, ".", &name].concat()));
                    }
                }
            }
        }
    }
}

/// The declaration that says most about what a symbol is.
fn main_declaration(declarations: &[Declaration]) -> Option<&Declaration> {
    // A constant beside an interface is its constructor: together they are like a class.
    let has_interface = declarations.iter().any(|one| one.kind == DeclarationKind::Interface);
    let rank = |declaration: &&Declaration| match declaration.kind {
        DeclarationKind::Interface if has_interface => 2,
        DeclarationKind::Class => 0,
        DeclarationKind::Function => 1,
        DeclarationKind::Enum => 2,
        DeclarationKind::Const => 3,
        DeclarationKind::Variable => 4,
        DeclarationKind::Interface => 5,
        DeclarationKind::TypeAlias => 6,
        DeclarationKind::Namespace => 7,
    };
    declarations.iter().min_by_key(rank)
}

fn kind_of(declaration: &Declaration) -> Kind {
    match declaration.kind {
        DeclarationKind::Class => Kind::Class,
        DeclarationKind::Function => Kind::Function,
        DeclarationKind::Enum => Kind::Enum,
        DeclarationKind::Const | DeclarationKind::Variable
            if matches!(declaration.shape, Shape::Function) =>
        {
            Kind::Function
        }
        DeclarationKind::Const => Kind::Constant,
        DeclarationKind::Variable => Kind::Variable,
        DeclarationKind::Interface => Kind::Interface,
        DeclarationKind::TypeAlias => Kind::TypeAlias,
        DeclarationKind::Namespace => Kind::Namespace,
    }
}

/// The documentation of overloads: that of the first that has any. A name is deprecated if its first
/// overload is and no other one is recommended.
pub(super) fn describe(item: &mut Item, docs: &[Option<Doc>]) {
    let known = || docs.iter().flatten();
    let text = known().find(|doc| !doc.text.is_empty() && !doc.hidden);
    item.docs = text.map(|doc| Text::from(&doc.text)).unwrap_or_default();
    let Some(reason) = known().find_map(|doc| doc.deprecated.as_ref()) else { return };
    let first = docs.first().is_some_and(Option::is_some);
    if first && known().all(|doc| doc.deprecated.is_some()) {
        item.deprecated = Some(reason.into());
    } else {
        let line = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        let space = if item.docs.is_empty() { "" } else { "\n\n" };
        item.docs.push_str(&format!("{space}Some overloads are deprecated{line}"));
    }
}

/// Whether all that is said about something is that it is not for users.
pub(super) fn is_hidden(docs: &[Option<Doc>]) -> bool {
    let mut known = docs.iter().flatten().peekable();
    known.peek().is_some() && known.all(|doc| doc.hidden)
}

/// What a file says about itself.
fn file_docs(file: &super::program::File) -> String {
    let comments = file.comments.iter().take(4).map(|comment| comment.of(&file.text));
    let may_be = |text: &&str| text.starts_with("/**") && jsdoc::may_be_of_file(text);
    let docs = comments.filter(may_be).map(jsdoc::parse);
    docs.into_iter().find(|doc| doc.of_file).map(|doc| doc.text).unwrap_or_default()
}
