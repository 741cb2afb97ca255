//! The settings: what each is called in a file and as a variable, and what it may be.

use std::sync::LazyLock;

use docent_packages::{Ecosystem, Environment};
use toml::Value as Toml;

use super::Source;

/// What a value may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Switch,
    Number,
    Text,
    List,
    /// A program with its arguments, as a list or as one line.
    Command,
}

impl Shape {
    /// The value of a variable.
    pub(super) fn parse(self, text: &str) -> Result<Toml, String> {
        let text = text.trim();
        match self {
            Self::Switch => match text.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Ok(Toml::Boolean(true)),
                "0" | "false" | "no" | "off" => Ok(Toml::Boolean(false)),
                _ => Err("is not `true` or `false`".to_owned()),
            },
            Self::Number => {
                text.parse().map(Toml::Integer).map_err(|_| "is not a number".to_owned())
            }
            Self::Text | Self::Command => Ok(Toml::String(text.to_owned())),
            Self::List => {
                let parts = text.split([',', ':', ' ']).filter(|part| !part.is_empty());
                Ok(Toml::Array(parts.map(|part| Toml::String(part.to_owned())).collect()))
            }
        }
    }
}

/// One setting.
pub(crate) struct Key {
    /// Its name in `docent.toml`, with its table.
    pub(crate) name: String,
    pub(crate) variable: String,
    pub(crate) shape: Shape,
    /// Whether the file of a project, which may be anybody's, may set it.
    pub(crate) in_project: bool,
    pub(crate) says: &'static str,
}

/// All settings, in the order in which they are shown.
pub(crate) static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let key = |name: &str, shape, in_project, says| Key {
        name: name.to_owned(),
        variable: format!("DOCENT_{}", name.to_ascii_uppercase().replace(['-', '.'], "_")),
        shape,
        in_project,
        says,
    };
    let mut keys = vec![
        key("offline", Shape::Switch, true, "ask no registry"),
        key("max-tokens", Shape::Number, true, "the longest answer at a terminal, in tokens"),
        key("languages", Shape::List, true, "languages that prose is preferred in, such as `ja`"),
        key("color", Shape::Text, false, "`auto`, `always` or `never`"),
        key("cache", Shape::Text, false, "the cache folder"),
        key("cache-size", Shape::Text, false, "how much the cache may hold, such as `2 GB`"),
        key("sampling.command", Shape::Command, false, "the program that answers for a model"),
        key("sampling.model", Shape::Text, false, "what servers are told the model is called"),
        key("sampling.tools", Shape::Switch, false, "whether that program can use tools"),
        key("sampling.review", Shape::Text, false, "`ask`: you see what is said; or `never`"),
        key("sampling.timeout", Shape::Number, false, "how many seconds an answer may take"),
    ];
    keys.extend(Ecosystem::all().map(|ecosystem| {
        let name = registry_name(ecosystem);
        Key {
            name: format!("registries.{name}"),
            variable: format!("DOCENT_REGISTRY_{}", name.to_ascii_uppercase()),
            shape: Shape::Text,
            in_project: true,
            says: "the registry where the ecosystem's own configuration names none",
        }
    }));
    keys
});

pub(super) fn named(name: &str) -> &'static Key {
    // Only names of this crate are looked up; the first one stands for a mistake in it.
    KEYS.iter().find(|key| key.name == name).unwrap_or(&KEYS[0])
}

/// What an ecosystem is called below `[registries]`.
pub(crate) fn registry_name(ecosystem: Ecosystem) -> &'static str {
    match ecosystem {
        Ecosystem::Python => "python",
        Ecosystem::Rust => "rust",
        other => other.scheme(),
    }
}

/// Variables that look like settings and are none.
pub(super) fn unknown_variables(environment: &Environment) -> Vec<String> {
    const OTHERS: [&str; 3] = ["DOCENT_BEHIND_GATEWAY", "DOCENT_CONFIG", "DOCENT_WORKER"];
    let ours = environment.variables().filter(|(name, _)| name.starts_with("DOCENT_"));
    let unknown = ours.filter(|(name, _)| {
        // Answers to questions of configuration files have names that are not ours.
        !name.starts_with("DOCENT_INPUT_")
            && !OTHERS.contains(name)
            && !KEYS.iter().any(|key| key.variable == *name)
    });
    let message = |name: &str| format!("the variable `{name}` is not a setting of Docent");
    unknown.map(|(name, _)| message(name)).collect()
}

/// The languages of the user, as the system is told them; English needs no preference.
pub(super) fn spoken(environment: &Environment) -> Option<(Source, Toml)> {
    let set = ["LC_ALL", "LC_MESSAGES", "LANG"];
    let (name, value) =
        { set }.iter().find_map(|name| Some((*name, environment.variable(name)?)))?;
    let tag = value.split(['.', '@']).next()?.replace('_', "-").to_ascii_lowercase();
    let language = tag.split('-').next()?.to_owned();
    if matches!(language.as_str(), "c" | "posix" | "en") || !is_tag(&language) {
        return None;
    }
    let list = Toml::Array(vec![Toml::String(language)]);
    Some((Source::Variable(name.to_owned()), list))
}

fn is_tag(text: &str) -> bool {
    let letters = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (2..=12).contains(&text.len()) && text.split('-').all(|part| !part.is_empty() && letters(part))
}

pub(super) fn tags(value: &Toml) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or_else(|| "is not a list".to_owned())?;
    let tag = |value: &Toml| {
        let text = value.as_str().unwrap_or_default().replace('_', "-").to_ascii_lowercase();
        if is_tag(&text) {
            Ok(text)
        } else {
            Err("has something that is not a language".to_owned())
        }
    };
    list.iter().map(tag).collect()
}

/// `2 GB`, `500MB`, or a number of bytes.
pub(super) fn bytes(value: &Toml) -> Result<u64, String> {
    let invalid = || "is not a size such as `2 GB`".to_owned();
    if let Some(number) = value.as_integer() {
        return u64::try_from(number).map_err(|_| invalid());
    }
    let text = value.as_str().unwrap_or_default().trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().map_err(|_| invalid())?;
    let factor: u64 = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" | "k" => 1_000,
        "mb" | "m" => 1_000_000,
        "gb" | "g" => 1_000_000_000,
        "tb" | "t" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => return Err(invalid()),
    };
    number.checked_mul(factor).ok_or_else(invalid)
}
