//! The transport of a server that its client started: standard input and output.
//!
//! How the client made the pipes decides how they are driven. On unix, pipes and sockets are
//! registered with the runtime like any other, which is several times faster than the thread pool
//! that `tokio::io::stdin` goes through. A pipe is opened anew by way of `/proc/self/fd`, so that
//! the non-blocking mode stays ours and does not leak to whoever shares the descriptor; where that
//! is not possible, and for files, terminals and other systems, the thread pool serves.

use crate::limits::Limits;

use super::{Transport, stream_with};

/// Standard input and output as a transport. Nothing else may write to standard output.
///
/// Must be called within a tokio runtime.
pub fn stdio(limits: &Limits) -> Transport {
    #[cfg(unix)]
    if let Some(transport) = unix::registered(limits) {
        return transport;
    }
    stream_with(tokio::io::stdin(), tokio::io::stdout(), limits)
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt;

    use tokio::io::{AsyncRead, AsyncWrite};
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    use super::{Limits, Transport, stream_with};

    type Reader = Box<dyn AsyncRead + Unpin + Send>;
    type Writer = Box<dyn AsyncWrite + Unpin + Send>;

    /// Both ends registered with the runtime, or nothing if either cannot be.
    pub(super) fn registered(limits: &Limits) -> Option<Transport> {
        let input = reader(&io::stdin()).ok()?;
        let output = writer(&io::stdout()).ok()?;
        Some(stream_with(input, output, limits))
    }

    enum Kind {
        Pipe,
        Socket(OwnedFd),
    }

    fn kind(descriptor: &impl AsFd) -> io::Result<Kind> {
        let file = File::from(descriptor.as_fd().try_clone_to_owned()?);
        let file_type = file.metadata()?.file_type();
        if file_type.is_fifo() {
            Ok(Kind::Pipe)
        } else if file_type.is_socket() {
            Ok(Kind::Socket(file.into()))
        } else {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    fn reader(descriptor: &impl AsFd) -> io::Result<Reader> {
        Ok(match kind(descriptor)? {
            Kind::Pipe => Box::new(pipe::OpenOptions::new().open_receiver("/proc/self/fd/0")?),
            Kind::Socket(socket) => Box::new(unix_stream(socket)?),
        })
    }

    fn writer(descriptor: &impl AsFd) -> io::Result<Writer> {
        Ok(match kind(descriptor)? {
            Kind::Pipe => Box::new(pipe::OpenOptions::new().open_sender("/proc/self/fd/1")?),
            Kind::Socket(socket) => Box::new(unix_stream(socket)?),
        })
    }

    fn unix_stream(socket: OwnedFd) -> io::Result<UnixStream> {
        let stream = std::os::unix::net::UnixStream::from(socket);
        // Fails for sockets of another family, which then go through the thread pool.
        stream.local_addr()?;
        stream.set_nonblocking(true)?;
        UnixStream::from_std(stream)
    }
}
