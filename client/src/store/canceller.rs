//! Cancels the statement that a connection executes.

use super::connection::Store;
use tokio_postgres::CancelToken;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Cancels the statement of one connection, also while the connection is in use.
#[derive(Clone)]
pub struct Canceller {
    token: CancelToken,
    tls: MakeRustlsConnect,
}

impl Canceller {
    /// Asks the server to cancel the statement that the connection executes now, if there is one.
    ///
    /// A failure is ignored: then the statement runs to its end.
    pub async fn cancel(self) {
        let _ = self.token.cancel_query(self.tls).await;
    }
}

impl Store {
    /// Returns a handle that cancels statements of this connection.
    pub fn canceller(&self) -> Canceller {
        Canceller { token: self.client.cancel_token(), tls: self.tls.clone() }
    }

    /// Returns whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Checks that the server answers.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`](super::Error::Lost) if the connection has ended.
    pub async fn ping(&self) -> Result<(), super::Error> {
        self.run("").await
    }
}
