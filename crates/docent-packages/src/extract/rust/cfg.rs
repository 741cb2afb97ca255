//! Conditions: which items are there when documentation is made, and what they need.
//!
//! All features count as on, since a reader wants to know what there is; the note says what to turn
//! on. The platform is the one that the package's documentation is made for. What is there only
//! without a feature, or elsewhere, is kept apart: it counts where nothing else has its name.

use super::meta::Meta;
use crate::hashing::HashSet;

/// A condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Cfg {
    All(Vec<Cfg>),
    Any(Vec<Cfg>),
    Not(Box<Cfg>),
    Flag(String),
    Is(String, String),
}

/// Whether something is there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Presence {
    #[default]
    Here,
    /// On another platform, or when a feature is off.
    Elsewhere,
    Never,
}

/// The platform, as far as conditions ask for it.
#[derive(Clone, Debug)]
pub(super) struct Platform {
    triple: String,
}

impl Default for Platform {
    fn default() -> Self {
        Self { triple: "x86_64-unknown-linux-gnu".to_owned() }
    }
}

impl Cfg {
    /// The condition in the brackets of `cfg(…)`.
    pub(super) fn of(meta: &Meta) -> Option<Self> {
        let all = || meta.list.iter().filter_map(Self::of).collect();
        Some(match (meta.path.as_str(), meta.text()) {
            ("all", None) => Self::All(all()),
            ("any", None) => Self::Any(all()),
            ("not", None) => Self::Not(Box::new(Self::of(meta.list.first()?)?)),
            ("", _) => return None,
            (name, Some(value)) => Self::Is(name.to_owned(), value.to_owned()),
            (name, None) => Self::Flag(name.to_owned()),
        })
    }

    /// Whether what it is about is there.
    pub(super) fn presence(&self, platform: &Platform) -> Presence {
        if self.holds(platform) {
            return Presence::Here;
        }
        if self.may_hold() == Some(false) { Presence::Never } else { Presence::Elsewhere }
    }

    fn holds(&self, platform: &Platform) -> bool {
        match self {
            Self::All(all) => all.iter().all(|cfg| cfg.holds(platform)),
            Self::Any(any) => any.iter().any(|cfg| cfg.holds(platform)),
            Self::Not(cfg) => !cfg.holds(platform),
            Self::Flag(name) => platform.flag(name),
            Self::Is(name, value) => platform.is(name, value),
        }
    }

    /// Whether it holds with no more than the default features, outside of documentation.
    pub(super) fn holds_by_default(&self, platform: &Platform, default: &HashSet<String>) -> bool {
        match self {
            Self::All(all) => all.iter().all(|cfg| cfg.holds_by_default(platform, default)),
            Self::Any(any) => any.iter().any(|cfg| cfg.holds_by_default(platform, default)),
            Self::Not(cfg) => !cfg.holds_by_default(platform, default),
            Self::Flag(name) => name != "doc" && name != "docsrs" && platform.flag(name),
            Self::Is(name, value) if name == "feature" => default.contains(value),
            Self::Is(name, value) => platform.is(name, value),
        }
    }

    /// Whether it holds only where the crate itself is tested.
    pub(super) fn is_for_tests(&self) -> bool {
        match self {
            Self::All(all) => all.iter().any(Self::is_for_tests),
            Self::Any(any) => !any.is_empty() && any.iter().all(Self::is_for_tests),
            Self::Flag(name) => matches!(name.as_str(), "test" | "doctest"),
            Self::Not(_) | Self::Is(..) => false,
        }
    }

    /// Whether it holds with some features on some platform; `None` if that depends.
    fn may_hold(&self) -> Option<bool> {
        match self {
            Self::All(all) => {
                let each: Vec<_> = all.iter().map(Self::may_hold).collect();
                if each.contains(&Some(false)) {
                    return Some(false);
                }
                each.iter().all(|one| *one == Some(true)).then_some(true)
            }
            Self::Any(any) => {
                let each: Vec<_> = any.iter().map(Self::may_hold).collect();
                if each.contains(&Some(true)) {
                    return Some(true);
                }
                each.iter().any(Option::is_none).then_some(()).map_or(Some(false), |()| None)
            }
            Self::Not(cfg) => cfg.may_hold().map(|holds| !holds),
            Self::Flag(name) => match name.as_str() {
                "doc" | "docsrs" | "unix" | "windows" | "debug_assertions" => None,
                _ if name.starts_with("target_") => None,
                _ => Some(false),
            },
            Self::Is(name, _) => {
                let depends = name == "feature" || name.starts_with("target_") || name == "panic";
                if depends { None } else { Some(false) }
            }
        }
    }

    /// In words: "feature `rt` and `unix`"; `None` if nothing that a reader can change is needed.
    pub(super) fn words(&self) -> Option<String> {
        let many = |parts: &[Self], word: &str| {
            let mut words: Vec<String> = parts.iter().filter_map(Self::words).collect();
            words.dedup();
            (!words.is_empty()).then(|| words.join(word))
        };
        match self {
            Self::All(all) => many(all, " and "),
            Self::Any(any) => many(any, " or "),
            Self::Not(cfg) => cfg.words().map(|words| format!("not {words}")),
            Self::Flag(flag) => match flag.as_str() {
                "unix" | "windows" => Some(format!("`{flag}`")),
                _ => None,
            },
            Self::Is(name, value) => match name.as_str() {
                "feature" => Some(format!("feature `{value}`")),
                "target_os" | "target_family" | "target_arch" | "target_env" | "target_vendor" => {
                    Some(format!("`{value}`"))
                }
                _ => None,
            },
        }
    }
}

impl Platform {
    pub(super) fn named(triple: &str) -> Self {
        Self { triple: triple.to_owned() }
    }

    fn os(&self) -> &str {
        let known = ["linux", "windows", "macos", "darwin", "ios", "android", "freebsd", "wasi"];
        let found = known.into_iter().find(|os| self.triple.contains(os));
        found.map_or("unknown", |os| if os == "darwin" { "macos" } else { os })
    }

    fn family(&self) -> &str {
        match self.os() {
            "windows" => "windows",
            "unknown" | "wasi" => "wasm",
            _ => "unix",
        }
    }

    fn flag(&self, name: &str) -> bool {
        match name {
            "doc" | "docsrs" | "debug_assertions" | "panic_unwind" | "true" => true,
            // Whether there is any size of atomic values at all, and other things that platforms have.
            _ if name.starts_with("target_has_") || name == "target_thread_local" => true,
            "unix" | "windows" => self.family() == name,
            _ => false,
        }
    }

    fn is(&self, name: &str, value: &str) -> bool {
        let arch = self.triple.split('-').next().unwrap_or_default();
        let arch = if matches!(arch, "i686" | "i586") { "x86" } else { arch };
        let is_64 = arch.contains("64") || arch == "s390x";
        match name {
            "feature" => true,
            "target_os" => self.os() == value,
            "target_family" => self.family() == value,
            "target_arch" => arch == value,
            "target_pointer_width" => value == if is_64 { "64" } else { "32" },
            "target_endian" => value == "little",
            "target_env" => self.triple.ends_with(value) && !value.is_empty(),
            "target_vendor" => self.triple.split('-').nth(1) == Some(value),
            name if name.starts_with("target_has_atomic") => {
                matches!(value, "8" | "16" | "32" | "ptr") || (is_64 && value == "64")
            }
            "target_feature" => matches!(value, "sse" | "sse2" | "fxsr"),
            "panic" => value == "unwind",
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Presence, words: Option<&str>) {
        let meta = Meta::parse(text).expect("an attribute");
        let cfg = Cfg::of(&meta.list[0]).expect("a condition");
        assert_eq!(cfg.presence(&Platform::default()), expected, "{text}");
        assert_eq!(cfg.words().as_deref(), words, "{text}");
    }

    #[test]
    fn conditions_decide_and_are_told() {
        use Presence::{Elsewhere, Here, Never};
        check("cfg(feature = \"a\")", Here, Some("feature `a`"));
        check("cfg(not(feature = \"a\"))", Elsewhere, Some("not feature `a`"));
        check("cfg(test)", Never, None);
        check("cfg(all(test, feature = \"a\"))", Never, Some("feature `a`"));
        check("cfg(any(docsrs, windows))", Here, Some("`windows`"));
        check("cfg(windows)", Elsewhere, Some("`windows`"));
        check("cfg(all(unix, feature = \"a\"))", Here, Some("`unix` and feature `a`"));
        check("cfg(loom)", Never, None);
        check("cfg(not(docsrs))", Elsewhere, None);
        check("cfg(not(loom))", Here, None);
        check("cfg(target_pointer_width = \"32\")", Elsewhere, None);
        check("cfg(target_has_atomic_load_store)", Here, None);
        check("cfg(target_has_atomic_load_store = \"128\")", Elsewhere, None);
    }
}
