//! The project around a folder: its `go.mod`, or the modules of its `go.work`.

use std::path::{Path, PathBuf};

use super::module_file::{self, Instead, ModuleFile};
use super::name::is_within;
use super::settings::Settings;
use super::version;
use crate::ecosystem::python::files::Files;

/// Folders that are looked through upward.
const FOLDERS_MAX: usize = 64;

/// Modules of one workspace.
const MODULES_MAX: usize = 500;

/// A project.
#[derive(Debug, Default)]
pub(super) struct Project {
    /// The modules that are worked on.
    pub(super) modules: Vec<Module>,
    /// The `go.work`, if there is one.
    pub(super) workspace: Option<(PathBuf, ModuleFile)>,
}

/// A module that is worked on.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) folder: PathBuf,
    pub(super) file: ModuleFile,
}

/// A version that the project requires of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Selected {
    pub(super) module: String,
    pub(super) version: String,
    /// The `go.mod` that says so.
    pub(super) file: PathBuf,
    pub(super) direct: bool,
}

impl Project {
    pub(super) fn find(folder: &Path, settings: &Settings<'_>, files: &Files<'_>) -> Self {
        let upward = || folder.ancestors().take(FOLDERS_MAX);
        let workspace = match settings.get("GOWORK") {
            Some("off") => None,
            Some(file) => Some(PathBuf::from(file)),
            None => upward().map(|folder| folder.join("go.work")).find(|file| file.is_file()),
        };
        let workspace = workspace.and_then(|file| {
            let parsed = module_file::parse(&files.text(&file)?);
            Some((file, parsed))
        });
        let own = upward().find(|folder| folder.join("go.mod").is_file());
        let mut folders: Vec<PathBuf> = own.into_iter().map(Path::to_owned).collect();
        if let Some((file, parsed)) = &workspace {
            let base = file.parent().unwrap_or(Path::new("/"));
            let members =
                parsed.using.iter().take(MODULES_MAX).map(|folder| normal(&base.join(folder)));
            for member in members {
                if !folders.contains(&member) {
                    folders.push(member);
                }
            }
        }
        let modules = folders.into_iter().filter_map(|folder| {
            let file = module_file::parse(&files.text(&folder.join("go.mod"))?);
            Some(Module { folder, file })
        });
        Self { modules: modules.collect(), workspace }
    }

    /// The module that is worked on and holds a package.
    pub(super) fn own(&self, path: &str) -> Option<(&Module, &str)> {
        let named =
            self.modules.iter().filter_map(|module| Some((module, module.file.module.as_deref()?)));
        let holding = named.filter(|(_, module)| is_within(path, module));
        holding.max_by_key(|(_, module)| module.len())
    }

    /// Everything that is required, each module once at its highest version, in the order written.
    pub(super) fn selected(&self) -> Vec<Selected> {
        let mut all: Vec<Selected> = Vec::new();
        for module in &self.modules {
            for require in &module.file.require {
                let file = module.folder.join("go.mod");
                let found = Selected {
                    module: require.path.clone(),
                    version: require.version.clone(),
                    file,
                    direct: !require.indirect,
                };
                match all.iter_mut().find(|one| one.module == found.module) {
                    Some(known) => {
                        let direct = known.direct || found.direct;
                        if version::order(&known.version, &found.version).is_lt() {
                            *known = found;
                        }
                        known.direct = direct;
                    }
                    None => all.push(found),
                }
            }
        }
        all
    }

    /// What stands in for a module at a version, and the folder that relative paths begin at.
    pub(super) fn replaced(&self, module: &str, version: &str) -> Option<(&Path, &Instead)> {
        let workspace =
            self.workspace.iter().filter_map(|(file, parsed)| Some((file.parent()?, parsed)));
        let modules = self.modules.iter().map(|module| (module.folder.as_path(), &module.file));
        workspace
            .chain(modules)
            .find_map(|(folder, parsed)| Some((folder, parsed.replaced(module, version)?)))
    }

    /// Modules that are replaced without being required: a workspace may do so.
    pub(super) fn replaced_modules(&self) -> impl Iterator<Item = &str> {
        let workspace = self.workspace.iter().map(|(_, parsed)| parsed);
        let files = workspace.chain(self.modules.iter().map(|module| &module.file));
        files.flat_map(|file| file.replace.iter().map(|one| one.path.as_str()))
    }

    /// The folders that may hold a `vendor` folder, and those with `go.sum`.
    pub(super) fn roots(&self) -> Vec<&Path> {
        let workspace = self.workspace.iter().filter_map(|(file, _)| file.parent());
        let modules = self.modules.iter().map(|module| module.folder.as_path());
        let mut roots: Vec<&Path> = workspace.chain(modules).collect();
        roots.dedup();
        roots
    }

    /// The version of Go that the project asks for: `go1.22.1`.
    pub(super) fn toolchain(&self) -> Option<String> {
        let files = self.workspace.iter().map(|(_, file)| file);
        let mut files = files.chain(self.modules.iter().map(|module| &module.file));
        files.find_map(|file| {
            let named = file.toolchain.clone().filter(|name| name != "default");
            named.or_else(|| file.go.as_ref().map(|version| format!("go{version}")))
        })
    }
}

/// A path without `.` and `..`, so that it can be compared.
pub(super) fn normal(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::{Environment, Limits};

    fn project(folder: &Folder, inside: &str) -> Project {
        let environment = Environment::isolated(folder.path());
        let limits = Limits::default();
        let files = Files::new(&limits);
        let settings = Settings::read(&environment, &files);
        Project::find(&normal(&folder.path().join(inside)), &settings, &files)
    }

    #[test]
    fn a_workspace_has_all_its_modules() {
        let folder = Folder::new();
        folder.write("go.work", "go 1.22\nuse (\n\t./a\n\t./b\n)\nreplace m.example/x => ./x\n");
        folder.write("a/go.mod", "module m.example/a\nrequire m.example/x v1.2.0\n");
        folder.write("a/sub/x.go", "package sub\n");
        folder.write("b/go.mod", "module m.example/a/b\nrequire (\n\tm.example/x v1.10.0 // indirect\n\tm.example/y v1.0.0\n)\n");
        let project = project(&folder, "a/sub");
        assert_eq!(project.own("m.example/a/b/c").unwrap().1, "m.example/a/b");
        assert_eq!(project.own("m.example/a/c").unwrap().1, "m.example/a");
        assert!(project.own("m.example/ab").is_none());
        let selected: Vec<String> = project
            .selected()
            .iter()
            .map(|one| format!("{} {} {}", one.module, one.version, one.direct))
            .collect();
        assert_eq!(
            selected,
            [
                "m.example/x v1.10.0 true",
                "m.example/y v1.0.0 false".replace("false", "true").as_str()
            ]
        );
        let (base, by) = project.replaced("m.example/x", "v1.10.0").unwrap();
        assert_eq!(
            (base, by),
            (normal(folder.path()).as_path(), &Instead::Folder("./x".to_owned()))
        );
        assert_eq!(project.toolchain().as_deref(), Some("go1.22"));
    }

    #[test]
    fn nothing_is_no_project() {
        let folder = Folder::new();
        assert!(project(&folder, "").modules.is_empty());
    }
}
