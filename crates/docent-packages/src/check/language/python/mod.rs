//! Python: imports, attribute chains on what they bind, keyword arguments.
//!
//! `scopes` says what a name stands for; this file collects names and chains, and resolves the
//! chains when all bindings are known.

mod scopes;
mod walk;

use super::Finder;
use crate::check::code::Language;
use crate::check::uses::{Use, Uses};
use scopes::{Chain, Meaning, Scopes};
use walk::Walk;

pub(super) struct Python;

/// How many steps one use may have, through all assignments that it goes through.
const STEPS_MAX: usize = 64;

/// How many assignments one name is followed through.
const CHAIN_MAX: usize = 8;

impl Finder for Python {
    fn find(&self, text: &str, _: Language) -> Uses {
        let Ok(parsed) = ruff_python_parser::parse_module(text) else {
            return Uses::none("it has syntax errors");
        };
        let mut walk = Walk::new(text);
        walk.module(parsed.suite());
        let Walk { scopes, chains, imports, mut uses, .. } = walk;
        uses.uses = imports;
        for chain in &chains {
            if let Some(found) = resolve(&scopes, chain, 0) {
                uses.uses.push(found);
            }
        }
        uses
    }
}

/// What a chain of names and calls is a use of; `None` if it is none of a package.
fn resolve(scopes: &Scopes, chain: &Chain, followed: usize) -> Option<Use> {
    if followed > CHAIN_MAX {
        return None;
    }
    let mut found = match scopes.meaning(chain.scope, &chain.root) {
        Meaning::Import(import) => import.clone(),
        Meaning::Value(value) => resolve(scopes, value, followed + 1)?,
        Meaning::Doubt(why, of) => {
            // Only doubts about something imported are worth telling.
            let mut found = of?.clone();
            found.doubt = Some(why);
            found
        }
        Meaning::Other => return None,
    };
    found.steps.extend(chain.steps.iter().cloned());
    found.doubt = found.doubt.or(chain.doubt);
    (found.steps.len() <= STEPS_MAX).then_some(found)
}
