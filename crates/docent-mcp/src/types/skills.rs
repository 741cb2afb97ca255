//! The extension `io.modelcontextprotocol/skills`: folders of instructions for a model, whose files
//! are resources.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::caching::CacheScope;
use super::meta::Meta;
#[cfg(test)]
use super::sample::{Sample, Source};
use super::wire::{Adapt, wire};
use super::{JsonObject, Revision};

wire! {
    /// A skill: what it says about itself, and which files it consists of.
    pub struct Skill {
        /// Where its `SKILL.md` is. This names the skill, on its server.
        req uri: String = "uri",
        /// The front matter of its `SKILL.md`; `name` and `description` are always there.
        req frontmatter: JsonObject = "frontmatter",
        /// Its files.
        req resources: SkillResources = "resources",
    }

    /// A file of a skill.
    pub struct SkillResource {
        /// Where it is.
        req uri: String = "uri",
        /// The digest of its bytes: `sha256:` and 64 digits.
        req digest: String = "digest",
        /// The number of its bytes.
        req size: u64 = "size",
    }

    /// One page of skills.
    pub struct ListSkillsResult {
        /// The page.
        req skills: Vec<Skill> = "skills",
        /// Where the next page starts; absent on the last one.
        opt next_cursor: String = "nextCursor",
        /// For how many milliseconds the result stays good.
        opt ttl_ms: u64 = "ttlMs" [since V2026_07_28],
        /// Who may reuse it.
        opt cache_scope: CacheScope = "cacheScope" [since V2026_07_28],
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// Which skill to describe.
    pub struct GetSkillRequestParams {
        /// Where its `SKILL.md` is.
        req uri: String = "uri",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// One skill.
    pub struct GetSkillResult {
        /// The skill.
        req skill: Skill = "skill",
        /// For how many milliseconds the result stays good.
        opt ttl_ms: u64 = "ttlMs" [since V2026_07_28],
        /// Who may reuse it.
        opt cache_scope: CacheScope = "cacheScope" [since V2026_07_28],
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// Which folder to list. The answer is a [`ListResourcesResult`](super::ListResourcesResult).
    pub struct ReadDirectoryRequestParams {
        /// Where it is, without a slash at the end.
        req uri: String = "uri",
        /// Where the page starts.
        opt cursor: String = "cursor",
        /// Metadata.
        opt meta: Meta = "_meta",
    }
}

/// The files of a skill.
#[derive(Clone, Debug, PartialEq)]
pub enum SkillResources {
    /// Every one of them, `SKILL.md` included.
    Listed(Vec<SkillResource>),
    /// They are made when they are read, so nothing can be promised about them.
    Dynamic,
}

const DYNAMIC: &str = "dynamic";

impl Default for SkillResources {
    fn default() -> Self {
        SkillResources::Listed(Vec::new())
    }
}

impl Serialize for SkillResources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            SkillResources::Listed(files) => files.serialize(serializer),
            SkillResources::Dynamic => serializer.serialize_str(DYNAMIC),
        }
    }
}

impl<'de> Deserialize<'de> for SkillResources {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(word) if word == DYNAMIC => Ok(SkillResources::Dynamic),
            files => {
                serde_json::from_value(files).map(SkillResources::Listed).map_err(D::Error::custom)
            }
        }
    }
}

impl Adapt for SkillResources {
    fn adapt(&mut self, revision: Revision) {
        if let SkillResources::Listed(files) = self {
            files.adapt(revision);
        }
    }
}

#[cfg(test)]
impl Sample for SkillResources {
    fn sample(source: &mut Source<'_>) -> Self {
        match source.below(3) {
            0 => SkillResources::Dynamic,
            _ => SkillResources::Listed(Sample::sample(source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_are_listed_or_dynamic_and_nothing_else() {
        let read = |json: Value| serde_json::from_value::<SkillResources>(json).ok();
        assert_eq!(read(json!("dynamic")), Some(SkillResources::Dynamic));
        assert_eq!(read(json!([])), Some(SkillResources::default()));
        for wrong in [json!("other"), json!(null), json!({}), json!([{ "uri": "x" }])] {
            assert_eq!(read(wrong.clone()), None, "{wrong}");
        }
    }
}
