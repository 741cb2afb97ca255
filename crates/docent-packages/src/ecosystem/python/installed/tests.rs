//! Sites as pip, uv, setuptools, Hatch and Linux distributions leave them.

use std::path::Path;

use docent_testkit::folder::Folder;

use super::*;
use crate::Limits;
use crate::ecosystem::python::name;

/// Everything found for a name, as `name version root: files`.
#[track_caller]
fn check(folder: &Folder, sites: &[&str], written: &str, expected: &[&str]) -> Vec<String> {
    let limits = Limits::default();
    let files = Files::new(&limits);
    let interpreter = Interpreter {
        prefix: folder.path().to_owned(),
        sites: sites.iter().map(|site| folder.path().join(site)).collect(),
        standard: None,
        version: String::new(),
        shared: false,
    };
    let found = find(&name::parse(written).unwrap(), &[interpreter], &files);
    let shown = |copy: &Installed| {
        let Place::Folder { root, files: Some(list) } = &copy.place else { panic!("no folder") };
        let root = root.strip_prefix(folder.path()).unwrap_or(root);
        format!("{} {} {}: {}", copy.name, copy.version, root.display(), list.join(" "))
    };
    let found: Vec<String> = found.iter().map(shown).collect();
    assert_eq!(found, expected, "{written}");
    files.into_problems()
}

/// A wheel as installed: its files, and the list of them.
fn wheel(folder: &Folder, site: &str, name: &str, version: &str, paths: &[&str]) {
    let info = format!("{name}-{version}.dist-info");
    let mut record = String::new();
    for path in paths {
        if !path.starts_with("..") {
            folder.write(&format!("{site}/{path}"), "");
        }
        record += &format!("{path},sha256=x,0\n");
    }
    folder.write(
        &format!("{site}/{info}/METADATA"),
        format!("Name: {name}\nVersion: {version}\n\nName: no"),
    );
    folder.write(&format!("{site}/{info}/RECORD"), format!("{record}{info}/METADATA,,\n"));
}

#[test]
fn by_distribution_and_by_import() {
    let folder = Folder::new();
    wheel(
        &folder,
        "s",
        "PyYAML",
        "6.0.3",
        &["yaml/__init__.py", "_yaml/__init__.py", "../../bin/x"],
    );
    wheel(&folder, "s", "python_dateutil", "2.9.0.post0", &["dateutil/parser.py"]);
    wheel(&folder, "s", "attrs", "25.3.0", &["attr/__init__.py", "attrs/__init__.py"]);
    let yaml = "pyyaml 6.0.3 s: PyYAML-6.0.3.dist-info/METADATA _yaml/__init__.py yaml/__init__.py";
    for written in ["PyYAML", "pyyaml", "yaml", "yaml.nodes", "_yaml"] {
        check(&folder, &["s"], written, &[yaml]);
    }
    let dateutil = "python-dateutil 2.9.0.post0 s: dateutil/parser.py python_dateutil-2.9.0.post0.dist-info/METADATA";
    for written in ["python-dateutil", "Python.Dateutil", "dateutil", "dateutil.parser"] {
        check(&folder, &["s"], written, &[dateutil]);
    }
    let attrs =
        "attrs 25.3.0 s: attr/__init__.py attrs-25.3.0.dist-info/METADATA attrs/__init__.py";
    check(&folder, &["s"], "attr", &[attrs]);
    check(&folder, &["s"], "attrs", &[attrs]);
    check(&folder, &["s"], "yam", &[]);
}

#[test]
fn parts_of_one_namespace_are_told_apart() {
    let folder = Folder::new();
    wheel(&folder, "s", "ns_core", "1.0", &["ns/core/__init__.py"]);
    wheel(&folder, "s", "ns_web", "2.0", &["ns/web/__init__.py", "ns/web/http.py"]);
    wheel(&folder, "s", "bundle", "3.0", &["ns/api.cpython-311-x86_64-linux-gnu.so"]);
    let web = "ns-web 2.0 s: ns/web/__init__.py ns/web/http.py ns_web-2.0.dist-info/METADATA";
    check(&folder, &["s"], "ns.web.http", &[web]);
    check(&folder, &["s"], "ns.web", &[web]);
    let bundle =
        "bundle 3.0 s: bundle-3.0.dist-info/METADATA ns/api.cpython-311-x86_64-linux-gnu.so";
    check(&folder, &["s"], "ns.api", &[bundle]);
}

#[test]
fn the_nearest_site_wins_and_the_others_follow() {
    let folder = Folder::new();
    wheel(&folder, "near", "tiny", "2.0", &["tiny.py"]);
    wheel(&folder, "far", "tiny", "1.0", &["tiny.py"]);
    check(
        &folder,
        &["near", "far"],
        "tiny",
        &[
            "tiny 2.0 near: tiny-2.0.dist-info/METADATA tiny.py",
            "tiny 1.0 far: tiny-1.0.dist-info/METADATA tiny.py",
        ],
    );
}

#[test]
fn editable_installs_lead_to_their_source() {
    let folder = Folder::new();
    let at = |path: &str| folder.path().join(path).display().to_string();
    let editable = |project: &str| {
        format!("{{\"dir_info\": {{\"editable\": true}}, \"url\": \"file://{}\"}}", at(project))
    };
    // Hatch: a path file; setuptools: a path file or a finder module.
    wheel(&folder, "s", "tiny_two", "0.2", &["_editable_impl_tiny_two.pth"]);
    folder.write("s/_editable_impl_tiny_two.pth", at("two/src"));
    folder.write("s/tiny_two-0.2.dist-info/direct_url.json", editable("two"));
    folder.write("two/pyproject.toml", "");
    folder.write("two/src/pair/__init__.py", "");
    wheel(
        &folder,
        "s",
        "tiny_three",
        "0.3",
        &["__editable__.tiny.pth", "__editable___tiny_finder.py"],
    );
    folder.write("s/__editable__.tiny.pth", "import __editable___tiny_finder; boom()");
    let finder = format!("MAPPING: dict[str, str] = {{'triple': '{}'}}\n", at("three/lib/triple"));
    folder.write("s/__editable___tiny_finder.py", finder);
    folder.write("s/tiny_three-0.3.dist-info/direct_url.json", editable("three"));
    folder.write("three/setup.py", "");
    folder.write("three/lib/triple/__init__.py", "");
    let two = "tiny-two 0.2 two: pyproject.toml src/pair/__init__.py";
    let three = "tiny-three 0.3 three: lib/triple/__init__.py setup.py";
    check(&folder, &["s"], "tiny-two", &[two]);
    check(&folder, &["s"], "pair", &[two]);
    check(&folder, &["s"], "tiny_three", &[three]);
    check(&folder, &["s"], "triple", &[three]);

    // `setup.py develop`: the metadata lies in the source.
    folder.write("s/tiny-four.egg-link", format!("{}\n.", at("four")));
    folder.write("s/easy-install.pth", format!("{}\n", at("four")));
    folder.write("four/tiny_four.egg-info/PKG-INFO", "Name: tiny-four\nVersion: 0.4\n");
    folder.write("four/setup.py", "");
    folder.write("four/quad.py", "");
    check(&folder, &["s"], "tiny-four", &["tiny-four 0.4 four: quad.py setup.py"]);

    // A pointer to anything but a project is not followed.
    folder.write("private/keys.txt", "");
    folder.write("s/tiny_two-0.2.dist-info/direct_url.json", editable("private"));
    let problems = check(
        &folder,
        &["s"],
        "tiny-two",
        &["tiny-two 0.2 s: _editable_impl_tiny_two.pth tiny_two-0.2.dist-info/METADATA"],
    );
    assert!(problems[0].contains("is not a project"), "{problems:?}");
}

#[test]
fn linux_distributions_leave_the_list_out() {
    let folder = Folder::new();
    folder.write("s/six-1.16.0.egg-info", "Metadata-Version: 1.2\nName: six\nVersion: 1.16.0\n");
    folder.write("s/six.py", "");
    check(&folder, &["s"], "six", &["six 1.16.0 s: six.py"]);
    folder.write("s/Deb_Pkg-2.egg-info/PKG-INFO", "Name: Deb-Pkg\nVersion: 2\n");
    folder.write("s/Deb_Pkg-2.egg-info/top_level.txt", "deb\n../../x\n/etc\n\n");
    folder.write("s/deb/__init__.py", "");
    folder.write("s/other/__init__.py", "");
    let deb =
        "deb-pkg 2 s: Deb_Pkg-2.egg-info/PKG-INFO Deb_Pkg-2.egg-info/top_level.txt deb/__init__.py";
    check(&folder, &["s"], "deb-pkg", &[deb]);
    check(&folder, &["s"], "deb", &[deb]);
}

#[test]
fn damaged_metadata_is_no_reason_to_stop() {
    let folder = Folder::new();
    folder.write("s/bad-1.0.dist-info/METADATA", b"\xFF\xFE\0");
    folder.write("s/bad-1.0.dist-info/RECORD", b"\xFF\"\n\"\n,,\n\"\"\"\n");
    folder.write("s/bad-1.0.dist-info/direct_url.json", "{");
    folder.write("s/odd.egg-info/PKG-INFO", "Name: odd\n");
    check(&folder, &["s"], "bad", &["bad 1.0 s: "]);
    let problems = check(&folder, &["s"], "odd", &[]);
    assert!(problems[0].ends_with("odd.egg-info: names no version"), "{problems:?}");
}

#[test]
fn the_project_is_a_copy_of_itself() {
    let folder = Folder::new();
    folder.write("p/pyproject.toml", "[project]\nname = 'De_Mo'\nversion = '1.2'\n");
    folder.write("p/src/demo_pkg/__init__.py", "");
    folder.write("q/setup.cfg", "[metadata]\nname = old\nversion = attr: old.__version__\n");
    let limits = Limits::default();
    let own = |project: &str, written: &str| {
        let folders = [folder.path().join(project)];
        let found = of_project(&name::parse(written).unwrap(), &folders, &Files::new(&limits));
        found.map(|copy| format!("{} {}", copy.name, copy.version))
    };
    for (project, written, expected) in [
        ("p", "de-mo", Some("de-mo 1.2")),
        ("p", "demo_pkg.part", Some("de-mo 1.2")),
        ("p", "other", None),
        ("q", "old", Some("old 0+unknown")),
    ] {
        assert_eq!(own(project, written).as_deref(), expected, "{written}");
    }
    assert_eq!(
        of_project(
            &name::parse("x").unwrap(),
            &[Path::new("/nowhere").into()],
            &Files::new(&limits)
        )
        .map(|one| one.name),
        None
    );
}
