//! The process in the background: listens, hands out connections, and ends when nobody comes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use docent_mcp::transport::stream;
use rustix::fs::{FlockOperation, flock};
use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::pool::Pool;
use super::wire::{Said, Told, line, read};
use crate::client::runtime;
use crate::failure::Failure;

/// How long whoever connects may take to say what they want.
const PATIENCE: Duration = Duration::from_secs(5);

/// Keeps servers until it is told to stop, or nobody came for so long.
pub(crate) async fn serve(idle: Duration) -> Result<(), Failure> {
    let folder = runtime::folder()?;
    runtime::make_private(&folder)?;
    let _lock = lock(&folder.join("daemon.lock"))?;
    let path = super::socket()?;
    let failed = |error: std::io::Error| Failure::file("made", &path, &error);
    // Whoever made it is gone: the lock is ours.
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(&path).map_err(failed)?;
    runtime::owner_only(&path).map_err(failed)?;
    let (pool, stop) = (Arc::new(Pool::default()), Arc::new(Notify::new()));
    let mut look = tokio::time::interval((idle / 10).max(Duration::from_millis(100)));
    let mut last = Instant::now();
    let mut told = std::pin::pin!(crate::stop::asked());
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, _) = accepted.map_err(failed)?;
                last = Instant::now();
                let (pool, stop) = (pool.clone(), stop.clone());
                tokio::spawn(async move { welcome(stream, &pool, &stop).await });
            }
            _ = look.tick() => {
                if pool.tidy(idle).await && last.elapsed() >= idle {
                    break;
                }
            }
            () = stop.notified() => break,
            () = &mut told => break,
        }
    }
    // Nobody finds it from here on.
    let _ = std::fs::remove_file(&path);
    pool.close().await;
    Ok(())
}

/// Makes sure that there is one such process. The lock is given back when the process ends, however.
fn lock(path: &Path) -> Result<std::fs::File, Failure> {
    let failed = |error: std::io::Error| Failure::file("locked", path, &error);
    let file = std::fs::File::create(path).map_err(failed)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| Failure::new("the daemon is running already"))?;
    Ok(file)
}

/// Somebody wants something.
async fn welcome(stream: UnixStream, pool: &Pool, stop: &Notify) {
    let (input, mut output) = stream.into_split();
    let mut input = BufReader::new(input);
    let Ok(Ok(said)) = tokio::time::timeout(PATIENCE, read(&mut input)).await else { return };
    match said {
        Said::Use(program) => match pool.take(program).await {
            Ok(used) => {
                let Some(gateway) = used.gateway() else { return };
                if output.write_all(&line(&Told::Ready)).await.is_ok() {
                    // How it ended is the client's to know.
                    let _ = gateway.serve(self::stream(input, output)).await;
                }
            }
            Err(reason) => drop(output.write_all(&line(&Told::Failed(reason))).await),
        },
        Said::Status => drop(output.write_all(&line(&Told::Servers(pool.kept()))).await),
        Said::Stop => {
            let _ = output.write_all(&line(&Told::Servers(pool.kept()))).await;
            stop.notify_one();
        }
    }
}
