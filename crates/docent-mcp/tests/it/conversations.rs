//! Plays every file of `conversations/` against the fixture server.
//!
//! The first line of a file says what it shows and names the requirements it covers.

use std::path::Path;

use docent_mcp::transport;
use docent_testkit::conversation::Conversation;

use crate::fixture;

const OPENINGS: &[(&str, &str)] = &[
    ("2024-11-05", include_str!("conversations/openings/2024-11-05.txt")),
    ("2025-03-26", include_str!("conversations/openings/2025-03-26.txt")),
    ("2025-06-18", include_str!("conversations/openings/2025-06-18.txt")),
    ("2025-11-25", include_str!("conversations/openings/2025-11-25.txt")),
];

#[tokio::test]
async fn conversations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/conversations");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    assert!(files.len() > 10, "the conversations are gone");
    let mut failures = Vec::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        if let Err(problem) = play(&text).await {
            failures.push(format!("{name}: {problem}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

async fn play(text: &str) -> Result<(), String> {
    let conversation = Conversation::parse(text, OPENINGS)?;
    let (near, far) = tokio::io::duplex(1 << 16);
    let (far_reader, far_writer) = tokio::io::split(far);
    let server = fixture::server();
    let serving = tokio::spawn(server.serve(transport::stream(far_reader, far_writer)));
    let (near_reader, near_writer) = tokio::io::split(near);
    conversation.play(near_reader, near_writer).await?;
    serving.await.unwrap().map_err(|error| format!("serving failed: {error:#}"))
}
