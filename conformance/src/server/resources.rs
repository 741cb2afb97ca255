//! Resources: text, bytes, a family of them, and one to watch.

use docent_mcp::Server;
use docent_mcp::server::{ServerResource, ServerTemplate};
use serde_json::json;

use crate::content::PIXEL;

pub(crate) fn add(server: Server) -> Server {
    server
        .with_resource(
            ServerResource::new("test://static-text", "Static text", |_, _| async {
                Ok("This is the content of the static text resource.")
            })
            .description("A text that never changes")
            .mime_type("text/plain"),
        )
        .with_resource(
            ServerResource::new("test://static-binary", "Static bytes", |_, _| async {
                Ok(PIXEL.to_vec())
            })
            .description("A picture that never changes")
            .mime_type("image/png"),
        )
        .with_resource(
            ServerResource::new("test://watched-resource", "Watched text", |_, _| async {
                Ok("Watched resource content")
            })
            .description("A text that clients can watch")
            .mime_type("text/plain"),
        )
        .with_template(
            ServerTemplate::new("test://template/{id}/data", "Data", |_, request| async move {
                let id = request.variables.get("id").unwrap_or_default();
                let data =
                    json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                Ok(data.to_string())
            })
            .adjust(|template| template.description = Some("The data of one id".to_owned()))
            .mime_type("application/json"),
        )
}
