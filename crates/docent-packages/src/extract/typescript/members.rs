//! The items of members: their own, and those that types have from others.
//!
//! A part of [`super::declare`]'s writer. What a member says is worded once, however many types
//! inherit it.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use super::declare::{OVERLOADS_MAX, Writer, describe, is_hidden};
use super::inherit::Flat;
use super::jsdoc::{self, Doc};
use super::program::{MemberKind, SymbolId};
use super::typed;
use crate::hashing::{HashMap, HashSet};
use crate::{Item, Kind, Text};

/// How many items a package gets by inheritance.
const INHERITED_MAX: usize = 60_000;
/// From how many on a type gets only a few of what its public bases show anyway.
const INHERITED_FREE: usize = 25_000;
const INHERITED_BY_TYPE_MAX: usize = 60;

/// The declarations of one name: one, as a rule, and then the list of all is empty.
struct Group<'f> {
    first: &'f Flat,
    all: Vec<&'f Flat>,
}

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
        let members = declarations.flat_map(|declaration| &declaration.members);
        members
            .map(|member| Flat { member: Rc::new(member.clone()), from: None, public: false })
            .collect()
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
        // Overloads and accessors of one name are one item.
        let mut groups: Vec<Group<'_>> = Vec::with_capacity(members.len());
        let mut known: HashMap<(&str, bool), usize> = HashMap::default();
        for flat in members {
            let key = (&*flat.member.name, flat.member.is_static);
            match known.get(&key) {
                Some(&at) => {
                    let Group { first, all }: &mut Group<'_> = &mut groups[at];
                    if all.is_empty() {
                        all.push(first);
                    }
                    all.push(flat);
                }
                None => {
                    known.insert(key, groups.len());
                    groups.push(Group { first: flat, all: Vec::new() });
                }
            }
        }
        let mut inherited = 0;
        for Group { first, all } in groups {
            let group = if all.is_empty() { &[first][..] } else { &all };
            if group[0].from.is_some() {
                let full = group[0].public
                    && self.inherited >= INHERITED_FREE
                    && inherited >= INHERITED_BY_TYPE_MAX;
                if full || self.inherited >= INHERITED_MAX {
                    continue;
                }
                inherited += 1;
                self.inherited += 1;
            }
            if let Some(item) = self.member(group, parent, module, path, kind) {
                self.items.push(item);
            }
        }
        self.members.insert(symbol, first..self.items.len());
    }

    fn member(
        &mut self,
        group: &[&Flat],
        parent: u32,
        module: &Text,
        path: &str,
        kind: Kind,
    ) -> Option<Item> {
        let flat = group[0];
        let member = &flat.member;
        let worded = self.worded(group)?;
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

    /// What a member says wherever it is inherited; `None` if it is not for users.
    fn worded(&mut self, group: &[&Flat]) -> Option<Rc<Worded>> {
        let member = &group[0].member;
        let key = (member.file, member.start, group.len());
        if let Some((name, known)) = self.worded.get(&key)
            && *name == member.name
        {
            return known.clone();
        }
        let item = self.word(group).map(|item| Rc::new(Worded { item, ..Worded::default() }));
        self.worded.insert(key, (member.name.clone(), item.clone()));
        item
    }

    fn word(&mut self, group: &[&Flat]) -> Option<Item> {
        let member = &group[0].member;
        let files = &self.linker.program.files;
        let docs: Vec<Option<Doc>> = group
            .iter()
            .map(|flat| files[flat.member.file].comment_before(flat.member.start))
            .map(|comment| comment.map(jsdoc::parse))
            .collect();
        let documented = docs.iter().any(Option::is_some);
        let private = docs.iter().flatten().any(|doc| doc.private);
        if private || is_hidden(&docs) || (member.name.starts_with('_') && !documented) {
            return None;
        }
        let first_doc = docs.iter().flatten().next();
        let mut lines: Vec<String> = Vec::new();
        let mut seen: HashSet<String> = HashSet::default();
        for flat in group.iter().take(OVERLOADS_MAX) {
            let member = &flat.member;
            let mut text = self.text(member.file, member.signature, None);
            let file = &self.linker.program.files[member.file];
            if file.javascript {
                if text.is_empty() || text.starts_with('(') {
                    text = format!("{}{text}", member.name);
                }
                if let Some(doc) = first_doc {
                    text = typed::with_types(&text, doc, member.kind == MemberKind::Method);
                }
            }
            if seen.insert(text.clone()) {
                lines.push(text);
            }
        }
        let file = &self.linker.program.files[member.file];
        let mut item = Item {
            signature: lines.join("\n").into(),
            line: file.line(member.signature.start.max(member.start)),
            file: self.file_name(member.file),
            ..Item::default()
        };
        describe(&mut item, &docs);
        Some(item)
    }
}
