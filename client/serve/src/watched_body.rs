//! The body of a request that reports when it was read.

use axum::body::{Body, HttpBody};
use hyper::body::{Bytes, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::sync::oneshot;

/// A body. It drops the sender when it ends, or when it is dropped.
struct WatchedBody<B> {
    body: B,
    reading: Option<oneshot::Sender<()>>,
}

/// Returns a body with the same frames, and a future that is ready when they were read.
pub(crate) fn watch<B>(body: B) -> (Body, impl Future<Output = ()>)
where
    B: HttpBody<Data = Bytes, Error: std::error::Error + Send + Sync> + Unpin + Send + 'static,
{
    let (reading, read) = oneshot::channel();
    (Body::new(WatchedBody { body, reading: Some(reading) }), async { drop(read.await) })
}

impl<B: HttpBody + Unpin> HttpBody for WatchedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() {
            self.reading = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
