//! The pipeline: resolve → locate or fetch → unpack → extract → index → rank → render.
//!
//! [`Engine::load`] is the way from a name to an indexed package; the questions
//! ([`Engine::describe`], [`Engine::search`], [`Engine::diff`]) end with rank and render. Unpacking
//! and extraction happen together in a worker process ([`crate::worker`]); what they give is cached.
//!
//! Around it: `builder` (how an engine is set up), `read` (from a resolved package to what is in it),
//! `loaded` (what is kept of a package in memory), `storing` (what is on its way to the cache).

mod builder;
mod loaded;
mod read;
mod storing;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cache::{Bucket, Cache};
use crate::diff::{self, Diff};
use crate::ecosystem::{self, Context};
use crate::fetch::Fetcher;
use crate::project::Projects;
use crate::recent::Recent;
use crate::render::{self, Answer, Page, Receipt};
use crate::resolve;
use crate::tool::Tools;
use crate::worker::Workers;
use crate::{
    Document, Ecosystem, Environment, Error, Extent, Extraction, Limits, PackageRef, Progress,
    Style, Target, kept, rank,
};
pub use builder::Builder;
pub use loaded::Loaded;
use loaded::{Read, Remembered, Weight};
use storing::Storing;

/// The documentation engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    parts: Arc<Parts>,
}

struct Parts {
    environment: Environment,
    limits: Limits,
    languages: Vec<String>,
    cache: Arc<Cache>,
    storing: Storing,
    fetcher: Fetcher,
    tools: Tools,
    workers: Workers,
    read: quick_cache::sync::Cache<String, Arc<Read>, Weight>,
    recent: Recent<Target, Remembered>,
    projects: Projects,
}

impl Engine {
    /// An engine to be set up.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A package with its index, which is built where nobody else waits for it.
    async fn open(&self, target: &Target, progress: &Progress) -> Result<Loaded, Error> {
        let loaded = self.load(target, progress).await?;
        if loaded.read.index.get().is_none() {
            let read = Arc::clone(&loaded.read);
            blocking(move || {
                read.index();
            })
            .await;
        }
        Ok(loaded)
    }

    /// Describes a package, or one symbol of it.
    ///
    /// # Errors
    /// If the package cannot be found, fetched or read. A symbol that is not there is an answer.
    pub async fn describe(
        &self,
        target: &Target,
        symbol: Option<&str>,
        style: &Style,
    ) -> Result<Answer, Error> {
        let loaded = self.open(target, &style.progress).await?;
        let page = loaded.page(style);
        let languages = &self.parts.languages;
        let Some(symbol) = symbol.map(str::trim).filter(|symbol| !symbol.is_empty()) else {
            return Ok(render::overview(&page, loaded.module.as_deref(), languages));
        };
        // Inside the module that was asked for, if it is there.
        let scoped = loaded.module.as_ref().map(|module| format!("{module}.{symbol}"));
        let scoped = scoped.filter(|scoped| page.index.symbols.has(scoped, &page.extraction.items));
        let symbol = scoped.as_deref().unwrap_or(symbol);
        let known = !page.index.symbols.lookup(symbol, &page.extraction.items).is_empty();
        let elsewhere = if known { Vec::new() } else { self.versions_with(&loaded, symbol).await };
        Ok(render::symbol(&page, symbol, &elsewhere, languages))
    }

    /// Describes several symbols of a package in full, with their members.
    ///
    /// # Errors
    /// If the package cannot be found, fetched or read. Symbols that are not there are named.
    pub async fn symbols(
        &self,
        target: &Target,
        symbols: &[String],
        style: &Style,
    ) -> Result<Answer, Error> {
        if let [one] = symbols {
            return self.describe(target, Some(one), style).await;
        }
        let loaded = self.open(target, &style.progress).await?;
        Ok(render::symbols(&loaded.page(style), symbols))
    }

    /// One document of a package.
    ///
    /// # Errors
    /// If the package cannot be found, fetched or read. A document that is not there is an answer.
    pub async fn document(
        &self,
        target: &Target,
        document: &Document,
        style: &Style,
    ) -> Result<Answer, Error> {
        let loaded = self.open(target, &style.progress).await?;
        let languages = &self.parts.languages;
        Ok(render::document(&loaded.page(style), &loaded.name, document, languages))
    }

    /// Searches one package or several for words or symbols.
    ///
    /// # Errors
    /// If none of the packages can be found, fetched or read: the error of the first.
    pub async fn search(
        &self,
        targets: &[Target],
        question: &str,
        style: &Style,
    ) -> Result<Answer, Error> {
        let mut loaded = Vec::new();
        let mut failed = None;
        for target in targets {
            match self.load(target, &style.progress).await {
                Ok(package) => loaded.push(package),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if let Some(error) = failed.filter(|_| loaded.is_empty()) {
            return Err(error);
        }
        let languages = &self.parts.languages;
        let reads: Vec<Arc<Read>> =
            loaded.iter().map(|package| Arc::clone(&package.read)).collect();
        // Large packages have many words; nobody else should wait for them.
        let index = move || {
            for read in &reads {
                read.index().all(&read.extraction);
            }
        };
        blocking(index).await;
        let rankings: Vec<rank::Ranking> = loaded
            .iter()
            .map(|package| {
                let (extraction, index) = (&package.read.extraction, package.read.index());
                let ranking = rank::search(
                    extraction,
                    index,
                    &package.name,
                    question,
                    style.fuzzy,
                    languages,
                );
                match &package.module {
                    Some(module) => ranking.inside_first(module, extraction),
                    None => ranking,
                }
            })
            .collect();
        let missing = match &rankings[..] {
            [one] => one.missing.clone(),
            // With several packages a name is missing only if it is missing in all of them.
            many => {
                let first = many.first().map(|ranking| ranking.missing.clone()).unwrap_or_default();
                let everywhere =
                    |name: &String| many.iter().all(|ranking| ranking.missing.contains(name));
                first.into_iter().filter(everywhere).collect()
            }
        };
        let pages: Vec<Page<'_>> = loaded.iter().map(|package| package.page(style)).collect();
        let hits = render::merged(&rankings);
        Ok(render::found(&pages, &hits, &missing, question, style.max_tokens))
    }

    /// What changed in the public API between two versions.
    ///
    /// # Errors
    /// If one of them cannot be found, fetched or read.
    pub async fn diff(
        &self,
        old: &Target,
        new: &Target,
        progress: &Progress,
    ) -> Result<Diff, Error> {
        let old = self.load(old, progress).await?;
        let new = self.load(new, progress).await?;
        Ok(diff::diff(&old, &new))
    }

    /// The packages that a project depends on, direct ones first, with the versions it has locked.
    #[must_use]
    pub fn dependencies(&self, ecosystem: Ecosystem, project: &Path) -> Vec<(PackageRef, bool)> {
        let dependencies = ecosystem::of(ecosystem).dependencies(&self.context(project));
        let reference =
            |name: &str, version: Option<&str>| PackageRef::new(ecosystem, name, version);
        dependencies
            .iter()
            .map(|dependency| {
                (reference(&dependency.name, dependency.version.as_deref()), dependency.direct)
            })
            .collect()
    }

    /// Whether a project can use a package as things are: it is installed, whether or not a file
    /// names it, or comes with the language.
    #[must_use]
    pub fn has(&self, package: &PackageRef, project: &Path) -> bool {
        let adapter = ecosystem::of(package.ecosystem);
        let name = adapter.asked(package);
        name.is_ok_and(|name| !adapter.survey(&name, &self.context(project)).installed.is_empty())
    }

    /// The registries that a project's packages come from by default, without credentials.
    ///
    /// # Errors
    /// If none is configured and no tool of the ecosystem names one.
    pub async fn registries(
        &self,
        ecosystem: Ecosystem,
        project: &Path,
    ) -> Result<Vec<String>, Error> {
        ecosystem::of(ecosystem).registries(&self.context(project)).await
    }

    /// Waits until what has been read so far is in the cache.
    ///
    /// An answer does not wait for it. A program that ends without it has to read the package again
    /// the next time.
    pub async fn settle(&self) {
        self.parts.storing.settle().await;
    }

    /// What has been fetched and read before.
    #[must_use]
    pub fn cache(&self) -> &Cache {
        &self.parts.cache
    }

    /// Makes a package ready to answer questions.
    ///
    /// # Errors
    /// If it cannot be found, fetched or read.
    pub async fn load(&self, target: &Target, progress: &Progress) -> Result<Loaded, Error> {
        if let Some(loaded) = self.parts.recent.get(target).and_then(Remembered::loaded) {
            return Ok(loaded);
        }
        let adapter = ecosystem::of(target.package.ecosystem);
        let project = self.project(target)?;
        let context = self.context(&project);
        let name = adapter.asked(&target.package)?;
        let requirement = target.package.version.as_deref();
        let resolved = resolve::resolve(adapter, name, requirement, &context).await;
        let resolved = resolved.map_err(|error| error.about(&target.package))?;
        let (source, origin) = self.locate(&resolved, progress).await?;
        let module = adapter.module(&resolved.name);
        let (ecosystem, found) = (target.package.ecosystem, (&source, &origin));
        let asked = module.as_deref();
        let read = self.read(adapter, ecosystem, found, asked, &project, progress).await?;
        let (package, version) = (&resolved.name.package, &resolved.version);
        let receipt = Receipt {
            package: PackageRef::new(ecosystem, package, Some(version)).to_string(),
            version: version.clone(),
            reason: resolved.reason,
            origin,
            newest: resolved.newest,
            others: resolved.others,
            problems: resolved.problems,
            extent: read.extraction.extent.clone(),
        };
        let loaded = Loaded { ecosystem, module, name: resolved.name.package, receipt, read };
        self.parts.recent.put(target.clone(), Remembered::new(&loaded));
        Ok(loaded)
    }

    /// The natural languages that prose is preferred in.
    #[must_use]
    pub fn languages(&self) -> &[String] {
        &self.parts.languages
    }

    pub(crate) fn workers(&self) -> &Workers {
        &self.parts.workers
    }

    pub(crate) fn projects(&self) -> &Projects {
        &self.parts.projects
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.parts.limits
    }

    pub(crate) fn context<'a>(&'a self, project: &'a Path) -> Context<'a> {
        let Parts { environment, limits, fetcher, tools, .. } = &*self.parts;
        Context { environment, limits, fetcher, tools, project }
    }

    /// The project's folder, absolute and without links, so that "upward" means what it says.
    pub(crate) fn project(&self, target: &Target) -> Result<PathBuf, Error> {
        self.folder(target.project.as_deref())
    }

    pub(crate) fn folder(&self, project: Option<&Path>) -> Result<PathBuf, Error> {
        let directory = self.parts.environment.directory();
        let Some(project) = project else { return Ok(directory.to_owned()) };
        let path = directory.join(project);
        let canonical = path.canonicalize().map_err(|error| {
            Error::io(format!("the project folder {}", path.display()), &error).hint(
                "`projectPath` is a folder of this machine; leave it out for the working folder",
            )
        })?;
        let is_file = canonical.is_file();
        Ok(if is_file {
            canonical.parent().map_or(canonical.clone(), Path::to_owned)
        } else {
            canonical
        })
    }

    /// The versions at hand, other than this one, that have a symbol.
    async fn versions_with(&self, loaded: &Loaded, symbol: &str) -> Vec<String> {
        const VERSIONS_MAX: usize = 6;
        self.settle().await;
        let read = match &loaded.receipt.extent {
            Extent::Module(module) => module,
            _ => &loaded.name,
        };
        let name = format!("{}:{read}", loaded.ecosystem);
        let versions = kept::versions(&self.parts.cache, &name);
        let others = versions.iter().rev().filter(|known| known.version != loaded.receipt.version);
        let with = others.take(VERSIONS_MAX).filter(|known| {
            let stored = self.parts.cache.read(Bucket::Extractions, &known.key);
            let extraction =
                stored.and_then(|bytes| postcard::from_bytes::<Extraction>(&bytes).ok());
            extraction.is_some_and(|extraction| {
                let symbols = crate::index::symbols::Symbols::build(&extraction.items);
                !symbols.lookup(symbol, &extraction.items).is_empty()
            })
        });
        with.map(|known| known.version.clone()).collect()
    }
}

/// Runs what would hold up other tasks where it does not.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
