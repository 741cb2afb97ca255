//! From a resolved package to what was found in it: its files are located or fetched, then unpacked and
//! extracted in a worker, with the packages that complete the picture. What that gives is cached.

use std::path::Path;
use std::sync::Arc;

use super::loaded::Read;
use super::storing::Entry;
use super::{Engine, Parts, blocking};
use crate::cache::{Bucket, Cache};
use crate::companions::Companions;
use crate::ecosystem::Adapter;
use crate::fingerprint::{self, Fingerprint};
use crate::render::Origin;
use crate::resolve::{From, Resolved};
use crate::tree::Place;
use crate::worker::{Job, Source};
use crate::{Ecosystem, Error, Extent, Extraction, Progress, Update, Wanted, git, kept};

impl Engine {
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

    /// Unpacks and extracts. Of a package that is too large to be read at once only its modules are
    /// known then, and the one that was asked for is read by itself.
    pub(super) async fn read(
        &self,
        adapter: &'static dyn Adapter,
        ecosystem: Ecosystem,
        found: (&Source, &Origin),
        module: Option<&str>,
        project: &Path,
        progress: &Progress,
    ) -> Result<Arc<Read>, Error> {
        let read = self.read_part(adapter, ecosystem, found, None, project, progress).await?;
        let lists = |module: &&str| {
            let mut items = read.extraction.items.iter();
            items.any(|item| item.path.is_empty() && item.module == **module)
        };
        match module.filter(lists).filter(|_| read.extraction.extent == Extent::Listed) {
            Some(part) => {
                self.read_part(adapter, ecosystem, found, Some(part), project, progress).await
            }
            None => Ok(read),
        }
    }

    /// Unpacks and extracts, with the packages that complete the picture.
    async fn read_part(
        &self,
        adapter: &'static dyn Adapter,
        ecosystem: Ecosystem,
        (package, origin): (&Source, &Origin),
        part: Option<&str>,
        project: &Path,
        progress: &Progress,
    ) -> Result<Arc<Read>, Error> {
        /// Types of types of types: enough for every package seen, and an end.
        const ROUNDS: usize = 5;
        progress
            .report(|| Update::Reading { what: format!("{}@{}", package.name, package.version) });
        let companions = Arc::new(Companions::new(self.clone(), adapter, package.clone(), project));
        let mut round = 0;
        let mut is_new = false;
        loop {
            let job = Job {
                ecosystem,
                package: package.clone(),
                part: part.map(str::to_owned),
                companions: companions.known(),
                reach: Vec::new(),
                limits: self.parts.limits.clone(),
            };
            let (read, mut entry) = self.extract(job, &companions).await?;
            is_new |= entry.is_new;
            round += 1;
            let wanted = &read.extraction.wanted;
            let is_last = round >= ROUNDS || !companions.fetch(wanted, progress).await;
            if is_last && is_new {
                let name = format!("{ecosystem}:{}", part.unwrap_or(&package.name));
                let key = entry.key.clone();
                let version = kept::Version::new(package.version.clone(), key, origin.clone());
                entry.note = Some((name, version));
            }
            self.parts.storing.put(entry).await;
            if is_last {
                return Ok(read);
            }
        }
    }

    /// Runs a job, unless its result is at hand; once, however many wait for it. What is to be put
    /// into the cache comes with it.
    async fn extract(
        &self,
        mut job: Job,
        companions: &Arc<Companions>,
    ) -> Result<(Arc<Read>, Entry), Error> {
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
        let entry = Entry { read: Arc::clone(&read), key, first, is_new, note: None };
        Ok((read, entry))
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
