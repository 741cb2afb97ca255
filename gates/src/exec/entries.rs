//! Every public way into the engine that takes a name, a version or a symbol.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::OnceLock;

use docent_packages::extract::{Input, Package, extract};
use docent_packages::worker::{Isolation, Job, Source, Workers};
use docent_packages::{
    Ecosystem, Engine, Environment, Limits, PackageRef, Place, Style, Target, Tree,
};

use super::names;
use crate::Result;

type Entered = Pin<Box<dyn Future<Output = ()>>>;

/// A way in: gets one hostile name and the folder of a project.
struct Entry {
    name: &'static str,
    enter: fn(String, PathBuf) -> Entered,
}

/// All ways in. A new public function that takes such text gets a line here.
fn entries() -> Vec<Entry> {
    vec![
        Entry { name: "reference", enter: |name, _| Box::pin(async move { reference(&name) }) },
        Entry {
            name: "environment",
            enter: |name, project| Box::pin(async move { environment(&name, &project) }),
        },
        Entry { name: "extraction", enter: |name, _| Box::pin(async move { extraction(&name) }) },
        Entry { name: "engine", enter: |name, project| Box::pin(engine(name, project)) },
        Entry { name: "worker", enter: |name, project| Box::pin(worker(name, project)) },
    ]
}

pub(crate) fn run(words: &[String]) -> Result<()> {
    let project = PathBuf::from(words.first().ok_or("a folder is missing")?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        for entry in entries() {
            for name in names::all() {
                (entry.enter)(name, project.clone()).await;
            }
            println!("{}: all names are in", entry.name);
        }
    });
    Ok(())
}

/// A name in each place of a reference. Whether it is taken or refused does not matter here.
fn reference(name: &str) {
    for text in ["npm:", "pypi:", "go:", "cargo:", "swift:", "npm:x@", ""]
        .map(|begin| format!("{begin}{name}"))
    {
        let _ = text.parse::<PackageRef>().map(|reference| reference.to_string());
    }
    let _ = PackageRef::new(Ecosystem::Python, name, Some(name)).to_string();
}

fn environment(name: &str, project: &Path) {
    let environment = Environment::isolated(project).with("PATH", "/usr/bin");
    let _ = (environment.program(name), environment.variable(name));
}

fn extraction(name: &str) {
    let manifest =
        serde_json::json!({ "name": name, "version": name, "main": name, "types": name });
    let tree = Tree::in_memory([("package.json", manifest.to_string())]);
    let package = Package { name: name.to_owned(), version: name.to_owned(), tree };
    let limits = Limits::default();
    for ecosystem in Ecosystem::all() {
        let _ = extract(ecosystem, &Input::new(&package, &[], &limits));
    }
}

/// A name as package, as version, as symbol and as question. The engine is one for all names, as in
/// a server, so that what it asks the ecosystems' tools is asked once.
async fn engine(name: String, project: PathBuf) {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| {
        let builder = Engine::builder().isolation(Isolation::default());
        builder.cache(project.join("cache")).build().expect("a cache folder")
    });
    let style = Style::default();
    for ecosystem in Ecosystem::all() {
        let target = |package: &str, version: Option<&str>| {
            Target::new(PackageRef::new(ecosystem, package, version)).in_project(&project)
        };
        let _ = engine.describe(&target(&name, None), Some(&name), &style).await;
        let _ = engine.describe(&target("known", Some(&name)), None, &style).await;
        let _ = engine.search(&[target("known", None)], &name, &style).await;
        let nowhere = Target::new(PackageRef::new(ecosystem, "known", None)).in_project(&name);
        let _ = engine.describe(&nowhere, None, &style).await;
    }
}

async fn worker(name: String, project: PathBuf) {
    let limits = Limits::default();
    let workers = Workers::new(Isolation::default(), &limits);
    let place = Place::Folder { root: project.join(name.replace(['/', '\0'], "_")), files: None };
    let package = Source { name: name.clone(), version: name, place };
    let job = Job {
        ecosystem: Ecosystem::Npm,
        package,
        part: None,
        companions: Vec::new(),
        reach: Vec::new(),
        limits,
    };
    let _ = workers.run(job).await;
}
