//! HTML as Markdown.
//!
//! [`to_markdown`] turns a text or a block of HTML into Markdown and [`inline`] deals with the tags
//! inside a line of Markdown. Both go over [`super::tags`] once; [`super::writer`] keeps what is open.

use super::is_listed;
use super::tags::{Token, Tokens, unescape};
use super::writer::{MARKS, Writer, mark_of};

/// The same text as Markdown. Decoration (images, comments, scripts, styling) is left out.
pub(crate) fn to_markdown(html: &str) -> String {
    let mut writer = Writer::default();
    for token in Tokens::new(html) {
        match token {
            Token::Text(text) => writer.text(&unescape(text)),
            Token::Open(tag) => writer.open(&tag),
            Token::Close(name) => writer.close(&name),
            Token::Hidden => {}
        }
    }
    writer.finish()
}

/// A piece of Markdown with its HTML tags replaced by what Markdown has for them, if anything. What
/// looks like a tag and is none of HTML stays: it is a type parameter or a placeholder.
pub(super) fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut tokens = Tokens::new(text);
    let mut at = 0;
    while let Some(token) = tokens.next() {
        let source = &text[at..tokens.position()];
        at = tokens.position();
        let (name, is_open) = match &token {
            Token::Text(text) => {
                out.push_str(text);
                continue;
            }
            Token::Hidden => continue,
            Token::Open(tag) => (tag.name.as_str(), true),
            Token::Close(name) => (name.as_str(), false),
        };
        match name {
            "br" | "hr" | "td" | "th" => out.push(' '),
            "li" if is_open => out.push_str("- "),
            name if mark_of(name).is_some() => {
                out.push_str(mark_of(name).map_or("", |mark| MARKS[mark]));
            }
            name if is_listed(KNOWN, name) => {}
            _ => out.push_str(source),
        }
    }
    out
}

/// Tags that say nothing in Markdown.
const KNOWN: &str = "\
    a, abbr, address, article, aside, audio, bdi, bdo, big, blockquote, body, button, caption, \
    center, cite, col, colgroup, dd, del, details, dfn, div, dl, dt, embed, figcaption, figure, \
    font, footer, form, h1, h2, h3, h4, h5, h6, head, header, html, iframe, img, input, ins, \
    label, li, link, main, mark, meta, nav, nobr, ol, p, picture, pre, q, rp, rt, ruby, s, script, \
    section, small, source, span, strike, style, sub, sup, svg, table, tbody, tfoot, thead, tr, u, \
    ul, var, video, wbr";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(to_markdown(html), expected, "{html}");
    }

    #[test]
    fn blocks() {
        check(
            "<h2 id=x>Use\n it</h2><p>One  <b>two</b></p>three",
            "## Use it\n\nOne **two**\n\nthree",
        );
        check("<ul><li>a<li><p>b</p><ul><li>c</ul></ul><p>d", "- a\n- b\n\n  - c\n\nd");
        check("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b");
        check("<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n>\n> b\n\nc");
        check("<details><summary>More</summary>text</details>", "**More**\n\ntext");
        check("a<br/>b<hr>c", "a\nb\n\nc");
    }

    #[test]
    fn code() {
        check(
            "<pre><code class=\"language-js\">if (a &lt; b) {\n  <span>c</span>()\n}\n</code></pre>",
            "```js\nif (a < b) {\n  c()\n}\n```",
        );
        check("<pre>```</pre>", "````\n```\n````");
        check("call <code>f()</code> now", "call `f()` now");
        check("<li>x<pre>y</pre>", "- x\n\n```\ny\n```");
    }

    #[test]
    fn tables() {
        check(
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1<p>2</p></td><td>x|y</td></tr></table>",
            "| a | b |\n| --- | --- |\n| 1 2 | x\\|y |",
        );
        check("<table><tr><td><img src=a></td></tr></table>done", "done");
    }

    #[test]
    fn decoration_goes_and_its_text_stays() {
        check("<p align=center><a href=x><img src=y></a></p><!-- c --><div>kept</div>", "kept");
        check("<a href=\"https://x.example\">x</a> <a href='#y'>y</a>", "[x](https://x.example) y");
        check("<script>a<b</script><style>p{}</style>x<svg><text>no</text></svg>", "x");
        check("zero\u{200b}width &#8203;x", "zerowidth x");
    }

    #[test]
    fn nothing_that_is_open_or_crossed_does_harm() {
        check("</ul></b></tr></a></code>x", "x");
        check("<b><a href=x>y", "**[y");
        check("a <", "a <");
        check("<!-- never closed <p>x", "");
    }

    #[test]
    fn tags_inside_a_line() {
        for (text, expected) in [
            ("<br>", " "),
            ("<kbd>", "`"),
            ("<img src=x>", ""),
            ("<!-- x -->", ""),
            ("<string>", "<string>"),
            ("</T>", "</T>"),
        ] {
            assert_eq!(inline(text), expected);
        }
    }
}
