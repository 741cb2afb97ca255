//! Equality of JSON values as JSON Schema means it, with its cost counted.
//!
//! Fed by `const`, `enum`, and `uniqueItems`. Numbers are equal by value and the order of
//! properties does not matter.

use super::number::Num;
use super::walk::{Stop, Walk};
use serde_json::Value;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

/// Arrays up to this length are compared pair by pair, which needs no memory.
const PAIRWISE_MAX: usize = 12;

/// Whether two values are equal. `depth` is how deep inside its document `a` lies.
pub(super) fn equal(walk: &mut Walk<'_>, a: &Value, b: &Value, depth: usize) -> Result<bool, Stop> {
    walk.charge(1)?;
    match (a, b) {
        (Value::Null, Value::Null) => Ok(true),
        (Value::Bool(a), Value::Bool(b)) => Ok(a == b),
        (Value::Number(a), Value::Number(b)) => Ok(Num::of(a) == Num::of(b)),
        (Value::String(a), Value::String(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            walk.charge_bytes(a.len())?;
            Ok(a == b)
        }
        (Value::Array(a), Value::Array(b)) => {
            walk.enter(depth)?;
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b) {
                if !equal(walk, a, b, depth + 1)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Object(a), Value::Object(b)) => {
            walk.enter(depth)?;
            if a.len() != b.len() {
                return Ok(false);
            }
            for (key, a) in a {
                walk.charge_bytes(key.len())?;
                let Some(b) = b.get(key) else { return Ok(false) };
                if !equal(walk, a, b, depth + 1)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// The positions of two equal items, if there are any.
pub(super) fn duplicate(
    walk: &mut Walk<'_>,
    items: &[Value],
    depth: usize,
) -> Result<Option<(usize, usize)>, Stop> {
    if items.len() <= PAIRWISE_MAX {
        for (second, item) in items.iter().enumerate() {
            for (first, earlier) in items[..second].iter().enumerate() {
                if equal(walk, earlier, item, depth + 1)? {
                    return Ok(Some((first, second)));
                }
            }
        }
        return Ok(None);
    }
    // Equal items have equal hashes; sorting brings them together.
    let state = RandomState::new();
    let mut hashes = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        hashes.push((hash(walk, &state, item, depth + 1)?, index));
    }
    hashes.sort_unstable();
    for group in hashes.chunk_by(|a, b| a.0 == b.0) {
        for (position, &(_, second)) in group.iter().enumerate() {
            for &(_, first) in &group[..position] {
                if equal(walk, &items[first], &items[second], depth + 1)? {
                    return Ok(Some((first, second)));
                }
            }
        }
    }
    Ok(None)
}

fn hash(
    walk: &mut Walk<'_>,
    state: &RandomState,
    value: &Value,
    depth: usize,
) -> Result<u64, Stop> {
    walk.charge(1)?;
    let mut hasher = state.build_hasher();
    match value {
        Value::Null => 0u8.hash(&mut hasher),
        Value::Bool(flag) => (1u8, flag).hash(&mut hasher),
        Value::Number(number) => match Num::of(number) {
            Num::Int(int) => (2u8, int).hash(&mut hasher),
            Num::Float(float) => (3u8, float.to_bits()).hash(&mut hasher),
        },
        Value::String(text) => {
            walk.charge_bytes(text.len())?;
            (4u8, text).hash(&mut hasher);
        }
        Value::Array(items) => {
            walk.enter(depth)?;
            5u8.hash(&mut hasher);
            for item in items {
                hash(walk, state, item, depth + 1)?.hash(&mut hasher);
            }
        }
        Value::Object(entries) => {
            walk.enter(depth)?;
            // A sum does not depend on the order of the properties.
            let mut sum = 0u64;
            for (key, entry) in entries {
                walk.charge_bytes(key.len())?;
                let entry = hash(walk, state, entry, depth + 1)?;
                sum = sum.wrapping_add(state.hash_one((key, entry)));
            }
            (6u8, sum).hash(&mut hasher);
        }
    }
    Ok(hasher.finish())
}
