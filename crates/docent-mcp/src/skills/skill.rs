//! A skill that a server offers: its files, and what is said about them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{SKILL_MD, digest, frontmatter, is_name};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::types::{JsonObject, Resource, Skill, SkillResource, SkillResources};
use crate::uri::is_safe_segment;

/// A skill that a server offers.
///
/// ```
/// use docent_mcp::skills::ServerSkill;
///
/// let text = "---\nname: git-workflow\ndescription: How we branch\n---\n\nSee references/names.md.\n";
/// let skill = ServerSkill::new(text)?.file("references/names.md", "feature/…")?;
/// assert_eq!(skill.uri(), "skill://git-workflow/SKILL.md");
/// # Ok::<(), docent_mcp::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ServerSkill {
    pub(super) frontmatter: JsonObject,
    name: String,
    prefix: String,
    /// By path inside the skill's folder.
    pub(super) files: BTreeMap<String, Arc<[u8]>>,
}

impl ServerSkill {
    /// A skill with this `SKILL.md`.
    pub fn new(skill_md: impl Into<String>) -> Result<Self> {
        let text = skill_md.into();
        let bad =
            |what: String| Error::invalid_input(format!("the {SKILL_MD} cannot be used: {what}"));
        let frontmatter = frontmatter::parse(&text, &Limits::default()).map_err(bad)?;
        let name =
            frontmatter.get("name").and_then(|name| name.as_str()).unwrap_or_default().to_owned();
        if !is_name(&name) {
            let rule = "a name has 1 to 64 of a–z, 0–9 and single hyphens inside";
            return Err(bad(format!("its name is {name:?}, but {rule}")));
        }
        let files = BTreeMap::from([(SKILL_MD.to_owned(), text.into_bytes().into())]);
        Ok(ServerSkill { frontmatter, name, prefix: String::new(), files })
    }

    /// Adds a file at a path inside the skill's folder, with `/` between the parts.
    pub fn file(mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) -> Result<Self> {
        let path = path.into();
        if !path.split('/').all(is_safe_segment) || path == SKILL_MD {
            return Err(Error::invalid_input(format!("{path:?} is no path inside a skill")));
        }
        let (name, content) = (path.clone(), content.into().into());
        if self.files.insert(path, content).is_some() {
            return Err(Error::invalid_input(format!("the skill has the file {name:?} twice")));
        }
        Ok(self)
    }

    /// Puts the skill below a path of your choice: `acme/billing` makes it
    /// `skill://acme/billing/NAME/SKILL.md`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Result<Self> {
        let prefix = prefix.into();
        if !prefix.split('/').all(is_safe_segment) {
            return Err(Error::invalid_input(format!("{prefix:?} is no path for skills")));
        }
        self.prefix = prefix;
        Ok(self)
    }

    /// Where its `SKILL.md` is.
    pub fn uri(&self) -> String {
        self.uri_of(SKILL_MD)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its folder.
    pub(super) fn root(&self) -> String {
        let prefix = self.prefix.split('/').filter(|part| !part.is_empty());
        let path: Vec<_> = prefix.chain([&*self.name]).map(escaped).collect();
        format!("skill://{}", path.join("/"))
    }

    pub(super) fn uri_of(&self, path: &str) -> String {
        let path: Vec<_> = path.split('/').map(escaped).collect();
        format!("{}/{}", self.root(), path.join("/"))
    }

    /// What is listed.
    pub(super) fn entry(&self) -> Skill {
        let files = self.files.iter().map(|(path, content)| SkillResource {
            uri: self.uri_of(path),
            digest: digest(content),
            size: content.len() as u64,
            ..Default::default()
        });
        Skill {
            uri: self.uri(),
            frontmatter: self.frontmatter.clone(),
            resources: SkillResources::Listed(files.collect()),
            ..Default::default()
        }
    }

    /// A file as a resource.
    pub(super) fn resource(&self, path: &str, content: &[u8]) -> Resource {
        let file_name = path.rsplit('/').next().unwrap_or(path);
        let mut resource = Resource::new(self.uri_of(path), file_name);
        resource.mime_type = Some(mime_type(file_name, content).to_owned());
        resource.size = Some(content.len() as u64);
        if path == SKILL_MD {
            resource.name = self.name.clone();
            let description = self.frontmatter.get("description").and_then(|text| text.as_str());
            resource.description = description.map(str::to_owned);
        }
        resource
    }
}

/// A part of a path with everything escaped that has a meaning in addresses.
fn escaped(part: &str) -> String {
    let mut text = String::with_capacity(part.len());
    for byte in part.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(byte.into());
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// What a file is, by the end of its name.
fn mime_type(file_name: &str, content: &[u8]) -> &'static str {
    let end = file_name.rsplit_once('.').map_or("", |(_, end)| end);
    match end.to_ascii_lowercase().as_str() {
        "md" => "text/markdown",
        "html" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "js" | "mjs" => "text/javascript",
        "py" => "text/x-python",
        "sh" => "text/x-shellscript",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "svg" => "image/svg+xml",
        _ if std::str::from_utf8(content).is_ok() => "text/plain",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nname: a\ndescription: b\n---\n";

    #[test]
    fn addresses() {
        let skill = ServerSkill::new(TEXT).unwrap().prefix("acme/two words").unwrap();
        assert_eq!(skill.uri(), "skill://acme/two%20words/a/SKILL.md");
        assert_eq!(skill.uri_of("x/é?.md"), "skill://acme/two%20words/a/x/%C3%A9%3F.md");
        for bad in ["", "/x", "../x", "x//y", "x\\y", "SKILL.md"] {
            assert!(ServerSkill::new(TEXT).unwrap().file(bad, "x").is_err(), "{bad:?}");
        }
        for bad in ["/", "..", "a/../b"] {
            assert!(ServerSkill::new(TEXT).unwrap().prefix(bad).is_err(), "{bad:?}");
        }
        let twice = ServerSkill::new(TEXT).unwrap().file("x", "1").unwrap().file("x", "2");
        assert!(twice.unwrap_err().to_string().contains("twice"));
    }
}
