//! A small HTTP API that keeps notes in memory.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::RwLock;
use tracing::{info, instrument};
use uuid::Uuid;

#[derive(Clone, Debug, Serialize)]
struct Note {
    id: Uuid,
    text: String,
}

#[derive(Debug, Deserialize)]
struct NewNote {
    text: String,
}

#[derive(Debug, Default, Deserialize)]
struct Page {
    offset: Option<usize>,
    limit: Option<usize>,
}

type Notes = Arc<RwLock<HashMap<Uuid, Note>>>;

struct Missing(Uuid);

impl IntoResponse for Missing {
    fn into_response(self) -> Response {
        (StatusCode::NOT_FOUND, format!("no note {}", self.0)).into_response()
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_target(false).init();
    let notes = Notes::default();
    let app = Router::new()
        .route("/notes", get(list).post(create))
        .route("/notes/{id}", delete(remove).get(show))
        .fallback(|| async { StatusCode::NOT_FOUND })
        .with_state(notes);
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    info!("listening on {}", listener.local_addr()?);
    axum::serve(listener, app).with_graceful_shutdown(shutdown()).await?;
    Ok(())
}

async fn shutdown() {
    let _ = tokio::signal::ctrl_c().await;
}

#[instrument(skip(notes))]
async fn list(State(notes): State<Notes>, Query(page): Query<Page>) -> Json<Vec<Note>> {
    let notes = notes.read().await;
    let shown = notes.values().skip(page.offset.unwrap_or(0)).take(page.limit.unwrap_or(20));
    Json(shown.cloned().collect())
}

async fn create(State(notes): State<Notes>, Json(new): Json<NewNote>) -> (StatusCode, Json<Note>) {
    let note = Note { id: Uuid::new_v4(), text: new.text };
    notes.write().await.insert(note.id, note.clone());
    (StatusCode::CREATED, Json(note))
}

async fn show(State(notes): State<Notes>, Path(id): Path<Uuid>) -> Result<Json<Note>, Missing> {
    notes.read().await.get(&id).cloned().map(Json).ok_or(Missing(id))
}

async fn remove(State(notes): State<Notes>, Path(id): Path<Uuid>) -> StatusCode {
    match notes.write().await.remove(&id) {
        Some(_) => StatusCode::NO_CONTENT,
        None => StatusCode::NOT_FOUND,
    }
}
