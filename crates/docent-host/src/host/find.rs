//! What is offered now, and the way from a name to the server that has it.

use std::sync::Arc;
use std::time::Duration;

use docent_mcp::client::ServerEvent;
use docent_mcp::types::{CompletionReference, Prompt, Tool};

use super::{Built, HostEvent, Inner};
use crate::error::{Error, ErrorKind, Result};
use crate::supervise::{Backend, BackendEvent, Catalog, State};
use crate::view::{Offered, Place, Source, View};

impl Inner {
    /// Tells of what happens from now on.
    pub(crate) fn listen(&self, function: impl Fn(usize, &BackendEvent) + Send + Sync + 'static) {
        let mut listeners = self.settings.events.write().expect("no panic while locked");
        listeners.push(Arc::new(function));
    }

    pub(super) fn event(&self, number: usize, event: &BackendEvent) -> Option<HostEvent> {
        let server = || self.backends[number].name().to_owned();
        Some(match event {
            BackendEvent::Listed(..) => HostEvent::Changed,
            BackendEvent::State => HostEvent::State(server()),
            BackendEvent::Told(ServerEvent::ResourceUpdated(uri)) => {
                HostEvent::ResourceUpdated(self.view().address(number, uri))
            }
            BackendEvent::Told(ServerEvent::Log(message)) => {
                HostEvent::Log(server(), message.clone())
            }
            BackendEvent::Told(_) => return None,
        })
    }

    /// The server that the user calls so.
    pub(super) fn backend(&self, name: &str) -> Result<&Arc<Backend>> {
        let found = self.backends.iter().find(|backend| backend.name() == name);
        found.ok_or_else(|| {
            let names: Vec<_> =
                self.backends.iter().map(|backend| backend.name().to_owned()).collect();
            Error::unknown("server", name, &names)
        })
    }

    /// Every server that may be used, and whether it is there.
    pub(crate) fn up(&self) -> Vec<(String, bool)> {
        let used = self.backends.iter().map(|backend| (backend, backend.state()));
        let used = used.filter(|(_, state)| !matches!(state, State::Off(_)));
        used.map(|(backend, state)| (backend.name().to_owned(), matches!(state, State::Ready(_))))
            .collect()
    }

    /// What is offered now, from what was listed last.
    pub(crate) fn view(&self) -> Arc<View> {
        let catalogs: Vec<_> = self.backends.iter().map(|backend| backend.catalog()).collect();
        let mut view = self.view.lock().expect("no panic while locked");
        let same = |one: &Option<Arc<Catalog>>, other: &Option<Arc<Catalog>>| match (one, other) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        if let Some(Built { of, view }) = &*view
            && of.iter().zip(&catalogs).all(|(one, other)| same(one, other))
        {
            return view.clone();
        }
        let sources: Vec<_> = self
            .backends
            .iter()
            .zip(&self.slugs)
            .zip(&catalogs)
            .filter_map(|((backend, slug), catalog)| {
                let catalog = catalog.clone()?;
                Some(Source { number: backend.number, name: backend.name(), slug, catalog })
            })
            .collect();
        let built = Arc::new(View::build(&sources, self.bare));
        *view = Some(Built { of: catalogs, view: built.clone() });
        built
    }

    /// Starts every server but those that are lazy.
    pub(crate) fn start(&self) {
        self.backends.iter().filter(|backend| !backend.is_lazy()).for_each(Backend::start);
    }

    /// What is offered, after servers that were never listed had a little time.
    pub(crate) async fn listed(&self) -> Arc<View> {
        for backend in &self.backends {
            backend.start();
            backend.refresh_stale();
        }
        self.settle(self.settings.limits.list_patience).await;
        self.view()
    }

    /// Waits until every server was listed or has failed, or has had this long.
    pub(crate) async fn settle(&self, patience: Duration) {
        for backend in &self.backends {
            backend.settle(patience).await;
        }
    }

    /// Looks something up; if it is not there, once more when the servers that may have it are, and
    /// the lazy ones last.
    pub(crate) async fn find<T>(
        &self,
        name: &str,
        find: impl Fn(&View, &str) -> Result<T>,
    ) -> Result<T> {
        let is_missing = |error: &Error| error.kind() != ErrorKind::AmbiguousName;
        let mut found = find(&self.view(), name);
        if !found.as_ref().is_err_and(is_missing) {
            return found;
        }
        if let Some(backend) = self.named(name) {
            backend.listed().await?;
            return find(&self.view(), name);
        }
        let pending =
            |lazy: bool| self.backends.iter().any(|one| one.is_lazy() == lazy && one.is_pending());
        if pending(false) {
            self.start();
            self.settle(self.settings.limits.list_patience).await;
            found = find(&self.view(), name);
        }
        if found.as_ref().is_err_and(is_missing) && pending(true) {
            self.listed().await;
            found = find(&self.view(), name);
        }
        found
    }

    /// The server that a name names.
    fn named(&self, name: &str) -> Option<&Arc<Backend>> {
        let named = |backend: &&Arc<Backend>| {
            let slug = &self.slugs[backend.number];
            let after = |prefix: &str, separator: &str| {
                name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(separator))
            };
            after(backend.name(), ".") || after(slug, "__")
        };
        self.backends.iter().filter(named).max_by_key(|backend| backend.name().len())
    }

    pub(crate) async fn find_tool(&self, name: &str) -> Result<Offered<Tool>> {
        self.find(name, |view, name| view.tool(name).cloned()).await
    }

    pub(crate) async fn find_prompt(&self, name: &str) -> Result<Offered<Prompt>> {
        self.find(name, |view, name| view.prompts.find("prompt", name).cloned()).await
    }

    pub(crate) async fn find_place(&self, uri: &str) -> Result<Place> {
        let find = |view: &View, uri: &str| {
            view.place(uri).ok_or_else(|| Error::unknown("resource", uri, &[]))
        };
        self.find(uri, find).await
    }

    /// A server, and what it calls what is to be completed.
    pub(crate) async fn find_reference(
        &self,
        mut reference: CompletionReference,
    ) -> Result<(usize, CompletionReference)> {
        let number = match &mut reference {
            CompletionReference::Prompt(prompt) => {
                let found = self.find_prompt(&prompt.name).await?;
                prompt.name = found.own;
                found.number
            }
            CompletionReference::Resource(resource) => {
                let find = |view: &View, uri: &str| {
                    let found = view.templates.find("resource template", uri);
                    let template = found.map(|template| (template.number, template.own.clone()));
                    let place = || view.place(uri).map(|place| (place.number, place.uri));
                    template.or_else(|error| place().ok_or(error))
                };
                let (number, own) = self.find(&resource.uri, find).await?;
                resource.uri = own;
                number
            }
            CompletionReference::Unknown(_) => {
                return Err(Error::unknown(
                    "kind of reference",
                    "neither prompt nor resource",
                    &[],
                ));
            }
        };
        Ok((number, reference))
    }
}
