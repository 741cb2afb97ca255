//! Which files are built for which platform: build constraints and the endings of file names.

use super::tokens::{Token, Tokens};
use crate::tree::file_name;

/// A platform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Platform {
    pub(super) os: &'static str,
    pub(super) arch: &'static str,
}

const fn platform(os: &'static str, arch: &'static str) -> Platform {
    Platform { os, arch }
}

/// The platforms that are looked at; what the first has is not looked for in the others.
pub(super) const PLATFORMS: &[Platform] = &[
    platform("linux", "amd64"),
    platform("darwin", "arm64"),
    platform("windows", "amd64"),
    platform("freebsd", "amd64"),
    platform("js", "wasm"),
    platform("linux", "arm64"),
];

const SYSTEMS: &[&str] = &[
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
];

const UNIX: &[&str] = &[
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "linux",
    "netbsd",
    "openbsd",
    "solaris",
];

const ARCHITECTURES: &[&str] = &[
    "386",
    "amd64",
    "amd64p32",
    "arm",
    "armbe",
    "arm64",
    "arm64be",
    "loong64",
    "mips",
    "mipsle",
    "mips64",
    "mips64le",
    "mips64p32",
    "mips64p32le",
    "ppc",
    "ppc64",
    "ppc64le",
    "riscv",
    "riscv64",
    "s390",
    "s390x",
    "sparc",
    "sparc64",
    "wasm",
];

/// Whether a platform that is looked at may build a file, as far as its name tells.
pub(super) fn is_looked_at(path: &str) -> bool {
    PLATFORMS.iter().any(|platform| platform.fits_name(file_name(path)))
}

/// Nesting of a constraint; nobody writes more than three.
const NESTING_MAX: usize = 32;

impl Platform {
    /// The name to show.
    pub(super) fn shown(self) -> String {
        if self.os == "linux" { format!("linux/{}", self.arch) } else { self.os.to_owned() }
    }

    fn has(self, tag: &str) -> bool {
        tag == self.os
            || tag == self.arch
            || matches!(tag, "gc" | "cgo")
            || tag == "unix" && UNIX.contains(&self.os)
            || tag.strip_prefix("go1.").is_some_and(|minor| minor.parse::<u16>().is_ok())
    }

    /// Whether the name of a file fits: `x_linux.go`, `x_windows_arm64.go`.
    pub(super) fn fits_name(self, name: &str) -> bool {
        let stem = name.split('.').next().unwrap_or(name);
        let Some(first) = stem.find('_') else { return true };
        let mut parts: Vec<&str> = stem[first + 1..].split('_').collect();
        if parts.last() == Some(&"test") {
            parts.pop();
        }
        match parts.as_slice() {
            [.., os, arch] if SYSTEMS.contains(os) && ARCHITECTURES.contains(arch) => {
                self.has(os) && self.has(arch)
            }
            [.., one] if SYSTEMS.contains(one) || ARCHITECTURES.contains(one) => self.has(one),
            _ => true,
        }
    }

    /// Whether a constraint is met; one that makes no sense is not.
    pub(super) fn meets(self, constraint: &str) -> bool {
        let words: Vec<&str> = words(constraint);
        let mut parser = Parser { platform: self, words: &words, depth: 0 };
        parser.either() == Some(true) && parser.words.is_empty()
    }
}

fn words(constraint: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = constraint.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_tag = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let length = match first {
            '&' | '|' if rest[1..].starts_with(first) => 2,
            c if is_tag(c) => rest.find(|c| !is_tag(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        words.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    words
}

struct Parser<'a> {
    platform: Platform,
    words: &'a [&'a str],
    depth: usize,
}

impl Parser<'_> {
    fn take(&mut self, word: &str) -> bool {
        let is_next = self.words.first() == Some(&word);
        if is_next {
            self.words = &self.words[1..];
        }
        is_next
    }

    fn either(&mut self) -> Option<bool> {
        let mut met = self.both()?;
        while self.take("||") {
            met |= self.both()?;
        }
        Some(met)
    }

    fn both(&mut self) -> Option<bool> {
        let mut met = self.one()?;
        while self.take("&&") {
            met &= self.one()?;
        }
        Some(met)
    }

    fn one(&mut self) -> Option<bool> {
        let mut is_negated = false;
        while self.take("!") {
            is_negated = !is_negated;
        }
        let met = if self.take("(") {
            self.depth += 1;
            if self.depth > NESTING_MAX {
                return None;
            }
            let met = self.either()?;
            self.depth -= 1;
            self.take(")").then_some(met)?
        } else {
            let (tag, rest) = self.words.split_first()?;
            self.words = rest;
            self.platform.has(tag)
        };
        Some(met != is_negated)
    }
}

/// What stands above the declarations of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Header {
    /// The name in its package clause.
    pub(super) package: String,
    /// Its build constraint, as an expression; empty if it has none.
    pub(super) constraint: String,
    /// Where its package clause ends.
    pub(super) end: usize,
}

impl Header {
    /// Whether a platform that is looked at builds the file, as far as this tells.
    pub(super) fn is_built(&self) -> bool {
        let is_met = |platform: &Platform| platform.meets(&self.constraint);
        self.constraint.is_empty() || PLATFORMS.iter().any(is_met)
    }
}

/// Reads the header of a file; nothing if it has no package clause.
pub(super) fn header(text: &str) -> Option<Header> {
    let mut header = Header::default();
    let mut old: Vec<String> = Vec::new();
    let mut tokens = Tokens::new(text);
    while let Some((token, range)) = tokens.next() {
        let word = text.get(range)?;
        match token {
            Token::Comment => {
                if let Some(constraint) = word.strip_prefix("//go:build ") {
                    constraint.trim().clone_into(&mut header.constraint);
                } else if let Some(line) = word.strip_prefix("//").map(str::trim_start)
                    && let Some(line) = line.strip_prefix("+build ")
                {
                    old.push(old_style(line));
                }
            }
            Token::Word if word == "package" => {
                let (_, range) = tokens.find(|(token, _)| *token == Token::Word)?;
                header.end = range.end;
                text.get(range)?.clone_into(&mut header.package);
                if header.constraint.is_empty() {
                    header.constraint = old.join(" && ");
                }
                return Some(header);
            }
            Token::Newline => {}
            Token::Sign if word == ";" => {}
            _ => return None,
        }
    }
    None
}

/// A line of the syntax before Go 1.17 in that of today: `linux,386 darwin` is
/// `(linux && 386) || (darwin)`.
fn old_style(line: &str) -> String {
    let options = line.split_whitespace();
    let options: Vec<String> =
        options.map(|option| format!("({})", option.replace(',', " && "))).collect();
    format!("({})", options.join(" || "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_are_met_or_not() {
        let linux = PLATFORMS[0];
        for (constraint, expected) in [
            ("linux", true),
            ("!linux", false),
            ("unix && !windows", true),
            ("(darwin || linux) && amd64", true),
            ("darwin || linux && arm64", false),
            ("go1.21", true),
            ("!go1.21", false),
            ("go1.x", false),
            ("ignore", false),
            ("linux &&", false),
            ("(linux", false),
            ("linux)", false),
            ("", false),
            ("!!linux", true),
            ("é", false),
        ] {
            assert_eq!(linux.meets(constraint), expected, "{constraint}");
        }
        assert!(!linux.meets(&"(".repeat(100_000)));
    }

    #[test]
    fn names_say_for_what_a_file_is() {
        for (name, expected) in [
            ("a.go", true),
            ("linux.go", true),
            ("a_linux.go", true),
            ("a_windows.go", false),
            ("a_linux_arm64.go", false),
            ("a_linux_amd64_test.go", true),
            ("a_amd64.go", true),
            ("windows_util.go", true),
            ("a_unix.go", true),
        ] {
            assert_eq!(PLATFORMS[0].fits_name(name), expected, "{name}");
        }
    }

    #[test]
    fn a_header_is_read_up_to_the_package_clause() {
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let found = header(text);
            let found = found.as_ref();
            let found = found.map(|found| (found.package.as_str(), found.constraint.as_str()));
            assert_eq!(found, expected, "{text}");
        };
        check("// Text.\n//go:build linux\n\npackage a // x\n", Some(("a", "linux")));
        let old = "((linux && 386) || (darwin)) && ((!cgo))";
        check("// +build linux,386 darwin\n// +build !cgo\n\npackage a", Some(("a", old)));
        check("/* a\n*/ package b; import \"c\"", Some(("b", "")));
        check("import \"a\"", None);
        check("", None);
    }
}
