//! Brings what `impl` blocks say to the types they are about.

use std::collections::hash_map::Entry;
use std::rc::Rc;

use super::rename::Renames;
use super::resolve::Resolver;
use super::world::{DefId, Impl, Member, ModuleId, Spaces, Target};
use crate::Kind;
use crate::hashing::{HashMap, HashSet};

/// Signatures of one name that are listed.
const OVERLOADS_MAX: usize = 60;

/// Attaches all blocks to the types and traits at hand.
pub(super) fn attach(resolver: &mut Resolver<'_, '_>) {
    resolver.may_open = false;
    let renames = Renames::of(resolver);
    renames.apply(&mut resolver.world);
    let impls = std::mem::take(&mut resolver.world.impls);
    let mut known = Known::default();
    for mut block in impls {
        renames.members(block.module, &mut block.members);
        let this = find(resolver, block.module, &block.of).map(|def| resolver.behind(def));
        match &block.trait_of {
            None => inherent(resolver, &mut known, this, block),
            Some(_) => implements(resolver, &mut known, this, &block),
        }
    }
}

/// What has been attached, so that nobody has to look through all of it.
#[derive(Default)]
struct Known {
    /// The types whose members are in `members`.
    types: HashSet<DefId>,
    /// Positions in the members of a type.
    members: HashMap<(DefId, Kind, Rc<str>), usize>,
    /// Traits of types, and types of traits.
    texts: HashSet<(DefId, String)>,
}

impl Known {
    fn member(
        &mut self,
        resolver: &Resolver<'_, '_>,
        this: DefId,
        member: &Member,
    ) -> Option<usize> {
        let members = &resolver.world.defs[this].members;
        if self.types.insert(this) {
            for (at, known) in members.iter().enumerate() {
                let key = (this, known.kind, Rc::clone(&known.name));
                self.members.entry(key).or_insert(at);
            }
        }
        match self.members.entry((this, member.kind, Rc::clone(&member.name))) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(free) => {
                free.insert(members.len());
                None
            }
        }
    }
}

fn inherent(resolver: &mut Resolver<'_, '_>, known: &mut Known, this: Option<DefId>, block: Impl) {
    let Some(this) = this else {
        // It is about a type of that name, wherever that is.
        let of = resolver.world.modules[block.module].of;
        resolver.world.crates[of].mentioned.extend(block.of.last().cloned());
        return;
    };
    resolver.world.defs[this].doubts.is_open |= block.is_open;
    let (shown, hidden) = block.members.into_iter().partition::<Vec<Member>, _>(Member::is_shown);
    resolver.world.give(this, hidden);
    for member in shown {
        let same = known.member(resolver, this, &member);
        let members = &mut resolver.world.defs[this].members;
        match same.and_then(|at| members.get_mut(at)) {
            // Where conditions give one name to several, the one that is here counts.
            Some(known) if known.presence > member.presence => *known = member,
            Some(known) if known.presence < member.presence => {}
            Some(known) => {
                // The same name for other type arguments, which reads like an overload.
                let lines = known.signature.split('\n');
                let (mut count, mut is_new) = (0, known.signature != member.signature);
                for line in lines {
                    count += 1;
                    is_new &= line != member.signature;
                }
                if is_new {
                    known.returned = None;
                }
                if is_new && count < OVERLOADS_MAX {
                    known.signature.push('\n');
                    known.signature.push_str(&member.signature);
                }
                if known.docs.is_empty() {
                    known.docs = member.docs;
                }
            }
            None => members.push(member),
        }
    }
}

fn implements(
    resolver: &mut Resolver<'_, '_>,
    known: &mut Known,
    this: Option<DefId>,
    block: &Impl,
) {
    let Some((text, path)) = &block.trait_of else { return };
    if let Some(this) = this.filter(|_| path.last().is_some_and(|name| &**name == "Deref")) {
        resolver.world.defs[this].derefs = true;
    }
    if block.is_never {
        return;
    }
    let of_trait = find(resolver, block.module, path);
    if let Some(this) = this.filter(|_| block.is_direct && !block.is_negative) {
        let implements = &mut resolver.world.defs[this].implements;
        // What is derived is there already; it is never much.
        let is_derived = implements.len() < 64 && implements.contains(text);
        if known.texts.insert((this, text.clone())) && !is_derived {
            implements.push(text.clone());
        }
    }
    let of_trait = of_trait.filter(|&it| resolver.world.defs[it].kind == Kind::Interface);
    if let Some(of_trait) = of_trait.filter(|_| !block.is_negative)
        && known.texts.insert((of_trait, block.of_text.clone()))
    {
        resolver.world.defs[of_trait].implementors.push(block.of_text.clone());
    }
}

/// The type or trait that a path of a block leads to.
fn find(resolver: &mut Resolver<'_, '_>, module: ModuleId, path: &[Rc<str>]) -> Option<DefId> {
    let found = resolver.path(module, path).into_iter();
    let mut types = found.filter(|found| found.spaces.meet(Spaces::TYPES));
    let found = types.find_map(|found| match found.target {
        Target::Def(def) => Some(def),
        Target::Module(_) => None,
    });
    found.or_else(|| {
        // A primitive type is known everywhere.
        let [name] = path else { return None };
        let roots: Vec<ModuleId> = resolver.world.crates.iter().map(|it| it.root).collect();
        roots.into_iter().find_map(|root| {
            let root = &resolver.world.modules[root];
            let mut named = root.by_name.get(name)?.iter().map(|&at| &root.names[at]);
            named.find_map(|known| match known.target {
                Target::Def(def) if resolver.world.defs[def].is_primitive => Some(def),
                _ => None,
            })
        })
    })
}
