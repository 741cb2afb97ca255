//! Brings what `impl` blocks say to the types they are about.

use super::resolve::Resolver;
use super::world::{DefId, Impl, Member, ModuleId, Spaces, Target};
use crate::Kind;
use std::rc::Rc;

/// Attaches all blocks to the types and traits at hand.
pub(super) fn attach(resolver: &mut Resolver<'_, '_>) {
    resolver.may_open = false;
    let impls = std::mem::take(&mut resolver.world.impls);
    for block in impls {
        let this = find(resolver, block.module, &block.of).map(|def| resolver.behind(def));
        match &block.trait_of {
            None => inherent(resolver, this, block),
            Some(_) => implements(resolver, this, &block),
        }
    }
}

fn inherent(resolver: &mut Resolver<'_, '_>, this: Option<DefId>, block: Impl) {
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
        let members = &mut resolver.world.defs[this].members;
        let same =
            members.iter_mut().find(|known| known.name == member.name && known.kind == member.kind);
        match same {
            // Where conditions give one name to several, the one that is here counts.
            Some(known) if known.presence > member.presence => *known = member,
            Some(known) if known.presence < member.presence => {}
            Some(known) => {
                // The same name for other type arguments, which reads like an overload.
                if !known.signature.split('\n').any(|line| line == member.signature)
                    && known.signature != member.signature
                {
                    known.signature = format!("{}\n{}", known.signature, member.signature);
                    known.returned = None;
                }
                if known.docs.is_empty() {
                    known.docs = member.docs;
                }
            }
            None => members.push(member),
        }
    }
}

fn implements(resolver: &mut Resolver<'_, '_>, this: Option<DefId>, block: &Impl) {
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
        if !implements.contains(text) {
            implements.push(text.clone());
        }
    }
    let of_trait = of_trait.filter(|&it| resolver.world.defs[it].kind == Kind::Interface);
    if let Some(of_trait) = of_trait.filter(|_| !block.is_negative) {
        let implementors = &mut resolver.world.defs[of_trait].implementors;
        if !implementors.contains(&block.of_text) {
            implementors.push(block.of_text.clone());
        }
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
            let names = resolver.world.modules[root].names.iter();
            let mut named = names.filter(|known| known.name == *name);
            named.find_map(|known| match known.target {
                Target::Def(def) if resolver.world.defs[def].is_primitive => Some(def),
                _ => None,
            })
        })
    })
}
