//! Artifacts: checked on the way in, found again by whatever is known of them.

use std::sync::Mutex;

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA384, SHA512, digest};

use super::*;
use crate::tree::ArchiveFormat;

const BYTES: &[u8] = b"the bytes of an archive";

fn sum(algorithm: Algorithm, bytes: &[u8]) -> Digest {
    let found = match algorithm {
        Algorithm::Sha1 => digest(&SHA1_FOR_LEGACY_USE_ONLY, bytes),
        Algorithm::Sha256 => digest(&SHA256, bytes),
        Algorithm::Sha384 => digest(&SHA384, bytes),
        Algorithm::Sha512 => digest(&SHA512, bytes),
    };
    Digest { algorithm, bytes: found.as_ref().to_vec() }
}

fn file(bytes: &[u8]) -> Answer {
    Answer::body("application/octet-stream", bytes)
}

impl World {
    fn artifact(&self, path: &str, digests: &[Digest]) -> Artifact {
        Artifact {
            url: Url::parse(&self.registry.url(path)).unwrap(),
            format: ArchiveFormat::TarGz,
            digests: digests.to_vec(),
            access: self.access.clone(),
        }
    }

    async fn download(&self, path: &str, digests: &[Digest]) -> Result<Vec<u8>, ErrorKind> {
        let artifact = self.artifact(path, digests);
        let blob = self.fetcher().artifact(&artifact, &Progress::default()).await;
        let blob = blob.map_err(|error| error.kind())?;
        assert_eq!(
            sum(Algorithm::Sha256, &std::fs::read(&blob.path).unwrap()).text(),
            format!("sha256:{}", blob.sha256)
        );
        Ok(std::fs::read(blob.path).unwrap())
    }

    /// Files left under passing names, and artifacts.
    fn left(&self) -> (usize, usize) {
        let count = |folder| {
            std::fs::read_dir(self.folder.path().join(folder)).map_or(0, std::iter::Iterator::count)
        };
        (count("temporary"), count("artifacts-v1"))
    }
}

#[tokio::test]
async fn every_published_digest_must_match() {
    use Algorithm::{Sha1, Sha256, Sha384, Sha512};
    let all = [Sha1, Sha256, Sha384, Sha512];
    for (right, wrong, accepted) in [
        (&[][..], &[][..], true),
        (&[Sha1], &[], true),
        (&[Sha256], &[], true),
        (&[Sha384], &[], true),
        (&[Sha512], &[], true),
        (&all, &[], true),
        (&[], &[Sha1], false),
        (&[], &[Sha256], false),
        (&[], &[Sha512], false),
        (&[Sha512, Sha256], &[Sha1], false),
        (&[Sha1], &[Sha512], false),
        (&[Sha256], &[Sha256], false),
    ] {
        let world = World::new(Registry::builder().at("/left.tgz", file(BYTES))).await;
        let mut digests: Vec<Digest> =
            right.iter().map(|algorithm| sum(*algorithm, BYTES)).collect();
        digests.extend(wrong.iter().map(|algorithm| sum(*algorithm, b"other bytes")));
        let expected = if accepted { Ok(BYTES.to_vec()) } else { Err(ErrorKind::Integrity) };
        assert_eq!(world.download("/left.tgz", &digests).await, expected, "{right:?} {wrong:?}");
        assert_eq!(world.left(), (0, usize::from(accepted)), "{right:?} {wrong:?}");
        // Found again without the network, or asked for and refused again.
        let again = world.download("/left.tgz", &digests).await;
        assert_eq!(again, expected, "{right:?} {wrong:?}");
        let asked = if accepted { 1 } else { 2 };
        assert_eq!(world.registry.hits("/left.tgz"), asked, "{right:?} {wrong:?}");
    }
}

#[tokio::test]
async fn an_artifact_is_known_by_its_digest_wherever_it_comes_from() {
    use Algorithm::{Sha1, Sha256, Sha512};
    let builder = Registry::builder().at("/a.tgz", file(BYTES)).at("/b.tgz", file(BYTES));
    let world = World::new(builder).await;
    world.download("/a.tgz", &[sum(Sha512, BYTES)]).await.unwrap();
    for digests in [&[Sha512][..], &[Sha256], &[Sha512, Sha256], &[Sha256, Sha1]] {
        let digests: Vec<Digest> = digests.iter().map(|of| sum(*of, BYTES)).collect();
        world.download("/b.tgz", &digests).await.unwrap();
    }
    assert_eq!(world.registry.hits("/b.tgz"), 0);
    // A SHA-1 alone is too weak to vouch for another address, nor does an address for another.
    world.download("/a.tgz", &[sum(Sha1, BYTES)]).await.unwrap();
    world.download("/c.tgz", &[sum(Sha1, BYTES)]).await.unwrap_err();
    world.download("/c.tgz", &[]).await.unwrap_err();
    // One that matches a stored file in part is still not that file.
    let mixed = [sum(Sha256, BYTES), sum(Sha1, b"other")];
    assert_eq!(world.download("/b.tgz", &mixed).await, Err(ErrorKind::Integrity));
}

#[tokio::test]
async fn a_damaged_artifact_is_fetched_again() {
    let world = World::new(Registry::builder().at("/left.tgz", file(BYTES))).await;
    for digests in [&[][..], &[sum(Algorithm::Sha512, BYTES)], &[sum(Algorithm::Sha256, BYTES)]] {
        let before = world.registry.hits("/left.tgz");
        world.download("/left.tgz", digests).await.unwrap();
        let artifact = world.artifact("/left.tgz", digests);
        let blob = world.fetcher().artifact(&artifact, &Progress::default()).await.unwrap();
        std::fs::write(&blob.path, b"the bytes of an archivE").unwrap();
        assert_eq!(world.download("/left.tgz", digests).await.unwrap(), BYTES);
        assert!(world.registry.hits("/left.tgz") > before);
    }
}

#[tokio::test]
async fn downloads_end_well_or_leave_nothing() {
    let long = vec![1; 100_000];
    let too_long = vec![1; 100_001];
    for (answers, expected) in [
        (vec![file(&long)], Ok(long.clone())),
        (vec![file(&too_long)], Err(ErrorKind::LimitExceeded)),
        (vec![file(&too_long).until_closed()], Err(ErrorKind::LimitExceeded)),
        (vec![file(BYTES).truncate_at(7), file(BYTES)], Ok(BYTES.to_vec())),
        (vec![file(BYTES).truncate_at(0), file(BYTES)], Ok(BYTES.to_vec())),
        (vec![Answer::status(503), file(BYTES)], Ok(BYTES.to_vec())),
        (vec![file(b"")], Ok(Vec::new())),
        (vec![Answer::status(404)], Err(ErrorKind::PackageNotFound)),
        (vec![Answer::status(304)], Err(ErrorKind::Network)),
        // What calls itself compressed is kept as it came: that is what digests are of.
        (vec![file(BYTES).header("content-encoding", "gzip")], Ok(BYTES.to_vec())),
    ] {
        let world = World::new(Registry::builder()).await;
        for answer in &answers {
            world.registry.next("/left.tgz", answer.clone());
        }
        let kept = usize::from(expected.is_ok());
        assert_eq!(world.download("/left.tgz", &[]).await, expected, "{answers:.200?}");
        assert_eq!(world.left(), (0, kept), "{answers:.200?}");
    }
}

#[tokio::test]
async fn offline_has_what_is_there() {
    let world = World::new(Registry::builder().at("/left.tgz", file(BYTES))).await;
    let artifact = world.artifact("/left.tgz", &[sum(Algorithm::Sha512, BYTES)]);
    let offline = || async {
        let blob = world.offline().artifact(&artifact, &Progress::default()).await;
        blob.map(|_| ()).map_err(|error| error.kind())
    };
    assert_eq!(offline().await, Err(ErrorKind::Offline));
    world.fetcher().artifact(&artifact, &Progress::default()).await.unwrap();
    assert_eq!(offline().await, Ok(()));
    assert_eq!(world.registry.hits("/left.tgz"), 1);
}

#[tokio::test]
async fn many_who_wait_share_one_download_and_all_hear_of_it() {
    let answer = file(&BYTES[..10]).drip(Duration::from_millis(5));
    let world = World::new(Registry::builder().at("/left-1.0.0.tgz", answer)).await;
    let (fetcher, artifact) = (world.fetcher(), world.artifact("/left-1.0.0.tgz", &[]));
    let heard = [const { Mutex::new(Vec::new()) }; 2].map(Arc::new);
    let progress = |of: usize| {
        let heard = Arc::clone(&heard[of]);
        Progress::new(move |update| heard.lock().unwrap().push(update))
    };
    let (one, two) = (progress(0), progress(1));
    let (a, b) = tokio::join!(fetcher.artifact(&artifact, &one), fetcher.artifact(&artifact, &two));
    assert_eq!(a.unwrap().sha256, b.unwrap().sha256);
    assert_eq!(world.registry.hits("/left-1.0.0.tgz"), 1);
    for heard in &heard {
        let heard = heard.lock().unwrap();
        let last =
            Update::Downloading { what: "left-1.0.0.tgz".to_owned(), bytes: 10, total: Some(10) };
        assert_eq!(heard.last(), Some(&last));
    }
}

#[tokio::test]
async fn a_disk_that_fails_is_said_to() {
    let world = World::new(Registry::builder().at("/left.tgz", file(BYTES))).await;
    std::fs::write(world.folder.path().join("temporary"), "in the way").unwrap();
    assert_eq!(world.download("/left.tgz", &[]).await, Err(ErrorKind::Io));
    assert_eq!(world.registry.hits("/left.tgz"), 1);
}

#[tokio::test]
async fn what_a_registry_publishes_can_be_fetched() {
    use docent_testkit::registry::Package;
    let package = Package::new("@scope/left", "1.0.0").file("index.js", "module.exports = 1");
    let world = World::new(Registry::builder().npm(package)).await;
    let packument = world.get("/@scope%2fleft").await.unwrap();
    let packument: serde_json::Value = serde_json::from_slice(&packument.body).unwrap();
    let dist = &packument["versions"]["1.0.0"]["dist"];
    let tarball = Url::parse(dist["tarball"].as_str().unwrap()).unwrap();
    let integrity = dist["integrity"].as_str().unwrap().strip_prefix("sha512-").unwrap();
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, integrity);
    let digest = Digest { algorithm: Algorithm::Sha512, bytes: bytes.unwrap() };
    let archive = world.download(tarball.path(), &[digest]).await.unwrap();
    assert!(archive.starts_with(&[0x1f, 0x8b]));
}
