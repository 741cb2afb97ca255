//! An extraction as bytes: what the worker answers with, and what the cache keeps.
//!
//! Each text is written once, and items refer to it; a path that continues its parent's is written
//! as the rest of it. Whoever reads trusts none of it.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hashing::HashMap;
use crate::{Chunk, Extent, Extraction, Item, Kind, Problem, Surface, Text, Wanted};

/// Longer paths are written in full, so that a few bytes cannot stand for many.
const PATH_BYTES_MAX: usize = 1 << 10;

#[derive(Serialize)]
struct Writing<'a> {
    summary: &'a str,
    texts: Vec<&'a str>,
    items: Vec<StoredItem>,
    prose: &'a [Chunk],
    problems: &'a [Problem],
    wanted: &'a [Wanted],
    surface: &'a Surface,
    extent: &'a Extent,
}

#[derive(Deserialize)]
struct Reading<'a> {
    summary: String,
    #[serde(borrow)]
    texts: Vec<&'a str>,
    items: Vec<StoredItem>,
    prose: Vec<Chunk>,
    problems: Vec<Problem>,
    wanted: Vec<Wanted>,
    surface: Surface,
    extent: Extent,
}

/// The position of a text among all.
type At = u32;

#[derive(Serialize, Deserialize)]
struct StoredItem {
    module: At,
    path: StoredPath,
    aliases: Vec<(At, At)>,
    kind: Kind,
    signature: At,
    docs: At,
    deprecated: Option<At>,
    file: At,
    line: u32,
    parent: Option<u32>,
    local: bool,
    inherited: Option<At>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum StoredPath {
    Whole(At),
    /// What follows the parent's path and a dot.
    Below(At),
}

impl Serialize for Extraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut texts = Texts::default();
        let items = self.items.iter().map(|item| texts.item(item, &self.items)).collect();
        let Self { summary, prose, problems, wanted, surface, extent, .. } = self;
        Writing { summary, texts: texts.all, items, prose, problems, wanted, surface, extent }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Extraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Reading { summary, texts, items: stored, prose, problems, wanted, surface, extent } =
            Reading::deserialize(deserializer)?;
        let texts: Vec<Text> = texts.into_iter().map(Text::from).collect();
        let mut items = Vec::with_capacity(stored.len());
        for item in stored {
            let item = item.read(&texts, &items);
            items.push(item.ok_or_else(|| D::Error::custom("an item refers to nothing"))?);
        }
        Ok(Self { summary, items, prose, problems, wanted, surface, extent })
    }
}

/// The texts met so far.
#[derive(Default)]
struct Texts<'a> {
    all: Vec<&'a str>,
    /// By where they are in memory, since most are shared, and by what they say.
    by_place: HashMap<(usize, usize), At>,
    by_content: HashMap<&'a str, At>,
}

impl<'a> Texts<'a> {
    fn at(&mut self, text: &'a str) -> At {
        let place = (text.as_ptr().addr(), text.len());
        if let Some(&known) = self.by_place.get(&place) {
            return known;
        }
        let next = At::try_from(self.all.len()).unwrap_or(At::MAX);
        let at = *self.by_content.entry(text).or_insert(next);
        if at == next {
            self.all.push(text);
        }
        self.by_place.insert(place, at);
        at
    }

    fn item(&mut self, item: &'a Item, all: &'a [Item]) -> StoredItem {
        let parent = item.parent.and_then(|parent| all.get(parent as usize));
        let rest = parent.and_then(|parent| item.path.strip_prefix(parent.path.as_str()));
        let rest = rest.and_then(|rest| rest.strip_prefix('.'));
        let path = match rest.filter(|_| item.path.len() <= PATH_BYTES_MAX) {
            Some(rest) => StoredPath::Below(self.at(rest)),
            None => StoredPath::Whole(self.at(&item.path)),
        };
        let aliases = item.aliases.iter();
        StoredItem {
            module: self.at(&item.module),
            path,
            aliases: aliases.map(|(module, path)| (self.at(module), self.at(path))).collect(),
            kind: item.kind,
            signature: self.at(&item.signature),
            docs: self.at(&item.docs),
            deprecated: item.deprecated.as_ref().map(|reason| self.at(reason)),
            file: self.at(&item.file),
            line: item.line,
            parent: item.parent,
            local: item.local,
            inherited: item.inherited.as_ref().map(|from| self.at(from)),
        }
    }
}

impl StoredItem {
    /// The item; `before` are those that come before it.
    fn read(&self, texts: &[Text], before: &[Item]) -> Option<Item> {
        let text = |at: At| texts.get(at as usize).cloned();
        let maybe = |at: Option<At>| at.map_or(Some(None), |at| text(at).map(Some));
        let path = match self.path {
            StoredPath::Whole(at) => texts.get(at as usize)?.to_string(),
            StoredPath::Below(at) => {
                let parent = before.get(self.parent? as usize)?;
                let rest = texts.get(at as usize)?;
                if parent.path.len() + 1 + rest.len() > PATH_BYTES_MAX {
                    return None;
                }
                [&parent.path, ".", rest].concat()
            }
        };
        let aliases = self.aliases.iter();
        let alias = |&(module, path): &(At, At)| {
            Some((texts.get(module as usize)?.to_string(), texts.get(path as usize)?.to_string()))
        };
        Some(Item {
            module: text(self.module)?,
            path,
            aliases: aliases.map(alias).collect::<Option<_>>()?,
            kind: self.kind,
            signature: text(self.signature)?,
            docs: text(self.docs)?,
            deprecated: maybe(self.deprecated)?,
            file: text(self.file)?,
            line: self.line,
            parent: self.parent,
            local: self.local,
            inherited: maybe(self.inherited)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::StoredPath::{Below, Whole};
    use super::*;

    fn item(path: &str, parent: Option<u32>) -> Item {
        Item { path: path.to_owned(), parent, docs: "Same.".into(), ..Item::default() }
    }

    #[test]
    fn items_come_back_as_they_were() {
        let long = "x".repeat(2 * PATH_BYTES_MAX);
        let mut items = vec![
            item("", None),
            item("A", Some(0)),
            item("A.b", Some(1)),
            item("A.b.c.d", Some(2)),
            item("Ab", Some(1)),
            item(&long, Some(1)),
            item(&format!("{long}.y"), Some(5)),
        ];
        items[2].aliases.push(("m".to_owned(), "a.b".to_owned()));
        items[2].deprecated = Some(Text::default());
        items[3].inherited = Some("B.d".into());
        let extent = Extent::Module("m".to_owned());
        let extraction = Extraction { items, extent, ..Extraction::default() };
        let bytes = postcard::to_stdvec(&extraction).unwrap();
        assert_eq!(postcard::from_bytes::<Extraction>(&bytes).unwrap(), extraction);
    }

    #[test]
    fn a_text_is_written_once() {
        let docs = Text::from("d".repeat(1000));
        let one = |at: u32| Item { docs: docs.clone(), ..item(&format!("A{at}"), None) };
        let extraction = Extraction { items: (0..100).map(one).collect(), ..Extraction::default() };
        let bytes = postcard::to_stdvec(&extraction).unwrap();
        assert!(bytes.len() < 5000, "{}", bytes.len());
    }

    #[test]
    fn what_refers_to_nothing_is_refused() {
        let stored = |path, parent| StoredItem {
            module: 0,
            path,
            aliases: Vec::new(),
            kind: Kind::Class,
            signature: 0,
            docs: 0,
            deprecated: None,
            file: 0,
            line: 1,
            parent,
            local: false,
            inherited: None,
        };
        let read = |items: Vec<StoredItem>, texts: Vec<&str>| {
            let surface = &Surface::default();
            let (prose, problems, wanted) = (&[], &[], &[]);
            let extent = &Extent::Whole;
            let writing =
                Writing { summary: "", texts, items, prose, problems, wanted, surface, extent };
            let bytes = postcard::to_stdvec(&writing).unwrap();
            postcard::from_bytes::<Extraction>(&bytes).map(|found| found.items.len()).ok()
        };
        assert_eq!(read(vec![stored(Whole(0), None)], vec!["a"]), Some(1));
        assert_eq!(read(vec![stored(Whole(1), None)], vec!["a"]), None);
        assert_eq!(read(vec![stored(Below(0), None)], vec!["a"]), None);
        assert_eq!(read(vec![stored(Below(0), Some(0))], vec!["a"]), None);
        // Each one doubles nothing: paths that are put together stay short.
        let chain = |count: u32| {
            let below = (0..count).map(|at| stored(Below(0), Some(at)));
            std::iter::once(stored(Whole(0), None)).chain(below).collect()
        };
        assert_eq!(read(chain(5), vec!["a"]), Some(6));
        assert_eq!(read(chain(2000), vec!["a"]), None);
    }
}
