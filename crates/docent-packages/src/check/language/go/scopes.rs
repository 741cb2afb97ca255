//! What names stand for, block by block.

use tree_sitter::Node;

use super::{all, at, children, text};
use crate::check::uses::{At, Step};
use crate::hashing::HashMap;

/// How many imports one name may stand for, as far as the file tells.
const CANDIDATES_MAX: usize = 8;

/// One import.
pub(super) struct Import<'t> {
    pub(super) path: &'t str,
    pub(super) at: At,
    /// The name it is given here.
    name: Option<&'t str>,
}

/// What a value is.
#[derive(Clone, Default)]
pub(super) enum Type<'t> {
    #[default]
    Unknown,
    Foreign(Origin),
    /// A structure that this file declares.
    Local(&'t str),
    /// The elements of a slice, an array or a map are of that type.
    Many(Box<Type<'t>>),
}

/// Where something is reached from: imports of which one is meant, and the steps from there.
#[derive(Clone)]
pub(super) struct Origin {
    pub(super) imports: Vec<usize>,
    pub(super) steps: Vec<Step>,
}

/// The names of a file.
#[derive(Default)]
pub(super) struct Scopes<'t> {
    pub(super) imports: Vec<Import<'t>>,
    blocks: Vec<HashMap<&'t str, Type<'t>>>,
    /// Fields of the structures that the file declares.
    pub(super) fields: HashMap<&'t str, HashMap<&'t str, Type<'t>>>,
    /// Other names for types.
    pub(super) aliases: HashMap<&'t str, Type<'t>>,
    /// The results of functions and, behind the type's name, of methods.
    pub(super) results: HashMap<(&'t str, &'t str), Vec<Type<'t>>>,
}

impl<'t> Scopes<'t> {
    pub(super) fn open(&mut self) {
        self.blocks.push(HashMap::default());
    }

    pub(super) fn close(&mut self) {
        self.blocks.pop();
    }

    /// Declares a name in the innermost block.
    pub(super) fn declare(&mut self, name: &'t str, of: Type<'t>) {
        if let Some(block) = self.blocks.last_mut().filter(|_| name != "_") {
            block.insert(name, of);
        }
    }

    /// Declares a name unless the innermost block has it, which then keeps its type.
    pub(super) fn declare_new(&mut self, name: &'t str, of: Type<'t>) {
        let is_there = self.blocks.last().is_some_and(|block| block.contains_key(name));
        if !is_there {
            self.declare(name, of);
        }
    }

    /// What a name stands for; nothing if no block of this file declares it.
    pub(super) fn get(&self, name: &str) -> Option<&Type<'t>> {
        self.blocks.iter().rev().find_map(|block| block.get(name))
    }

    /// Whether a name is declared inside of a function.
    pub(super) fn is_inner(&self, name: &str) -> bool {
        self.blocks.iter().skip(1).any(|block| block.contains_key(name))
    }

    /// The imports that a name may stand for.
    pub(super) fn imported(&self, name: &str) -> Option<Origin> {
        let given = self.imports.iter().position(|import| import.name == Some(name));
        if let Some(given) = given {
            return Some(Origin { imports: vec![given], steps: Vec::new() });
        }
        let fitting = |is_it: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let all = self.imports.iter().enumerate();
            let fitting = all.filter(|(_, import)| import.name.is_none() && is_it(import.path));
            fitting.map(|(position, _)| position).take(CANDIDATES_MAX).collect()
        };
        let mut imports = fitting(&|path| may_be_called(path, name));
        if imports.is_empty() {
            imports = fitting(&|_| true);
        }
        let steps = vec![Step::Called(name.to_owned())];
        (!imports.is_empty()).then_some(Origin { imports, steps })
    }

    /// Reads an import.
    pub(super) fn import(&mut self, spec: Node<'_>, source: &'t str) {
        let name = spec.child_by_field_name("name").map(|name| text(name, source));
        let Some(path) = spec.child_by_field_name("path") else { return };
        let path_text = text(path, source).trim_matches(['"', '`']);
        // `C` is what the comment above it says.
        if path_text != "C" {
            self.imports.push(Import { path: path_text, at: at(path).saturating_add(1), name });
        }
    }
}

/// All imports of a file.
pub(super) fn import_specs(declaration: Node<'_>) -> Vec<Node<'_>> {
    let inside = children(declaration).into_iter().flat_map(|child| match child.kind() {
        "import_spec_list" => children(child),
        _ => vec![child],
    });
    inside.filter(|child| child.kind() == "import_spec").collect()
}

/// Whether a package of that path is likely to have that name.
fn may_be_called(path: &str, name: &str) -> bool {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let digits = last.strip_prefix('v').unwrap_or_default();
    let is_version = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let before = parts.next().filter(|_| is_version);
    let fits = |part: &str| part == name || part.split(['-', '.', '_']).any(|word| word == name);
    fits(last) || before.is_some_and(fits)
}

/// The names that a parameter list, or a line of fields, declares.
pub(super) fn names<'t>(node: Node<'_>, source: &'t str) -> Vec<&'t str> {
    all(node, "name").into_iter().map(|name| text(name, source)).collect()
}
