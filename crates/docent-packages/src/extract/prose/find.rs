//! Which files of a package are prose, and in which order they matter.
//!
//! Goes by paths alone. Feeds [`super::extract`], which reads the files as far as the limits allow.

use super::is_listed;
use super::language::{self, Languages};
use crate::tree::{Tree, file_name, folder};
use crate::{ChunkKind, Ecosystem};

/// A file to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Source<'a> {
    pub(super) path: &'a str,
    pub(super) kind: ChunkKind,
    pub(super) format: Format,
    pub(super) language: Option<String>,
}

/// How a file is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    Markdown,
    /// Markdown with components.
    Mdx,
    Rest,
    Html,
    /// A text without a format of its own, which may be reStructuredText all the same.
    Plain,
    /// The metadata of a Python distribution, which holds its description.
    Metadata,
    /// Code in the language of that fence.
    Code(&'static str),
}

/// Folders whose files are not for users of the package.
const SKIPPED_FOLDERS: &str = "\
    node_modules, bower_components, vendor, vendored, third_party, test, tests, testdata, test-data, \
    spec, specs, fixtures, snapshots, bench, benchmark, benchmarks, coverage, template, \
    templates, e2e, rfcs, adr, issue_template, governance, pull_request_template";

/// Files that are about the project, not about using the package.
const SKIPPED_STEMS: &str = "\
    license, copying, copyright, contributing, contributors, code_of_conduct, code-of-conduct, \
    conduct, patents, notice, notices, authors, maintainers, governance, funding, \
    backers, sponsors, codeowners, roadmap, todo, releasing, hacking, thanks, credits, \
    acknowledgements, acknowledgments, third-party-notices, thirdpartynotices, \
    thirdpartynoticetext, third_party_licenses, third-party-licenses, pull_request_template, \
    issue_template, collaborator_guide, triage-guide, readme-dev, requirements, robots, top_level, \
    entry_points, sources, dependency_links, requires, cmakelists, genindex, search, py-modindex";

/// Names that mean the project in its outermost folder, and may mean a subject in documentation.
const SKIPPED_AT_ROOT: &str = "\
    security, support, release, development, developing, developers, building, index";

/// Parts of names that say the same.
const SKIPPED_PARTS: &[&str] = &["contribut", "charter", "licen", "third-party", "thirdparty"];

const CHANGELOG_STEMS: &str = "\
    changelog, changelogs, changes, change_log, change-log, history, news, releases, release-notes, \
    release_notes, releasenotes, whatsnew, whats-new, whats_new";

const DOCS_FOLDERS: &str = "\
    docs, doc, documentation, guides, guide, i18n, locales, translations, skills, wiki";

const EXAMPLE_FOLDERS: &str = "examples, example, demo, demos, samples, sample, snippets";

const EXAMPLE_STEMS: &str = "example, examples";

/// Code, by extension, with the word for its language.
const CODE: &[(&str, &str)] = &[
    ("js", "js"),
    ("mjs", "js"),
    ("cjs", "js"),
    ("jsx", "jsx"),
    ("ts", "ts"),
    ("mts", "ts"),
    ("cts", "ts"),
    ("tsx", "tsx"),
    ("vue", "vue"),
    ("svelte", "svelte"),
    ("astro", "astro"),
    ("py", "python"),
    ("pyx", "cython"),
    ("rs", "rust"),
    ("go", "go"),
    ("swift", "swift"),
    ("graphql", "graphql"),
    ("proto", "protobuf"),
    ("sql", "sql"),
];

/// Files of examples; what has more of them is a collection to browse, or code to import.
const EXAMPLES_MAX: usize = 60;

/// Whether a file of that name, in lower case and without its extension, lists changes.
pub(super) fn is_list_of_changes(stem: &str) -> bool {
    is_listed(CHANGELOG_STEMS, stem)
}

/// Nobody keeps prose deeper than this, and every folder of a path has to be looked at.
const FOLDERS_MAX: usize = 24;

/// How much a file matters; less is more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Readme,
    ForModels,
    TopLevel,
    DocsStart,
    Docs,
    Elsewhere,
    Generated,
    Example,
    Changelog,
}

/// All prose of a package, most important first.
pub(super) fn sources<'a>(ecosystem: Ecosystem, name: &str, tree: &'a Tree) -> Vec<Source<'a>> {
    let paths = || tree.paths().filter(|path| path.matches('/').count() <= FOLDERS_MAX);
    let description = (ecosystem == Ecosystem::Python).then(|| metadata(name, tree)).flatten();
    let mut found: Vec<(bool, Rank, usize, &str, Source<'a>)> = Vec::new();
    let mut facts = Facts::default();
    for path in paths() {
        facts.go_to(folder(path));
        let Some((rank, kind, format)) = classify(path, &facts, tree) else { continue };
        let source = Source { path, kind, format, language: None };
        found.push((false, rank, path.matches('/').count(), path, source));
    }
    // Most packages speak one language, and need not be looked through for others.
    if found.iter().any(|row| language::has_one(row.3)) {
        let languages = Languages::new(paths());
        for row in &mut found {
            row.4.language = languages.of(row.3);
            row.0 = row.4.language.is_some();
        }
    }
    if let Some(path) = description {
        let (kind, format) = (ChunkKind::Readme, Format::Metadata);
        found.push((false, Rank::Readme, 0, "", Source { path, kind, format, language: None }));
    }
    let has_guides = found.iter().any(|row| matches!(row.1, Rank::DocsStart | Rank::Docs));
    found.retain(|row| row.1 != Rank::Generated || !has_guides);
    // Translations come after everything in the main language, examples and changes after prose.
    found.sort_by(|a, b| {
        let late = |row: &(bool, Rank, usize, &str, Source<'_>)| row.1 >= Rank::Example;
        (late(a), a.0, a.1, a.2, a.3).cmp(&(late(b), b.0, b.1, b.2, b.3))
    });
    let mut examples = 0;
    found.retain(|row| {
        examples += usize::from(row.1 == Rank::Example);
        row.1 != Rank::Example || examples <= EXAMPLES_MAX
    });
    found.into_iter().map(|row| row.4).collect()
}

/// What the folders of a path say of the files in them: neighbors share it.
#[derive(Default)]
struct Facts<'a> {
    folder: &'a str,
    depth: usize,
    is_skipped: bool,
    in_examples: bool,
    in_docs: bool,
    in_changes: bool,
    /// Built files are no examples.
    is_built: bool,
    /// Of an installed distribution.
    is_metadata: bool,
}

impl<'a> Facts<'a> {
    fn go_to(&mut self, folder: &'a str) {
        if folder == self.folder {
            return;
        }
        let lower = folder.to_ascii_lowercase();
        let parts: Vec<&str> = lower.split('/').filter(|part| !part.is_empty()).collect();
        let any = |test: &dyn Fn(&str) -> bool| parts.iter().any(|part| test(part));
        *self = Self {
            folder,
            depth: parts.len(),
            is_skipped: any(&|part| {
                part.starts_with(['.', '_'])
                    || is_listed(SKIPPED_FOLDERS, part)
                    || SKIPPED_PARTS.iter().any(|word| part.contains(word))
            }),
            in_examples: any(&|part| is_listed(EXAMPLE_FOLDERS, part)),
            in_docs: any(&|part| is_listed(DOCS_FOLDERS, part) || part.ends_with(".docc")),
            in_changes: any(&|part| is_listed(CHANGELOG_STEMS, part)),
            is_built: any(&|part| matches!(part, "public" | "build" | "static")),
            is_metadata: any(&|part| part.ends_with(".dist-info") || part.ends_with(".egg-info")),
        };
    }
}

fn classify(path: &str, facts: &Facts<'_>, tree: &Tree) -> Option<(Rank, ChunkKind, Format)> {
    let name = file_name(path);
    if facts.is_skipped || name.starts_with('.') {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let name = lower.as_str();
    let at_root = facts.depth == 0;
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    if let Some((_, language)) = CODE.iter().find(|row| row.0 == extension) {
        let is_example = facts.in_examples || (at_root && is_listed(EXAMPLE_STEMS, stem));
        let is_setup = stem == "setup"
            || stem == "conftest"
            || stem.ends_with(".min")
            || stem.ends_with(".config")
            || stem.ends_with(".d")
            || stem.ends_with(".test")
            || stem.ends_with(".spec");
        return (is_example && !is_setup && !facts.is_built).then_some((
            Rank::Example,
            ChunkKind::Example,
            Format::Code(language),
        ));
    }
    let format = format_of(stem, extension)?;
    // Metadata of an installed distribution is read as such, or not at all.
    if facts.is_metadata {
        return None;
    }
    let base = base_stem(stem);
    if base == "readme" && at_root {
        return Some((Rank::Readme, ChunkKind::Readme, format));
    }
    if matches!(name, "llms.txt" | "llms-full.txt" | "agents.md" | "skill.md") {
        let is_text = format == Format::Plain;
        let format = if is_text { Format::Markdown } else { format };
        return Some((Rank::ForModels, ChunkKind::Guide, format));
    }
    if is_listed(SKIPPED_STEMS, stem)
        || SKIPPED_PARTS.iter().any(|word| stem.contains(word))
        || (at_root && is_listed(SKIPPED_AT_ROOT, stem))
    {
        return None;
    }
    if is_list_of_changes(stem) || facts.in_changes {
        return Some((Rank::Changelog, ChunkKind::Changelog, format));
    }
    let rank = match (format, at_root, facts.in_docs) {
        (Format::Html, _, true) if !stem.ends_with("js") && !stem.ends_with("ts") => {
            Rank::Generated
        }
        (Format::Html, _, _) => return None,
        (Format::Plain, _, false) => return None,
        (_, true, _) => Rank::TopLevel,
        (_, _, true) if is_start(base) && facts.depth <= 2 => Rank::DocsStart,
        (_, _, true) => Rank::Docs,
        // Inside the code of a package, a README speaks to those who change it, unless what it is
        // about can be used by itself.
        _ if base == "readme" && !tree.contains(&beside(path, "package.json")) => return None,
        _ => Rank::Elsewhere,
    };
    Some((rank, ChunkKind::Guide, format))
}

fn beside(path: &str, name: &str) -> String {
    format!("{}/{name}", folder(path))
}

fn format_of(stem: &str, extension: &str) -> Option<Format> {
    match extension {
        "md" | "markdown" | "mdown" | "mkd" | "mkdn" => Some(Format::Markdown),
        "mdx" => Some(Format::Mdx),
        "rst" | "rest" => Some(Format::Rest),
        "html" | "htm" => Some(Format::Html),
        "txt" => Some(Format::Plain),
        "tutorial" => Some(Format::Markdown),
        "" if stem == "readme" || is_listed(CHANGELOG_STEMS, stem) => Some(Format::Plain),
        _ => None,
    }
}

/// The name of a file without what tells its language: `readme` for `readme.zh-cn`.
fn base_stem(stem: &str) -> &str {
    match stem.strip_prefix("readme") {
        Some(rest) if rest.is_empty() || rest.starts_with(['.', '_', '-']) => "readme",
        _ => stem,
    }
}

/// Where a reader of documentation begins.
fn is_start(stem: &str) -> bool {
    let stem =
        stem.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '.'));
    const STARTS: &[&str] =
        &["readme", "index", "intro", "introduction", "overview", "install", "installation"];
    STARTS.contains(&stem)
        || [
            "getting-started",
            "getting_started",
            "gettingstarted",
            "quickstart",
            "quick-start",
            "quick_start",
        ]
        .iter()
        .any(|start| stem.starts_with(start))
}

/// The metadata of a Python distribution: the installed one, else the one of a source archive.
fn metadata<'a>(name: &str, tree: &'a Tree) -> Option<&'a str> {
    let wanted = normal(name);
    let rank = |path: &str| {
        let (parent, file) = (folder(path), file_name(path));
        let own = || normal(file_name(parent)).starts_with(&wanted);
        match file {
            "METADATA" if parent.ends_with(".dist-info") => Some((!own(), 0)),
            "PKG-INFO" if parent.is_empty() => Some((false, 1)),
            "PKG-INFO" if parent.ends_with(".egg-info") => Some((!own(), 2)),
            _ => None,
        }
    };
    let ranked = tree.paths().filter_map(|path| Some((rank(path)?, path)));
    ranked.min().map(|(_, path)| path)
}

/// A distribution's name as the index compares it.
fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(paths: &[&str], expected: &[&str]) {
        let tree = Tree::in_memory(paths.iter().map(|path| (*path, "")));
        let found = sources(Ecosystem::Npm, "x", &tree);
        let found: Vec<&str> = found.iter().map(|source| source.path).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_about_the_project_is_left_out() {
        check(
            &[
                "CODE-OF-CONDUCT.md",
                "LICENSE-MIT.md",
                "SECURITY.md",
                "THIRD-PARTY-NOTICES.md",
                "docs/contributing/setup.md",
                "docs/security.md",
                "docs/_theme/README.md",
                "test-data/x.md",
                "__tests__/x.md",
                ".github/x.md",
            ],
            &["docs/security.md"],
        );
    }

    #[test]
    fn changes_come_last() {
        check(
            &["RELEASE-NOTES.md", "change-log.md", "guide.md", "readme.markdown"],
            &["readme.markdown", "guide.md", "RELEASE-NOTES.md", "change-log.md"],
        );
    }

    #[test]
    fn examples_are_code_in_their_folders() {
        check(
            &["example.py", "sample.js", "src/example.js", "examples/a/b.ts", "examples/x.min.js"],
            &["example.py", "examples/a/b.ts"],
        );
    }
}
