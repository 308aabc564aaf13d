/*!
The servers: searches per second over HTTP against the same calls over the same pool, questions that are embedded
together against one after the other, and the time that an MCP server adds to a search.

The store has the documentation of the project, embedded with the real model. Both ways embed each question.
*/

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use passage::embed::{Embedder, EmbeddingKind, Model, Pool};
use passage::serve::{Reader, ReaderOptions};
use passage_tests::Cluster;
use passage_tests::cluster::model_path;
use passage_tests::http_server::HttpServer;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::runtime::{Builder, Runtime};

use crate::machine::field;
use crate::rounds::{Times, turns};
use crate::table::{Bar, Table};

/// Clients that ask at the same time, and the connections that they share.
const CLIENTS: usize = 16;
const CONNECTIONS: usize = 8;
/// Searches of each client in a round.
const SEARCHES: usize = 25;
/// The maximum time that a warm search takes besides the query.
const MAX_TIME: Duration = Duration::from_millis(60);
/// The maximum memory of an idle server.
const MEMORY: u64 = 400_000_000;

const QUESTIONS: [&str; 5] = [
    "How do I back up a store?",
    "budget of tokens for a passage",
    "row-level security for tenants",
    "Which strategy keeps a whole function?",
    "replace the embedding model without downtime",
];

/// Loads the store and measures both servers.
pub async fn measure(table: &mut Table) {
    let mut cluster = Cluster::without_store().await;
    let Some(model) = model_path() else {
        cluster.installation().report_skipped("benchmarks of servers", "there is no model");
        return;
    };
    if cluster.lacks_vector("benchmarks of servers") {
        return;
    }
    cluster.passage(["init"]).await;
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    cluster.passage(["ingest", "--quiet", docs]).await;
    let model = Model::load(&model).expect("the model can be loaded");
    let embedder = Arc::new(Embedder::from(Pool::new(&model, None).expect("threads can start")));
    let reader = Arc::new(Reader::new(ReaderOptions {
        url: cluster.url(),
        store: "rag".into(),
        embedder: Some(embedder),
        reranking: None,
        model_name: None,
        connections: CONNECTIONS,
        timeout: Duration::from_secs(30),
        report: Arc::new(|cause| eprintln!("bench: {cause}")),
    }));
    // The floor has as many threads as the server.
    let threads = Builder::new_multi_thread().enable_all().build().expect("threads can start");
    throughput(&cluster, &reader, &threads, table).await;
    questions(&model, &reader, table).await;
    warm_search(&cluster, &reader, table).await;
    threads.shutdown_background();
    cluster.stop();
}

/// Returns the arguments of a search.
fn arguments(number: usize) -> Map<String, Value> {
    let Value::Object(arguments) = json!({"query": QUESTIONS[number % QUESTIONS.len()], "max_passages": 5, "max_tokens": 2_000})
    else {
        unreachable!("it is an object")
    };
    arguments
}

/// Compares searches per second.
async fn throughput(cluster: &Cluster, reader: &Arc<Reader>, threads: &Runtime, table: &mut Table) {
    let connections = CONNECTIONS.to_string();
    let server =
        HttpServer::start(cluster.client_program(), &["--connections", &connections]).await;
    let per_second = |begun: Instant| (CLIENTS * SEARCHES) as f64 / begun.elapsed().as_secs_f64();
    let floor = async |_| {
        let begun = Instant::now();
        let client = |client| {
            let reader = Arc::clone(reader);
            threads.spawn(async move {
                for number in 0..SEARCHES {
                    let result = reader.call("search", &arguments(client + number)).await;
                    assert!(!result.expect("the search succeeds").rows.is_empty());
                }
            })
        };
        for client in join_all((0..CLIENTS).map(client)).await {
            client.expect("each search has passages");
        }
        per_second(begun)
    };
    let ours = async |_| {
        // The server closes connections that were idle while the floor ran.
        let mut clients = Vec::new();
        for _ in 0..CLIENTS {
            clients.push(server.connect().await);
        }
        let begun = Instant::now();
        join_all(clients.iter_mut().enumerate().map(|(client, connection)| async move {
            for number in 0..SEARCHES {
                let arguments = Value::Object(arguments(client + number));
                let (status, answer) = connection.request("/search", Some(&arguments)).await;
                assert_eq!(status, 200);
                assert!(answer.starts_with(b"{\"results\":[{"), "no passage was found");
            }
        }))
        .await;
        per_second(begun)
    };
    let figures = turns(floor, ours).await;
    let rate = |number: f64| format!("{number:.0} per s");
    let what = format!("`POST /search` by {CLIENTS} clients over {CONNECTIONS} connections");
    table.row(&what, rate(figures.floor), rate(figures.ours), figures, Bar::AtLeast(0.9));
    server.stop().await;
}

/// Compares the embeddings per second of questions that wait at the same time with those of one question after the other,
/// on as many threads.
async fn questions(model: &Arc<Model>, reader: &Reader, table: &mut Table) {
    let embedder = reader.embedder().expect("the reader embeds");
    let count = CLIENTS * SEARCHES;
    let question = |number: usize| QUESTIONS[number % QUESTIONS.len()];
    let per_second = |begun: Instant| count as f64 / begun.elapsed().as_secs_f64();
    let floor = async |_| {
        let begun = Instant::now();
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count {
                            return;
                        }
                        model.embed(question(number)).expect("the question is embedded");
                    }
                });
            }
        });
        per_second(begun)
    };
    let ours = async |_| {
        let begun = Instant::now();
        join_all((0..CLIENTS).map(|client| async move {
            for number in 0..SEARCHES {
                let text = question(client + number).to_owned();
                let embedding = embedder.embed(EmbeddingKind::Query, text).await;
                embedding.expect("the question is embedded");
            }
        }))
        .await;
        per_second(begun)
    };
    let figures = turns(floor, ours).await;
    let rate = |number: f64| format!("{number:.0} per s");
    let what = format!("questions of {CLIENTS} clients, embedded together");
    table.row(&what, rate(figures.floor), rate(figures.ours), figures, Bar::AtLeast(1.5));
}

/// Measures the time of a warm search by MCP besides its query, and the memory of the idle server.
async fn warm_search(cluster: &Cluster, reader: &Reader, table: &mut Table) {
    let mut program: Command = cluster.client_program();
    program.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut server = program.spawn().expect("it starts");
    let input = server.stdin.take().expect("it is piped");
    let output = BufReader::new(server.stdout.take().expect("it is piped"));
    let agent = tokio::sync::Mutex::new(Agent { input, output, calls: 0 });
    agent.lock().await.start().await;

    let search = |number| json!({"name": "search", "arguments": {"query": QUESTIONS[number % QUESTIONS.len()]}});
    let ours = Times::of(QUESTIONS.len(), 20, async |number| {
        agent.lock().await.call("tools/call", &search(number)).await
    })
    .await;
    // The embedding is part of what the server adds, so the floor has no query to embed.
    let embedder = reader.embedder().expect("the reader embeds");
    let mut vectors = Vec::new();
    for question in QUESTIONS {
        vectors.push(
            embedder
                .embed(EmbeddingKind::Query, question.into())
                .await
                .expect("the question is embedded"),
        );
    }
    let floor = Times::of(QUESTIONS.len(), 20, async |number| {
        let mut arguments = arguments(number);
        arguments.insert("embedding".into(), json!(vectors[number]));
        reader.call("search", &arguments).await.expect("the search succeeds")
    })
    .await;
    let milliseconds = |times: &Times| Duration::from_secs_f64(times.percentile(95) / 1e6);
    let added = milliseconds(&ours).saturating_sub(milliseconds(&floor));
    table.late("a warm `search` of `passage mcp` besides its query, p95", added, MAX_TIME);

    let status = format!("/proc/{}/status", server.id().expect("it was not waited for"));
    let kilobytes = field(&status, "VmRSS").and_then(|size| size.split(' ').next()?.parse().ok());
    table.memory("memory of an idle `passage mcp`", kilobytes.unwrap_or(0) * 1_024, MEMORY);
    drop(agent);
    server.kill().await.expect("the server can be stopped");
}

/// A client of an MCP server on standard input and output.
struct Agent {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    calls: u32,
}

impl Agent {
    async fn start(&mut self) {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}});
        self.call("initialize", &hello).await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    }

    async fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.expect("the server reads");
    }

    /// Sends a request, and waits for its result.
    async fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))
            .await;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).await.expect("the server answers");
            let answer: Value = serde_json::from_str(&line).expect("the answer is JSON");
            if answer["id"] == id {
                assert_ne!(answer["result"]["isError"], true, "{answer}");
                return answer;
            }
        }
    }
}
