//! Serves files of a folder, with a layer that measures and refuses.

use std::path::PathBuf;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::{Extension, Router, routing};
use futures::TryStreamExt;
use http::HeaderValue;
use tokio::fs::{self, File};
use tokio::io::{AsyncBufReadExt, BufReader};

#[derive(Clone)]
struct Root(PathBuf);

struct Agent(String);

impl<S: Send + Sync> FromRequestParts<S> for Agent {
    type Rejection = (StatusCode, &'static str);

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let agent = parts.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
        agent.map(|agent| Self(agent.to_owned())).ok_or((StatusCode::BAD_REQUEST, "who are you?"))
    }
}

async fn measured(request: Request, next: Next) -> Result<Response, StatusCode> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    let started = Instant::now();
    let path = request.uri().path().to_owned();
    let mut response = next.run(request).await;
    let took = started.elapsed().as_micros().to_string();
    if let Ok(value) = HeaderValue::from_str(&took) {
        response.headers_mut().insert("x-took", value);
    }
    tracing::debug!(path, took, status = response.status().as_u16());
    Ok(response)
}

async fn titles(Extension(Root(root)): Extension<Root>, Agent(agent): Agent) -> Response {
    let Ok(mut entries) = fs::read_dir(&root).await else {
        return Redirect::temporary("/setup").into_response();
    };
    let mut list = format!("<!-- {agent} --><ul>");
    while let Ok(Some(entry)) = entries.next_entry().await {
        let Ok(file) = File::open(entry.path()).await else { continue };
        let mut lines = BufReader::new(file).lines();
        if let Ok(Some(title)) = lines.next_line().await {
            list.push_str(&format!("<li>{title}</li>"));
        }
    }
    Html(list + "</ul>").into_response()
}

async fn length(headers: HeaderMap, body: Body) -> Result<String, StatusCode> {
    let stated = headers.get(header::CONTENT_LENGTH).cloned();
    let stream = body.into_data_stream();
    let size = stream
        .try_fold(0usize, |sum, chunk| async move { Ok(sum + chunk.len()) })
        .await
        .map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
    Ok(format!("{size} of {stated:?}"))
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let app = Router::new()
        .route("/", routing::get(titles))
        .route("/length", routing::post(length))
        .nest("/v1", Router::new().route("/titles", routing::any(titles)))
        .layer(middleware::from_fn(measured))
        .layer(DefaultBodyLimit::max(1 << 20))
        .layer(Extension(Root(PathBuf::from("gallery"))));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 8080)).await?;
    axum::serve(listener, app.into_make_service()).await
}
