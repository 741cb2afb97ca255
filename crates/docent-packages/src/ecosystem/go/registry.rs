//! Asks module proxies: which versions there are, and where their files are.
//!
//! The protocol is that of the `go` command: `MODULE/@v/list`, `@v/VERSION.info`, `@latest`,
//! `@v/VERSION.mod` and `@v/VERSION.zip`. Which part of an import path is the module nobody knows
//! beforehand, so that each possible one is asked for, the longest first.

use serde::Deserialize;

use super::installed::{self, Source};
use super::module_file;
use super::name::{candidates, escaped, is_path, is_standard, major};
use super::project::Project;
use super::proxies::{self, Element, Place, Proxy};
use super::settings::Settings;
use super::sums;
use super::version::{self, Query};
use crate::ecosystem::python::files::Files;
use crate::ecosystem::{Context, Name, Release, Releases};
use crate::fetch::{Artifact, Request};
use crate::tree::ArchiveFormat;
use crate::{Error, ErrorKind};

/// Modules that one import path is tried as.
const CANDIDATES_MAX: usize = 8;

/// Versions in one list.
const VERSIONS_MAX: usize = 20_000;

#[derive(Deserialize)]
struct Info {
    #[serde(rename = "Version")]
    version: String,
}

/// What the proxies know of the module that holds a package.
pub(super) async fn releases(
    name: &Name,
    requirement: Option<&str>,
    context: &Context<'_>,
) -> Result<Releases, Error> {
    let files = Files::new(context.limits);
    let settings = Settings::read(context.environment, &files);
    let project = Project::find(context.project, &settings, &files);
    let path = name.package.as_str();
    let query = requirement.map_or(Ok(Query::Latest), version::query)?;
    // What the project requires says which part is the module, and perhaps what stands in for it.
    let required = installed::required(&project, path);
    let known = required.as_ref().map(|one| one.module.as_str());
    if known.is_none() && is_standard(path) {
        let message = format!("`{path}` would come with Go, but no Go that has it was found");
        return Err(Error::new(ErrorKind::PackageNotFound, message)
            .hint("install Go, or set `GOROOT` to where it is"));
    }
    let elements = proxies::list(&settings, context).await?;
    let asker = Asker { elements: &elements, settings: &settings, context };
    let mut missing = None;
    for module in to_ask(path, known, &query) {
        let (asked, instead) = stand_in(&project, &module, &query);
        match asker.releases(&asked, &instead).await {
            Ok((proxy, versions)) => {
                let made = |(version, stable): (String, bool)| {
                    let hash = sums::hash(&project.roots(), &asked, &version, &files);
                    let artifact = artifact(&proxy, &asked, &version, hash);
                    // What stands in for a version is asked for by that version.
                    let version = match &query {
                        Query::Exact(exact) if instead != query => exact.clone(),
                        _ => version,
                    };
                    Release { version, artifact, stable }
                };
                let all = versions.into_iter().map(made).collect();
                let mut found = Releases { all, name: Some(module), ..Releases::default() };
                if matches!(query, Query::Exact(_) | Query::Revision(_)) && found.all.len() == 1 {
                    found.tags.push((version::ONLY.to_owned(), String::new()));
                }
                return Ok(found);
            }
            Err(error) if error.kind() == ErrorKind::PackageNotFound => {
                missing.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    Err(missing.unwrap_or_else(|| unknown(path)))
}

/// The modules to ask for, in order.
fn to_ask(path: &str, known: Option<&str>, query: &Query) -> Vec<String> {
    if let Some(known) = known {
        return vec![known.to_owned()];
    }
    let mut all: Vec<String> = Vec::new();
    // `kit@v2.1.0` is the module `kit/v2`, whatever was written.
    let number = match query {
        Query::Exact(exact) => version::parse(exact).map(|exact| exact.major),
        Query::Prefix(major, _) => Some(*major),
        _ => None,
    };
    if let Some(number) = number.filter(|number| *number > 1 && major(path).is_none()) {
        all.push(format!("{path}/v{number}"));
    }
    all.extend(candidates(path).into_iter().take(CANDIDATES_MAX).map(str::to_owned));
    all
}

/// The module to ask for in place of one that is replaced, and the version of it.
fn stand_in(project: &Project, module: &str, query: &Query) -> (String, Query) {
    let wanted = match query {
        Query::Exact(exact) => exact.as_str(),
        _ => "",
    };
    match installed::source(project, module, wanted) {
        Source::Module(other, version) if other != module || version != wanted => {
            (other, Query::Exact(version))
        }
        _ => (module.to_owned(), query.clone()),
    }
}

/// What the newest `go.mod` says.
#[derive(Default)]
struct Newest {
    file: module_file::ModuleFile,
    /// Whether there is none, so that newer major versions have kept the module's path.
    is_legacy: bool,
}

struct Asker<'a> {
    elements: &'a [Element],
    settings: &'a Settings<'a>,
    context: &'a Context<'a>,
}

impl Asker<'_> {
    /// Asks one proxy after the other; gives the one that knows the module, and its versions,
    /// oldest first, each with whether a range may choose it.
    async fn releases(
        &self,
        module: &str,
        query: &Query,
    ) -> Result<(Proxy, Vec<(String, bool)>), Error> {
        if self.settings.is_private(module) {
            let message = format!("{module} is private: no module proxy may be asked for it");
            return Err(Error::new(ErrorKind::NoRegistry, message).hint(
                "`GOPRIVATE` or `GONOPROXY` says so; get it with `go mod download`, and it is read \
                 from the module cache",
            ));
        }
        let mut failed = None;
        for element in self.elements {
            let proxy = match &element.place {
                Place::Proxy(proxy) => proxy,
                Place::Direct => return Err(failed.unwrap_or_else(|| unknown(module)).hint(
                    "`GOPROXY` goes on with `direct`, the module's own repository, which is not \
                     asked; get it with `go mod download`, and it is read from the module cache",
                )),
                Place::Off => return Err(failed.unwrap_or_else(off)),
            };
            match self.ask(proxy, module, query).await {
                Ok(versions) => return Ok((Proxy::clone(proxy), versions)),
                Err(error) => {
                    let is_unknown = error.kind() == ErrorKind::PackageNotFound;
                    if !is_unknown && !element.goes_on {
                        return Err(error);
                    }
                    failed = Some(error);
                }
            }
        }
        Err(failed.unwrap_or_else(off))
    }

    async fn ask(
        &self,
        proxy: &Proxy,
        module: &str,
        query: &Query,
    ) -> Result<Vec<(String, bool)>, Error> {
        let revision = match query {
            Query::Exact(exact) => Some(exact),
            Query::Revision(revision) => Some(revision),
            _ => None,
        };
        if let Some(revision) = revision {
            let page = format!("@v/{}.info", escaped(revision));
            match self.info(proxy, module, &page).await {
                Ok(version) => return Ok(vec![(version, true)]),
                // Whether the module is there at all shows in its list.
                Err(error) if error.kind() == ErrorKind::PackageNotFound => {}
                Err(error) => return Err(error),
            }
        }
        let list = self.page(proxy, module, "@v/list").await?;
        let mut versions: Vec<String> = list
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .filter(|version| version::parse(version).is_some() && !version::is_pseudo(version))
            .take(VERSIONS_MAX)
            .map(str::to_owned)
            .collect();
        versions.sort_by(|left, right| version::order(left, right));
        if versions.is_empty() {
            // A module without any tag has only what its branch is at now.
            let latest = self.info(proxy, module, "@latest").await?;
            return Ok(vec![(latest, true)]);
        }
        let newest = self.newest(proxy, module, &versions).await;
        let versions = versions.into_iter().map(|version| {
            let is_old_style = version::is_incompatible(&version) && !newest.is_legacy;
            let is_retracted = newest.file.is_retracted(&version);
            let stable = !version::is_prerelease(&version) && !is_retracted && !is_old_style;
            (version, stable)
        });
        Ok(versions.collect())
    }

    /// The newest `go.mod` of the module's own major version, which says what was taken back.
    async fn newest(&self, proxy: &Proxy, module: &str, versions: &[String]) -> Newest {
        let own = || versions.iter().rev().filter(|version| !version::is_incompatible(version));
        let release = own().find(|version| !version::is_prerelease(version));
        let Some(newest) = release.or_else(|| own().next()) else {
            return Newest { is_legacy: true, ..Newest::default() };
        };
        let page = self.page(proxy, module, &format!("@v/{}.mod", escaped(newest))).await;
        let text = page.unwrap_or_default();
        // What a proxy makes up for a version without one.
        let is_legacy = text.trim() == format!("module {module}");
        Newest { file: module_file::parse(&text), is_legacy }
    }

    /// The version that a page is about.
    async fn info(&self, proxy: &Proxy, module: &str, page: &str) -> Result<String, Error> {
        let text = self.page(proxy, module, page).await?;
        let info: Option<Info> = serde_json::from_str(&text).ok();
        let version =
            info.map(|info| info.version).filter(|version| version::parse(version).is_some());
        version.ok_or_else(|| {
            let message = format!("what the module proxy says of {module} makes no sense");
            Error::new(ErrorKind::Network, message)
        })
    }

    async fn page(&self, proxy: &Proxy, module: &str, page: &str) -> Result<String, Error> {
        let url =
            proxy.url.join(&format!("{}/{page}", escaped(module))).map_err(|_| unknown(module))?;
        let request = Request { url, accept: "*/*", access: &proxy.access };
        let document = self.context.fetcher.document(&request).await?;
        Ok(String::from_utf8_lossy(&document.body).into_owned())
    }
}

fn artifact(proxy: &Proxy, module: &str, version: &str, h1: Option<[u8; 32]>) -> Option<Artifact> {
    if !is_path(module) {
        return None;
    }
    let path = format!("{}/@v/{}.zip", escaped(module), escaped(version));
    let url = proxy.url.join(&path).ok()?;
    let format = ArchiveFormat::GoModule { h1 };
    Some(Artifact { url, format, digests: Vec::new(), access: proxy.access.clone() })
}

fn unknown(path: &str) -> Error {
    let message = format!("no Go module that holds `{path}` is known");
    Error::new(ErrorKind::PackageNotFound, message).hint("ask for the path that is imported")
}

fn off() -> Error {
    let message = "`GOPROXY` says that no module proxy may be asked";
    Error::new(ErrorKind::NoRegistry, message)
        .hint("what is in the module cache or a `vendor` folder can be asked for")
}
