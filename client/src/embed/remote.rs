/*!
A service that embeds, asked over HTTP as `OpenAI` is.

Texts wait in a queue and are taken from it as batches, by number and by tokens, whenever fewer
requests are under way than may be. A request that may succeed the next time is made again, with
pauses that grow and vary, so that many clients do not come back at once. A batch that is too long
for the service is halved, and a single text that is, is cut in half: as with a local model, what is
beyond its limit is not read.

Each answer is checked: the number of embeddings, their length, their places. What a service says
of an error is never passed on, since it may repeat the text or the key that it was sent.
*/

mod problem;
mod request;
mod service;

pub use problem::Problem;
pub use service::{Key, Service};

use super::embedder::{Job, Pending};
use super::{Embedding, Error};
use crate::http;
use request::Failure;
use reqwest::{Client, Url};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};

/// How long a batch that is not full waits for more texts.
const LINGER: Duration = Duration::from_millis(10);

/// The longest pause that a service may ask for.
const PATIENCE: Duration = Duration::from_mins(10);

/// A text of fewer bytes is not cut any more.
const SHORTEST: usize = 32;

/// A service under way; dropped, it ends when what it was given is done.
pub struct Remote {
    jobs: mpsc::Sender<Job>,
    asked: Arc<Asked>,
    dimensions: usize,
}

/// What requests share.
struct Asked {
    client: Client,
    url: Url,
    service: Service,
}

impl Remote {
    /// Takes up a service, and finds out the dimensions of its embeddings by a first request.
    ///
    /// # Errors
    ///
    /// [`Error::Service`] if the address is none, if the service does not answer or refuses, or
    /// if its embeddings are not of the dimensions that are asked for.
    pub async fn connect(service: Service) -> Result<Self, Error> {
        let asked = Arc::new(Asked::new(service)?);
        let first = asked.embed(vec!["dimensions".into()]).await?;
        let dimensions = first[0].len();
        asked.check(dimensions)?;
        let waiting = asked.service.batch_texts.get() * asked.service.concurrency.get();
        let (jobs, queue) = mpsc::channel(waiting);
        tokio::spawn(serve(Arc::clone(&asked), queue, dimensions));
        Ok(Self { jobs, asked, dimensions })
    }

    /// Embeds one text by one request, without finding out anything before.
    ///
    /// # Errors
    ///
    /// As for [`connect`](Self::connect).
    pub async fn embed_one(service: Service, text: &str) -> Result<Embedding, Error> {
        let asked = Asked::new(service)?;
        let embedding = asked.embed(vec![text.to_owned()]).await?.swap_remove(0);
        asked.check(embedding.len())?;
        Ok(embedding)
    }

    /// Returns the model, as the service calls it.
    pub fn name(&self) -> &str {
        &self.asked.service.model
    }

    /// Returns the length of its embeddings.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Hands a text over; blocks while the queue is full, so call it where blocking is allowed.
    pub fn submit(&self, text: String) -> Pending {
        let (job, pending) = Job::new(text);
        // Without a receiver the reply is dropped with the job, and the error comes from `Pending`.
        drop(self.jobs.blocking_send(job));
        pending
    }
}

/// Takes batches from the queue as long as there is one.
async fn serve(asked: Arc<Asked>, mut queue: mpsc::Receiver<Job>, dimensions: usize) {
    let free = Arc::new(Semaphore::new(asked.service.concurrency.get()));
    let mut left = None;
    loop {
        // While all requests are under way texts gather, so that batches are full when it matters.
        let permit = Arc::clone(&free).acquire_owned().await.expect("it is never closed");
        let Some(batch) = batch(&asked.service, &mut queue, &mut left).await else { return };
        let asked = Arc::clone(&asked);
        tokio::spawn(async move {
            answer(&asked, batch, dimensions).await;
            drop(permit);
        });
    }
}

/// Takes the next batch; a text that does not fit into it is `left` for the one after.
async fn batch(
    service: &Service,
    queue: &mut mpsc::Receiver<Job>,
    left: &mut Option<Job>,
) -> Option<Vec<Job>> {
    let tokens = |job: &Job| job.text.len().div_ceil(3);
    let first = match left.take() {
        Some(job) => job,
        None => queue.recv().await?,
    };
    let mut size = tokens(&first);
    let mut batch = vec![first];
    while batch.len() < service.batch_texts.get() && size < service.batch_tokens.get() {
        let Ok(Some(job)) = tokio::time::timeout(LINGER, queue.recv()).await else { break };
        size += tokens(&job);
        if size > service.batch_tokens.get() {
            *left = Some(job);
            break;
        }
        batch.push(job);
    }
    Some(batch)
}

/// Embeds a batch and tells everybody who waits for a text of it.
async fn answer(asked: &Asked, batch: Vec<Job>, dimensions: usize) {
    // Nobody waits for them any more when a run was broken off.
    let (texts, replies): (Vec<_>, Vec<_>) = batch
        .into_iter()
        .filter(|job| !job.reply.is_closed())
        .map(|Job { text, reply }| (text, reply))
        .unzip();
    if texts.is_empty() {
        return;
    }
    match asked.embed(texts).await {
        Ok(embeddings) => {
            for (embedding, reply) in embeddings.into_iter().zip(replies) {
                let found = embedding.len();
                let problem = Problem::Dimensions { expected: dimensions, found };
                let checked =
                    if found == dimensions { Ok(embedding) } else { Err(asked.error(problem)) };
                let _ = reply.send(checked);
            }
        }
        Err(Error::Service { problem, .. }) => {
            for reply in replies {
                let _ = reply.send(Err(asked.error(problem.clone())));
            }
        }
        Err(_) => {}
    }
}

impl Asked {
    fn new(service: Service) -> Result<Self, Error> {
        let wrong = |problem: String| Error::Service {
            place: "--embed-url".into(),
            problem: Problem::Address(problem),
        };
        let base = service.url.trim_end_matches('/');
        let url =
            Url::parse(&format!("{base}/embeddings")).map_err(|error| wrong(error.to_string()))?;
        if !["http", "https"].contains(&url.scheme()) {
            return Err(wrong("it begins with neither https:// nor http://".into()));
        }
        let visible = |key: &Key| key.expose().bytes().all(|byte| byte.is_ascii_graphic());
        if !service.key.as_ref().is_none_or(visible) {
            return Err(wrong("the key holds characters that no header may hold".into()));
        }
        let has_secret = service.key.is_some() || http::has_secret(&url);
        if has_secret && !http::is_confidential(&url) {
            return Err(Error::Service { place: place(&url), problem: Problem::PlainKey });
        }
        let is_here = has_secret && url.scheme() == "http";
        let builder = http::builder();
        // Who sends a request elsewhere would get the texts, and perhaps the key.
        let client = if is_here { http::to_this_machine(builder) } else { builder }
            .timeout(service.timeout)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| wrong(error.to_string()))?;
        Ok(Self { client, url, service })
    }

    /// Makes sure that embeddings are of the dimensions that were asked for.
    fn check(&self, found: usize) -> Result<(), Error> {
        match self.service.dimensions.map(usize::from) {
            Some(expected) if expected != found => {
                Err(self.error(Problem::Dimensions { expected, found }))
            }
            _ => Ok(()),
        }
    }

    /// Embeds texts, however often it takes to ask.
    fn embed(
        &self,
        mut texts: Vec<String>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<Embedding>, Error>> + Send + '_>> {
        Box::pin(async move {
            let mut tries = 1;
            loop {
                match request::request(&self.client, &self.url, &self.service, &texts).await {
                    Ok(embeddings) => return Ok(embeddings),
                    Err(Failure::Final(problem)) => return Err(self.error(problem)),
                    Err(Failure::TooLong) if texts.len() > 1 => {
                        let second = texts.split_off(texts.len() / 2);
                        let mut embeddings = self.embed(texts).await?;
                        embeddings.extend(self.embed(second).await?);
                        return Ok(embeddings);
                    }
                    Err(Failure::TooLong) => {
                        if texts[0].len() < SHORTEST {
                            return Err(self.error(Problem::TooLong));
                        }
                        let half = texts[0].floor_char_boundary(texts[0].len() / 2);
                        texts[0].truncate(half);
                    }
                    Err(Failure::Passing(problem, after)) => {
                        self.wait(problem, after, tries).await?;
                        tries += 1;
                    }
                }
            }
        })
    }

    /// Waits before the next try, or says that there is none.
    async fn wait(
        &self,
        problem: Problem,
        after: Option<Duration>,
        tries: u32,
    ) -> Result<(), Error> {
        let problem = match (problem, after) {
            (Problem::Busy(status, _), Some(after)) if after > PATIENCE => {
                return Err(self.error(Problem::Later(status, after.as_secs())));
            }
            (Problem::Busy(status, _), _) => Problem::Busy(status, tries),
            (Problem::Unreachable(what, _), _) => Problem::Unreachable(what, tries),
            (problem, _) => problem,
        };
        if tries > self.service.retries {
            return Err(self.error(problem));
        }
        tokio::time::sleep(http::pause(self.service.pause, after, tries)).await;
        Ok(())
    }

    fn error(&self, problem: Problem) -> Error {
        Error::Service { place: place(&self.url), problem }
    }
}

/// Returns an address without what may be secret.
fn place(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}", url.host_str().unwrap_or_default())
}
