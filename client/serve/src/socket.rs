/*!
A connection of a caller, which its requests can watch.

While a request is answered, hyper reads on only until the first bytes of the next request arrive. After that it does
not notice that the caller disconnects, and PostgreSQL would execute the statement to its end. A [`Peer`] reads the
following bytes ahead, so it reaches the end of the connection, and hyper gets the bytes later.
*/

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The maximum number of bytes that are read ahead. The end of a connection is behind all bytes that the caller has sent,
/// and the kernel holds back those for which it has no memory.
const MAX_AHEAD: usize = 64 << 10;
/// The number of bytes that a read takes.
const READ: usize = 8 << 10;

/// A connection, shared by hyper and the request that it answers. Both are in one task, so the lock is free.
#[derive(Clone)]
pub(crate) struct Socket(Arc<Mutex<Shared>>);

/// The other end of a connection.
#[derive(Clone)]
pub(crate) struct Peer(Socket);

struct Shared {
    stream: TcpStream,
    /// Bytes that were read and that hyper has not taken.
    ahead: Vec<u8>,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self(Arc::new(Mutex::new(Shared { stream, ahead: Vec::new() })))
    }

    pub(crate) fn peer(&self) -> Peer {
        Peer(self.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Peer {
    /// Waits until the caller disconnects, or has sent too many bytes ahead. Await this after the body of the request was
    /// read, which can have more bytes.
    pub(crate) async fn closed(&self) {
        poll_fn(|context| self.0.lock().poll_closed(context)).await;
    }
}

impl Shared {
    fn poll_closed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.ahead.len() < MAX_AHEAD {
            let mut bytes = [0; READ];
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(());
            }
            self.ahead.extend_from_slice(buffer.filled());
        }
        Poll::Ready(())
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut shared = self.lock();
        if shared.ahead.is_empty() {
            return Pin::new(&mut shared.stream).poll_read(context, buffer);
        }
        let count = shared.ahead.len().min(buffer.remaining());
        buffer.put_slice(&shared.ahead[..count]);
        shared.ahead.drain(..count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.lock().stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.lock().stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.lock().stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.lock().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.lock().stream).poll_shutdown(context)
    }
}
