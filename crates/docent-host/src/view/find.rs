//! From a name back to the server and what it calls the thing.

use docent_mcp::types::Tool;

use super::merge::{Offered, Table, View};
use super::pages;
use crate::error::{Error, ErrorKind, Result};

/// Where a resource is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The number of the server.
    pub(crate) number: usize,
    /// The address that the server knows.
    pub(crate) uri: String,
}

impl<T> Table<T> {
    /// What a name stands for: the name it has here, `server.name`, or its bare name if only one
    /// server has it.
    pub(crate) fn find(&self, what: &str, name: &str) -> Result<&Offered<T>> {
        if let Some(at) = self.by_name.get(name) {
            return Ok(&self.items[*at]);
        }
        let dotted = |item: &&Offered<T>| {
            let own = name.strip_prefix(&*item.server).and_then(|rest| rest.strip_prefix('.'));
            own == Some(&*item.own)
        };
        // Of two ways to read it, the one with the longer server name.
        let found = self.items.iter().filter(dotted).max_by_key(|item| item.server.len());
        if let Some(item) = found {
            return Ok(item);
        }
        match self.by_own.get(name).map(Vec::as_slice) {
            Some([only]) => Ok(&self.items[*only]),
            Some(several) => {
                let names: Vec<_> = several.iter().map(|at| self.items[*at].name.clone()).collect();
                Err(Error::ambiguous(what, name, &names))
            }
            None => Err(Error::unknown(what, name, &self.similar(name))),
        }
    }

    /// Names that may have been meant: those that contain it, or that it contains.
    fn similar(&self, name: &str) -> Vec<String> {
        let wanted = name.rsplit(['.', '_']).next().unwrap_or(name).to_lowercase();
        let near = |item: &&Offered<T>| {
            let own = item.own.to_lowercase();
            !wanted.is_empty() && (own.contains(&wanted) || wanted.contains(&*own))
        };
        self.items.iter().filter(near).take(3).map(|item| item.name.clone()).collect()
    }
}

impl View {
    /// The tool of this name, or why it is not offered.
    pub(crate) fn tool(&self, name: &str) -> Result<&Offered<Tool>> {
        self.tools.find("tool", name).map_err(|error| match error.kind() {
            ErrorKind::UnknownName => match self.blocked.find("tool", name) {
                Ok(Offered { server, own, item: why, .. }) => {
                    Error::blocked(server, format!("`{own}` of `{server}` cannot be used: {why}"))
                }
                Err(several) if several.kind() == ErrorKind::AmbiguousName => several,
                Err(_) => error,
            },
            _ => error,
        })
    }

    /// Where the resource at `uri` is: listed, named with its server, matched by a template, or
    /// named by a tool.
    pub(crate) fn place(&self, uri: &str) -> Option<Place> {
        let place = |number: usize, uri: &str| Place { number, uri: uri.to_owned() };
        if let Some(at) = self.resources.by_name.get(uri) {
            let found = &self.resources.items[*at];
            return Some(place(found.number, &found.own));
        }
        for (number, _, scheme) in &self.servers {
            if let Some(uri) = pages::unqualify(scheme, uri) {
                return Some(Place { number: *number, uri });
            }
        }
        let matching = self.patterns.iter().filter(|(_, pattern)| pattern.matches(uri).is_some());
        let best = matching.max_by(|(_, one), (_, other)| {
            // Of equals, the first: `max_by` would take the last.
            one.specificity().cmp(&other.specificity()).then(std::cmp::Ordering::Greater)
        });
        let number = best.map(|(number, _)| number).or_else(|| self.pages.get(uri));
        number.map(|number| place(*number, uri))
    }

    /// The address under which clients of this view find a server's resource.
    pub(crate) fn address(&self, number: usize, uri: &str) -> String {
        match self.place(uri) {
            Some(place) if place.number != number => self.qualified(number, uri),
            _ => uri.to_owned(),
        }
    }

    /// The address with the server's name in it.
    pub(crate) fn qualified(&self, number: usize, uri: &str) -> String {
        let scheme = self.servers.iter().find(|(one, _, _)| *one == number);
        scheme.map_or_else(|| uri.to_owned(), |(_, _, scheme)| pages::qualify(scheme, uri))
    }
}
