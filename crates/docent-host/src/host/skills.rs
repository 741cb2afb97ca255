//! Skills of all servers: listed, and loaded as they were listed.

use docent_mcp::skills::LoadedSkill;
use docent_mcp::types::Skill;

use super::Host;
use crate::error::Result;
use crate::view::{Offered, as_listed};

impl Host {
    /// The skills of all servers; see [`Host::tools`]. No file is read.
    pub async fn skills(&self) -> Vec<Offered<Skill>> {
        self.listed().await.skills.items.clone()
    }

    /// Reads the `SKILL.md` of a skill, and nothing else. What comes must be what was listed, in
    /// length, digest and front matter. Files of it have the addresses that its own server knows.
    pub async fn load_skill(&self, skill: &Offered<Skill>) -> Result<LoadedSkill> {
        let backend = &self.inner.backends[skill.number];
        let client = backend.client().await?;
        let loaded = client.load_skill(&as_listed(skill)).await;
        loaded.map_err(|error| backend.request_failed(error))
    }
}
