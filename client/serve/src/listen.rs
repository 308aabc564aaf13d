//! Accepts connections and serves a router on them, with limits, until a signal stops it.

use crate::socket::{Peer, Socket};
use crate::watched_body;
use axum::Router;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// The time in which a client sends the headers of a request, and for which a connection may be idle.
const HEADERS: Duration = Duration::from_secs(30);
/// The maximum size of the headers of a request, in bytes.
const HEADER_BYTES: usize = 32 << 10;
/// The maximum number of connections of clients.
const CONNECTIONS: usize = 512;
/// The pause after a failure to accept, as when no file descriptor is free.
const PAUSE: Duration = Duration::from_millis(100);
/// The time for open requests to end after the signal.
const DRAIN: Duration = Duration::from_secs(10);

/// Ends a server when it is ready.
pub type Stop = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A server that runs until it is stopped.
///
/// It is boxed, so that the code of the servers is compiled in this crate, and not in each program that awaits it.
pub type Serving<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Serves until `stop` is ready. Then open requests have ten seconds to end.
pub(crate) async fn listen(listener: TcpListener, router: Router, mut stop: Stop) {
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // The server closes excess connections at once, so their clients do not wait.
        let Ok(permit) = Arc::clone(&connections).try_acquire_owned() else { continue };
        let _ = stream.set_nodelay(true);
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEADERS).max_buf_size(HEADER_BYTES);
        let socket = Socket::new(stream);
        let peer = socket.peer();
        let service = TowerToHyperService::new(router.clone());
        let service = service_fn(move |request| answer(service.clone(), request, peer.clone()));
        let connection = graceful.watch(http.serve_connection(TokioIo::new(socket), service));
        tokio::spawn(async move {
            // A client that disconnects is not a failure of the server.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(DRAIN, graceful.shutdown()).await;
}

/// Answers a request, or returns an error when its caller disconnects. Dropping the answer ends its statement.
async fn answer(
    routes: TowerToHyperService<Router>,
    request: Request<Incoming>,
    peer: Peer,
) -> io::Result<Response> {
    let (head, body) = request.into_parts();
    let (body, is_read) = watched_body::watch(body);
    let closed = async {
        is_read.await;
        peer.closed().await;
    };
    tokio::select! {
        // A caller that has closed only its half of the connection gets an answer that needs no wait.
        biased;
        answer = routes.call(Request::from_parts(head, body)) => Ok(answer.unwrap_or_else(|never| match never {})),
        () = closed => Err(io::ErrorKind::ConnectionAborted.into()),
    }
}
