//! An embedding service on the loopback interface with answers that a test chooses.
//!
//! It implements the part of HTTP that the client uses, and records the requests.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    pub path: String,
    pub authorization: Option<String>,
    /// The names of the headers, in lower case, and their values.
    pub headers: HashMap<String, String>,
    pub body: Value,
}

impl Request {
    pub fn texts(&self) -> Vec<String> {
        let fields = ["input", "inputs", "texts", "requests"];
        let texts = fields.into_iter().find_map(|field| self.body[field].as_array()).unwrap();
        let text = |text: &Value| {
            text.as_str()
                .or_else(|| text["content"]["parts"][0]["text"].as_str())
                .unwrap()
                .to_owned()
        };
        texts.iter().map(text).collect()
    }

    /// Returns whether the client asks for the dimensions by this request.
    pub fn is_first(&self) -> bool {
        self.texts() == ["dimensions"]
    }
}

/// An answer.
pub enum Reply {
    /// Embeddings of a number of dimensions. Texts that share words get similar embeddings.
    Embeddings(usize),
    /// A status with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// No answer on an open connection.
    Silence,
    /// No answer; the connection is closed.
    Break,
}

pub struct Service {
    port: u16,
    seen: Arc<Mutex<Vec<Request>>>,
    busiest: Arc<AtomicUsize>,
}

impl Service {
    /// Starts a service. `reply` gets the number of the request, from 0, and the request.
    pub async fn start(reply: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, busiest) = (Arc::default(), Arc::default());
        let service = Self { port, seen: Arc::clone(&seen), busiest: Arc::clone(&busiest) };
        let (reply, busy) = (Arc::new(reply), Arc::new(AtomicUsize::new(0)));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (reply, seen) = (Arc::clone(&reply), Arc::clone(&seen));
                let (busy, busiest) = (Arc::clone(&busy), Arc::clone(&busiest));
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    while let Some(asked) = read(&mut stream).await {
                        busiest
                            .fetch_max(busy.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        let number = {
                            let mut seen: std::sync::MutexGuard<'_, Vec<Request>> =
                                seen.lock().unwrap();
                            seen.push(asked.clone());
                            seen.len() - 1
                        };
                        // Other requests can arrive at the same time.
                        tokio::task::yield_now().await;
                        let answered = write(&mut stream, reply(number, &asked), &asked).await;
                        busy.fetch_sub(1, Ordering::SeqCst);
                        if !answered {
                            return;
                        }
                    }
                });
            }
        });
        service
    }

    /// Starts a service that always embeds.
    pub async fn good(dimensions: usize) -> Self {
        Self::start(move |_, _| Reply::Embeddings(dimensions)).await
    }

    pub fn url(&self) -> String {
        format!("{}/v1", self.origin())
    }

    /// Returns the address without a path.
    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the requests in order.
    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }

    /// Returns the texts of all requests except those that ask for the dimensions.
    pub fn texts(&self) -> Vec<String> {
        self.seen().iter().filter(|asked| !asked.is_first()).flat_map(Request::texts).collect()
    }

    /// Returns the largest number of concurrent requests.
    pub fn busiest(&self) -> usize {
        self.busiest.load(Ordering::SeqCst)
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = HashMap::new();
    loop {
        line.clear();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let authorization = headers.get("authorization").cloned();
    Some(Request { path, authorization, headers, body })
}

/// Writes an answer. Returns whether the connection stays open.
async fn write(stream: &mut BufReader<TcpStream>, reply: Reply, asked: &Request) -> bool {
    let (status, headers, body) = match reply {
        Reply::Embeddings(dimensions) => {
            let texts = asked.texts();
            let item = |(index, text): (usize, &String)| json!({ "index": index, "embedding": embedding(text, dimensions) });
            // A service may answer in any order.
            let data: Vec<Value> = texts.iter().enumerate().map(item).rev().collect();
            (200, vec![], json!({ "data": data }).to_string())
        }
        Reply::Status(status, headers, body) => (status, headers, body),
        Reply::Silence => {
            let mut rest = [0];
            let _ = stream.read(&mut rest).await;
            return false;
        }
        Reply::Break => return false,
    };
    let mut head = format!("HTTP/1.1 {status} Said\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        write!(head, "{name}: {value}\r\n").unwrap();
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).await.is_ok()
}

/// Counts words in dimensions that their letters determine, so texts that share words are similar.
fn embedding(text: &str, dimensions: usize) -> Vec<f32> {
    let mut embedding = vec![0.01; dimensions];
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
    {
        let hash = word
            .to_lowercase()
            .bytes()
            .fold(7_usize, |sum, byte| sum * 31 % 65_537 + usize::from(byte));
        embedding[hash % dimensions] += 1.0;
    }
    embedding
}
