//! Tells listeners when the project's dependencies change.
//!
//! The folders that may hold a manifest or a lockfile of the project are watched. When one of those
//! files changes, the dependencies are read again: documents of versions that are gone have changed
//! for whoever subscribed to them, and the list of resources is that of the new versions.

use std::path::{Path, PathBuf};
use std::time::Duration;

use docent_mcp::server::Server;
use docent_packages::{PackageRef, decides_versions};
use notify::{RecursiveMode, Watcher as _};
use tokio::sync::mpsc;

use super::{Desk, FirstLook, resources};

/// Package managers write several files in a row; one look after the last is enough.
const QUIET: Duration = Duration::from_millis(300);

/// How far up a project's manifests and lockfiles are looked for.
const FOLDERS_MAX: usize = 8;

/// A project that is being watched; dropping it ends that.
pub(crate) struct Watch {
    /// Nothing where this system cannot watch folders: everything else works without it.
    _watcher: Option<notify::RecommendedWatcher>,
    task: tokio::task::JoinHandle<()>,
}

impl Watch {
    /// Looks at a project, and watches it from then on, on behalf of a server.
    pub(crate) fn start(server: Server, desk: Desk, first_look: FirstLook) -> Self {
        let (changed, changes) = mpsc::channel(1);
        let watcher = watcher(&desk.project, changed);
        let task = tokio::spawn(follow(server, desk, first_look, changes));
        Self { _watcher: watcher, task }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn watcher(project: &Path, changed: mpsc::Sender<()>) -> Option<notify::RecommendedWatcher> {
    let noticed = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        let decides = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.and_then(decides_versions).is_some()
        };
        if !event.kind.is_access() && event.paths.iter().any(decides) {
            // A change that waits already stands for this one, too.
            let _ = changed.try_send(());
        }
    };
    let mut watcher = notify::recommended_watcher(noticed).ok()?;
    for folder in folders(project) {
        let _ = watcher.watch(&folder, RecursiveMode::NonRecursive);
    }
    Some(watcher)
}

/// The folders of a project that may hold what decides its versions.
fn folders(project: &Path) -> Vec<PathBuf> {
    let upward = project.ancestors().take(FOLDERS_MAX).map(Path::to_owned);
    let installed = std::iter::once(project.join("node_modules"));
    upward.chain(installed).filter(|folder| folder.is_dir()).collect()
}

async fn follow(
    server: Server,
    desk: Desk,
    first_look: FirstLook,
    mut changes: mpsc::Receiver<()>,
) {
    let mut known: Option<Vec<PackageRef>> = None;
    let mut first_look = Some(first_look);
    loop {
        let (looking, before) = (desk.clone(), known.clone());
        let telling = server.clone();
        // Reading lockfiles and looking at folders is no work for an asynchronous task.
        let looked = tokio::task::spawn_blocking(move || {
            let now = resources::dependencies(&looking);
            match before {
                // Nobody has seen anything yet that could have changed.
                None => offer(&telling, &looking, now.iter()),
                Some(before) => announce(&telling, &looking, &before, &now),
            }
            now
        });
        let Ok(now) = looked.await else { return };
        known = Some(now);
        if let Some(first_look) = first_look.take() {
            first_look.done();
        }
        if changes.recv().await.is_none() {
            return;
        }
        // Waits until nothing has changed for a moment.
        while let Ok(Some(())) = tokio::time::timeout(QUIET, changes.recv()).await {}
    }
}

/// Lists the documents of packages.
fn offer<'a>(server: &Server, desk: &Desk, packages: impl Iterator<Item = &'a PackageRef>) {
    for package in packages {
        // The only failure is an address that is taken, which says the same.
        let _ = server.add_resource(resources::document(desk, package));
    }
}

fn announce(server: &Server, desk: &Desk, before: &[PackageRef], now: &[PackageRef]) {
    if before == now {
        return;
    }
    let gone = before.iter().filter(|package| !now.contains(package));
    let new = now.iter().filter(|package| !before.contains(package));
    for package in gone.clone() {
        server.remove_resource(&resources::overview(package));
    }
    offer(server, desk, new.clone());
    // Whoever hears of a change may ask at once, so everything is in its place by now.
    for package in gone.chain(new) {
        server.resource_updated(resources::overview(package));
    }
    server.resource_updated(resources::PROJECT);
}
