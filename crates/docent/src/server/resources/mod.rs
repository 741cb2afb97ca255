//! Documents of packages as resources: `docs://npm/zod@4.1.12/overview` and its siblings.
//!
//! The direct dependencies of the project are listed; everything else is addressed by template.

mod address;
mod complete;
mod read;

use docent_mcp::server::{Completer, Server, ServerResource, ServerTemplate};
use docent_mcp::types::{Annotations, CacheScope, Role};
use docent_packages::{Ecosystem, PackageRef};

use super::Desk;
pub(crate) use address::overview;
pub(crate) use complete::{packages, symbols, versions};

/// The resource that lists what the project depends on.
pub(crate) const PROJECT: &str = "docs://project/packages";

/// How long clients may keep a document: that of an exact version does not change.
const FRESH_MS: u64 = 3_600_000;

/// The documents of a package, each with its template, what it is, and how much it matters.
const TEMPLATES: [(&str, &str, &str, f64); 5] = [
    ("overview", "overview", "What a package is, how it is used, and its public API", 1.0),
    ("symbol", "symbol/{+symbol}", "One symbol in full, with its members", 0.9),
    ("readme", "readme", "The README, without badges and the like", 0.7),
    ("guide", "guide/{+file}", "A guide that the package brings along", 0.6),
    ("changelog", "changelog", "What changed in this version", 0.3),
];

/// The server with what can be read; the project's dependencies are added once they are known.
pub(crate) fn add(server: Server, desk: &Desk) -> Server {
    let listing = desk.clone();
    let listing = ServerResource::new(PROJECT, "project packages", move |_, _| {
        let text = read::project(&listing);
        async move { Ok(text) }
    });
    let server = server.with_resource(
        listing
            .mime_type("text/markdown")
            .description("The packages this project depends on, with exact versions")
            .annotations(annotations(1.0)),
    );
    TEMPLATES.into_iter().fold(server, |server, (name, path, about, priority)| {
        let reading = desk.clone();
        let uri = format!("docs://{{ecosystem}}/{{+package}}@{{version}}/{path}");
        let template = ServerTemplate::new(uri, name, move |context, request| {
            read::template(reading.clone(), name, context, request)
        });
        let template = template
            .mime_type("text/markdown")
            .cache(FRESH_MS, CacheScope::Private)
            .adjust(|template| {
                template.description = Some(about.to_owned());
                template.annotations = Some(annotations(priority));
            })
            .complete("ecosystem", Completer::values(Ecosystem::all().map(Ecosystem::scheme)))
            .complete("package", packages(desk))
            .complete("version", versions(desk));
        server.with_template(match name {
            "symbol" => template.complete("symbol", symbols(desk)),
            "guide" => template.complete("file", complete::guides(desk)),
            _ => template,
        })
    })
}

/// The direct dependencies of the project whose versions are known.
pub(crate) fn dependencies(desk: &Desk) -> Vec<PackageRef> {
    let all = Ecosystem::all().flat_map(|ecosystem| {
        let found = desk.engine.dependencies(ecosystem, &desk.project);
        found.into_iter().filter(|(_, direct)| *direct).map(|(package, _)| package)
    });
    let mut packages: Vec<PackageRef> = all.filter(|package| package.version.is_some()).collect();
    packages.dedup();
    packages
}

/// The overview of one dependency, as a resource of its own.
pub(crate) fn document(desk: &Desk, package: &PackageRef) -> ServerResource {
    let reading = desk.clone();
    let subject = package.clone();
    let resource = ServerResource::new(overview(package), &package.name, move |context, _| {
        read::overview(reading.clone(), subject.clone(), context)
    });
    resource
        .mime_type("text/markdown")
        .cache(FRESH_MS, CacheScope::Private)
        .description(format!("Overview of {package}"))
        .annotations(Annotations {
            last_modified: read::modified(desk, package),
            ..annotations(0.8)
        })
}

fn annotations(priority: f64) -> Annotations {
    Annotations {
        audience: vec![Role::Assistant, Role::User],
        priority: Some(priority),
        ..Annotations::default()
    }
}
