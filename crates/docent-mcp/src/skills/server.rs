//! The extension as a server offers it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::json;

use super::{DIRECTORY_READ, EXTENSION_ID, SKILLS_GET, SKILLS_LIST, ServerSkill, folder};
use crate::error::{Error, Result};
use crate::jsonrpc::{ErrorObject, RawJson};
use crate::limits::Limits;
use crate::server::{Context, Extension, Server, ServerResource};
use crate::transport::BoxFuture;
use crate::types::{
    GetSkillRequestParams, GetSkillResult, JsonObject, ListResourcesResult, ListSkillsResult,
    PaginatedRequestParams, ReadDirectoryRequestParams, Resource, ResourceContents, Skill,
};

/// The skills of a server: register them with [`Server::extension`].
///
/// ```no_run
/// use docent_mcp::skills::Skills;
/// use docent_mcp::{Limits, Server};
///
/// # async fn run() -> docent_mcp::Result<()> {
/// let skills = Skills::from_folder("skills", &Limits::default())?;
/// Server::new("helper", "1.0").extension(skills).serve_stdio().await
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Skills {
    skills: Vec<Arc<ServerSkill>>,
    entries: Vec<Skill>,
    /// What is directly inside each folder.
    folders: BTreeMap<String, Vec<Resource>>,
}

impl Skills {
    /// No skills yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Every skill in a folder and below. Files are read now, and later changes are not seen.
    pub fn from_folder(root: impl AsRef<Path>, limits: &Limits) -> Result<Self> {
        let found = folder::find(root.as_ref(), limits)?;
        Ok(found.into_iter().fold(Skills::new(), Skills::with))
    }

    /// Adds a skill.
    #[must_use]
    pub fn with(mut self, skill: ServerSkill) -> Self {
        for (path, content) in &skill.files {
            self.list(&skill, path, skill.resource(path, content));
        }
        self.entries.push(skill.entry());
        self.skills.push(Arc::new(skill));
        self
    }

    /// Lists a file in its folder, and that folder in the one above, up to the skill's own.
    fn list(&mut self, skill: &ServerSkill, path: &str, resource: Resource) {
        let (above, folder) = match path.rsplit_once('/') {
            Some((above, _)) => (Some(above), skill.uri_of(above)),
            None => (None, skill.root()),
        };
        let listed = self.folders.entry(folder.clone()).or_default();
        if listed.iter().any(|other| other.uri == resource.uri) {
            return;
        }
        listed.push(resource);
        if let Some(above) = above {
            let name = above.rsplit('/').next().unwrap_or(above);
            let mut resource = Resource::new(folder, name);
            resource.mime_type = Some("inode/directory".to_owned());
            self.list(skill, above, resource);
        }
    }

    fn check(&self, limits: &Limits) -> Result<()> {
        for skill in &self.skills {
            let bad = |what: String| Error::invalid_input(format!("skill {}: {what}", skill.uri()));
            let bytes: usize = skill.files.values().map(|content| content.len()).sum();
            let (files_max, bytes_max) = (limits.skill_files_max, limits.skill_bytes_max);
            if skill.files.len() > files_max || bytes > bytes_max {
                let rule = format!("a skill has at most {files_max} files and {bytes_max} bytes");
                return Err(bad(rule));
            }
            if self.skills.iter().filter(|other| other.uri() == skill.uri()).count() > 1 {
                return Err(bad("there are two of it".to_owned()));
            }
        }
        Ok(())
    }

    fn answer(
        &self,
        context: &Context,
        method: &str,
        params: Option<RawJson>,
    ) -> Result<RawJson, ErrorObject> {
        let (ttl_ms, cache_scope) = context.scope.core.cache_hints();
        match method {
            SKILLS_LIST => {
                let params: PaginatedRequestParams = decode(params)?;
                let (skills, next_cursor) =
                    context.page(&self.entries, params.cursor.as_deref())?;
                let result = ListSkillsResult {
                    skills,
                    next_cursor,
                    ttl_ms,
                    cache_scope,
                    ..Default::default()
                };
                Ok(context.reply(result))
            }
            SKILLS_GET => {
                let params: GetSkillRequestParams = decode(params)?;
                let skill = self.entries.iter().find(|skill| skill.uri == params.uri);
                let skill = skill.cloned().ok_or_else(|| {
                    ErrorObject::invalid_params("no skill of this server is there")
                        .with_data(json!({ "uri": params.uri }))
                })?;
                Ok(context.reply(GetSkillResult {
                    skill,
                    ttl_ms,
                    cache_scope,
                    ..Default::default()
                }))
            }
            _ => {
                let params: ReadDirectoryRequestParams = decode(params)?;
                let listed = self.folders.get(&params.uri).ok_or_else(|| {
                    ErrorObject::invalid_params("no folder is there")
                        .with_data(json!({ "uri": params.uri }))
                })?;
                let (resources, next_cursor) = context.page(listed, params.cursor.as_deref())?;
                let result = ListResourcesResult {
                    resources,
                    next_cursor,
                    ttl_ms,
                    cache_scope,
                    ..Default::default()
                };
                Ok(context.reply(result))
            }
        }
    }
}

impl Extension for Skills {
    fn id(&self) -> &str {
        EXTENSION_ID
    }

    fn settings(&self) -> JsonObject {
        JsonObject::from_iter([("directoryRead".to_owned(), true.into())])
    }

    fn is_offered(&self, _: &Server) -> bool {
        !self.skills.is_empty()
    }

    fn register(&self, server: &Server) -> Result<()> {
        self.check(server.current_limits())?;
        for skill in &self.skills {
            for (path, content) in &skill.files {
                let resource = skill.resource(path, content);
                let content = content.clone();
                let served = ServerResource::new(&*resource.uri, "", move |_, request| {
                    let contents = match std::str::from_utf8(&content) {
                        Ok(text) => ResourceContents::text(request.uri, text),
                        Err(_) => ResourceContents::blob(request.uri, &content),
                    };
                    std::future::ready(Ok(vec![contents]))
                });
                let served = match &resource.mime_type {
                    Some(mime_type) => served.mime_type(mime_type),
                    None => served,
                };
                server.add_resource(served.adjust(|served| *served = resource))?;
            }
        }
        Ok(())
    }

    fn methods(&self) -> &[&str] {
        &[SKILLS_LIST, SKILLS_GET, DIRECTORY_READ]
    }

    /// Skills are there for everybody who can read resources.
    fn needs_declaration(&self, _: &str) -> bool {
        false
    }

    fn call(
        &self,
        context: Context,
        method: &str,
        params: Option<RawJson>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        Box::pin(std::future::ready(self.answer(&context, method, params)))
    }
}

fn decode<T: DeserializeOwned>(params: Option<RawJson>) -> Result<T, ErrorObject> {
    params
        .unwrap_or_else(RawJson::empty_object)
        .decode()
        .map_err(|error| ErrorObject::invalid_params(format!("`params` does not fit: {error}")))
}

impl std::fmt::Debug for Skills {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.skills.iter().map(|skill| skill.uri())).finish()
    }
}
