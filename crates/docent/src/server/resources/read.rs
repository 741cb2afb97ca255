//! Reading a document.

use std::fmt::Write as _;

use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::server::{Context, ReadRequest, ResourceError};
use docent_mcp::types::timestamp;
use docent_packages::{
    Answer, ChunkKind, Document, Ecosystem, Error, ErrorKind, Loaded, PackageRef, Style, Target,
};

use super::super::answer::explained;
use super::super::{Desk, report};
use super::address;

/// The longest document, in tokens: one that is read on purpose may be longer than an answer.
const DOCUMENT_TOKENS_MAX: usize = 20_000;

/// Reads what a template addresses.
pub(super) async fn template(
    desk: Desk,
    name: &'static str,
    context: Context,
    request: ReadRequest,
) -> Result<String, ResourceError> {
    let variable = |name: &str| request.variables.get(name).unwrap_or_default().to_owned();
    let ecosystem = Ecosystem::named(&variable("ecosystem")).ok_or(ResourceError::NotFound)?;
    let package = PackageRef::new(ecosystem, &variable("package"), Some(&variable("version")));
    let document = match name {
        "overview" => return overview(desk, package, context).await,
        "symbol" => None,
        "guide" => Some(Document::Guide { file: variable("file") }),
        "changelog" => Some(Document::Changelog),
        _ => Some(Document::Readme { section: None }),
    };
    let target = Target { package, project: Some(desk.project.clone()) };
    let answer = report::told(&context, |progress| async {
        let style = Style::default().max_tokens(DOCUMENT_TOKENS_MAX).progress(progress);
        match document {
            Some(document) => desk.engine.document(&target, &document, &style).await,
            None => desk.engine.describe(&target, Some(&variable("symbol")), &style).await,
        }
    });
    text(answer.await)
}

/// A package as a whole, and the addresses of its other documents.
pub(super) async fn overview(
    desk: Desk,
    package: PackageRef,
    context: Context,
) -> Result<String, ResourceError> {
    let target = Target { package: package.clone(), project: Some(desk.project.clone()) };
    let (answer, loaded) = report::told(&context, |progress| async {
        let style = Style::default().max_tokens(DOCUMENT_TOKENS_MAX / 2).progress(progress);
        let answer = desk.engine.describe(&target, None, &style).await;
        (answer, desk.engine.load(&target, &style.progress).await)
    })
    .await;
    let mut text = text(answer)?;
    if let Ok(loaded) = loaded {
        let _ = write!(
            text,
            "\n\nOther documents of this version:\n{}",
            others(&desk, &package, &loaded)
        );
    }
    Ok(text)
}

/// The other documents there are, those in the user's language first.
fn others(desk: &Desk, package: &PackageRef, loaded: &Loaded) -> String {
    let prose = &loaded.extraction().prose;
    let base = address::base(package);
    let mut list = String::new();
    for (kind, name) in [(ChunkKind::Readme, "readme"), (ChunkKind::Changelog, "changelog")] {
        if prose.iter().any(|chunk| chunk.kind == kind) {
            let _ = writeln!(list, "- {base}/{name}");
        }
    }
    for file in guides(desk, loaded) {
        let _ = writeln!(list, "- {}", address::guide(package, &file));
    }
    let _ = write!(list, "- {base}/symbol/NAME for each symbol");
    list
}

/// The files of a package's guides, those in the user's language first.
pub(super) fn guides(desk: &Desk, loaded: &Loaded) -> Vec<String> {
    let wanted = desk.engine.languages();
    let mut files: Vec<(usize, &str)> = loaded
        .extraction()
        .prose
        .iter()
        .filter(|chunk| chunk.kind == ChunkKind::Guide)
        .map(|chunk| {
            let language = chunk.language.as_deref();
            let preferred =
                wanted.iter().position(|one| language.is_some_and(|tag| tag.starts_with(one)));
            let other = if language.is_none() { wanted.len() } else { wanted.len() + 1 };
            (preferred.unwrap_or(other), chunk.file.as_str())
        })
        .collect();
    // Stable, so that each language keeps the order of the package.
    files.sort_by_key(|(rank, _)| *rank);
    let mut seen = std::collections::HashSet::new();
    files.retain(|(_, file)| seen.insert(*file));
    files.into_iter().map(|(_, file)| file.to_owned()).collect()
}

/// The packages of the project, as a list.
pub(super) fn project(desk: &Desk) -> String {
    let mut text = String::new();
    for ecosystem in Ecosystem::all() {
        let found = desk.engine.dependencies(ecosystem, &desk.project);
        for (package, direct) in found {
            let indirect = if direct { "" } else { " (indirect)" };
            let _ = writeln!(text, "- {package}{indirect}");
        }
    }
    if text.is_empty() { "No dependencies found.\n".to_owned() } else { text }
}

/// When an installed package was written to disk.
pub(super) fn modified(desk: &Desk, package: &PackageRef) -> Option<String> {
    let target = Target { package: package.clone(), project: Some(desk.project.clone()) };
    let folder = desk.engine.installed_at(&target)?;
    Some(timestamp(folder.metadata().ok()?.modified().ok()?))
}

fn text(answer: Result<Answer, Error>) -> Result<String, ResourceError> {
    match answer {
        Ok(answer) if answer.found => Ok(answer.text),
        Ok(_) => Err(ResourceError::NotFound),
        Err(error) => Err(match error.kind() {
            ErrorKind::PackageNotFound | ErrorKind::VersionNotFound => ResourceError::NotFound,
            ErrorKind::InvalidName | ErrorKind::InvalidVersion | ErrorKind::Unsupported => {
                ResourceError::Protocol(ErrorObject::invalid_params(explained(&error)))
            }
            _ => ResourceError::internal(explained(&error)),
        }),
    }
}
