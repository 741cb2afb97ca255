//! Skills have an address, and so does each of their files: all of them begin with that of the
//! skill's folder, and what is said of one holds for all.

use docent_mcp::types::{Skill, SkillResources};

use super::find::Place;
use super::merge::{Offered, View};

/// The file that makes a folder a skill, at the end of its address.
const FILE: &str = "/SKILL.md";

/// Gives a skill the name that it has here, and its files with it.
pub(super) fn rename(skill: &mut Offered<Skill>) {
    let before = skill.name.strip_suffix(&*skill.own).unwrap_or_default().to_owned();
    put_before(&mut skill.item, &before);
}

/// Puts something before all addresses of a skill.
pub(crate) fn put_before(skill: &mut Skill, before: &str) {
    skill.uri.insert_str(0, before);
    if let SkillResources::Listed(files) = &mut skill.resources {
        for file in files {
            file.uri.insert_str(0, before);
        }
    }
}

/// A skill with the addresses that its server knows.
pub(crate) fn as_listed(skill: &Offered<Skill>) -> Skill {
    let mut item = skill.item.clone();
    let before = skill.name.strip_suffix(&*skill.own).unwrap_or_default();
    let strip = |uri: &mut String| {
        if let Some(own) = uri.strip_prefix(before).map(str::to_owned) {
            *uri = own;
        }
    };
    strip(&mut item.uri);
    if let SkillResources::Listed(files) = &mut item.resources {
        files.iter_mut().for_each(|file| strip(&mut file.uri));
    }
    item
}

impl View {
    /// Where the skill at `uri` is, if it is listed.
    pub(crate) fn skill(&self, uri: &str) -> Option<Place> {
        let found = &self.skills.items[*self.skills.by_name.get(uri)?];
        Some(Place { number: found.number, uri: found.own.clone() })
    }

    /// Where a folder is: within a skill, or around some.
    pub(crate) fn folder(&self, uri: &str) -> Option<Place> {
        let is_inside = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let root = |skill: &Offered<Skill>| skill.name.strip_suffix(FILE).map(str::to_owned);
        let rooted = self.skills.items.iter().filter_map(|skill| Some((root(skill)?, skill)));
        let related = rooted.filter(|(root, _)| is_inside(uri, root) || is_inside(root, uri));
        // A skill may be inside of another one.
        let (_, skill) = related.max_by_key(|(root, _)| root.len().min(uri.len()))?;
        let before = skill.name.strip_suffix(&*skill.own).unwrap_or_default();
        let own = uri.strip_prefix(before)?;
        Some(Place { number: skill.number, uri: own.to_owned() })
    }
}
