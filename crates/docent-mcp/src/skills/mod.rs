//! The extension `io.modelcontextprotocol/skills`: folders of instructions for a model.
//!
//! A skill is a folder with a `SKILL.md`, which begins with YAML front matter, and the files that
//! it refers to. A server offers skills by registering [`Skills`]; their files are ordinary
//! resources. A client lists them without reading any file; [`Client::load_skill`] reads a
//! `SKILL.md`, and uses it only if length, digest and front matter are those that were listed.
//!
//! [`Client::load_skill`]: crate::Client::load_skill

mod client;
mod folder;
mod frontmatter;
mod server;
mod skill;

pub use client::LoadedSkill;
pub use server::Skills;
pub use skill::ServerSkill;

/// The name of the extension.
pub const EXTENSION_ID: &str = "io.modelcontextprotocol/skills";

/// Lists skills.
pub const SKILLS_LIST: &str = "skills/list";
/// Describes one skill.
pub const SKILLS_GET: &str = "skills/get";
/// Lists what is directly inside a folder.
pub const DIRECTORY_READ: &str = "resources/directory/read";

/// The file that makes a folder a skill.
const SKILL_MD: &str = "SKILL.md";

/// The digest of a file, as skills write it.
fn digest(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    let digits: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

/// The folder of a skill, and the skill's name by its address, if that is one of a skill.
fn root_and_name(uri: &str) -> Option<(&str, &str)> {
    let root = uri.strip_suffix(SKILL_MD)?.strip_suffix('/')?;
    let (_, path) = root.split_once("://")?;
    let name = path.rsplit('/').next()?;
    is_name(name).then_some((root, name))
}

/// Whether a skill may be called this: 1 to 64 of a–z, 0–9 and single hyphens inside.
fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=64).contains(&name.len())
        && name.bytes().all(allowed)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let long = "x".repeat(64);
        for good in ["a", "git-workflow", "a1-b2", &*long] {
            assert!(is_name(good), "{good}");
        }
        let long = "x".repeat(65);
        for bad in ["", "-a", "a-", "a--b", "A", "a_b", "a/b", "é", &*long] {
            assert!(!is_name(bad), "{bad}");
        }
        assert_eq!(root_and_name("skill://a/b/SKILL.md"), Some(("skill://a/b", "b")));
        for bad in ["skill://SKILL.md", "skill://a/B/SKILL.md", "skill://a/skill.md", "a/SKILL.md"]
        {
            assert_eq!(root_and_name(bad), None, "{bad}");
        }
    }

    #[test]
    fn digests() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest(b""), empty);
    }
}
