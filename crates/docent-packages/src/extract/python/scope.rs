//! The names that a module or a class binds, and what to.
//!
//! Filled by [`super::declare`] from a syntax tree, which is dropped then; read by [`super::link`],
//! [`super::class`] and [`super::items`]. Texts are as in the source, with whitespace folded;
//! docstrings are raw.

use std::cell::OnceCell;

use super::docstring::{self, Docs};
use super::stub;
use crate::Kind;
use crate::hashing::HashMap;

/// Imports of one name in other branches that are kept.
const ALTERNATIVES_MAX: usize = 4;

/// The names of a module or class, in the order of their first binding.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) bindings: Vec<Binding>,
    index: HashMap<String, usize>,
}

/// A name and what it stands for.
#[derive(Debug)]
pub(super) struct Binding {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) what: What,
    pub(super) docs: Option<String>,
    /// The same, read; see [`Binding::told`].
    pub(super) told: OnceCell<Docs>,
    pub(super) deprecated: Option<String>,
    /// Only there for a type checker.
    pub(super) for_types: bool,
    /// The branch of an `if` or `try` it is in; 0 outside of any.
    pub(super) branch: u32,
    /// In a branch that only counts if the others do not bind the name.
    pub(super) fallback: bool,
    /// Whether something else is bound to the name too, before or after.
    pub(super) is_rebound: bool,
}

#[derive(Debug)]
pub(super) enum What {
    Function(Function),
    Class(Box<Class>),
    Variable(Variable),
    /// `attr` of a module, or the module itself; `explicit` if it is written `x as x`.
    Import {
        module: String,
        attr: Option<String>,
        explicit: bool,
        /// Where it comes from if that is not there: the imports of other branches.
        otherwise: Vec<(String, Option<String>)>,
    },
    /// Unbound again with `del`.
    Deleted,
}

#[derive(Debug, Default)]
pub(super) struct Function {
    /// The decorators that matter to a caller, one each.
    pub(super) decorators: Vec<String>,
    /// `def` and all up to the colon.
    pub(super) text: String,
    pub(super) overloads: Vec<String>,
    /// The setter of a property.
    pub(super) setter: Option<String>,
    pub(super) is_property: bool,
    pub(super) is_overload: bool,
    /// Whether anything of it is annotated.
    pub(super) is_annotated: bool,
    /// The parameters' defaults, for a stub that leaves them out.
    pub(super) defaults: Vec<(String, String)>,
    /// How stubs of another distribution declare it, after a line that says whose they are.
    pub(super) typed: Vec<String>,
    /// What `Annotated[…, Doc("…")]` says of parameters.
    pub(super) parameter_docs: Vec<(String, String)>,
    /// The parameters that can be given by name.
    pub(super) keywords: Vec<String>,
    /// Whether all that it returns is `self`.
    pub(super) returns_self: bool,
    /// Whether it takes no keywords but those of its signature.
    pub(super) is_closed: bool,
    /// The dotted name that is its return type.
    pub(super) returns: Option<String>,
    /// The class whose fields are its other keywords: `X` of `**kwargs: Unpack[X]`.
    pub(super) unpacks: Option<String>,
    /// The getter of the property that it makes, if that is what it is for.
    pub(super) makes_property: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Class {
    pub(super) decorators: Vec<String>,
    /// `class` and all up to the colon.
    pub(super) header: String,
    /// Each base as a dotted name, without what is in brackets.
    pub(super) bases: Vec<String>,
    /// Whether nothing but its bases and its body decides on its members: no other base or
    /// decorator, and no code that sets what cannot be foreseen.
    pub(super) is_plain: bool,
    /// Attributes that its methods set.
    pub(super) attributes: Vec<String>,
    pub(super) metaclass: Option<String>,
    pub(super) members: Scope,
    /// A decorator makes its constructor from the fields.
    pub(super) is_record: bool,
    /// What is derived from it, or has it as a metaclass, gets its constructor from its fields.
    pub(super) makes_records: bool,
}

#[derive(Debug, Default)]
pub(super) struct Variable {
    pub(super) kind: Kind,
    pub(super) annotation: Option<String>,
    pub(super) value: Option<String>,
    /// The whole declaration when it is not `name: annotation = value`.
    pub(super) text: Option<String>,
    /// The dotted name that is the value.
    pub(super) alias: Option<String>,
    /// The class that it stands for with arguments, or that it is derived from: `X` of `X[int]`, and
    /// of a value that is annotated `type[X]`.
    pub(super) class: Option<String>,
    /// What it is an object of, by its annotation, or what is called to make it.
    pub(super) made_by: Option<String>,
    /// The class that the call is given beside the name of the variable: an object of it is what one gets.
    pub(super) hands_out: Option<String>,
    /// Prose among the arguments of that call.
    pub(super) prose: Option<String>,
}

impl Function {
    /// What it can be called as, one line each: its overloads or itself, then what others declare.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = self.overloads.clone();
        // Overloads often leave the defaults to the implementation.
        if lines.is_empty() || (leaves_defaults(&lines) && !self.is_overload) {
            lines.push(self.text.clone());
        }
        lines.extend(self.typed.iter().cloned());
        lines
    }

    /// The same of a function in a stub, and what only its source says: defaults, and parameters that
    /// the stub leaves out or calls otherwise.
    pub(super) fn lines_with(&self, source: Option<&Self>) -> Vec<String> {
        let mut lines = self.lines();
        let Some(source) = source else { return lines };
        let is_new = |name: &&String| {
            !name.starts_with('_')
                && !matches!(name.as_str(), "self" | "cls")
                && !self.keywords.contains(name)
        };
        let says_more = source.keywords.iter().any(|name| is_new(&name));
        if says_more || (leaves_defaults(&lines) && source.text.contains('=')) {
            lines.push("# in its source".to_owned());
            lines.push(stub::without_gaps(&source.text));
        }
        lines
    }
}

/// Whether signatures say that there are defaults, and not which.
fn leaves_defaults(lines: &[String]) -> bool {
    lines.iter().any(|text| text.contains("= ...") || text.contains("=..."))
}

impl Binding {
    /// What its docstring says. It is read once, however many inherit it.
    pub(super) fn told(&self) -> Option<&Docs> {
        let raw = self.docs.as_deref()?;
        Some(self.told.get_or_init(|| docstring::read(raw)))
    }
}

impl What {
    /// What keeps its place when a name is bound more than once.
    fn rank(&self) -> u8 {
        match self {
            Self::Function(_) | Self::Class(_) => 2,
            Self::Import { .. } => 1,
            Self::Variable(_) | Self::Deleted => 0,
        }
    }
}

impl Scope {
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Binding> {
        self.position(name).and_then(|at| self.bindings.get(at))
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Binding> {
        let at = self.position(name)?;
        self.bindings.get_mut(at)
    }

    pub(super) fn delete(&mut self, name: &str) {
        if let Some(at) = self.index.remove(name) {
            self.bindings[at].what = What::Deleted;
        }
    }

    /// Binds a name, or decides between this binding and an earlier one of the same name.
    pub(super) fn bind(&mut self, new: Binding) {
        let Some(at) = self.position(&new.name) else {
            self.index.insert(new.name.clone(), self.bindings.len());
            self.bindings.push(new);
            return;
        };
        let old = &mut self.bindings[at];
        let other_branch = new.fallback && new.branch != old.branch;
        if let (What::Function(old_def), What::Function(new_def)) = (&mut old.what, &new.what) {
            if new_def.setter.is_some() {
                old_def.setter.clone_from(&new_def.setter);
                return;
            }
            if !other_branch && old_def.is_overload {
                old_def.is_closed &= new_def.is_closed;
                old_def.returns_self = new_def.returns_self;
                for keyword in &new_def.keywords {
                    if !old_def.keywords.contains(keyword) {
                        old_def.keywords.push(keyword.clone());
                    }
                }
                if old_def.returns != new_def.returns {
                    old_def.returns = None;
                }
                old_def.overloads.extend(new_def.overloads.iter().cloned());
                old_def.is_overload = new_def.is_overload;
                old_def.is_annotated |= new_def.is_annotated;
                old_def.unpacks = new_def.unpacks.clone().or(old_def.unpacks.take());
                if !new_def.is_overload {
                    old.line = new.line;
                    old_def.text.clone_from(&new_def.text);
                    old_def.parameter_docs.clone_from(&new_def.parameter_docs);
                }
                old.docs = new.docs.or(old.docs.take());
                old.deprecated = old.deprecated.take().filter(|_| new_def.is_overload);
                old.deprecated = new.deprecated.or(old.deprecated.take());
                return;
            }
        }
        old.is_rebound = true;
        let (old_rank, new_rank) = (old.what.rank(), new.what.rank());
        if new_rank < old_rank || (new_rank == old_rank && other_branch) {
            // What a type checker sees of it stands for what there is at run time.
            old.for_types &= new.for_types;
            if let (
                What::Import { module, attr, otherwise, .. },
                What::Import { module: from, attr: name, .. },
            ) = (&mut old.what, new.what)
                && (&*module, &*attr) != (&from, &name)
                && otherwise.len() < ALTERNATIVES_MAX
                && !otherwise.contains(&(from.clone(), name.clone()))
            {
                otherwise.push((from, name));
            }
            return;
        }
        let keep_docs = new_rank == 0 && new.docs.is_none();
        let docs = if keep_docs { old.docs.take() } else { None };
        let annotation = match &mut old.what {
            What::Variable(old) => old.annotation.take(),
            _ => None,
        };
        *old = new;
        old.is_rebound = true;
        old.docs = old.docs.take().or(docs);
        if let What::Variable(variable) = &mut old.what {
            variable.annotation = variable.annotation.take().or(annotation);
        }
    }
}
