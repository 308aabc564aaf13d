/*!
The embedding types `vector`, `halfvec` and `binary` with the same rows: bytes, recall, time, and the cost of an index.

One store is measured with each type. A part of its chunks has embeddings of the client's model, for paragraphs of
documentation in cargo's registry. The others have generated ones, as in the part `million`. The questions are those
of the quality sets. Recall is the share of the nearest chunks, by exact comparison of the vectors, that
`search_hits` returns.

Times of calls are processor time of the server process, so that other work on the machine changes them little.
*/

mod session;
mod store;
mod texts;

use std::fmt::Write;
use std::time::Duration;

use passage_tests::Cluster;

use crate::million;
use session::Session;

pub use texts::is_worker;

/// The options of this part.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The number of chunks.
    rows: usize,
    /// How many of them have embeddings of the model.
    embedded: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { rows: 1_000_000, embedded: 50_000 }
    }
}

impl Options {
    /// Reads the value of an option, and returns whether it is one of this part.
    pub fn take(
        &mut self,
        option: &str,
        arguments: &mut impl Iterator<Item = String>,
    ) -> Result<bool, String> {
        let number = match option {
            "--rows" => &mut self.rows,
            "--embedded" => &mut self.embedded,
            _ => return Ok(false),
        };
        let value = arguments.next().and_then(|value| value.parse().ok());
        *number = value.ok_or_else(|| format!("{option} has no number"))?;
        Ok(true)
    }
}

/// The embedding types.
const TYPES: [&str; 3] = ["vector", "halfvec", "binary"];

/// The numbers of hits.
const HITS: [usize; 2] = [10, 50];

/// The candidates for each hit of the curve.
const OVERSAMPLING: [usize; 7] = [1, 2, 5, 10, 20, 50, 100];

/// The share of the chunks whose embeddings are written again.
const CHURN: f64 = 0.05;

/// Loads the store and measures. Returns the tables.
pub async fn measure(options: &Options) -> String {
    let mut cluster = store::cluster(options).await;
    let questions = million::asked_embeddings();
    let session = Session::open(&cluster).await;
    let exact = session.exact(&questions, *HITS.last().expect("there are numbers")).await;
    let mut tables = format!(
        "{} chunks, {} of them embedded by the model, {} questions\n\n\
         | type | column | index | build | recall at 10 | at 50 | CPU of a call, 10 hits | 50 hits | rows written again per CPU second | vacuum of 5 % |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        options.rows,
        options.embedded,
        questions.len()
    );
    let mut curve = String::new();
    for embedding_type in TYPES {
        let build = store::convert(&cluster, embedding_type).await;
        let [column, index] = store::bytes_per_row(&cluster, options.rows).await;
        let mut cells = Vec::new();
        for hits in HITS {
            cells.push(session.search(&questions, &exact, hits).await);
        }
        if embedding_type == "binary" {
            curve = self::curve(&session, &questions, &exact).await;
        }
        let (written, vacuum) = churn(&cluster, &session, options.rows).await;
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let row = format!(
            "| `{embedding_type}` | {column} B | {index} B | {:.0} s | {:.3} | {:.3} | {:.1} ms | {:.1} ms | {written:.0} | {:.1} s |",
            build.as_secs_f64(),
            cells[0].recall,
            cells[1].recall,
            milliseconds(cells[0].time),
            milliseconds(cells[1].time),
            vacuum.as_secs_f64(),
        );
        eprintln!("bench: {row}");
        writeln!(tables, "{row}").expect("a String takes all");
    }
    cluster.stop();
    format!("{tables}\n{curve}")
}

/// Measures the recall of an index of signs by the number of candidates that are compared exactly.
async fn curve(session: &Session, questions: &[Vec<f32>], exact: &[Vec<uuid::Uuid>]) -> String {
    let mut table = String::from(
        "| candidates for each hit | recall at 10 | CPU | recall at 50 | CPU |\n|---|---|---|---|---|\n",
    );
    for factor in OVERSAMPLING {
        let mut row = format!("| {factor} ");
        for hits in HITS {
            let of = session.reranked(questions, exact, hits, factor * hits).await;
            write!(row, "| {:.3} | {:.1} ms ", of.recall, of.time.as_secs_f64() * 1e3)
                .expect("a String takes all");
        }
        eprintln!("bench: {row}|");
        writeln!(table, "{row}|").expect("a String takes all");
    }
    table
}

/// Writes a part of the embeddings again. Returns how many rows a second of processor time takes, and the time of the
/// VACUUM after it.
async fn churn(cluster: &Cluster, session: &Session, rows: usize) -> (f64, Duration) {
    let number = (rows as f64 * CHURN) as usize;
    let time = session.write_again(number).await;
    (number as f64 / time.as_secs_f64(), store::vacuum(cluster).await)
}
