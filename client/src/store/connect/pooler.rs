/*!
Whether a pooler stands between this client and the server.

A server gives its process id to whoever connects, as part of the key for cancelling. A pooler serves
one client by several processes and so gives out a key of its own: what it gave is not the process
that answers. Behind a pooler two connections show in which mode it is: where transactions share
processes, the second gets the process of the first, or one of them gets another than before.
Where each keeps its own, the pool is in session mode and does as well as a server.
*/

use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf, duplex,
};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_postgres::{Client, Error, SimpleQueryMessage};

/// Bytes of a message with which TLS is asked for: its length and its number.
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// Tells whether what answers on a connection is the server process that it was given.
pub(super) async fn is_direct(client: &Client) -> Result<bool, Error> {
    let process = process(client).await?;
    // No server gives a key that cannot be read; what does so is no server.
    Ok(given(client).await.is_ok_and(|given| given == process))
}

/// How often two connections are compared. Of poolers under load one look in forty misses it.
const LOOKS: usize = 8;

/// Tells whether a pooler lets two connections share processes.
pub(super) async fn shares(first: &Client, second: &Client) -> Result<bool, Error> {
    let of_first = process(first).await?;
    let of_second = process(second).await?;
    for _ in 0..LOOKS {
        // In this order no two processes that are given out in turn look as if they were kept.
        if of_first == of_second
            || process(second).await? != of_second
            || process(first).await? != of_first
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Asks for the server process that answers, by a statement that leaves nothing behind.
async fn process(client: &Client) -> Result<i32, Error> {
    let messages = client.simple_query("SELECT pg_catalog.pg_backend_pid()").await?;
    let row = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    Ok(row.and_then(|row| row.parse().ok()).unwrap_or_default())
}

/// Reads the process id that the client was given, which only its request for cancelling shows:
/// the request is written, to nobody.
async fn given(client: &Client) -> io::Result<i32> {
    let (near, mut far) = duplex(64);
    let token = client.cancel_token();
    let request = async {
        let mut message = [0; 8];
        far.read_exact(&mut message).await?;
        if message == TLS_REQUEST {
            far.write_all(b"S").await?;
            far.read_exact(&mut message).await?;
        }
        far.read_i32().await
    };
    let (sent, process) = tokio::join!(token.cancel_query_raw(near, Plain), request);
    sent.map_err(io::Error::other)?;
    process
}

/// What stands for TLS on the way to nobody.
struct Plain;

struct Unencrypted(DuplexStream);

impl TlsConnect<DuplexStream> for Plain {
    type Stream = Unencrypted;
    type Error = io::Error;
    type Future = Ready<io::Result<Unencrypted>>;

    fn connect(self, stream: DuplexStream) -> Self::Future {
        ready(Ok(Unencrypted(stream)))
    }
}

impl TlsStream for Unencrypted {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Unencrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(task, buffer)
    }
}

impl AsyncWrite for Unencrypted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(task, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(task)
    }
}
