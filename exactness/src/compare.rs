//! Holds the extraction of an installed package against its reference: which public names we have,
//! which we have that are not there, and which signatures are the same.

use std::path::{Path, PathBuf};

use docent_packages::{Ecosystem, Engine, Environment, Item, Kind, PackageRef, Progress, Target};

use crate::installed::Folder;
use crate::names::{Names, is_name};
use crate::reference::{Reference, Row};
use crate::{report, signature};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// `npm`, `python`, `go` or `rust`
    ecosystem: String,
    /// The project that has the packages installed
    #[arg(long)]
    project: PathBuf,
    /// The virtual environment that it uses
    #[arg(long)]
    environment: Option<PathBuf>,
    /// The folder of reference files; the name of each is that of its package, with `+` for `/`
    #[arg(long)]
    references: PathBuf,
    /// Extract without the engine: where packages are and how they are read is left out
    #[arg(long)]
    direct: bool,
    /// Only this package
    #[arg(long)]
    only: Option<String>,
    /// List what differs in this package
    #[arg(long)]
    missing: Option<String>,
}

/// How one package compares.
#[derive(Default)]
pub(crate) struct Comparison {
    pub(crate) package: String,
    pub(crate) version: String,
    pub(crate) modules: usize,
    pub(crate) names: usize,
    pub(crate) missing: Vec<Missing>,
    /// Names of ours in modules that the reference knows, and those among them that it does not know.
    pub(crate) ours: usize,
    pub(crate) extra: Vec<(String, String, Kind)>,
    pub(crate) signatures: usize,
    pub(crate) different: Vec<Different>,
    pub(crate) error: Option<String>,
}

/// A public name that we do not have.
pub(crate) struct Missing {
    pub(crate) name: String,
    pub(crate) kind: String,
    /// Whether we have what it belongs to.
    pub(crate) has_parent: bool,
}

/// A signature that is not the one it should be.
pub(crate) struct Different {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) ours: String,
    pub(crate) right: String,
}

pub(crate) async fn run(arguments: &Arguments) -> Result<bool, String> {
    let ecosystem = Ecosystem::named(&arguments.ecosystem)
        .ok_or_else(|| format!("`{}` is not an ecosystem", arguments.ecosystem))?;
    let project = arguments.project.canonicalize();
    let project = project.map_err(|error| format!("{}: {error}", arguments.project.display()))?;
    let installed = Folder::of(ecosystem, &project, arguments.environment.as_deref());
    let cache = std::env::temp_dir().join(format!("docent-exactness-{}", std::process::id()));
    let mut environment = Environment::of_process().in_directory(&project);
    if let Some(folder) = &arguments.environment {
        environment = environment.with("VIRTUAL_ENV", &folder.to_string_lossy());
    }
    let engine = Engine::builder().environment(environment).cache(&cache).offline(true).build();
    let engine = engine.map_err(|error| error.to_string())?;
    let mut comparisons = Vec::new();
    for (package, file) in packages(&arguments.references)? {
        let chosen = arguments.only.as_ref().or(arguments.missing.as_ref());
        if chosen.is_some_and(|chosen| !chosen.eq_ignore_ascii_case(&package)) {
            continue;
        }
        let reference = Reference::read(&file)?;
        let comparison = if arguments.direct {
            let loaded = installed.as_ref().and_then(|folder| folder.load(&package));
            loaded.map_or_else(
                || failed("not installed"),
                |(_, extraction)| compare(ecosystem, &reference, &Names::new(&extraction)),
            )
        } else {
            let target = Target::new(PackageRef::new(ecosystem, &package, None));
            let target = target.in_project(&project);
            match engine.load(&target, &Progress::default()).await {
                Ok(loaded) => Comparison {
                    version: loaded.receipt().version.clone(),
                    ..compare(ecosystem, &reference, &Names::new(loaded.extraction()))
                },
                Err(error) => failed(&error.to_string()),
            }
        };
        comparisons.push(Comparison { package, ..comparison });
    }
    // What is left of it is in the way of nobody.
    let _ = std::fs::remove_dir_all(&cache);
    if comparisons.is_empty() {
        return Err("no package of that name has a reference".to_owned());
    }
    report::table(&comparisons);
    if arguments.missing.is_some() {
        comparisons.iter().for_each(report::differences);
    }
    Ok(comparisons.iter().all(|comparison| comparison.error.is_none()))
}

fn failed(reason: &str) -> Comparison {
    Comparison { error: Some(reason.to_owned()), ..Comparison::default() }
}

fn packages(folder: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.map_err(|error| format!("{}: {error}", folder.display()))?;
    let files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut found: Vec<(String, PathBuf)> = files
        .filter(|file| file.extension().is_some_and(|ending| ending == "jsonl"))
        .filter_map(|file| Some((file.file_stem()?.to_str()?.replace('+', "/"), file)))
        .collect();
    found.sort();
    Ok(found)
}

fn compare(ecosystem: Ecosystem, reference: &Reference, names: &Names<'_>) -> Comparison {
    let mut comparison = Comparison { modules: reference.modules.len(), ..Comparison::default() };
    for row in reference.rows.iter().filter(|row| row.required) {
        comparison.names += 1;
        let paths = row.paths();
        let found: Vec<_> = paths
            .iter()
            .map(|path| names.find(&row.module, path))
            .find(|found| !found.is_empty())
            .unwrap_or_default();
        if found.is_empty() {
            let parent = row.path.rsplit_once('.').map(|(parent, _)| parent);
            let has_parent =
                parent.is_some_and(|parent| !names.find(&row.module, parent).is_empty());
            let name = format!("{} {}", row.module, row.path);
            comparison.missing.push(Missing { name, kind: row.kind.clone(), has_parent });
            continue;
        }
        let ours: Vec<&str> = found.iter().map(|item| item.signature.as_str()).collect();
        let same = match (&row.signatures[..], &row.parameters) {
            ([], None) => continue,
            ([], Some(parameters)) => signature::has_parameters(&ours, parameters),
            (right, _) => {
                signature::same(ecosystem, &ours, right)
                    || found.iter().any(|item| is_same_elsewhere(ecosystem, item, names, right))
            }
        };
        comparison.signatures += 1;
        if !same {
            comparison.different.push(Different {
                name: format!("{} {}", row.module, row.path),
                kind: row.kind.clone(),
                ours: ours.join("\n"),
                right: right(row),
            });
        }
    }
    for (at, item) in names.items.iter().enumerate() {
        if !is_name(item) || names.is_local(at) || !reference.modules.contains(item.module.as_str())
        {
            continue;
        }
        let is_known = names.of[at].iter().any(|(module, path)| reference.has(module, path));
        // Python has no way to tell which attributes an instance gets; the source has.
        let is_beyond = ecosystem == Ecosystem::Python && item.kind == Kind::Property;
        // Nor does it say what the objects have that attributes hand out.
        let owner = item.parent.and_then(|parent| names.items.get(parent as usize));
        let is_beyond = is_beyond || owner.is_some_and(|owner| owner.kind == Kind::Property);
        // What Go's types have from others is theirs, though `go doc` lists it only there.
        let is_beyond = is_beyond || ecosystem == Ecosystem::Go && item.inherited.is_some();
        if !is_known && is_beyond {
            continue;
        }
        comparison.ours += 1;
        if !is_known {
            comparison.extra.push((item.module.to_string(), item.path.clone(), item.kind));
        }
    }
    comparison
}

/// Whether an item is written in another crate, and right for that.
fn is_same_elsewhere(
    ecosystem: Ecosystem,
    item: &Item,
    names: &Names<'_>,
    right: &[String],
) -> bool {
    let is_elsewhere = item.file.split_once(':').is_some_and(|(package, _)| package.contains('@'));
    if ecosystem != Ecosystem::Rust || !is_elsewhere {
        return false;
    }
    let owner = item.parent.and_then(|parent| names.items.get(parent as usize));
    let owner = owner.map(|owner| owner.signature.as_str());
    signature::same_inlined(&item.signature, owner, right)
}

fn right(row: &Row) -> String {
    match &row.parameters {
        Some(parameters) if row.signatures.is_empty() => {
            format!("parameters {}", parameters.join(", "))
        }
        _ => row.signatures.first().cloned().unwrap_or_default(),
    }
}
