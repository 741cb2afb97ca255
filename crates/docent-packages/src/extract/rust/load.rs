//! Reads one crate: follows `mod` from its root, and hands over what each file declares.

use std::rc::Rc;

use ra_ap_syntax::ast::{self, HasName};
use ra_ap_syntax::{AstNode, SyntaxKind, SyntaxNode};

use super::attributes::{Attributes, Reader, Side};
use super::cfg::Presence;
use super::collect::Item;
use super::docs;
use super::macros::Rules;
use super::manifest::Manifest;
use super::syntax::{Parsed, Parser};
use super::world::{Crate, CrateId, Doubts, Module, ModuleId, Named, Needs, Spaces, Target, World};
use crate::extract::{Input, Package};
use crate::hashing::{HashMap, HashSet};
use crate::tree::{folder, join};

/// Calls inside of what calls stand for.
const EXPANSION_DEPTH_MAX: usize = 128;

/// Bytes that the calls of one crate may stand for.
const EXPANSION_BYTES_MAX: usize = 32 << 20;

/// Reads one crate.
pub(super) struct Loader<'w, 'i> {
    pub(super) input: &'w Input<'i>,
    pub(super) world: &'w mut World,
    pub(super) of: CrateId,
    pub(super) package: Rc<Package>,
    parser: Parser,
    /// The macros that were defined so far.
    pub(super) macros: HashMap<String, Rc<Rules>>,
    /// Macros that others of the same names took the places of, latest last.
    pub(super) covered: Vec<(String, Rc<Rules>)>,
    /// Calls of macros that are not known yet.
    pub(super) waiting: Vec<Waiting>,
    pub(super) expanded_bytes: usize,
    /// Whether a call inside of a type or trait was not understood.
    pub(super) has_missed: bool,
    /// Private modules that are there on other platforms only.
    pub(super) private: Vec<(ast::Module, Attributes, Rc<At>)>,
    /// Files that are being read, so that none contains itself.
    open: HashSet<String>,
}

/// A call of a macro that is not known yet. What is between its brackets is kept as text: a node would
/// keep all of its file.
pub(super) struct Waiting {
    pub(super) name: String,
    pub(super) content: String,
    pub(super) line: u32,
    pub(super) at: Rc<At>,
}

/// Where declarations are read.
#[derive(Clone, Debug)]
pub(super) struct At {
    pub(super) module: ModuleId,
    pub(super) file: Rc<str>,
    /// Where files for its modules are.
    pub(super) children: String,
    pub(super) is_inline: bool,
    /// What the nodes here are of.
    pub(super) text: Rc<str>,
    pub(super) lines: Rc<Lines>,
    /// Calls that lead here.
    pub(super) depth: usize,
    /// What everything here needs.
    pub(super) needs: Needs,
    pub(super) presence: Presence,
}

/// Which line a part of a text is on.
#[derive(Debug)]
pub(super) enum Lines {
    /// Where each line begins.
    Counted(Vec<u32>),
    /// Where parts of other lines begin, and which.
    Mapped(Vec<(u32, u32)>),
}

impl At {
    /// The text of a node.
    pub(super) fn text(&self, node: &SyntaxNode) -> &str {
        let range = node.text_range();
        self.text.get(range.start().into()..range.end().into()).unwrap_or_default()
    }

    /// The same for one who waits, or reads something else: a text is as large as its file.
    pub(super) fn without_text(self) -> Self {
        Self { text: "".into(), ..self }
    }

    /// The text between the brackets of a call.
    pub(super) fn inside(&self, tree: &SyntaxNode) -> &str {
        let mut characters = self.text(tree).chars();
        characters.next();
        characters.next_back();
        characters.as_str()
    }
}

impl Lines {
    pub(super) fn count(text: &str) -> Self {
        let starts = text.bytes().zip(1u32..).filter(|(byte, _)| *byte == b'\n');
        Self::Counted(starts.map(|(_, at)| at).collect())
    }

    pub(super) fn of(&self, node: &SyntaxNode) -> u32 {
        // What stands before it, comments and attributes, is not where it is.
        let first = node
            .children_with_tokens()
            .find(|element| !element.kind().is_trivia() && element.kind() != SyntaxKind::ATTR);
        let range = first.map_or(node.text_range(), |element| element.text_range());
        self.at(range.start().into())
    }

    fn at(&self, offset: u32) -> u32 {
        match self {
            Self::Counted(starts) => {
                u32::try_from(starts.partition_point(|start| *start <= offset)).unwrap_or(0) + 1
            }
            Self::Mapped(parts) => {
                let after = parts.partition_point(|(start, _)| *start <= offset);
                after.checked_sub(1).and_then(|at| parts.get(at)).map_or(1, |(_, line)| *line)
            }
        }
    }
}

/// Reads a crate into the world; `None` if it has no library.
pub(super) fn load(input: &Input<'_>, world: &mut World, package: Rc<Package>) -> Option<CrateId> {
    let manifest = Manifest::read(&package);
    let root_file = manifest.root.clone()?;
    let of = world.crates.len();
    let root = world.modules.len();
    let name: Rc<str> = manifest.crate_name.as_str().into();
    let parser = Parser::new(manifest.edition, input.limits.nesting_max);
    world.modules.push(Module::new(of, None, name, root_file.as_str().into(), 1));
    world.crates.push(Crate {
        package: Rc::clone(&package),
        manifest,
        root,
        mentioned: HashSet::default(),
        is_open: false,
    });
    let mut loader = Loader {
        input,
        world,
        of,
        package,
        parser,
        macros: HashMap::default(),
        covered: Vec::new(),
        waiting: Vec::new(),
        expanded_bytes: 0,
        has_missed: false,
        private: Vec::new(),
        open: HashSet::default(),
    };
    let needs = Needs::default();
    let children = folder(&root_file).to_owned();
    loader.file(&root_file, root, children, &needs, Presence::Here);
    loader.expand_waiting();
    loader.read_private();
    Some(of)
}

impl Module {
    fn new(of: CrateId, parent: Option<ModuleId>, name: Rc<str>, file: Rc<str>, line: u32) -> Self {
        Self {
            of,
            parent,
            name,
            file,
            line,
            docs: String::new(),
            deprecated: None,
            is_hidden: false,
            needs: Needs::default(),
            names: Vec::new(),
            imports: Vec::new(),
            by_name: HashMap::default(),
            by_import: HashMap::default(),
            doubts: Doubts::default(),
        }
    }
}

impl Loader<'_, '_> {
    pub(super) fn manifest(&self) -> &Manifest {
        &self.world.crates[self.of].manifest
    }

    /// Reads a file as the content of a module.
    fn file(
        &mut self,
        path: &str,
        module: ModuleId,
        children: String,
        needs: &Needs,
        presence: Presence,
    ) {
        let package = Rc::clone(&self.package);
        if !self.open.insert(path.to_owned()) {
            return;
        }
        let parsed = self.input.text(&package, path).map(|text| self.parse(&text));
        if let Some(Parsed { text, node, is_good, is_too_deep, .. }) = parsed {
            if is_too_deep {
                self.input.too_deep(&package, path);
            }
            if !is_good {
                self.leave_out(module);
            }
            let file: Rc<str> = path.into();
            let mut attributes = Attributes::default();
            self.reader(&file).read(&node, Side::Inner, &mut attributes);
            self.note(module, attributes);
            let at = At {
                module,
                file,
                children,
                is_inline: false,
                lines: Rc::new(Lines::count(&text)),
                text,
                depth: 0,
                needs: needs.clone(),
                presence,
            };
            self.items(&node, &Rc::new(at));
        } else {
            self.leave_out(module);
        }
        self.open.remove(path);
    }

    /// The tree of a text, as the macros that are known so far let it be read.
    pub(super) fn parse(&mut self, text: &str) -> Parsed {
        let macros = &self.macros;
        self.parser.parse(text, &|name| macros.get(name).is_some_and(|rules| rules.take_items()))
    }

    /// Reads attributes in a file.
    pub(super) fn attributes(&self, node: &SyntaxNode, file: &str) -> Attributes {
        let mut attributes = Attributes::default();
        self.reader(file).read(node, Side::Outer, &mut attributes);
        attributes
    }

    pub(super) fn reader<'a>(&'a self, file: &'a str) -> Reader<'a> {
        Reader { package: &self.package, platform: &self.manifest().platform, folder: folder(file) }
    }

    /// Adds what is said inside a module to what is said about it.
    fn note(&mut self, module: ModuleId, attributes: Attributes) {
        let module = &mut self.world.modules[module];
        let inner = docs::clean(&attributes.docs);
        if !module.docs.is_empty() && !inner.is_empty() {
            module.docs.push_str("\n\n");
        }
        module.docs.push_str(&inner);
        module.is_hidden |= attributes.is_hidden;
        if module.deprecated.is_none() {
            module.deprecated = attributes.deprecated;
        }
    }

    /// Reads all declarations that are directly inside a node.
    pub(super) fn items(&mut self, node: &SyntaxNode, at: &Rc<At>) {
        let mut elsewhere = Vec::new();
        for item in node.children().filter_map(ast::Item::cast) {
            let mut attributes = self.attributes(item.syntax(), &at.file);
            attributes.presence = attributes.presence.max(at.presence);
            self.doubt(&item, &attributes, at);
            match (attributes.presence, item) {
                (Presence::Never, ast::Item::Impl(item)) => {
                    self.item(Item { item: item.into(), attributes, at });
                }
                (Presence::Never, _) => {}
                (Presence::Elsewhere, ast::Item::Module(item)) if at.presence == Presence::Here => {
                    elsewhere.push((item, attributes));
                }
                (_, ast::Item::Module(item)) => self.module(&item, attributes, at),
                (_, item) => self.item(Item { item, attributes, at }),
            }
        }
        // A crate may have a copy of a module for each of many platforms, and only one of them counts.
        for (item, attributes) in elsewhere {
            if self.has_module(&item, at) {
                self.doubt_copies(&item, at);
                continue;
            }
            if super::signature::is_public(&item) {
                self.module(&item, attributes, at);
            } else {
                self.private.push((item, attributes, Rc::clone(at)));
            }
        }
    }

    fn has_module(&self, item: &ast::Module, at: &At) -> bool {
        item.name().is_some_and(|name| {
            let module = &self.world.modules[at.module];
            let named = module.by_name.get(name.text().trim_start_matches("r#"));
            let mut named = named.into_iter().flatten().map(|&at| &module.names[at]);
            named.any(|known| matches!(known.target, Target::Module(_)))
        })
    }

    /// Private modules of other platforms, as far as something public leads there by its name: what
    /// globs bring on other platforms is not shown.
    fn read_private(&mut self) {
        loop {
            let modules = self.world.modules.iter().filter(|module| module.of == self.of);
            let imports = modules.flat_map(|module| &module.imports).filter(|import| {
                import.is_public && (import.name.is_some() || import.presence == Presence::Here)
            });
            let led: HashSet<Rc<str>> = imports.flat_map(|import| import.path.clone()).collect();
            let is_led = |item: &ast::Module| {
                item.name().is_some_and(|name| led.contains(name.text().trim_start_matches("r#")))
            };
            let private = std::mem::take(&mut self.private);
            let (now, later): (Vec<_>, Vec<_>) =
                private.into_iter().partition(|(item, ..)| is_led(item));
            self.private = later;
            if now.is_empty() {
                return self.doubt_private();
            }
            for (item, attributes, at) in now {
                if !self.has_module(&item, &at) {
                    self.module(&item, attributes, &at);
                }
            }
            self.expand_waiting();
        }
    }

    fn module(&mut self, item: &ast::Module, attributes: Attributes, at: &Rc<At>) {
        let Some(name) = item.name() else { return };
        let name = name.text().trim_start_matches("r#").to_owned();
        let needs = self.needs(&attributes, at);
        let id = self.world.modules.len();
        let line = at.lines.of(item.syntax());
        let module =
            Module::new(self.of, Some(at.module), name.as_str().into(), Rc::clone(&at.file), line);
        self.world.modules.push(module);
        let is_public = super::signature::is_public(item);
        self.world.modules[id].docs = docs::clean(&attributes.docs);
        self.world.modules[id].is_hidden = attributes.is_hidden;
        self.world.modules[id].needs = needs.clone();
        self.world.modules[id].deprecated.clone_from(&attributes.deprecated);
        let named = Named {
            name: name.as_str().into(),
            target: Target::Module(id),
            spaces: Spaces::TYPES,
            is_public,
            is_hidden: attributes.is_hidden,
            presence: attributes.presence,
        };
        self.world.declare(at.module, named);
        self.primitive(id, &attributes, at);
        self.world.modules[id].doubts.is_open = attributes.may_add();
        let covered = self.covered.len();
        match item.item_list() {
            Some(list) => {
                let mut inner = Attributes::default();
                self.reader(&at.file).read(list.syntax(), Side::Inner, &mut inner);
                self.note(id, inner);
                let part = attributes.path.as_deref().unwrap_or(&name);
                let children = join(&at.children, part).unwrap_or_default();
                let inside = At {
                    module: id,
                    children,
                    is_inline: true,
                    needs,
                    presence: attributes.presence,
                    ..At::clone(at)
                };
                self.items(list.syntax(), &Rc::new(inside));
            }
            None => {
                let Some((file, children)) = self.module_file(&name, &attributes, at) else {
                    self.world.modules[id].doubts.is_open = true;
                    return;
                };
                self.world.modules[id].file = file.as_str().into();
                self.world.modules[id].line = 1;
                self.file(&file, id, children, &needs, attributes.presence);
            }
        }
        if !attributes.is_macro_use {
            self.uncover(covered);
        }
        if self.world.modules[id].is_hidden {
            let names = &mut self.world.modules[at.module].names;
            for known in names.iter_mut().filter(|known| known.target == Target::Module(id)) {
                known.is_hidden = true;
            }
        }
    }

    /// The macros of a module end with it, and those that they covered count again. One of a name that
    /// nothing else has is kept, since paths and exports may still lead to it.
    fn uncover(&mut self, covered: usize) {
        while self.covered.len() > covered {
            self.macros.extend(self.covered.pop());
        }
    }

    /// The file of a module, and where those of its own modules are.
    fn module_file(
        &self,
        name: &str,
        attributes: &Attributes,
        at: &At,
    ) -> Option<(String, String)> {
        let tree = &self.package.tree;
        let by_path = |path: &String| {
            let from = if at.is_inline { at.children.as_str() } else { folder(&at.file) };
            let file = join(from, &path.replace('\\', "/"))?;
            let children = folder(&file).to_owned();
            tree.contains(&file).then_some((file, children))
        };
        if let Some(path) = &attributes.path {
            return by_path(path);
        }
        let children = join(&at.children, name)?;
        let beside = format!("{children}.rs");
        let inside = format!("{children}/mod.rs");
        let named = [beside, inside].into_iter().find(|file| tree.contains(file));
        let named = named.map(|file| (file, children));
        // A condition that only a build decides may say where the file is.
        named.or_else(|| attributes.other_paths.iter().find_map(by_path))
    }

    /// What has to be turned on for something to be there, which is inside of something else.
    pub(super) fn needs(&self, attributes: &Attributes, at: &At) -> Needs {
        let mut needs = at.needs.and(&Needs { words: self.conditions(attributes), unstable: None });
        // What is stable is so wherever it stands.
        if attributes.is_stable || attributes.unstable.is_some() {
            needs.unstable.clone_from(&attributes.unstable);
        }
        needs
    }

    /// The conditions that do not hold by themselves, in words.
    fn conditions(&self, attributes: &Attributes) -> Vec<String> {
        // The features of another crate are none that a user of this one can turn on.
        if self.of != 0 {
            return Vec::new();
        }
        let told = attributes.told.as_ref().map(std::slice::from_ref);
        let conditions = told.unwrap_or(&attributes.conditions);
        let manifest = self.manifest();
        let open = conditions
            .iter()
            .filter(|cfg| !cfg.holds_by_default(&manifest.platform, &manifest.default));
        let mut words: Vec<String> = Vec::new();
        for word in open.filter_map(super::cfg::Cfg::words) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        words
    }

    /// Whether more calls may be written out.
    pub(super) fn may_expand(&self, at: &At) -> bool {
        at.depth < EXPANSION_DEPTH_MAX && self.expanded_bytes < EXPANSION_BYTES_MAX
    }
}
