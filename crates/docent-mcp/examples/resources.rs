//! A server of notes: a resource, a template with completion, and news for those who watch.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use docent_mcp::server::{
    Completer, Context, ResourceError, Server, ServerResource, ServerTemplate, ToolError,
};
use docent_mcp::types::CacheScope;
use schemars::JsonSchema;
use serde::Deserialize;

/// The notes by name. Clones are the same notes.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<BTreeMap<String, String>>>);

impl Notes {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().expect("no panic while locked")
    }
}

#[derive(Deserialize, JsonSchema)]
struct Write {
    name: String,
    text: String,
}

fn server(notes: &Notes) -> Server {
    let shared = notes.clone();
    let list = ServerResource::new("notes://all", "all", move |_, _| {
        let names: Vec<_> = shared.lock().keys().cloned().collect();
        async move { Ok(names.join("\n")) }
    });

    let shared = notes.clone();
    let note = ServerTemplate::new("notes://note/{name}", "note", move |_, request| {
        let name = request.variables.get("name").unwrap_or_default();
        // Each revision has its own error for this; the server picks the right one.
        let text = shared.lock().get(name).cloned().ok_or(ResourceError::NotFound);
        async move { text }
    });

    let shared = notes.clone();
    let names = Completer::new(move |_, typed| {
        let notes = shared.lock();
        let fits = notes.keys().filter(|name| name.starts_with(&typed.value));
        std::future::ready(fits.cloned().collect())
    });

    let shared = notes.clone();
    let write = move |ctx: Context, args: Write| {
        let uri = format!("notes://note/{}", args.name);
        shared.lock().insert(args.name, args.text);
        // Only clients that watch these addresses are told.
        ctx.server().resource_updated(&*uri);
        ctx.server().resource_updated("notes://all");
        async move { Ok::<_, ToolError>(uri) }
    };

    Server::new("notes", "1.0")
        .with_resource(list.mime_type("text/plain").description("The names of all notes"))
        // Clients of 2026-07-28 may keep a note for a minute, unless they hear that it changed.
        .with_template(
            note.mime_type("text/plain").cache(60_000, CacheScope::Private).complete("name", names),
        )
        .tool("write", "Writes a note", write)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> docent_mcp::Result<()> {
    server(&Notes::default()).serve_stdio().await
}
