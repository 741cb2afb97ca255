//! The lists of all servers in one, in the order of the configuration and of each server.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use docent_mcp::client::Freshness;
use docent_mcp::schema::{MirroredHeader, mirrored_headers};
use docent_mcp::types::{CacheScope, Prompt, Resource, ResourceTemplate, Skill, Tool};
use docent_mcp::uri::UriTemplate;

use super::{names, pages, skills};
use crate::supervise::Catalog;

/// Something that a server offers, under the name that it has here.
#[derive(Clone, Debug)]
pub struct Offered<T> {
    /// The name, or the address, that it has here.
    pub name: String,
    /// The server that it is of.
    pub server: String,
    /// What the server itself calls it.
    pub own: String,
    /// Its definition, with the name that it has here.
    pub item: T,
    pub(crate) number: usize,
}

/// Two things that would have had the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// What they are: a tool, a prompt, a resource, a template, a skill.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The server whose thing has the name.
    pub kept: String,
    /// The server whose thing has another one, or none.
    pub renamed: String,
    /// The other name; empty if it can only be dropped, because one server listed it twice.
    pub to: String,
}

/// One server's part of a view.
pub(crate) struct Source<'a> {
    pub(crate) number: usize,
    pub(crate) name: &'a str,
    pub(crate) slug: &'a str,
    pub(crate) catalog: Arc<Catalog>,
}

/// Everything that is offered now.
#[derive(Default)]
pub(crate) struct View {
    pub(crate) tools: Table<Tool>,
    pub(crate) prompts: Table<Prompt>,
    pub(crate) resources: Table<Resource>,
    pub(crate) templates: Table<ResourceTemplate>,
    pub(crate) skills: Table<Skill>,
    /// Tools that are not offered, and why.
    pub(super) blocked: Table<String>,
    pub(crate) collisions: Vec<Collision>,
    /// Server number, name and scheme, of all servers that were ever there.
    pub(super) servers: Vec<(usize, String, String)>,
    /// What the headers of a call repeat, by the name of the tool.
    headers: HashMap<String, Arc<Vec<MirroredHeader>>>,
    /// The templates that can be matched, with the numbers of their servers.
    pub(super) patterns: Vec<(usize, UriTemplate)>,
    /// Addresses of pages that no list has, with the numbers of their servers.
    pub(super) pages: HashMap<String, usize>,
    /// How each server wants to be used.
    pub(crate) instructions: Vec<(String, String)>,
}

/// One list, with the ways into it.
pub(crate) struct Table<T> {
    pub(crate) items: Vec<Offered<T>>,
    pub(super) by_name: HashMap<String, usize>,
    pub(super) by_own: BTreeMap<String, Vec<usize>>,
    pub(crate) freshness: Option<Freshness>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        let (items, by_name, by_own) = (Vec::new(), HashMap::new(), BTreeMap::new());
        Table { items, by_name, by_own, freshness: None }
    }
}

impl<T> Table<T> {
    fn push(&mut self, offered: Offered<T>) {
        let at = self.items.len();
        self.by_name.insert(offered.name.clone(), at);
        self.by_own.entry(offered.own.clone()).or_default().push(at);
        self.items.push(offered);
    }

    /// Takes a server's word on how long its list is good into account. One that says nothing
    /// cannot be relied on to be the same a moment later, nor for another user.
    fn fresh(&mut self, freshness: Option<&Freshness>) {
        let unknown = Freshness { ttl_ms: 0, scope: CacheScope::Private };
        let freshness = freshness.cloned().unwrap_or(unknown);
        self.freshness = Some(match self.freshness.take() {
            Some(before) => before.and(freshness),
            None => freshness,
        });
    }
}

impl View {
    /// Puts the lists of servers together. With `bare`, a name that only one server has stays as
    /// it is.
    pub(crate) fn build(sources: &[Source<'_>], bare: bool) -> View {
        let mut view = View::default();
        let (tools, prompts) = match bare {
            true => (count(sources, tool_names), count(sources, prompt_names)),
            false => Default::default(),
        };
        for source in sources {
            let catalog = &source.catalog;
            view.servers.push((source.number, source.name.to_owned(), names::scheme(source.slug)));
            if let Some(instructions) = &catalog.instructions {
                view.instructions.push((source.name.to_owned(), instructions.clone()));
            }
            for tool in &catalog.tools.items {
                let name = name_of(source, &tool.name, &tools);
                let item = Tool { name: name.clone(), ..tool.clone() };
                if let Ok(headers) = mirrored_headers(&tool.input_schema) {
                    view.headers.insert(name.clone(), Arc::new(headers));
                }
                let offered = offered(source, name, &tool.name, item);
                view.collisions.extend(add(&mut view.tools, "tool", offered));
            }
            for (own, why) in &catalog.blocked {
                let name = names::name(source.slug, own);
                // One that is listed twice is blocked once.
                let _ = add(&mut view.blocked, "tool", offered(source, name, own, why.clone()));
            }
            for prompt in &catalog.prompts.items {
                let name = name_of(source, &prompt.name, &prompts);
                let item = Prompt { name: name.clone(), ..prompt.clone() };
                let offered = offered(source, name, &prompt.name, item);
                view.collisions.extend(add(&mut view.prompts, "prompt", offered));
            }
            let scheme = names::scheme(source.slug);
            for resource in &catalog.resources.items {
                let item = offered(source, resource.uri.clone(), &resource.uri, resource.clone());
                let rename = |item: &mut Offered<Resource>| item.item.uri.clone_from(&item.name);
                let collided = add_at(&mut view.resources, "resource", &scheme, item, rename);
                view.collisions.extend(collided);
            }
            for template in &catalog.templates.items {
                let own = &template.uri_template;
                let item = offered(source, own.clone(), own, template.clone());
                let rename = |item: &mut Offered<ResourceTemplate>| {
                    item.item.uri_template.clone_from(&item.name);
                };
                if !view.templates.by_name.contains_key(own)
                    && let Ok(pattern) = UriTemplate::new(own)
                {
                    view.patterns.push((source.number, pattern));
                }
                let collided = add_at(&mut view.templates, "template", &scheme, item, rename);
                view.collisions.extend(collided);
            }
            for skill in &catalog.skills.items {
                let item = offered(source, skill.uri.clone(), &skill.uri, skill.clone());
                let collided = add_at(&mut view.skills, "skill", &scheme, item, skills::rename);
                view.collisions.extend(collided);
            }
            view.tools.fresh(catalog.tools.freshness.as_ref());
            view.prompts.fresh(catalog.prompts.freshness.as_ref());
            view.resources.fresh(catalog.resources.freshness.as_ref());
            view.templates.fresh(catalog.templates.freshness.as_ref());
            if !catalog.skills.items.is_empty() {
                view.skills.fresh(catalog.skills.freshness.as_ref());
            }
        }
        view.find_pages();
        view
    }

    /// What the headers of a call of this tool repeat.
    pub(crate) fn headers(&self, tool: &str) -> Option<Arc<Vec<MirroredHeader>>> {
        self.headers.get(tool).cloned()
    }
}

fn offered<T>(source: &Source<'_>, name: String, own: &str, item: T) -> Offered<T> {
    let (server, own) = (source.name.to_owned(), own.to_owned());
    Offered { name, server, own, item, number: source.number }
}

fn tool_names(catalog: &Catalog) -> Vec<&str> {
    catalog.tools.items.iter().map(|tool| &*tool.name).collect()
}

fn prompt_names(catalog: &Catalog) -> Vec<&str> {
    catalog.prompts.items.iter().map(|prompt| &*prompt.name).collect()
}

fn count<'a>(
    sources: &'a [Source<'_>],
    names: fn(&'a Catalog) -> Vec<&'a str>,
) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    for name in sources.iter().flat_map(|source| names(&source.catalog)) {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

fn name_of(source: &Source<'_>, own: &str, bare: &HashMap<&str, usize>) -> String {
    match bare.get(own) {
        Some(1) => own.to_owned(),
        _ => names::name(source.slug, own),
    }
}

/// Adds something whose name is taken only if its server listed it twice, or lists what looks like
/// another server's prefixed name.
fn add<T>(table: &mut Table<T>, kind: &'static str, offered: Offered<T>) -> Option<Collision> {
    if let Some(at) = table.by_name.get(&offered.name) {
        return Some(Collision {
            kind,
            kept: table.items[*at].server.clone(),
            renamed: offered.server,
            name: offered.name,
            to: String::new(),
        });
    }
    table.push(offered);
    None
}

/// Adds something with an address. One that is taken gets the server's name before its scheme.
fn add_at<T>(
    table: &mut Table<T>,
    kind: &'static str,
    scheme: &str,
    mut offered: Offered<T>,
    rename: impl Fn(&mut Offered<T>),
) -> Option<Collision> {
    let Some(at) = table.by_name.get(&offered.name) else {
        table.push(offered);
        return None;
    };
    let kept = &table.items[*at];
    let mut collision = Collision {
        kind,
        name: offered.name.clone(),
        kept: kept.server.clone(),
        renamed: offered.server.clone(),
        to: String::new(),
    };
    let other = pages::qualify(scheme, &offered.own);
    if kept.number != offered.number && !table.by_name.contains_key(&other) {
        collision.to.clone_from(&other);
        offered.name = other;
        rename(&mut offered);
        table.push(offered);
    }
    Some(collision)
}
