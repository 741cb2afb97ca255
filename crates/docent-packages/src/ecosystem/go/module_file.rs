//! `go.mod` and `go.work`, line by line; both have the same syntax.

use super::name::is_path;
use super::version;

/// What a `go.mod` or `go.work` says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ModuleFile {
    /// The module's own path.
    pub(super) module: Option<String>,
    pub(super) go: Option<String>,
    pub(super) toolchain: Option<String>,
    pub(super) require: Vec<Require>,
    pub(super) replace: Vec<Replace>,
    pub(super) retract: Vec<(String, String)>,
    /// The folders of a workspace.
    pub(super) using: Vec<String>,
}

/// A required module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Require {
    pub(super) path: String,
    pub(super) version: String,
    /// Whether only other modules need it.
    pub(super) indirect: bool,
}

/// A module that another one, or a folder, stands in for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Replace {
    pub(super) path: String,
    /// The only version that is replaced, if it is one.
    pub(super) version: Option<String>,
    pub(super) by: Instead,
}

/// What stands in for a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Instead {
    Folder(String),
    Module(String, String),
}

/// Reads a file; what makes no sense is left out, since the rest may.
pub(super) fn parse(text: &str) -> ModuleFile {
    let mut file = ModuleFile::default();
    let mut block: Option<String> = None;
    for line in text.lines() {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        // An address in a string may hold the sign for a comment.
        let (code, comment) =
            if code.matches(['"', '`']).count() % 2 == 1 { (line, "") } else { (code, comment) };
        let words = words(code);
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        let verb = match (&block, words.as_slice()) {
            (_, []) => continue,
            (Some(_), [")"]) => {
                block = None;
                continue;
            }
            (None, [verb, "("]) => {
                block = Some((*verb).to_owned());
                continue;
            }
            (Some(verb), _) => verb.clone(),
            (None, [_, ..]) => words.remove(0).to_owned(),
        };
        directive(&mut file, &verb, &words, comment);
    }
    file
}

fn directive(file: &mut ModuleFile, verb: &str, words: &[&str], comment: &str) {
    match (verb, words) {
        ("module", [path, ..]) if is_path(path) => file.module = Some((*path).to_owned()),
        ("go", [version]) => file.go = Some((*version).to_owned()),
        ("toolchain", [name]) => file.toolchain = Some((*name).to_owned()),
        ("require", [path, number]) if is_path(path) && version::parse(number).is_some() => {
            let indirect = comment.trim_start().starts_with("indirect");
            let (path, version) = ((*path).to_owned(), (*number).to_owned());
            file.require.push(Require { path, version, indirect });
        }
        ("replace", [left @ .., "=>", to]) => {
            file.replace.extend(replace(left, Instead::Folder((*to).to_owned())));
        }
        ("replace", [left @ .., "=>", to, number])
            if is_path(to) && version::parse(number).is_some() =>
        {
            let by = Instead::Module((*to).to_owned(), (*number).to_owned());
            file.replace.extend(replace(left, by));
        }
        ("retract", words) => match words {
            [one] => file.retract.push(((*one).to_owned(), (*one).to_owned())),
            ["[", low, ",", high, "]"] => {
                file.retract.push(((*low).to_owned(), (*high).to_owned()));
            }
            _ => {}
        },
        ("use", [folder]) => file.using.push((*folder).to_owned()),
        _ => {}
    }
}

fn replace(left: &[&str], by: Instead) -> Option<Replace> {
    let (path, version) = match left {
        [path] => (path, None),
        [path, version] => (path, Some((*version).to_owned())),
        _ => return None,
    };
    // A folder begins with a dot or is absolute; anything else would need a version.
    let is_folder = |folder: &str| {
        folder.starts_with("./")
            || folder.starts_with("../")
            || folder.starts_with('/')
            || matches!(folder, "." | "..")
    };
    let fits = match &by {
        Instead::Folder(folder) => is_folder(folder),
        Instead::Module(..) => true,
    };
    (is_path(path) && fits).then(|| Replace { path: (*path).to_owned(), version, by })
}

/// Words, quoted or not; brackets and commas are words of their own.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' | '`' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            '(' | ')' | '[' | ']' | ',' => 1,
            _ => {
                rest.find(|c: char| c.is_whitespace() || "()[],".contains(c)).unwrap_or(rest.len())
            }
        };
        let (word, after) = rest.split_at(length);
        words.push(word.trim_matches(['"', '`']).to_owned());
        rest = after.trim_start();
    }
    words
}

impl ModuleFile {
    /// What stands in for a module at a version.
    pub(super) fn replaced(&self, path: &str, version: &str) -> Option<&Instead> {
        let fitting = self.replace.iter().filter(|one| one.path == path);
        let exact = fitting.clone().find(|one| one.version.as_deref() == Some(version));
        exact.or_else(|| fitting.clone().find(|one| one.version.is_none())).map(|one| &one.by)
    }

    /// Whether the author took a version back.
    pub(super) fn is_retracted(&self, number: &str) -> bool {
        let within = |(low, high): &(String, String)| {
            version::order(low, number).is_le() && version::order(number, high).is_le()
        };
        self.retract.iter().any(within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_directives_are_read() {
        let text = "\
// A comment.
module \"m.example/own\" // the path

go 1.22.1
toolchain go1.23.4

require m.example/one v1.2.3
require (
\tm.example/two/v2 v2.0.0 // indirect
\tm.example/three v0.0.0-20240102030405-0123456789ab
\tbroken line here
\tm.example/four notaversion
)

replace m.example/one => ../one // local
replace (
\tm.example/two/v2 v2.0.0 => m.example/fork/v2 v2.1.0
\tm.example/five => five
)
retract v1.0.0 // oops
retract [v1.1.0, v1.1.9]
exclude m.example/six v1.0.0
";
        let file = parse(text);
        assert_eq!(file.module.as_deref(), Some("m.example/own"));
        assert_eq!(
            (file.go.as_deref(), file.toolchain.as_deref()),
            (Some("1.22.1"), Some("go1.23.4"))
        );
        let required: Vec<String> = file
            .require
            .iter()
            .map(|one| format!("{} {} {}", one.path, one.version, one.indirect))
            .collect();
        let expected = [
            "m.example/one v1.2.3 false",
            "m.example/two/v2 v2.0.0 true",
            "m.example/three v0.0.0-20240102030405-0123456789ab false",
        ];
        assert_eq!(required, expected);
        let folder = Instead::Folder("../one".to_owned());
        assert_eq!(file.replaced("m.example/one", "v1.2.3"), Some(&folder));
        let fork = Instead::Module("m.example/fork/v2".to_owned(), "v2.1.0".to_owned());
        assert_eq!(file.replaced("m.example/two/v2", "v2.0.0"), Some(&fork));
        assert_eq!(file.replaced("m.example/two/v2", "v2.0.1"), None);
        assert_eq!(file.replaced("m.example/five", "v1.0.0"), None);
        let retracted = ["v1.0.0", "v1.1.0", "v1.1.5", "v1.2.0"].map(|one| file.is_retracted(one));
        assert_eq!(retracted, [true, true, true, false]);
    }

    #[test]
    fn a_workspace_names_its_folders() {
        let file = parse("go 1.22\n\nuse ./a\nuse (\n\t./b\n\t\"../c d\"\n)\n");
        assert_eq!(file.using, ["./a", "./b", "../c d"]);
    }

    #[test]
    fn any_text_is_survived() {
        for text in
            ["", "(", ")", "require (", "module", "\"", "replace => =>", "retract [", "é `", "use"]
        {
            let _ = parse(text);
        }
    }
}
