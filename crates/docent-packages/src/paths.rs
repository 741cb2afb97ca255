//! Paths on the way to a worker and into answers: also those whose names are not Unicode.
//!
//! Between our own processes a path travels as the bytes that the system knows it by; in JSON, which
//! people and models read, as text, with a mark in the place of what is none.

use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct One(#[serde(with = "self")] PathBuf);

pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        return path.to_string_lossy().serialize(serializer);
    }
    serializer.serialize_bytes(path.as_os_str().as_encoded_bytes())
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<PathBuf, D::Error> {
    if reader.is_human_readable() {
        return String::deserialize(reader).map(PathBuf::from);
    }
    let bytes = Vec::<u8>::deserialize(reader)?;
    from_bytes(bytes).ok_or_else(|| D::Error::custom("a path that this system does not have"))
}

#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Many paths.
pub(crate) mod list {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        paths: &[PathBuf],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().cloned().map(One))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        reader: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        Ok(Vec::<One>::deserialize(reader)?.into_iter().map(|one| one.0).collect())
    }
}

/// Names, each with a path.
pub(crate) mod named {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        paths: &[(String, PathBuf)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().cloned().map(|(name, path)| (name, One(path))))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        reader: D,
    ) -> Result<Vec<(String, PathBuf)>, D::Error> {
        let named = Vec::<(String, One)>::deserialize(reader)?;
        Ok(named.into_iter().map(|(name, one)| (name, one.0)).collect())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    #[test]
    fn every_path_arrives_and_json_stays_text() {
        let odd = PathBuf::from(std::ffi::OsString::from_vec(b"/caf\xe9".to_vec()));
        for path in [odd.clone(), PathBuf::from("/plain"), PathBuf::new()] {
            let bytes = postcard::to_stdvec(&One(path.clone())).expect("bytes");
            assert_eq!(postcard::from_bytes::<One>(&bytes).expect("a path").0, path);
        }
        let json = serde_json::to_string(&One(odd)).expect("JSON");
        assert_eq!(json, "\"/caf\u{fffd}\"");
    }
}
