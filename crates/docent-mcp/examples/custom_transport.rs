//! A transport of one's own: over TCP, each frame after its length in four bytes. It is held
//! against the contract that the shipped transports keep, and then used.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::io;
use std::net::SocketAddr;

use bytes::{Buf, Bytes, BytesMut};
use docent_mcp::client::{Client, Source};
use docent_mcp::server::{Context, Server, ToolError};
use docent_mcp::transport::{FrameReader, FrameWriter, Incoming, Transport, contract};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

const FRAME_BYTES_MAX: usize = 4 << 20;

struct Reader {
    socket: OwnedReadHalf,
    buffer: BytesMut,
    /// What is left of a frame that is too long to keep.
    skip: usize,
}

impl Reader {
    /// The next frame, once all of it is there.
    fn split(&mut self) -> Option<Incoming> {
        let skipped = self.skip.min(self.buffer.len());
        self.buffer.advance(skipped);
        self.skip -= skipped;
        let length = u32::from_be_bytes(*self.buffer.first_chunk()?) as usize;
        if length > FRAME_BYTES_MAX {
            self.skip = 4 + length;
            return Some(Incoming::Oversize { id: None, limit: FRAME_BYTES_MAX });
        }
        self.buffer.get(..4 + length)?;
        self.buffer.advance(4);
        Some(Incoming::Frame(self.buffer.split_to(length).freeze()))
    }
}

impl FrameReader for Reader {
    async fn read(&mut self, items: &mut Vec<Incoming>) -> io::Result<()> {
        let before = items.len();
        // Cancel safe: what was read is in `buffer`, whatever becomes of this future.
        while items.len() == before && self.socket.read_buf(&mut self.buffer).await? > 0 {
            items.extend(std::iter::from_fn(|| self.split()));
        }
        Ok(())
    }
}

struct Writer(OwnedWriteHalf);

impl FrameWriter for Writer {
    async fn write(&mut self, frames: &mut Vec<Bytes>) -> io::Result<()> {
        for frame in frames.drain(..) {
            self.0.write_u32(u32::try_from(frame.len()).map_err(io::Error::other)?).await?;
            self.0.write_all(&frame).await?;
        }
        Ok(())
    }

    async fn close(&mut self) -> io::Result<()> {
        self.0.shutdown().await
    }
}

fn transport(socket: TcpStream) -> Transport {
    let (socket, writer) = socket.into_split();
    Transport::new(Reader { socket, buffer: BytesMut::new(), skip: 0 }, Writer(writer))
}

async fn dial(address: SocketAddr) -> io::Result<Transport> {
    Ok(transport(TcpStream::connect(address).await?))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let accept = async || Ok(transport(listener.accept().await?.0));
    contract::check(async || tokio::try_join!(dial(address), accept())).await?;
    println!("the contract is kept");

    let knock = async |_: Context, (): ()| Ok::<_, ToolError>("come in");
    let server = Server::new("door", "1.0").tool("knock", "Knocks", knock);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(server.clone().serve(transport(socket)));
        }
    });
    // A connector can dial again, so the client survives the loss of a connection.
    let client = Client::start(Source::connector(move || dial(address))).await?;
    println!("{:?}", client.call("knock", ()).await?.content[0].as_text());
    client.close().await;
    Ok(())
}
