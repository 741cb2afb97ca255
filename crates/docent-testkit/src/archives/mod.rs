//! Archives made on the fly: well-formed ones, and a corpus of hostile ones.
//!
//! [`tar`] and [`zip`] write archives in which every field can be made to lie. [`corpus`] is what
//! readers of packages are attacked with, in fourteen families; each archive says whether a reader
//! must refuse it, or may open it as long as nothing comes of it.

mod families;
pub mod gzip;
pub mod tar;
pub mod zip;

/// The formats of archives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A tar archive inside gzip.
    TarGz,
    /// A zip archive.
    Zip,
}

/// What a reader has to do with an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// Give an error.
    Refused,
    /// Open it; what is hostile in it has no effect.
    Opened,
}

/// One hostile archive. Its bytes are made when they are asked for.
pub struct Hostile {
    /// The number of its family, from 1 to 14.
    pub family: u8,
    /// What it is, in a few words; unique.
    pub name: String,
    /// What it pretends to be.
    pub format: Format,
    /// What a reader has to do with it.
    pub expected: Expected,
    make: Box<dyn Fn() -> Vec<u8> + Send + Sync>,
}

impl Hostile {
    /// The bytes of the archive.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        (self.make)()
    }
}

/// Collects one family.
struct Family {
    number: u8,
    archives: Vec<Hostile>,
}

impl Family {
    fn new(number: u8) -> Self {
        Self { number, archives: Vec::new() }
    }

    fn add(
        &mut self,
        name: impl Into<String>,
        format: Format,
        expected: Expected,
        make: impl Fn() -> Vec<u8> + Send + Sync + 'static,
    ) {
        let (family, name) = (self.number, name.into());
        self.archives.push(Hostile { family, name, format, expected, make: Box::new(make) });
    }

    fn tar(
        &mut self,
        name: impl Into<String>,
        expected: Expected,
        make: impl Fn() -> Vec<tar::Member> + Send + Sync + 'static,
    ) {
        self.add(name, Format::TarGz, expected, move || gzip::pack(&tar::archive(&make())));
    }

    fn zip(
        &mut self,
        name: impl Into<String>,
        expected: Expected,
        make: impl Fn() -> zip::Zip + Send + Sync + 'static,
    ) {
        self.add(name, Format::Zip, expected, move || make().bytes());
    }
}

/// All hostile archives.
#[must_use]
pub fn corpus() -> Vec<Hostile> {
    families::ALL.iter().flat_map(|family| family()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn every_family_has_its_share_and_every_archive_a_name() {
        let corpus = corpus();
        let names: BTreeSet<&str> = corpus.iter().map(|archive| archive.name.as_str()).collect();
        assert_eq!(names.len(), corpus.len());
        let mut families: BTreeMap<u8, usize> = BTreeMap::new();
        for archive in &corpus {
            *families.entry(archive.family).or_default() += 1;
        }
        assert_eq!(families.keys().copied().collect::<Vec<_>>(), (1..=14).collect::<Vec<_>>());
        assert!(families.values().all(|&count| count >= 10), "{families:?}");
    }
}
