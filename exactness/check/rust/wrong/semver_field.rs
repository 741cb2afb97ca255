// invented: prerelease; right: pre
use semver::{BuildMetadata, Prerelease, Version};

fn candidate(of: &Version, number: u64) -> Result<Version, semver::Error> {
    let prerelease = Prerelease::new(&format!("rc.{number}"))?;
    let build = BuildMetadata::EMPTY;
    Ok(Version { major: of.major, minor: of.minor, patch: of.patch, prerelease, build })
}

fn main() {
    println!("{:?}", candidate(&Version::new(1, 2, 3), 1));
}
