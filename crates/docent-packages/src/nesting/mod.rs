//! Finds, without recursion, texts that nest more deeply than a recursive parser can follow.
//!
//! Asked before TypeScript, JavaScript, Python, Go and Rust are parsed. Brackets are what nests in real code;
//! but a parser also calls itself for each `!` of `!!!!a`, each `a =>` of `a => a => a`, each `else
//! if`. Such chains get long only where somebody wants them to. The scan need not be exact: a text
//! that slips through costs a worker process, and one that is stopped for no reason costs its
//! documentation, so where a guess is needed it is in favor of the text.

mod chain;
mod go;
mod python;
mod rust;
mod script;

pub(crate) use rust::too_deep_tokens as too_deep_in_rust;

use crate::tree::file_name;

/// Whether a file that is about to be parsed nests deeper than `limit`.
pub(crate) fn too_deep(path: &str, text: &str, limit: usize) -> bool {
    let name = file_name(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "ts" | "mts" | "cts" | "tsx" | "js" | "mjs" | "cjs" | "jsx" => {
            script::too_deep(text, limit)
        }
        "py" | "pyi" => python::too_deep(text, limit),
        "go" => go::too_deep(text, limit),
        "rs" => rust::too_deep(text, limit),
        _ => false,
    }
}

/// Which bytes words are made of: letters, digits, `_`, what is not ASCII, and one more. Words are most
/// of a text, so that it is worth a table.
const fn words(more: u8) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = u8::MIN;
    loop {
        table[byte as usize] =
            byte.is_ascii_alphanumeric() || byte == b'_' || byte == more || !byte.is_ascii();
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nest(count: usize, before: &str, open: &str, middle: &str, close: &str) -> String {
        [before, &open.repeat(count), middle, &close.repeat(count)].concat()
    }

    #[test]
    fn brackets_count_at_the_limit_and_one_past_it() {
        for (path, open, close) in [
            ("a.js", "(", ")"),
            ("a.d.ts", "{a:", "}"),
            ("a.tsx", "[", "]"),
            ("a.mjs", "`${", "}`"),
            ("a.rs", "(", ")"),
            ("a.rs", "mod a {", "}"),
            ("a.py", "(", ")"),
            ("a.pyi", "A[", "]"),
            ("a.go", "(", ")"),
            ("a.go", "func() {", "}"),
        ] {
            assert!(!too_deep(path, &nest(10, "x = ", open, "1", close), 10), "{path} {open}");
            assert!(too_deep(path, &nest(11, "x = ", open, "1", close), 10), "{path} {open}");
        }
        assert!(!too_deep("README.md", &"(".repeat(1000), 10));
    }

    #[test]
    fn chains_that_parsers_recurse_on_are_found() {
        for (path, part) in [
            ("a.js", "!"),
            ("a.js", "- "),
            ("a.js", "typeof "),
            ("a.js", "await "),
            ("a.js", "new "),
            ("a.js", "a=>"),
            ("a.js", "a?b:"),
            ("a.js", "a="),
            ("a.js", "a**"),
            ("a.js", "if(a)"),
            ("a.js", "if(a){}else "),
            ("a.js", "a:"),
            ("a.js", "<a>"),
            ("a.ts", "B<"),
            ("a.ts", "keyof "),
            ("a.ts", "()=>"),
            ("a.ts", "A extends B?C:"),
            ("a.rs", "!"),
            ("a.rs", "&"),
            ("a.rs", "A<"),
            ("a.rs", "fn() -> "),
            ("a.rs", "|| "),
            ("a.rs", "dyn A + "),
            ("a.py", "not "),
            ("a.py", "-"),
            ("a.py", "lambda:"),
            ("a.py", "1 if a else "),
            ("a.py", "1**"),
            ("a.go", "*"),
            ("a.go", "!"),
            ("a.go", "[]"),
            ("a.go", "chan "),
            ("a.go", "func() "),
            ("a.go", "if a {} else "),
        ] {
            let text = |count| nest(count, "x = ", part, "1", "");
            assert!(too_deep(path, &text(200), 10), "{path} {part}");
            assert!(!too_deep(path, &text(10), 10), "{path} {part}");
        }
    }

    #[test]
    fn strings_comments_and_patterns_do_not_count() {
        let opens = "(".repeat(50);
        for text in [
            format!("a = '{opens}'"),
            format!("a = \"\\\"{opens}\""),
            format!("a = `{opens}`"),
            format!("// {opens}\n"),
            format!("/* {opens} */"),
            format!("a = /[/{opens}]/"),
            format!("return /{opens}/"),
        ] {
            assert!(!too_deep("a.js", &text, 10), "{text}");
        }
        for text in [
            format!("a = '{opens}'\n"),
            format!("a = '''\n'{opens}'''\n"),
            format!("# {opens}\n"),
            format!("a = r'\\\'{opens}'\n"),
        ] {
            assert!(!too_deep("a.py", &text, 10), "{text}");
        }
        for text in [format!("a = `{opens}`"), format!("a = '{opens}'"), format!("/* {opens} */")] {
            assert!(!too_deep("a.go", &text, 10), "{text}");
        }
        // Nor do closing ones make up for real ones.
        assert!(too_deep("a.js", &"(')'+".repeat(50), 10));
        assert!(too_deep("a.py", &"(')'+".repeat(50), 10));
    }

    #[test]
    fn long_is_not_deep() {
        for (path, text) in [
            ("a.js", format!("a = [{}]", "{a: !b ? c : d => 1},".repeat(500))),
            ("a.js", "const a = !b\n".repeat(500)),
            ("a.js", "a.b = c ? d : e;".repeat(500)),
            ("a.js", "function f() { return !a }".repeat(500)),
            ("a.ts", format!("type A = {}'z'", "| 'a'\n".repeat(500))),
            ("a.ts", format!("interface A {{\n{}}}", "  a?: B<C>\n".repeat(500))),
            ("a.jsx", "<li>a</li>\n".repeat(500)),
            ("a.py", "a = not b\n".repeat(500)),
            ("a.py", format!("a = [{}]\n", "not a,\n".repeat(500))),
            ("a.py", "if a:\n    b\n".repeat(500)),
            ("a.go", "var a = !*b\n".repeat(500)),
            ("a.go", format!("var a = [][]int{{{}}}", "{*b, !c},\n".repeat(500))),
            ("a.go", "func f(a, b []*int) error { return !a }\n".repeat(500)),
        ] {
            assert!(!too_deep(path, &text, 10), "{path}: {}", &text[..60]);
        }
    }

    #[test]
    fn indentation_nests() {
        let text = |depth| -> String { (0..=depth).map(|at| " ".repeat(at) + "if a:\n").collect() };
        assert!(!too_deep("a.py", &text(10), 10));
        assert!(too_deep("a.py", &text(11), 10));
    }

    #[test]
    fn any_text_is_survived() {
        for text in ["", "`", "`${", "}`", "'", "\\", "/", "/*", "é(", "\"\\", "'''", "}}}", "f'{"]
        {
            for path in ["a.js", "a.py", "a.go"] {
                assert!(!too_deep(path, text, 10), "{path} {text}");
            }
        }
    }
}
