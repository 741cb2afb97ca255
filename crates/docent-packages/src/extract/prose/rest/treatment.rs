//! What becomes of each directive of reStructuredText and its generators.

/// What to do with a directive and the text below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Treatment {
    /// The text is code, in the language that the argument names.
    Code,
    /// The text is code in this language.
    CodeIn(&'static str),
    /// The text is a note under this word.
    Note(&'static str),
    /// The text is a note under this word and the version that the argument begins with.
    Version(&'static str),
    /// The text is a note under the argument.
    TitledNote,
    /// The argument declares something that the text documents.
    Declaration,
    /// The text stays, under the argument.
    Titled,
    /// The text is a list of lists: rows of cells.
    ListTable,
    /// The text stays, under the argument if there is one: somebody's own directive.
    Unknown,
    /// The text stays.
    Plain,
    /// The language of the code blocks that follow.
    Language,
    /// Nothing stays.
    Drop,
}

const TREATMENTS: &[(&str, Treatment)] = &[
    ("code", Treatment::Code),
    ("code-block", Treatment::Code),
    ("sourcecode", Treatment::Code),
    ("prompt", Treatment::Code),
    ("parsed-literal", Treatment::CodeIn("")),
    ("doctest", Treatment::CodeIn("python")),
    ("testcode", Treatment::CodeIn("python")),
    ("ipython", Treatment::CodeIn("python")),
    ("jupyter-execute", Treatment::CodeIn("python")),
    // What extensions of the generators call code that is run to show its output.
    ("example", Treatment::CodeIn("")),
    ("run", Treatment::CodeIn("")),
    ("exec", Treatment::CodeIn("")),
    ("execute", Treatment::CodeIn("")),
    ("code-example", Treatment::CodeIn("")),
    ("console", Treatment::CodeIn("console")),
    ("testoutput", Treatment::CodeIn("text")),
    ("csv-table", Treatment::CodeIn("csv")),
    ("math", Treatment::CodeIn("math")),
    ("productionlist", Treatment::CodeIn("")),
    ("note", Treatment::Note("Note")),
    ("warning", Treatment::Note("Warning")),
    ("caution", Treatment::Note("Caution")),
    ("danger", Treatment::Note("Danger")),
    ("attention", Treatment::Note("Attention")),
    ("error", Treatment::Note("Error")),
    ("important", Treatment::Note("Important")),
    ("tip", Treatment::Note("Tip")),
    ("hint", Treatment::Note("Hint")),
    ("seealso", Treatment::Note("See also")),
    ("admonition", Treatment::TitledNote),
    ("versionadded", Treatment::Version("Added in")),
    ("versionchanged", Treatment::Version("Changed in")),
    ("versionremoved", Treatment::Version("Removed in")),
    ("deprecated", Treatment::Version("Deprecated since")),
    ("deprecated-removed", Treatment::Version("Deprecated since")),
    ("function", Treatment::Declaration),
    ("class", Treatment::Declaration),
    ("method", Treatment::Declaration),
    ("classmethod", Treatment::Declaration),
    ("staticmethod", Treatment::Declaration),
    ("attribute", Treatment::Declaration),
    ("property", Treatment::Declaration),
    ("data", Treatment::Declaration),
    ("exception", Treatment::Declaration),
    ("decorator", Treatment::Declaration),
    ("module", Treatment::Drop),
    ("option", Treatment::Declaration),
    ("cmdoption", Treatment::Declaration),
    ("confval", Treatment::Declaration),
    ("setting", Treatment::Declaration),
    ("envvar", Treatment::Declaration),
    ("describe", Treatment::Declaration),
    ("object", Treatment::Declaration),
    ("rubric", Treatment::Titled),
    ("topic", Treatment::Titled),
    ("sidebar", Treatment::Titled),
    ("table", Treatment::Titled),
    ("list-table", Treatment::ListTable),
    ("tab", Treatment::Titled),
    ("tab-item", Treatment::Titled),
    ("group-tab", Treatment::Titled),
    ("code-tab", Treatment::Code),
    ("dropdown", Treatment::Titled),
    ("card", Treatment::Titled),
    ("grid-item-card", Treatment::Titled),
    ("details", Treatment::Titled),
    ("glossary", Treatment::Plain),
    ("container", Treatment::Plain),
    ("only", Treatment::Plain),
    ("ifconfig", Treatment::Plain),
    ("rst-class", Treatment::Plain),
    ("cssclass", Treatment::Plain),
    ("tabs", Treatment::Plain),
    ("tab-set", Treatment::Plain),
    ("grid", Treatment::Plain),
    ("grid-item", Treatment::Plain),
    ("epigraph", Treatment::Plain),
    ("compound", Treatment::Plain),
    ("centered", Treatment::Titled),
    ("highlight", Treatment::Language),
    ("image", Treatment::Drop),
    ("figure", Treatment::Drop),
    ("toctree", Treatment::Drop),
    ("contents", Treatment::Drop),
    ("sectnum", Treatment::Drop),
    ("include", Treatment::Drop),
    ("literalinclude", Treatment::Drop),
    ("raw", Treatment::Drop),
    ("meta", Treatment::Drop),
    ("index", Treatment::Drop),
    ("currentmodule", Treatment::Drop),
    ("py:currentmodule", Treatment::Drop),
    ("default-role", Treatment::Drop),
    ("role", Treatment::Drop),
    ("todo", Treatment::Drop),
    ("todolist", Treatment::Drop),
    ("plot", Treatment::Drop),
    ("graphviz", Treatment::Drop),
    ("mermaid", Treatment::Drop),
    ("tabularcolumns", Treatment::Drop),
    ("bibliography", Treatment::Drop),
    ("testsetup", Treatment::Drop),
    ("testcleanup", Treatment::Drop),
    ("footer", Treatment::Drop),
    ("header", Treatment::Drop),
    ("target-notes", Treatment::Drop),
    ("autosummary", Treatment::Drop),
    ("sectionauthor", Treatment::Drop),
    ("codeauthor", Treatment::Drop),
    ("moduleauthor", Treatment::Drop),
];

/// What to do with the directive of that name, whichever domain it is in.
pub(in super::super) fn treatment(name: &str) -> Treatment {
    let name = name.to_ascii_lowercase();
    let short = name.rsplit(':').next().unwrap_or(&name);
    if short.starts_with("auto") {
        return Treatment::Drop;
    }
    let row = TREATMENTS.iter().find(|row| row.0 == short);
    row.map_or(Treatment::Unknown, |row| row.1)
}
