//! Settings of a program: a file, the environment, and defaults, written back without losing any.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use semver::{Version, VersionReq};
use serde::de::{self, DeserializeOwned, Deserializer, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use tempfile::NamedTempFile;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    name: String,
    #[serde(deserialize_with = "megabytes")]
    cache: u64,
    requires: VersionReq,
    #[serde(serialize_with = "sorted")]
    servers: IndexMap<String, String>,
    #[serde(flatten)]
    other: toml::Table,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            name: "program".to_owned(),
            cache: 64,
            requires: VersionReq::STAR,
            servers: IndexMap::new(),
            other: toml::Table::new(),
        }
    }
}

struct Megabytes;

impl Visitor<'_> for Megabytes {
    type Value = u64;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a number, or a number with `MB`")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<u64, E> {
        Ok(value)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<u64, E> {
        u64::try_from(value).map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<u64, E> {
        value.trim_end_matches("MB").trim().parse().map_err(E::custom)
    }
}

fn megabytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    deserializer.deserialize_any(Megabytes)
}

fn sorted<S: Serializer>(map: &IndexMap<String, String>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut sorted = map.clone();
    sorted.sort_unstable_keys();
    let mut out = serializer.serialize_map(Some(sorted.len()))?;
    for (key, value) in &sorted {
        out.serialize_entry(key, value)?;
    }
    out.end()
}

fn read<T: DeserializeOwned + Default>(file: &Path) -> Result<T, toml::de::Error> {
    match fs::read_to_string(file) {
        Ok(text) => toml::from_str(&text),
        Err(_) => Ok(T::default()),
    }
}

fn write(file: &Path, settings: &Settings) -> io::Result<()> {
    let text = toml::to_string_pretty(settings).map_err(io::Error::other)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut new = NamedTempFile::new_in(folder)?;
    new.write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    new.persist(file).map_err(|error| error.error)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = PathBuf::from("settings.toml");
    let mut settings: Settings = read(&file)?;
    let own = Version::parse(env!("CARGO_PKG_VERSION"))?;
    if !settings.requires.matches(&own) {
        eprintln!("{} does not fit {}", own, settings.requires);
    }
    let next = Version { minor: own.minor + 1, ..Version::new(own.major, 0, 0) };
    settings.servers.entry("local".to_owned()).or_insert_with(|| "127.0.0.1".to_owned());
    settings.servers.shift_remove("old");
    settings.other.insert("next".to_owned(), toml::Value::String(next.to_string()));
    if let Some(toml::Value::Integer(count)) = settings.other.get("count") {
        println!("{count}");
    }
    write(&file, &settings)?;
    Ok(())
}
