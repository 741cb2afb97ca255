//! What a call leads to, and whether its arguments are ones that it takes.

use super::{Entity, Judge, Missing, value_elsewhere};
use crate::Kind;
use crate::check::code::Language;
use crate::check::found::{FindingKind, Why};
use crate::check::known::{Known, Lookup};
use crate::check::uses::Call;

impl Judge<'_> {
    pub(super) fn call<'n>(
        &self,
        known: &Known,
        entity: &Entity,
        call: &'n Call,
        is_new: bool,
        missing: &mut Option<Missing<'n>>,
    ) -> Entity {
        let at = match entity {
            Entity::Item(at) => *at,
            // `export =` makes a module that can be called.
            Entity::Module(module) => match known.at(module, "default") {
                Some(at) => at,
                None => return Entity::Unknown(Why::Untyped),
            },
            _ => return Entity::Unknown(Why::Untyped),
        };
        let Some(item) = known.item(at) else { return Entity::Unknown(Why::Untyped) };
        self.keywords(known, at, call, missing);
        self.objects(known, at, call, is_new, missing);
        let is_python = self.code.language == Language::Python;
        match item.kind {
            Kind::Function | Kind::Method if !is_new => match known.type_of(at) {
                Some(of) if known.is_awaited(at) => Entity::Pending(of, at),
                Some(of) if known.is_wrapped(at) => Entity::Wrapped(of),
                Some(of) => Entity::Instance(of),
                None => match call.count.and_then(|count| known.type_for(at, count)) {
                    Some(of) => Entity::Instance(of),
                    None => value_elsewhere(known, at),
                },
            },
            Kind::Struct | Kind::Variant if self.code.language == Language::Rust => {
                self.value(known, entity.clone())
            }
            Kind::Class if is_python || is_new && self.code.language != Language::Swift => {
                // A constructor of that kind may return anything.
                let odd = is_python && !matches!(known.in_item(at, "__new__"), Lookup::Missing(_));
                if odd { Entity::Unknown(Why::Untyped) } else { Entity::Instance(at) }
            }
            Kind::Struct | Kind::Class | Kind::Enum if self.code.language == Language::Swift => {
                match known.type_of(at) {
                    _ if is_new => Entity::Instance(at),
                    Some(of) => Entity::Instance(of),
                    None => Entity::Unknown(Why::Untyped),
                }
            }
            // A conversion, or a value that is written out.
            Kind::Struct | Kind::Interface | Kind::TypeAlias
                if self.code.language == Language::Go =>
            {
                match (known.type_of(at), known.elsewhere(at)) {
                    (Some(of), _) => Entity::Instance(of),
                    (None, Some(_)) => value_elsewhere(known, at),
                    (None, None) => Entity::Instance(at),
                }
            }
            _ => Entity::Unknown(Why::Untyped),
        }
    }

    pub(super) fn keywords<'n>(
        &self,
        known: &Known,
        at: u32,
        call: &'n Call,
        missing: &mut Option<Missing<'n>>,
    ) {
        let Some(taken) = known.keywords(at) else { return };
        let within = known.item(at).map(|item| item.path.clone()).unwrap_or_default();
        let unknown = call.keywords.iter().find(|(name, _)| !taken.contains(name));
        if let Some((name, place)) = unknown {
            let is_struct = self.code.language == Language::Go
                && known.item(at).is_some_and(|item| item.kind == Kind::Struct);
            let names = taken.iter().filter(|name| !matches!(name.as_str(), "self" | "cls"));
            *missing = Some(Missing {
                kind: if is_struct { FindingKind::Option } else { FindingKind::Keyword },
                name,
                at: *place,
                within,
                names: names.cloned().collect(),
                item: Some(at),
            });
        }
    }

    /// The keys of objects that are passed, where the parameter's type is known as a whole.
    pub(super) fn objects<'n>(
        &self,
        known: &Known,
        at: u32,
        call: &'n Call,
        is_new: bool,
        missing: &mut Option<Missing<'n>>,
    ) {
        let function = if is_new { known.child(at, "constructor") } else { Some(at) };
        let Some(function) = function else { return };
        for (position, keys) in &call.objects {
            let Some(of) = known.taken(function, *position) else { continue };
            let is_type = known
                .item(of)
                .is_some_and(|item| matches!(item.kind, Kind::Interface | Kind::TypeAlias));
            if !is_type || !known.is_whole(of) {
                continue;
            }
            for (key, place) in keys {
                if let Lookup::Missing(names) = known.in_item(of, key) {
                    let within = known.item(of).map(|item| item.path.clone()).unwrap_or_default();
                    *missing = Some(Missing {
                        kind: FindingKind::Option,
                        name: key,
                        at: *place,
                        within,
                        names: names.into_iter().map(str::to_owned).collect(),
                        item: Some(of),
                    });
                    return;
                }
            }
        }
    }
}
