//! Questions to all packages of a project at once.
//!
//! The engine looks through what has been read. What the project's own manifests name is read first,
//! once, so that the first question of an agent finds something; the rest is for `docent index`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use docent_packages::{Answer, Ecosystem, Engine, Error, PackageRef, Progress, Style, Target};
use tokio::task::JoinSet;

/// Packages that are read for one question.
const READ_MAX: usize = 40;
/// How long a question waits for them.
const PATIENCE: Duration = Duration::from_secs(20);

/// What was read for such questions, or could not be.
#[derive(Default)]
pub(crate) struct Everywhere {
    tried: Mutex<HashSet<(PathBuf, String)>>,
}

impl Everywhere {
    pub(crate) async fn search(
        &self,
        engine: &Engine,
        project: &Path,
        query: &str,
        style: &Style,
    ) -> Result<Answer, Error> {
        let folders = [project.to_owned()];
        let unread = engine.ready_project(&folders).await?.unread;
        let wanted = self.wanted(engine, project, unread);
        // What takes too long is read when somebody asks for it alone.
        let _ = tokio::time::timeout(PATIENCE, read(engine, project, wanted, style)).await;
        engine.search_project(&folders, query, style).await
    }

    /// The direct dependencies among the unread packages that nobody has tried to read yet.
    fn wanted(&self, engine: &Engine, project: &Path, unread: Vec<PackageRef>) -> Vec<PackageRef> {
        if unread.is_empty() {
            return Vec::new();
        }
        let direct: HashSet<(Ecosystem, String)> = Ecosystem::all()
            .flat_map(|ecosystem| engine.dependencies(ecosystem, project))
            .filter(|(_, direct)| *direct)
            .map(|(package, _)| (package.ecosystem, package.name))
            .collect();
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        let is_direct = |it: &PackageRef| direct.contains(&(it.ecosystem, it.name.clone()));
        let new = unread.into_iter().filter(is_direct);
        new.filter(|package| tried.insert((project.to_owned(), package.to_string())))
            .take(READ_MAX)
            .collect()
    }
}

/// Reads packages, a few at a time: the engine has as many workers as it wants to have.
async fn read(engine: &Engine, project: &Path, wanted: Vec<PackageRef>, style: &Style) {
    let mut reading = JoinSet::new();
    for package in wanted {
        let target = Target { package, project: Some(project.to_owned()) };
        let (engine, progress): (Engine, Progress) = (engine.clone(), style.progress.clone());
        // One that cannot be read is among those that the answer counts as unread.
        reading.spawn(async move { engine.load(&target, &progress).await.is_ok() });
    }
    while reading.join_next().await.is_some() {}
}
