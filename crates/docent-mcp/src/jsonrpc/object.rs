//! Objects whose members stay text: whoever passes one on looks at a member or two, and the rest may
//! be large.

use std::collections::HashSet;
use std::fmt;

use serde::Serialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::RawJson;
use crate::types::wire::Key;

/// Parameters as an object of JSON texts, in the order they came.
///
/// Members that came from a peer share the memory of the message, so that a clone is cheap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawObject(Vec<(String, RawJson)>);

/// Up to here, comparing each name with each other is quicker than a table of them.
const FEW: usize = 16;

impl RawObject {
    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// The members of an object. Of a name that stands there twice, the last counts.
    pub fn of(json: &RawJson) -> Result<Self, serde_json::Error> {
        Self::without(json, "")
    }

    /// [`RawObject::of`] but for one member.
    pub fn without(json: &RawJson, name: &str) -> Result<Self, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_slice(json.as_bytes());
        let members = Members { json, without: name }.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(RawObject(latest(members)))
    }

    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&RawJson> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Decodes the member of this name; `None` if there is none, an error if it is no `T`.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, serde_json::Error> {
        self.get(name).map(RawJson::decode).transpose()
    }

    /// Whether there is a member of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets a member, in the place of one that has its name.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<RawJson>) {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(own, _)| *own == name) {
            Some((_, own)) => *own = value,
            None => self.0.push((name, value)),
        }
    }

    /// Takes a member out. The order of the others is kept.
    pub fn remove(&mut self, name: &str) -> Option<RawJson> {
        let at = self.0.iter().position(|(own, _)| own == name)?;
        Some(self.0.remove(at).1)
    }

    /// Sets every member of `other`.
    pub fn extend(&mut self, other: RawObject) {
        for (name, value) in other.0 {
            self.insert(name, value);
        }
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The whole object as text.
    pub fn encode(&self) -> RawJson {
        let length = |(name, value): &(String, RawJson)| name.len() + value.as_bytes().len() + 4;
        let mut text = Vec::with_capacity(self.0.iter().map(length).sum::<usize>() + 2);
        text.push(b'{');
        for (at, (name, value)) in self.0.iter().enumerate() {
            if at > 0 {
                text.push(b',');
            }
            name.serialize(&mut serde_json::Serializer::new(&mut text))
                .expect("a string is always representable");
            text.push(b':');
            text.extend_from_slice(value.as_bytes());
        }
        text.push(b'}');
        RawJson::trusted(text.into())
    }
}

impl From<Map<String, Value>> for RawObject {
    fn from(object: Map<String, Value>) -> Self {
        RawObject(object.into_iter().map(|(name, value)| (name, value.into())).collect())
    }
}

impl<N: Into<String>, V: Into<RawJson>> FromIterator<(N, V)> for RawObject {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(members: I) -> Self {
        let members = members.into_iter().map(|(name, value)| (name.into(), value.into()));
        RawObject(latest(members.collect()))
    }
}

/// Leaves the last member of each name.
fn latest(mut members: Vec<(String, RawJson)>) -> Vec<(String, RawJson)> {
    let unique = match members.len() {
        0..=FEW => (1..members.len())
            .all(|at| members[..at].iter().all(|(name, _)| *name != members[at].0)),
        _ => members.iter().map(|(name, _)| name).collect::<HashSet<_>>().len() == members.len(),
    };
    if !unique {
        let mut seen = HashSet::new();
        members.reverse();
        members.retain(|(name, _)| seen.insert(name.clone()));
        members.reverse();
    }
    members
}

/// Reads members as parts of the text that they stand in.
struct Members<'a> {
    json: &'a RawJson,
    without: &'a str,
}

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = Vec<(String, RawJson)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = Vec<(String, RawJson)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(4);
        while let Some(key) = map.next_key::<Key<'de>>()? {
            let value = map.next_value::<&RawValue>()?;
            if key.as_str() != self.without {
                members.push((key.into_string(), self.json.part(value)));
            }
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn raw(text: &str) -> RawJson {
        RawJson::trusted(text.to_owned().into())
    }

    fn text(object: &RawObject) -> String {
        String::from_utf8(object.encode().as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn members_stay_as_they_are_written() {
        for (written, expected) in [
            (r#"{}"#, Ok(r#"{}"#)),
            (r#" { "a" : 1.0 , "b":{ "c" : [ ] } } "#, Ok(r#"{"a":1.0,"b":{ "c" : [ ] }}"#)),
            (r#"{"\u0061":1e400}"#, Ok(r#"{"a":1e400}"#)),
            (r#"{"a\"b":"\ud83d\ude00"}"#, Ok(r#"{"a\"b":"\ud83d\ude00"}"#)),
            // Of a name that stands there twice, the last counts.
            (r#"{"a":1,"b":2,"\u0061":3}"#, Ok(r#"{"b":2,"a":3}"#)),
            (r#"[1]"#, Err(())),
            (r#"{"a":1} x"#, Err(())),
        ] {
            let object = RawObject::of(&raw(written)).map(|object| text(&object));
            assert_eq!(object.map_err(drop), expected.map(str::to_owned), "{written}");
        }
        let without = RawObject::without(&raw(r#"{"_meta":{"a":1},"b":2}"#), "_meta").unwrap();
        assert_eq!(text(&without), r#"{"b":2}"#);
    }

    #[test]
    fn many_members_take_no_longer_than_their_number() {
        let many: String = (0..100_000).map(|at| format!(r#""k{}":{at},"#, at % 99_999)).collect();
        let object = RawObject::of(&raw(&format!("{{{}}}", many.trim_end_matches(',')))).unwrap();
        assert_eq!(object.iter().count(), 99_999);
        assert_eq!(object.read::<u32>("k0").unwrap(), Some(99_999));
    }

    #[test]
    fn members_come_and_go() {
        let mut object = RawObject::from_iter([("a", json!(1)), ("b", json!("x"))]);
        object.insert("a", json!([2]));
        object.insert("c", json!(null));
        assert_eq!(text(&object), r#"{"a":[2],"b":"x","c":null}"#);
        assert_eq!(object.read::<String>("b").unwrap().as_deref(), Some("x"));
        assert!(object.read::<u8>("b").is_err());
        assert_eq!(object.remove("b").unwrap().as_bytes(), br#""x""#);
        assert!(object.remove("b").is_none() && !object.contains("b") && object.contains("c"));
    }
}
