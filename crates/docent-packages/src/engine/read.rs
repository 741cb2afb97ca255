//! From a resolved package to what was found in it: its files are located or fetched, then unpacked and
//! extracted in a worker, with the packages that complete the picture. What that gives is cached.

use std::path::Path;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::loaded::Read;
use super::{Engine, Parts, blocking};
use crate::cache::{Bucket, Cache};
use crate::companions::Companions;
use crate::ecosystem::Adapter;
use crate::fingerprint::{self, Fingerprint};
use crate::render::Origin;
use crate::resolve::{From, Resolved};
use crate::tree::Place;
use crate::worker::{Job, Source};
use crate::{Ecosystem, Error, Extraction, Progress, Update, Wanted, git, kept};

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

    /// Unpacks and extracts, with the packages that complete the picture.
    pub(super) async fn read(
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
        if is_new {
            // Whoever asks needs it next, and there is time while what was found is put away.
            let read = Arc::clone(&read);
            stored.spawn_blocking(move || {
                read.index();
            });
        }
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
