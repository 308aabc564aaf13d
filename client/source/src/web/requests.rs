//! Requests of one source, several at the same time, whose answers are taken in order.

use super::address::uri;
use super::fetch::{Fetched, Session};
use super::network::Network;
use super::request;
use super::robots::RobotsCache;
use crate::{Error, Validators};
use passage_http as http;
use reqwest::Url;
use std::collections::VecDeque;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// The number of pages that are fetched at the same time.
const CONCURRENCY: usize = 4;

/// The requests of a source, each with a label.
pub(super) struct Requests<L> {
    session: Session,
    runtime: Handle,
    queue: VecDeque<(JoinHandle<Result<Fetched, Error>>, L)>,
}

impl<L> Requests<L> {
    /// Returns requests to the server of an address.
    ///
    /// They must be made and their answers taken on a thread for blocking work of a tokio runtime.
    pub(super) fn new(url: &Url, network: Network, robots: &RobotsCache) -> Result<Self, Error> {
        if http::has_credentials(url) && !http::is_confidential(url) {
            return Err(Error::PlainPassword { url: uri(url) });
        }
        let runtime = Handle::try_current().map_err(|error| error.to_string());
        let (runtime, client) = runtime
            .and_then(|runtime| Ok((runtime, request::client(network, url)?)))
            .map_err(|reason| Error::Unreachable { url: uri(url), reason })?;
        let session = Session { client, network, server: robots.server(url) };
        Ok(Self { session, runtime, queue: VecDeque::new() })
    }

    /// Returns whether no other request should begin before an answer is taken.
    pub(super) fn are_full(&self) -> bool {
        self.queue.len() >= CONCURRENCY
    }

    /// Begins a request.
    pub(super) fn add(&mut self, url: Url, validators: Option<Validators>, label: L) {
        let fetch = self.session.clone().fetch(url, validators);
        self.queue.push_back((self.runtime.spawn(fetch), label));
    }

    /// Waits for the answer of the first request, and returns it with its label.
    pub(super) fn next(&mut self) -> Option<(Result<Fetched, Error>, L)> {
        let (task, label) = self.queue.pop_front()?;
        match self.runtime.block_on(task) {
            Ok(fetched) => Some((fetched, label)),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}
