//! What one server lists, as it was last fetched.

use std::time::Duration;

use docent_mcp::client::{Client, Freshness, Pages};
use docent_mcp::types::{Prompt, Resource, ResourceTemplate, Skill, Tool};
use docent_mcp::{ErrorKind, Result};
use tokio::time::Instant;

/// One of the lists that servers have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Tools,
    Prompts,
    Resources,
    Templates,
    Skills,
}

impl Kind {
    pub(crate) const ALL: [Kind; 5] =
        [Kind::Tools, Kind::Prompts, Kind::Resources, Kind::Templates, Kind::Skills];
}

/// A list, and how long it stays fresh.
#[derive(Clone, Debug)]
pub(crate) struct Listed<T> {
    pub(crate) items: Vec<T>,
    pub(crate) freshness: Option<Freshness>,
    fetched: Instant,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Listed { items: Vec::new(), freshness: None, fetched: Instant::now() }
    }
}

impl<T> Listed<T> {
    /// Whether the server said how long the list is good, and that time is over.
    fn is_stale(&self) -> bool {
        let ttl = self.freshness.as_ref().map(|freshness| freshness.ttl_ms);
        ttl.is_some_and(|ttl| ttl > 0 && self.fetched.elapsed() > Duration::from_millis(ttl))
    }
}

/// Everything that a server lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) tools: Listed<Tool>,
    pub(crate) prompts: Listed<Prompt>,
    pub(crate) resources: Listed<Resource>,
    pub(crate) templates: Listed<ResourceTemplate>,
    pub(crate) skills: Listed<Skill>,
    /// Tools that are not offered, and why.
    pub(crate) blocked: Vec<(String, String)>,
    /// How to use the server, for a model to read.
    pub(crate) instructions: Option<String>,
}

impl Catalog {
    /// Fetches lists, and takes the others from before. What a server does not offer is empty.
    ///
    /// All are asked for at once: whoever waits for a server's tools also waits for the rest.
    pub(super) async fn fetch(
        client: &Client,
        admit: impl Fn(&Tool) -> Result<(), String>,
        before: Option<&Catalog>,
        kinds: &[Kind],
    ) -> Result<Catalog> {
        let server = client.server();
        let can = &server.capabilities;
        let asked = |kind: Kind, offered: bool| kinds.contains(&kind) && offered;
        let (tools, prompts, resources, templates, skills) = tokio::try_join!(
            all(asked(Kind::Tools, can.tools.is_some()).then(|| client.tool_pages())),
            all(asked(Kind::Prompts, can.prompts.is_some()).then(|| client.prompt_pages())),
            all(asked(Kind::Resources, can.resources.is_some()).then(|| client.resource_pages())),
            all(asked(Kind::Templates, can.resources.is_some()).then(|| client.template_pages())),
            // Whether there are skills, the client knows best.
            all(client.skill_pages().ok().filter(|_| asked(Kind::Skills, true))),
        )?;
        let mut catalog = before.cloned().unwrap_or_default();
        catalog.instructions.clone_from(&server.instructions);
        if let Some(mut listed) = tools {
            client.learn_tools(&listed.items);
            catalog.blocked.clear();
            listed.items.retain(|tool| match admit(tool) {
                Ok(()) => true,
                Err(why) => {
                    catalog.blocked.push((tool.name.clone(), why));
                    false
                }
            });
            catalog.tools = listed;
        }
        catalog.prompts = prompts.unwrap_or(catalog.prompts);
        catalog.resources = resources.unwrap_or(catalog.resources);
        catalog.templates = templates.unwrap_or(catalog.templates);
        if kinds.contains(&Kind::Skills) {
            catalog.skills = skills.unwrap_or_default();
        }
        Ok(catalog)
    }

    /// The lists whose time is over.
    pub(super) fn stale(&self) -> Vec<Kind> {
        let stale = |kind: &Kind| match kind {
            Kind::Tools => self.tools.is_stale(),
            Kind::Prompts => self.prompts.is_stale(),
            Kind::Resources => self.resources.is_stale(),
            Kind::Templates => self.templates.is_stale(),
            Kind::Skills => self.skills.is_stale(),
        };
        Kind::ALL.into_iter().filter(stale).collect()
    }

    /// The lists that are others than before.
    pub(super) fn differs(&self, before: Option<&Catalog>) -> Vec<Kind> {
        let empty = Catalog::default();
        let before = before.unwrap_or(&empty);
        let differs = |kind: &Kind| match kind {
            Kind::Tools => self.tools.items != before.tools.items,
            Kind::Prompts => self.prompts.items != before.prompts.items,
            Kind::Resources => self.resources.items != before.resources.items,
            Kind::Templates => self.templates.items != before.templates.items,
            Kind::Skills => self.skills.items != before.skills.items,
        };
        Kind::ALL.into_iter().filter(differs).collect()
    }
}

/// All pages of a list that is wanted. A server that declares it and does not know it has none.
async fn all<T>(pages: Option<Pages<T>>) -> Result<Option<Listed<T>>> {
    let Some(mut pages) = pages else { return Ok(None) };
    let mut listed = Listed::default();
    loop {
        match pages.next().await {
            Ok(Some(page)) => listed.items.extend(page),
            Ok(None) => break,
            Err(error) if error.is_method_not_found() => break,
            Err(error) if error.kind() == ErrorKind::Unsupported => break,
            // A list that cannot be read must not take the server's other lists with it.
            Err(error) if error.kind() == ErrorKind::Rpc => {
                tracing::warn!("a list could not be fetched: {error:#}");
                break;
            }
            Err(error) => return Err(error),
        }
    }
    listed.freshness = pages.freshness().cloned();
    listed.fetched = Instant::now();
    Ok(Some(listed))
}
