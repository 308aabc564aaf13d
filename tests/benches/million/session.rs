//! A session and its queries.

use passage_tests::Cluster;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::load::STORE;

/// The hits of each leg.
pub const CANDIDATES: usize = 50;

/// The search width of the graph, for floor and ours: the one of `search`, because a width equal to the number of
/// hits misses some of the nearest.
const WIDTH: usize = 200;

/// A question as a client sends it.
pub struct Question {
    pub text: String,
    pub embedding: Vec<f32>,
}

/// A session with its statements.
pub struct Session {
    client: Client,
    nearest: Statement,
    listed: Statement,
    hybrid: Statement,
    text: Statement,
    vector: Statement,
}

impl Session {
    /// Connects and prepares.
    pub async fn open(cluster: &Cluster) -> Self {
        let client = cluster.client().await;
        let set = format!("SET hnsw.ef_search = {WIDTH}");
        client.batch_execute(&set).await.expect("pgvector is loaded");
        let prepare =
            async |sql: String| client.prepare(&sql).await.expect("the statement is valid");
        let nearest = format!(
            "SELECT chunk_id, embedding <=> $1::real[]::vector AS distance FROM {STORE}.embeddings \
             ORDER BY embedding <=> $1::real[]::vector LIMIT {CANDIDATES}"
        );
        let listed = format!(
            "SELECT c.id, c.document_id, d.uri, d.title, c.section, n.distance, c.tokens, c.content FROM ({nearest}) AS n \
             JOIN {STORE}.chunks AS c ON c.id = n.chunk_id JOIN {STORE}.documents AS d ON d.id = c.document_id \
             ORDER BY n.distance"
        );
        let hybrid = format!(
            "SELECT * FROM passage.search(query => $1, embedding => $2, ranking => passage.ranking(candidates => {CANDIDATES}), \
             max_passages => 10, strategy => 'auto')"
        );
        let hits = format!(
            "FROM passage.search_hits(ranking => passage.ranking(mode => '{{}}'), max_hits => {CANDIDATES}"
        );
        let text = format!("SELECT * {}, query => $1)", hits.replace("{}", "text"));
        let vector = format!("SELECT * {}, embedding => $1)", hits.replace("{}", "vector"));
        Self {
            nearest: prepare(nearest).await,
            listed: prepare(listed).await,
            hybrid: prepare(hybrid).await,
            text: prepare(text).await,
            vector: prepare(vector).await,
            client,
        }
    }

    /// Returns the nearest chunks by the simplest statement.
    pub async fn nearest(&self, question: &Question) -> Vec<Row> {
        self.ask(&self.nearest, &[&question.embedding]).await
    }

    /// Returns the nearest chunks with the columns of a hit by the simplest statement.
    pub async fn listed(&self, question: &Question) -> Vec<Row> {
        self.ask(&self.listed, &[&question.embedding]).await
    }

    /// Returns as many hits of the vector leg.
    pub async fn vector(&self, question: &Question) -> Vec<Row> {
        self.ask(&self.vector, &[&question.embedding]).await
    }

    /// Returns as many hits of the text leg.
    pub async fn text(&self, text: &str) -> Vec<Row> {
        self.ask(&self.text, &[&text]).await
    }

    /// Returns ten passages by both legs.
    pub async fn hybrid(&self, question: &Question) -> Vec<Row> {
        self.ask(&self.hybrid, &[&question.text, &question.embedding]).await
    }

    pub async fn prepare(&self, sql: &str) -> Statement {
        self.client.prepare(sql).await.expect("the statement is valid")
    }

    pub async fn ask(&self, statement: &Statement, values: &[&(dyn ToSql + Sync)]) -> Vec<Row> {
        self.client.query(statement, values).await.expect("the server answers")
    }

    /// Runs SQL without preparing it.
    pub async fn query(&self, sql: &str) -> Vec<Row> {
        self.client.query(sql, &[]).await.expect("the statement is valid")
    }
}
