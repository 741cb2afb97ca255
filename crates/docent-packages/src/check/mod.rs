//! Whether code uses what the installed versions of its packages have.
//!
//! In reading order: `code` (what to check) → [`language`] finds the `uses` in it → the packages that
//! it imports are loaded, as for any other question → `judge` follows each use through `known`, a
//! package as extraction vouches for it → `found`, with what `suggest` makes of names that are not
//! there. `augment` and `ours` look for files that add to a package's types, `traits` and
//! `standard` say what traits do. What is not certain is no
//! finding, and is counted as unknown with the reason.

mod augment;
mod code;
mod found;
mod judge;
pub(crate) mod known;
pub(crate) mod language;
mod lines;
mod ours;
mod report;
mod standard;
mod suggest;
mod traits;
pub(crate) mod uses;

#[cfg(test)]
mod tests;

use std::cell::{LazyCell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use code::{CodeToCheck, Language};
pub use found::{
    Checked, CheckedPackage, Finding, FindingKind, Position, Suggestion, Unknown, UnknownUse, Why,
};
use judge::{Imported, Judge};
use known::Known;
use traits::Traits;
use uses::Uses;

use crate::ecosystem::{self, Locked, Survey};
use crate::engine::{Loaded, blocking};
use crate::hashing::{HashMap, HashSet};
use crate::tree::Place;
use crate::{Ecosystem, Engine, Error, PackageRef, Progress, Target};

/// Modules that one text may import.
const MODULES_MAX: usize = 256;

/// How often packages are loaded whose types those have that were loaded before.
const ROUNDS: usize = 4;

impl Engine {
    /// Checks code against the packages that its project has installed or locked.
    ///
    /// # Errors
    /// If the project's folder cannot be read. What goes wrong with a package or with the code makes
    /// uses unknown.
    pub async fn check(
        &self,
        code: &CodeToCheck,
        project: Option<&Path>,
        progress: &Progress,
    ) -> Result<Checked, Error> {
        let ecosystem = code.language.ecosystem();
        let target = Target {
            package: PackageRef::new(ecosystem, "", None),
            project: project.map(Path::to_owned),
        };
        let project = self.project(&target)?;
        let project = match code.language {
            Language::Rust => member_of(code, project),
            _ => project,
        };
        let uses = self.uses(code).await;
        let mut modules: Vec<String> = uses.uses.iter().map(|one| one.module.clone()).collect();
        modules.sort_unstable();
        modules.dedup();
        let mut loaded: HashMap<String, Result<Loaded, Why>> = HashMap::default();
        let dependencies = self.dependencies(ecosystem, &project);
        let dependencies: Vec<String> = dependencies
            .into_iter()
            .filter(|(_, direct)| *direct)
            .map(|(package, _)| package.name)
            .collect();
        let shared = Arc::new((code.clone(), uses, project.clone(), dependencies));
        let mut round = 0;
        loop {
            // In their order, and what a crate passes on right behind it.
            modules.reverse();
            while let Some(module) = modules.pop() {
                if loaded.contains_key(&module) || is_of_project(code, &project, &module) {
                    continue;
                }
                let found = if loaded.len() < MODULES_MAX {
                    self.imported(ecosystem, &project, &module, progress).await
                } else {
                    Some(Err(Why::NotRead))
                };
                if let (Some(Ok(package)), Ecosystem::Rust) = (&found, ecosystem) {
                    modules.extend(passed_on(package, &shared.1));
                }
                loaded.extend(found.map(|found| (module, found)));
            }
            let (shared, all) = (Arc::clone(&shared), loaded.clone());
            let (checked, mut wanted) = blocking(move || {
                let (code, uses, project, dependencies) = &*shared;
                judge(code, uses, &all, project, dependencies)
            })
            .await;
            wanted.retain(|module| !loaded.contains_key(module));
            round += 1;
            if wanted.is_empty() || round >= ROUNDS {
                return Ok(checked);
            }
            modules = wanted;
        }
    }

    /// What a text uses. Its parser may not take this process along, whatever the text is.
    async fn uses(&self, code: &CodeToCheck) -> Uses {
        let (text, language) = (code.text.clone(), code.language);
        let limits = self.limits().clone();
        self.workers().find_uses(text, language, limits).await
    }

    /// The package that a module is in, if the project has it; nothing if it is the project itself.
    async fn imported(
        &self,
        ecosystem: Ecosystem,
        project: &Path,
        module: &str,
        progress: &Progress,
    ) -> Option<Result<Loaded, Why>> {
        let adapter = ecosystem::of(ecosystem);
        let Ok(name) = adapter.name(module) else { return Some(Err(Why::NotInstalled)) };
        let Survey { installed, locked, requirement, .. } =
            adapter.survey(&name, &self.context(project));
        if installed.is_empty() && locked.is_empty() && requirement.is_none() {
            return Some(Err(Why::NotInstalled));
        }
        let is_around = |place: &Place| matches!(place, Place::Folder { root, .. } if project.starts_with(root));
        if installed.first().is_some_and(|copy| is_around(&copy.place)) {
            return None;
        }
        // Of several versions that nobody asked for by name, none is the one that counts.
        let is_other = |other: &Locked| locked.iter().any(|one| one.version != other.version);
        if ecosystem == Ecosystem::Rust && requirement.is_none() && locked.iter().any(is_other) {
            return Some(Err(Why::NotInstalled));
        }
        let target = Target {
            package: PackageRef::new(ecosystem, module, None),
            project: Some(project.to_owned()),
        };
        Some(self.load(&target, progress).await.map_err(|_| Why::NotRead))
    }
}

/// The crates that a crate exports as a whole, as far as code uses them through it.
fn passed_on(package: &Loaded, uses: &Uses) -> Vec<String> {
    let exported = package.extraction().items.iter().filter_map(|item| {
        let is_used = |one: &uses::Use| {
            let mut steps = one.steps.iter();
            steps.any(|step| matches!(step, uses::Step::Name { name, .. } if *name == item.path))
        };
        let name = known::exported_crate(item)?;
        uses.uses.iter().any(is_used).then(|| name.to_owned())
    });
    exported.collect()
}

/// The folder of the file that the code is in: in a workspace, its own package counts.
fn member_of(code: &CodeToCheck, project: PathBuf) -> PathBuf {
    let folder = project.join(&code.file).parent().and_then(|folder| folder.canonicalize().ok());
    folder.filter(|folder| folder.starts_with(&project)).unwrap_or(project)
}

/// Whether a Python import leads to a file of the project, which comes before what is installed.
fn is_of_project(code: &CodeToCheck, project: &Path, module: &str) -> bool {
    if code.language != Language::Python {
        return false;
    }
    let top = module.split('.').next().unwrap_or(module);
    let beside = Path::new(&code.file).parent().map(|folder| project.join(folder));
    let folders = [Some(project.to_owned()), Some(project.join("src")), beside];
    let is_here = |folder: PathBuf| {
        folder.join(format!("{top}.py")).is_file() || folder.join(top).join("__init__.py").is_file()
    };
    folders.into_iter().flatten().any(is_here)
}

fn judge(
    code: &CodeToCheck,
    uses: &Uses,
    loaded: &HashMap<String, Result<Loaded, Why>>,
    project: &Path,
    dependencies: &[String],
) -> (Checked, Vec<String>) {
    // One package may have several of the modules.
    let mut known: Vec<Known> = Vec::new();
    for package in loaded.values().flatten() {
        if !known.iter().any(|known| known.loaded.is_same(package)) {
            known.push(Known::new(package.clone()));
        }
    }
    let imported: HashMap<String, Imported<'_>> = loaded
        .iter()
        .map(|(module, package)| {
            let found = package.as_ref().map_err(|why| *why).and_then(|package| {
                let mut known = known.iter();
                let known =
                    known.find(|known| known.loaded.is_same(package)).ok_or(Why::NotRead)?;
                let name = match code.language {
                    Language::Python => module.as_str(),
                    Language::Rust => known.root().unwrap_or(module),
                    _ => package.module().unwrap_or(module),
                };
                Ok((known, name.to_owned()))
            });
            (module.clone(), found)
        })
        .collect();
    let answers: RefCell<HashMap<String, bool>> = RefCell::default();
    let declared = LazyCell::new(|| augment::declared(project));
    let is_augmented = |package: &str| {
        *answers.borrow_mut().entry(package.to_owned()).or_insert_with(|| match code.language {
            Language::Swift => augment::declares(declared.as_ref(), package),
            Language::Rust => ours::has_function(project, &code.text, package),
            _ => augment::is_augmented(project, package, dependencies),
        })
    };
    let traits = match code.language {
        Language::Rust => Traits::of(uses, &imported),
        _ => Traits::default(),
    };
    let wanted: RefCell<HashSet<String>> = RefCell::default();
    let is_augmented = &is_augmented;
    let judge = Judge { code, uses, imported: &imported, is_augmented, wanted: &wanted, traits };
    let checked = judge.judge();
    let mut wanted: Vec<String> = wanted.into_inner().into_iter().collect();
    wanted.sort_unstable();
    (checked, wanted)
}

/// The findings of several files, told apart by what they are called.
impl Checked {
    /// Adds the outcome of another file.
    pub fn merge(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.confirmed += other.confirmed;
        for unknown in other.unknown {
            match self.unknown.iter_mut().find(|known| known.reason == unknown.reason) {
                Some(known) => {
                    known.count += unknown.count;
                    known.examples.extend(unknown.examples);
                    known.examples.truncate(judge::EXAMPLES_MAX);
                }
                None => self.unknown.push(unknown),
            }
        }
        self.unknown.sort_by_key(|unknown| unknown.reason);
        for package in other.packages {
            match self.packages.iter_mut().find(|known| known.package == package.package) {
                Some(known) => {
                    let known_modules: HashSet<String> = known.modules.iter().cloned().collect();
                    let fresh = package.modules.into_iter();
                    known.modules.extend(fresh.filter(|module| !known_modules.contains(module)));
                }
                None => self.packages.push(package),
            }
        }
    }
}
