//! Xcode's projects and workspaces: which packages they name, and where Xcode keeps them.

use std::path::{Path, PathBuf};

use super::project::{Project, names};
use crate::Environment;
use crate::ecosystem::python::files::Files;
use crate::extract::swift::manifest::Source;

/// A project or workspace.
#[derive(Debug, Default)]
pub(super) struct Xcode {
    /// The folder that Xcode shows as a file: `App.xcodeproj`.
    pub(super) container: PathBuf,
    /// Packages by address, with their ranges and the file that says so.
    pub(super) references: Vec<(Source, Option<String>, PathBuf)>,
    /// Packages by path.
    pub(super) locals: Vec<PathBuf>,
}

/// Whether a name is one of a project or workspace.
pub(super) fn is_container(name: &str) -> bool {
    name.ends_with(".xcodeproj") || name.ends_with(".xcworkspace")
}

pub(super) fn read(container: &Path, files: &Files<'_>) -> Option<Xcode> {
    let folder = container.parent()?;
    let mut found = Xcode { container: container.to_owned(), ..Xcode::default() };
    let file = container.join("project.pbxproj");
    if let Some(text) = files.text(&file) {
        for block in blocks(&text) {
            let value = |key: &str| {
                let row = block.iter().find(|(name, _)| name == key);
                row.map(|(_, value)| value.clone())
            };
            if let Some(url) = value("repositoryURL") {
                found.references.push((Source::Url(url), requirement(&value), file.clone()));
            } else if let Some(path) = value("relativePath") {
                found.locals.push(folder.join(path));
            }
        }
    }
    if let Some(text) = files.text(&container.join("contents.xcworkspacedata")) {
        let places = text.split("location").skip(1).filter_map(|rest| {
            let value = rest.split('"').nth(1)?;
            value.strip_prefix("group:").or_else(|| value.strip_prefix("container:"))
        });
        found
            .locals
            .extend(places.filter(|place| !is_container(place)).map(|place| folder.join(place)));
    }
    Some(found)
}

/// The keys and values of all references to packages.
fn blocks(text: &str) -> Vec<Vec<(String, String)>> {
    let mut found: Vec<Vec<(String, String)>> = Vec::new();
    // Braces that are open since the reference began.
    let mut open: Option<usize> = None;
    for line in text.lines().map(str::trim) {
        if matches!(
            line,
            "isa = XCRemoteSwiftPackageReference;" | "isa = XCLocalSwiftPackageReference;"
        ) {
            found.push(Vec::new());
            open = Some(0);
            continue;
        }
        let (Some(depth), Some(block)) = (open, found.last_mut()) else { continue };
        if line.ends_with('{') {
            open = Some(depth + 1);
        } else if line.starts_with('}') {
            open = depth.checked_sub(1);
        } else if let Some((key, value)) = line.split_once(" = ") {
            let value = value.trim_end_matches(';').trim_matches('"');
            block.push((key.to_owned(), value.to_owned()));
        }
    }
    found
}

fn requirement(value: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let low = value("minimumVersion");
    Some(match value("kind")?.as_str() {
        "upToNextMajorVersion" => format!("^{}", low?),
        "upToNextMinorVersion" => format!("~{}", low?),
        "versionRange" => format!("{}..<{}", low?, value("maximumVersion")?),
        "exactVersion" => value("version")?,
        "branch" => format!("branch:{}", value("branch")?),
        "revision" => format!("revision:{}", value("revision")?),
        _ => return None,
    })
}

/// The folders that Xcode has put the project's packages in.
pub(super) fn containers(
    project: &Project,
    environment: &Environment,
    files: &Files<'_>,
) -> Vec<PathBuf> {
    // Where command-line builds are often told to put them.
    let beside = project.folders.iter().map(|folder| folder.join("SourcePackages"));
    let mut found: Vec<PathBuf> = beside.filter(|folder| folder.is_dir()).collect();
    let Some(home) = environment.home() else { return found };
    let data = home.join("Library/Developer/Xcode/DerivedData");
    let mut owners: Vec<&Path> = project.xcode.iter().map(|one| one.container.as_path()).collect();
    owners.extend(project.packages.iter().map(|one| one.root.as_path()));
    let all = if owners.is_empty() { Vec::new() } else { names(&data) };
    for owner in owners {
        let Some(stem) = owner.file_stem().and_then(|stem| stem.to_str()) else { continue };
        // Xcode replaces what it does not like in a name.
        let stem: String =
            stem.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
        for name in &all {
            let is_of_name = name.rsplit_once('-').is_some_and(|(known, _)| known == stem);
            let folder = data.join(name);
            // Two projects may have one name; the file says which it is.
            let is_other = files
                .text(&folder.join("info.plist"))
                .is_some_and(|text| !text.contains(&*owner.to_string_lossy()));
            if is_of_name && !is_other {
                found.push(folder.join("SourcePackages"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    #[test]
    fn a_project_names_packages() {
        let folder = Folder::new();
        folder.write(
            "App.xcodeproj/project.pbxproj",
            "\t\tA /* x */ = {\n\t\t\tisa = XCRemoteSwiftPackageReference;\n\
             \t\t\trepositoryURL = \"https://host.example/a/b\";\n\t\t\trequirement = {\n\
             \t\t\t\tkind = upToNextMajorVersion;\n\t\t\t\tminimumVersion = 5.0.0;\n\t\t\t};\n\t\t};\n\
             \t\tB = {\n\t\t\tisa = XCLocalSwiftPackageReference;\n\t\t\trelativePath = Packages/Own;\n\t\t};\n\
             \t\tC = {\n\t\t\tisa = PBXGroup;\n\t\t\trelativePath = no;\n\t\t};\n",
        );
        let limits = Limits::default();
        let found = read(&folder.path().join("App.xcodeproj"), &Files::new(&limits)).expect("it");
        let (source, range, _) = &found.references[0];
        assert_eq!(*source, Source::Url("https://host.example/a/b".to_owned()));
        assert_eq!(range.as_deref(), Some("^5.0.0"));
        assert_eq!(found.locals, [folder.path().join("Packages/Own")]);
        assert_eq!(found.references.len(), 1);
    }
}
