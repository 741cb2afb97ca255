//! The side of a command: a connection to a server that is kept, or a question to who keeps it.

use std::io;

use docent_host::config::ServerEntry;
use docent_mcp::client::Source;
use docent_mcp::transport::{Transport, stream};
use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;

use super::wire::{Program, Said, Told, line, read};

/// A connection to the program of an entry, if somebody keeps programs.
pub(crate) fn source(entry: &ServerEntry) -> Option<Source> {
    if !super::socket().ok()?.exists() {
        return None;
    }
    let program = Program::of(entry)?;
    Some(Source::connector(move || connect(program.clone())))
}

async fn connect(program: Program) -> io::Result<Transport> {
    let path = super::socket().map_err(|failure| io::Error::other(failure.to_string()))?;
    let (input, mut output) = UnixStream::connect(path).await?.into_split();
    output.write_all(&line(&Said::Use(program))).await?;
    let mut input = BufReader::new(input);
    match read(&mut input).await? {
        Told::Ready => Ok(stream(input, output)),
        Told::Failed(reason) => Err(io::Error::other(reason)),
        Told::Servers(_) => Err(io::Error::other("the daemon answers something else")),
    }
}

/// Asks who keeps servers; nothing if there is nobody.
pub(crate) async fn ask(said: &Said) -> Option<Told> {
    let (input, mut output) = UnixStream::connect(super::socket().ok()?).await.ok()?.into_split();
    output.write_all(&line(said)).await.ok()?;
    read(&mut BufReader::new(input)).await.ok()
}
