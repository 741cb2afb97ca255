//! Skills as a client uses them: listed without a look at their files, loaded only as listed.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    DIRECTORY_READ, EXTENSION_ID, SKILLS_GET, SKILLS_LIST, digest, frontmatter, root_and_name,
};
use crate::client::{Client, Pages, RequestOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::{RawJson, RawObject};
use crate::types::{
    GetSkillResult, JsonObject, ListResourcesResult, ListSkillsResult, Resource, Skill,
    SkillResource, SkillResources,
};

impl Client {
    /// The skills that the server lists, which may not be all it has. No file is read.
    pub async fn skills(&self) -> Result<Vec<Skill>> {
        self.skill_pages()?.collect().await
    }

    /// The skills that the server lists, page by page; an error if it has none at all.
    pub fn skill_pages(&self) -> Result<Pages<Skill>> {
        self.skills_setting()?;
        Ok(Pages::new(self, SKILLS_LIST, |_, page| {
            page.decode::<ListSkillsResult>().map(|page| (page.skills, page.next_cursor))
        }))
    }

    /// The skill whose `SKILL.md` is at `uri`, listed or not. No file is read.
    pub async fn skill(&self, uri: &str) -> Result<Skill> {
        self.skills_setting()?;
        let params = RawObject::from_iter([("uri", RawJson::of(uri))]);
        let result = self.request(SKILLS_GET, params, RequestOptions::default()).await?;
        let result: GetSkillResult = result.decode().map_err(|error| {
            Error::invalid_response("the skill cannot be read").with_source(error)
        })?;
        match result.skill.uri == uri {
            true => Ok(result.skill),
            false => Err(Error::invalid_response("the server described another skill")),
        }
    }

    /// What is directly inside a folder of a skill, if the server can tell.
    pub async fn read_directory(&self, uri: &str) -> Result<Vec<Resource>> {
        if self.skills_setting()?.get("directoryRead") != Some(&Value::Bool(true)) {
            return Err(Error::unsupported("the server does not list folders"));
        }
        let pages = Pages::new(self, DIRECTORY_READ, |_, page| {
            page.decode::<ListResourcesResult>().map(|page| (page.resources, page.next_cursor))
        });
        let uri = RawObject::from_iter([("uri", RawJson::of(uri))]);
        pages.with_params(uri).collect().await
    }

    /// Reads the `SKILL.md` of a skill. What comes must be what was listed, in length, digest and
    /// front matter; otherwise the skill may have changed: get it anew with [`Client::skill`], and
    /// the user's approval as well.
    ///
    /// A skill is text from a server for a model to follow. Show the user what it is and where it
    /// comes from before it is loaded, and tell the model the latter.
    pub async fn load_skill(&self, skill: &Skill) -> Result<LoadedSkill> {
        let (root, name) =
            root_and_name(&skill.uri).ok_or_else(|| refused("its address is none of a skill"))?;
        if skill.frontmatter.get("name").and_then(Value::as_str) != Some(name) {
            return Err(refused("its name is not that of its folder"));
        }
        let files = self.checked_files(skill, root)?;
        let mut loaded = LoadedSkill {
            client: self.clone(),
            root: root.to_owned(),
            files: files.to_vec(),
            text: String::new(),
        };
        let text = loaded.read_uri(&skill.uri).await?;
        loaded.text = String::from_utf8(text).map_err(|_| refused("it is not text"))?;
        let found =
            frontmatter::parse(&loaded.text, self.limits()).map_err(|what| refused(&what))?;
        match frontmatter::same_fields(&found, &skill.frontmatter) {
            true => Ok(loaded),
            false => Err(refused("its front matter is not what was listed")),
        }
    }

    /// The settings with which the server declares the extension.
    fn skills_setting(&self) -> Result<JsonObject> {
        let extensions = self.server().capabilities.extensions.unwrap_or_default();
        match extensions.get(EXTENSION_ID) {
            Some(Value::Object(settings)) => Ok(settings.clone()),
            _ => Err(Error::unsupported("the server does not offer skills")),
        }
    }

    /// The files of a skill, if what is listed can be true.
    fn checked_files<'a>(&self, skill: &'a Skill, root: &str) -> Result<&'a [SkillResource]> {
        let SkillResources::Listed(files) = &skill.resources else {
            return Err(refused("it is made when it is read, so nothing can be verified"));
        };
        let limits = self.limits();
        let bytes = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
        if files.len() > limits.skill_files_max || bytes > limits.skill_bytes_max as u64 {
            let (files, bytes) = (limits.skill_files_max, limits.skill_bytes_max);
            let message = format!("a skill may have at most {files} files and {bytes} bytes");
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let mut uris = BTreeSet::new();
        for file in files {
            let inside = file.uri.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'));
            if !inside || !uris.insert(&*file.uri) {
                return Err(refused("its files are listed outside of it, or twice"));
            }
        }
        match uris.contains(&*skill.uri) {
            true => Ok(files),
            false => Err(refused("its own text is not among its files")),
        }
    }
}

/// A skill whose `SKILL.md` was read and found to be what was listed.
pub struct LoadedSkill {
    client: Client,
    root: String,
    files: Vec<SkillResource>,
    text: String,
}

impl LoadedSkill {
    /// The whole `SKILL.md`, front matter included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reads a file of the skill by its path, as the skill's text refers to it. Only files that
    /// were listed are read, and only what was listed is returned.
    pub async fn read(&self, path: &str) -> Result<Vec<u8>> {
        self.read_uri(&format!("{}/{path}", self.root)).await
    }

    /// [`LoadedSkill::read`] by address.
    pub async fn read_uri(&self, uri: &str) -> Result<Vec<u8>> {
        let Some(listed) = self.files.iter().find(|file| file.uri == uri) else {
            return Err(refused("it has no such file"));
        };
        let result = self.client.read(uri).await?;
        let [contents] = &*result.contents else {
            return Err(refused("a file came in several parts, or in none"));
        };
        let bytes = contents.bytes().ok_or_else(|| refused("a file is not in base64"))?;
        if bytes.len() as u64 != listed.size {
            return Err(refused("a file does not have the length that was listed"));
        }
        match digest(&bytes) == listed.digest {
            true => Ok(bytes),
            false => Err(refused("a file does not have the digest that was listed")),
        }
    }
}

impl std::fmt::Debug for LoadedSkill {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedSkill").field("root", &self.root).finish_non_exhaustive()
    }
}

fn refused(what: &str) -> Error {
    Error::invalid_response(format!("the skill is not used: {what}"))
}
