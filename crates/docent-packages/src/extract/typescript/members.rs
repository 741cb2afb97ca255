//! The items of members: their own, and those that types have from others.
//!
//! A part of [`super::declare`]'s writer. What a member says is worded once, however many types
//! inherit it.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use super::declare::{OVERLOADS_MAX, Writer, describe, is_hidden};
use super::inherit::{self, Flat, Group};
use super::jsdoc::{self, Doc};
use super::program::{MemberKind, SymbolId};
use super::typed;
use super::wording::joined;
use crate::{Item, Kind, Text};

/// How many items a package gets by inheritance.
const INHERITED_MAX: usize = 60_000;
/// From how many on a type gets only a few of what its public bases show anyway.
const INHERITED_FREE: usize = 25_000;
const INHERITED_BY_TYPE_MAX: usize = 60;

/// What a member says, in the words that all who inherit it share.
#[derive(Default)]
pub(super) struct Worded {
    item: Item,
    /// The first paragraph of its documentation.
    short: OnceCell<Text>,
    /// What it is called where it is declared, for the type that was last asked for.
    inherited: RefCell<Option<(Rc<str>, Text)>>,
}

impl Worded {
    fn inherited(&self, from: &Rc<str>, name: &str) -> Text {
        let mut known = self.inherited.borrow_mut();
        if let Some((of, text)) = &*known
            && of == from
        {
            return text.clone();
        }
        let text = Text::from([&**from, ".", name].concat());
        *known = Some((Rc::clone(from), text.clone()));
        text
    }
}

fn first_paragraph(docs: &str) -> Text {
    docs.split("\n\n").next().unwrap_or_default().into()
}

impl Writer<'_, '_> {
    pub(super) fn own_members(&self, symbol: SymbolId) -> Vec<Flat> {
        let declarations = self.linker.program.symbols[symbol].declarations.iter();
        inherit::own(declarations.flat_map(|declaration| &declaration.members))
    }

    /// The items of the members of one symbol.
    pub(super) fn members(
        &mut self,
        symbol: SymbolId,
        parent: u32,
        module: &Text,
        path: &str,
        kind: Kind,
        members: &[Flat],
    ) {
        let first = self.items.len();
        let mut inherited = 0;
        for flat in members {
            if flat.from.is_some() {
                let full = flat.public
                    && self.inherited >= INHERITED_FREE
                    && inherited >= INHERITED_BY_TYPE_MAX;
                if full || self.inherited >= INHERITED_MAX {
                    continue;
                }
                inherited += 1;
                self.inherited += 1;
            }
            if let Some(item) = self.member(flat, parent, module, path, kind) {
                self.items.push(item);
            }
        }
        self.members.insert(symbol, first..self.items.len());
    }

    fn member(
        &mut self,
        flat: &Flat,
        parent: u32,
        module: &Text,
        path: &str,
        kind: Kind,
    ) -> Option<Item> {
        let member = &flat.group.first;
        let worded = match flat.group.worded.get() {
            Some(known) => known.as_ref()?,
            None => {
                let worded = self.worded(&flat.group);
                flat.group.worded.get_or_init(|| worded).as_ref()?
            }
        };
        let item = &worded.item;
        Some(Item {
            local: false,
            module: module.clone(),
            path: [path, ".", &member.name].concat(),
            kind: match member.kind {
                MemberKind::Variant => Kind::Variant,
                MemberKind::Method if kind == Kind::Namespace => Kind::Function,
                MemberKind::Method => Kind::Method,
                _ => Kind::Property,
            },
            signature: item.signature.clone(),
            // What a public base says is told there in full.
            docs: match flat.from.is_some() && flat.public {
                true => worded.short.get_or_init(|| first_paragraph(&item.docs)).clone(),
                false => item.docs.clone(),
            },
            deprecated: item.deprecated.clone(),
            file: item.file.clone(),
            line: item.line,
            parent: Some(parent),
            inherited: flat.from.as_ref().map(|from| worded.inherited(from, &member.name)),
            aliases: Vec::new(),
        })
    }

    /// What a member says wherever it is inherited; `None` if it is not for users. A type that is
    /// written out has groups of its own wherever it is used, and the same words.
    fn worded(&mut self, group: &Group) -> Option<Rc<Worded>> {
        let member = &group.first;
        let key = (member.file, member.start, group.others.len());
        if let Some((name, known)) = self.worded.get(&key)
            && *name == member.name
        {
            return known.clone();
        }
        let item = self.word(group).map(|item| Rc::new(Worded { item, ..Worded::default() }));
        self.worded.insert(key, (member.name.clone(), item.clone()));
        item
    }

    fn word(&mut self, group: &Group) -> Option<Item> {
        let member = &group.first;
        let files = &self.linker.program.files;
        let docs: Vec<Option<Doc>> = group
            .all()
            .map(|member| files[member.file].comment_before(member.start).map(jsdoc::parse))
            .collect();
        let documented = docs.iter().any(Option::is_some);
        let private = docs.iter().flatten().any(|doc| doc.private);
        if private || is_hidden(&docs) || (member.name.starts_with('_') && !documented) {
            return None;
        }
        let first_doc = docs.iter().flatten().next();
        let mut lines: Vec<String> = Vec::new();
        for member in group.all().take(OVERLOADS_MAX) {
            let mut text = self.text(member.file, member.signature);
            let file = &self.linker.program.files[member.file];
            if file.javascript {
                if text.is_empty() || text.starts_with('(') {
                    text = format!("{}{text}", member.name);
                }
                if let Some(doc) = first_doc {
                    text = typed::with_types(&text, doc, member.kind == MemberKind::Method);
                }
            }
            if !lines.contains(&text) {
                lines.push(text);
            }
        }
        let file = &self.linker.program.files[member.file];
        let mut item = Item {
            signature: joined(lines).into(),
            line: file.line(member.signature.start.max(member.start)),
            file: self.file_name(member.file),
            ..Item::default()
        };
        describe(&mut item, &docs);
        Some(item)
    }
}
