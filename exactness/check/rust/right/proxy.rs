//! A TCP proxy that counts bytes and stops when it is asked to.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use clap::{Args, Parser, Subcommand};
use tokio::io::{self, AsyncReadExt, AsyncWriteExt, BufWriter};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tracing::{Instrument, Level, error, info_span, span};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Forwards connections
    Forward(Forward),
    /// Measures one connection
    Measure { to: SocketAddr, #[arg(long, default_value_t = 1024)] bytes: usize },
}

#[derive(Args)]
struct Forward {
    from: SocketAddr,
    to: SocketAddr,
}

#[derive(Default)]
struct Counter(AtomicU64);

async fn forward(forward: Forward, counter: Arc<Counter>, mut stop: watch::Receiver<bool>) -> Result<()> {
    let listener = TcpListener::bind(forward.from).await.context("cannot listen")?;
    let idle = Arc::new(Notify::new());
    while !*stop.borrow_and_update() {
        let (mut inside, peer) = tokio::select! {
            accepted = listener.accept() => accepted?,
            _ = stop.changed() => break,
        };
        let (counter, idle) = (Arc::clone(&counter), Arc::clone(&idle));
        let span = info_span!("connection", %peer);
        tokio::spawn(
            async move {
                let mut outside = match TcpStream::connect(forward.to).await {
                    Ok(stream) => stream,
                    Err(why) => return error!(%why, "not reachable"),
                };
                outside.set_nodelay(true).ok();
                if let Ok((up, down)) = io::copy_bidirectional(&mut inside, &mut outside).await {
                    counter.0.fetch_add(up + down, Ordering::Relaxed);
                }
                idle.notify_one();
            }
            .instrument(span),
        );
    }
    Ok(())
}

async fn measure(to: SocketAddr, size: usize) -> Result<Bytes> {
    let stream = TcpStream::connect(to).await?;
    let (mut reader, writer) = stream.into_split();
    let mut writer = BufWriter::new(writer);
    let mut request = BytesMut::with_capacity(8);
    request.put_u64(size as u64);
    writer.write_all_buf(&mut request).await?;
    writer.flush().await?;
    let mut answer = BytesMut::zeroed(size);
    reader.read_exact(&mut answer).await?;
    let mut answer = answer.freeze();
    answer.advance(4);
    Ok(answer.slice(..answer.len().min(16)))
}

#[tokio::main]
async fn main() -> Result<()> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::registry().with(filter).with(tracing_subscriber::fmt::layer()).init();
    let _entered = span!(Level::DEBUG, "main").entered();
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.send_replace(true);
        }
    });
    match Cli::parse().command {
        Command::Forward(it) => forward(it, Arc::default(), stopped).await,
        Command::Measure { to, bytes } => {
            println!("{:?}", measure(to, bytes).await?);
            Ok(())
        }
    }
}
