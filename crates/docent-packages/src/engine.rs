//! The pipeline: resolve → locate or fetch → unpack → extract → index → rank → render.
//!
//! [`Engine::load`] is the way from a name to an indexed package; the questions
//! ([`Engine::describe`], [`Engine::search`], [`Engine::diff`]) end with rank and render. Unpacking
//! and extraction happen together in a worker process ([`crate::worker`]); what they give is cached.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tokio::task::JoinSet;

use crate::cache::{Bucket, Cache};
use crate::check::known::Places;
use crate::companions::Companions;
use crate::diff::{self, Diff};
use crate::ecosystem::{self, Adapter, Context};
use crate::fetch::Fetcher;
use crate::fingerprint::{self, Fingerprint};
use crate::index::Index;
use crate::project::Projects;
use crate::recent::Recent;
use crate::render::{self, Answer, Origin, Page, Receipt};
use crate::resolve::{self, From, Resolved};
use crate::tool::Tools;
use crate::tree::Place;
use crate::worker::{Isolation, Job, Source, Workers};
use crate::{
    Document, Ecosystem, Environment, Error, Extraction, Limits, PackageRef, Progress, Style,
    Target, Update, Wanted, git, kept, rank,
};

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
    fetcher: Fetcher,
    tools: Tools,
    workers: Workers,
    read: quick_cache::sync::Cache<String, Arc<Read>, Weight>,
    recent: Recent<Target, Loaded>,
    projects: Projects,
}

/// How an [`Engine`] is set up.
#[derive(Clone, Debug)]
pub struct Builder {
    environment: Environment,
    limits: Limits,
    isolation: Isolation,
    cache: Option<PathBuf>,
    offline: bool,
    languages: Vec<String>,
}

impl Builder {
    /// Where variables and folders come from; the process's own by default.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Other limits than the default ones.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Where packages are opened and parsed; in this process by default, since only a program can
    /// know that it is its own worker.
    #[must_use]
    pub fn isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = isolation;
        self
    }

    /// The cache folder; `docent` in the user's cache folder by default, or a passing one of the
    /// user's own where that cannot be.
    #[must_use]
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache = Some(folder.into());
        self
    }

    /// Whether registries may not be asked.
    #[must_use]
    pub fn offline(mut self, offline: bool) -> Self {
        self.offline = offline;
        self
    }

    /// The natural languages that prose is preferred in, as tags such as `ja`.
    #[must_use]
    pub fn languages(mut self, languages: Vec<String>) -> Self {
        self.languages = languages;
        self
    }

    /// The engine.
    ///
    /// # Errors
    /// If the cache folder cannot be made.
    pub fn build(self) -> Result<Engine, Error> {
        let cache = match &self.cache {
            Some(folder) => Cache::open(folder, &self.limits)?,
            None => Cache::open_default(&self.environment, &self.limits)?,
        };
        let cache = Arc::new(cache);
        let parts = Parts {
            fetcher: Fetcher::new(&self.limits, Arc::clone(&cache), self.offline),
            tools: Tools::new(Arc::clone(&cache), self.offline),
            workers: Workers::new(self.isolation, &self.limits),
            read: Weight::cache(&self.limits),
            recent: Recent::default(),
            projects: Projects::default(),
            environment: self.environment,
            limits: self.limits,
            languages: self.languages,
            cache,
        };
        Ok(Engine { parts: Arc::new(parts) })
    }
}

/// A package that has been read, and its index once somebody asks.
struct Read {
    extraction: Extraction,
    /// How much memory it takes, roughly.
    bytes: u64,
    /// What its worker asked for and got.
    answered: Vec<Wanted>,
    index: OnceLock<Index>,
    places: OnceLock<Places>,
}

/// How much each package counts among those that are kept in memory.
#[derive(Clone)]
struct Weight {
    least: u64,
    most: u64,
}

impl Weight {
    fn cache(limits: &Limits) -> quick_cache::sync::Cache<String, Arc<Read>, Self> {
        let (packages, bytes) = (limits.loaded_packages_max.max(1), limits.loaded_bytes_max.max(2));
        // Even the largest package is kept until the next one comes: who asks about it asks again.
        let weight = Self { least: bytes.div_ceil(packages as u64), most: bytes / 2 };
        quick_cache::sync::Cache::with_weighter(packages, bytes, weight)
    }
}

impl quick_cache::Weighter<String, Arc<Read>> for Weight {
    fn weight(&self, _: &String, read: &Arc<Read>) -> u64 {
        read.bytes.max(self.least).min(self.most)
    }
}

impl Read {
    fn new(extraction: Extraction, answered: Vec<Wanted>) -> Self {
        let bytes = extraction.bytes();
        Self { extraction, bytes, answered, index: OnceLock::new(), places: OnceLock::new() }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::build(&self.extraction))
    }
}

/// A package that is ready to answer questions.
#[derive(Clone)]
pub struct Loaded {
    ecosystem: Ecosystem,
    module: Option<String>,
    name: String,
    receipt: Receipt,
    read: Arc<Read>,
}

impl Loaded {
    /// Which package it is, and where it comes from.
    #[must_use]
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// Everything that was found in it.
    #[must_use]
    pub fn extraction(&self) -> &Extraction {
        &self.read.extraction
    }

    pub(crate) fn ecosystem(&self) -> Ecosystem {
        self.ecosystem
    }

    /// The name of the package.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where its items are, for who checks code.
    pub(crate) fn places(&self) -> &Places {
        self.read.places.get_or_init(|| Places::of(&self.read.extraction))
    }

    /// Whether both are what was read from the same files.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.read, &other.read)
    }

    /// The module of the package that was asked for.
    pub(crate) fn module(&self) -> Option<&str> {
        self.module.as_deref()
    }

    fn page(&self, style: &Style) -> Page<'_> {
        Page {
            ecosystem: self.ecosystem,
            receipt: self.receipt.clone(),
            extraction: &self.read.extraction,
            index: self.read.index(),
            max_tokens: style.max_tokens,
            types: style.types,
            examples: style.examples,
        }
    }
}

impl Engine {
    /// An engine to be set up.
    #[must_use]
    pub fn builder() -> Builder {
        Builder {
            environment: Environment::of_process(),
            limits: Limits::default(),
            isolation: Isolation::InProcess,
            cache: None,
            offline: false,
            languages: Vec::new(),
        }
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
        let elsewhere = if known { Vec::new() } else { self.versions_with(&loaded, symbol) };
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
        let name = adapter.name(&package.name);
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
        if let Some(loaded) = self.parts.recent.get(target) {
            return Ok(loaded);
        }
        let adapter = ecosystem::of(target.package.ecosystem);
        let project = self.project(target)?;
        let context = self.context(&project);
        let name = adapter.name(&target.package.name)?;
        let requirement = target.package.version.as_deref();
        let resolved = resolve::resolve(adapter, name, requirement, &context).await;
        let resolved = resolved.map_err(|error| error.about(&target.package))?;
        let (source, origin) = self.locate(&resolved, progress).await?;
        let found = (source, &origin);
        let read = self.read(adapter, target.package.ecosystem, found, &project, progress).await?;
        let (package, version) = (&resolved.name.package, &resolved.version);
        let receipt = Receipt {
            package: PackageRef::new(target.package.ecosystem, package, Some(version)).to_string(),
            version: version.clone(),
            reason: resolved.reason,
            origin,
            newest: resolved.newest,
            others: resolved.others,
            problems: resolved.problems,
        };
        let loaded = Loaded {
            ecosystem: target.package.ecosystem,
            module: adapter.module(&resolved.name),
            name: resolved.name.package,
            receipt,
            read,
        };
        self.parts.recent.put(target.clone(), loaded.clone());
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

    /// The files of a resolved package: where they are, or fetched to the cache.
    pub(crate) async fn locate(
        &self,
        resolved: &Resolved,
        progress: &Progress,
    ) -> Result<(Source, Origin), Error> {
        let (place, origin) = match &resolved.from {
            From::Installed { place, shown } => {
                (place.clone(), Origin::Installed { path: shown.clone() })
            }
            From::Registry(artifact) => {
                let Parts { fetcher, environment, limits, cache, tools, .. } = &*self.parts;
                let is_repository = git::is_repository(&artifact.url);
                let blob = if is_repository {
                    let offline = tools.is_offline();
                    git::archive(&artifact.url, environment, limits, cache, offline).await?
                } else {
                    fetcher.artifact(artifact, progress).await?
                };
                let url = crate::fetch::shown(&artifact.url);
                // A repository's files are not wrapped in a folder.
                let prefix = is_repository.then(String::new);
                let place = Place::Archive { file: blob.path, format: artifact.format, prefix };
                (place, Origin::Registry { url, sha256: blob.sha256 })
            }
        };
        let (name, version) = (resolved.name.package.clone(), resolved.version.clone());
        Ok((Source { name, version, place }, origin))
    }

    /// Unpacks and extracts, with the packages that complete the picture.
    async fn read(
        &self,
        adapter: &'static dyn Adapter,
        ecosystem: Ecosystem,
        (package, origin): (Source, &Origin),
        project: &Path,
        progress: &Progress,
    ) -> Result<Arc<Read>, Error> {
        /// Types of types of types: enough for every package seen, and an end.
        const ROUNDS: usize = 5;
        progress
            .report(|| Update::Reading { what: format!("{}@{}", package.name, package.version) });
        let companions = Arc::new(Companions::new(self.clone(), adapter, package.clone(), project));
        let mut stored = JoinSet::new();
        let mut round = 0;
        loop {
            let job = Job {
                ecosystem,
                package: package.clone(),
                companions: companions.known(),
                reach: Vec::new(),
                limits: self.parts.limits.clone(),
            };
            let (read, key) = self.extract(job, &companions, &mut stored).await?;
            round += 1;
            let wanted = &read.extraction.wanted;
            if round >= ROUNDS || !companions.fetch(wanted, progress).await {
                if !stored.is_empty() {
                    let cache = Arc::clone(&self.parts.cache);
                    let name = format!("{ecosystem}:{}", package.name);
                    let version = kept::Version::new(package.version, key, origin.clone());
                    stored.spawn_blocking(move || kept::note(&cache, &name, version));
                }
                // The answer does not need it, but who sees the answer may end the process.
                stored.join_all().await;
                return Ok(read);
            }
        }
    }

    /// Runs a job, unless its result is at hand; once, however many wait for it. What is new is put
    /// into the cache meanwhile, as a task of `stored`.
    async fn extract(
        &self,
        mut job: Job,
        companions: &Arc<Companions>,
        stored: &mut JoinSet<()>,
    ) -> Result<(Arc<Read>, String), Error> {
        let parts = &self.parts;
        let Fingerprint { key: first, mut code_bytes } = fingerprint_of(&job).await?;
        let mut key = first.clone();
        // What completed it the last time is likely to complete it now.
        let remembered = remembered(&parts.cache, &first).await;
        if !remembered.is_empty() {
            for wanted in &remembered {
                companions.installed(wanted, |_| true);
            }
            job.companions = companions.known();
            Fingerprint { key, code_bytes } = fingerprint_of(&job).await?;
        }
        let known_before = job.companions.len();
        let mut is_new = false;
        let work = async {
            let cache = Arc::clone(&parts.cache);
            let stored_key = key.clone();
            let known = blocking(move || {
                let bytes = cache.read(Bucket::Extractions, &stored_key)?;
                postcard::from_bytes::<Extraction>(&bytes).ok()
            });
            let known = known.await;
            is_new = known.is_none();
            let extraction = match known {
                Some(extraction) => extraction,
                None => {
                    let reach = Arc::clone(companions);
                    job.reach = blocking(move || reach.reach()).await;
                    let find = companions.finder(&job);
                    parts.workers.run_with(job.clone(), find, code_bytes).await?
                }
            };
            Ok::<_, Error>(Arc::new(Read::new(extraction, companions.answered())))
        };
        let read = parts.read.get_or_insert_async(&key, work).await?;
        // Somebody else's worker may have asked for them.
        for wanted in &read.answered {
            companions.installed(wanted, |_| true);
        }
        job.companions = companions.known();
        if job.companions.len() > known_before {
            // Under this key it would be found even when a companion has changed.
            parts.read.remove(&key);
            key = fingerprint_of(&job).await?.key;
            parts.read.insert(key.clone(), Arc::clone(&read));
        }
        if is_new {
            let (cache, key, read) = (Arc::clone(&parts.cache), key.clone(), Arc::clone(&read));
            stored.spawn_blocking(move || {
                store(&cache, Bucket::Extractions, &key, &read.extraction);
                if first != key {
                    store(&cache, Bucket::Companions, &first, &read.answered);
                }
            });
        }
        Ok((read, key))
    }

    /// The versions at hand, other than this one, that have a symbol.
    fn versions_with(&self, loaded: &Loaded, symbol: &str) -> Vec<String> {
        const VERSIONS_MAX: usize = 6;
        let name = format!("{}:{}", loaded.ecosystem, loaded.name);
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

async fn fingerprint_of(job: &Job) -> Result<Fingerprint, Error> {
    let job = job.clone();
    blocking(move || fingerprint::of_job(&job)).await
}

/// What completed a package when it was read the last time.
async fn remembered(cache: &Arc<Cache>, key: &str) -> Vec<Wanted> {
    let (cache, key) = (Arc::clone(cache), key.to_owned());
    let read = move || {
        let bytes = cache.read(Bucket::Companions, &key)?;
        postcard::from_bytes(&bytes).ok()
    };
    blocking(read).await.unwrap_or_default()
}

/// Keeps what was found. Without a cache the next question only takes longer.
fn store(cache: &Cache, bucket: Bucket, key: &str, found: &impl serde::Serialize) {
    if let Ok(bytes) = postcard::to_stdvec(found) {
        let _ = cache.write(bucket, key, &bytes);
    }
}

/// Runs what would hold up other tasks where it does not.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
