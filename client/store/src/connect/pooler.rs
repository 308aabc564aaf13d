/*!
Detection of a connection pooler between this client and the server.

A server sends its process id to each client, as part of the key for cancelling. A pooler serves a
client with several server processes, and therefore sends a key of its own: its process id is not that of
the process that answers. Two connections show the mode of the pooler. If transactions share
processes, the second connection gets the process of the first, or one of them changes its process.
If each connection keeps its process, the pool is in session mode, which is as good as a server.

The pool may have no process left for the second connection. Then a pool of transactions has none for the
first one either, which keeps no process between its statements: the second one is before it in the queue. A
first connection that still gets answers has a process of its own.
*/

use std::future::{Ready, ready};
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf, duplex,
};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_postgres::{Client, Error, SimpleQueryMessage};

/// The bytes of an SSL request: its length and its code.
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// Returns whether the process that answers is the one whose id the connection received.
pub(super) async fn is_direct(client: &Client) -> Result<bool, Error> {
    let process = backend_pid(client).await?;
    // A key that cannot be read does not come from a server.
    Ok(announced_pid(client).await.is_ok_and(|announced| announced == process))
}

/// Returns whether the pooler refuses transactions of several statements. It then also closes the connection.
pub(super) async fn is_in_statement_mode(client: &Client) -> Result<bool, Error> {
    let transaction = async {
        client.batch_execute("BEGIN").await?;
        client.batch_execute("COMMIT").await
    };
    match transaction.await {
        Err(error)
            if error
                .as_db_error()
                .is_some_and(|error| error.message().contains("statement pooling")) =>
        {
            Ok(true)
        }
        ended => ended.map(|()| false),
    }
}

/// How often two connections are compared. Under load a single comparison misses one pooler in forty.
const COMPARISONS: usize = 8;

/// Time limit for a process of the pool.
const PROCESS_TIMEOUT: Duration = Duration::from_secs(3);

/// Returns whether a pooler shares processes between two connections, or may do so.
pub(super) async fn shares_processes(first: &Client, second: &Client) -> Result<bool, Error> {
    let first_pid = backend_pid(first).await?;
    let mut waiting = pin!(backend_pid(second));
    let Ok(second_pid) = tokio::time::timeout(PROCESS_TIMEOUT, &mut waiting).await else {
        return keeps_process(first, first_pid, waiting).await.map(|keeps| !keeps);
    };
    let second_pid = second_pid?;
    for _ in 0..COMPARISONS {
        // The order matters: a pooler that assigns two processes in turn would otherwise go unnoticed.
        if first_pid == second_pid
            || backend_pid(second).await? != second_pid
            || backend_pid(first).await? != first_pid
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether a connection keeps its process while another one waits for a process of the same pool.
async fn keeps_process(
    client: &Client,
    pid: i32,
    mut waiting: impl Future<Output = Result<i32, Error>> + Unpin,
) -> Result<bool, Error> {
    for _ in 0..COMPARISONS {
        let answered = tokio::select! {
            biased;
            _ = &mut waiting => return Ok(false),
            answered = tokio::time::timeout(PROCESS_TIMEOUT, backend_pid(client)) => answered,
        };
        let Ok(answered) = answered else { return Ok(false) };
        if answered? != pid {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the id of the process that answers, with a statement that leaves no state in the session.
async fn backend_pid(client: &Client) -> Result<i32, Error> {
    let messages = client.simple_query("SELECT pg_catalog.pg_backend_pid()").await?;
    let row = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    Ok(row.and_then(|row| row.parse().ok()).unwrap_or_default())
}

/// Returns the process id that the connection received. Only a cancel request contains it, so the
/// request is written to a buffer in memory.
async fn announced_pid(client: &Client) -> io::Result<i32> {
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
    let (sent, process) = tokio::join!(token.cancel_query_raw(near, NoEncryption), request);
    sent.map_err(io::Error::other)?;
    process
}

/// A TLS implementation without encryption, for the buffer in memory.
struct NoEncryption;

struct Unencrypted(DuplexStream);

impl TlsConnect<DuplexStream> for NoEncryption {
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
