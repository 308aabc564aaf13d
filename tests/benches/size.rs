/*!
The embedding types `vector`, `halfvec` and `binary` with the same rows: bytes, recall, time, and the cost of an index.

One store is measured with each type. A part of its chunks has embeddings of the client's model, for paragraphs of
documentation in cargo's registry. The others have generated ones, as in the part `million`. The questions are of two
kinds: other paragraphs, and the questions of the quality sets, most of which are about other topics than the store.
Recall is the share of the nearest chunks, by exact comparison of the vectors, that `search_hits` returns.

Other work on the machine changes processor times little, so builds, writes and VACUUM have the processor time of the
server process, and calls have both: times as a client measures them, and the ratio of processor times.
*/

mod calls;
mod session;
mod store;
mod texts;

use std::fmt::Write;

use crate::million;
use session::Session;

pub use texts::is_worker;

/// The options of this part.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of chunks.
    rows: usize,
    /// How many of them have embeddings of the model.
    embedded: usize,
    /// The embedding types, in the order of the tables.
    types: Vec<&'static str>,
}

impl Default for Options {
    fn default() -> Self {
        Self { rows: 1_000_000, embedded: 40_000, types: TYPES.to_vec() }
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
            "--types" => {
                let named = arguments.next().ok_or("--types has no value")?;
                let known = |name: &str| TYPES.into_iter().find(|known| *known == name);
                let types: Option<_> = named.split(',').map(known).collect();
                self.types =
                    types.ok_or_else(|| format!("{named} is none of {}", TYPES.join(", ")))?;
                return Ok(true);
            }
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

/// The number of questions that are other paragraphs.
const OTHER_PARAGRAPHS: usize = 200;

/// The candidates for each hit of the curve.
const OVERSAMPLING: [usize; 7] = [1, 2, 5, 10, 20, 40, 100];

/// The share of the chunks whose embeddings are written again.
const CHURN: f64 = 0.05;

/// Loads the store and measures. Returns the tables.
pub async fn measure(options: &Options) -> String {
    let mut cluster = store::cluster(options).await;
    let session = Session::open(&cluster).await;
    let mut kinds = Vec::new();
    for (kind, questions) in [
        ("paragraphs", texts::others(options.embedded, OTHER_PARAGRAPHS)),
        ("other topics", million::asked_embeddings()),
    ] {
        let exact = session.exact(&questions, *HITS.last().expect("there are numbers")).await;
        kinds.push(Questions { kind, asked: questions, exact });
    }
    let mut costs = Table::new(&[
        "type",
        "column",
        "index",
        "CPU of the build",
        "rows written again per CPU second",
        "CPU of a vacuum of 5 %",
    ]);
    let mut found = Table::new(&[
        "type",
        "questions",
        "hits",
        "recall",
        "plain SQL p50",
        "p99",
        "`search_hits` p50",
        "p99",
        "CPU, plain SQL",
        "`search_hits`",
        "ratio",
    ]);
    let mut curve = String::new();
    for &embedding_type in &options.types {
        let build = store::convert(&session, embedding_type).await;
        let [column, index] = store::bytes_per_row(&cluster, options.rows).await;
        for (Questions { kind, asked, exact }, hits) in
            kinds.iter().flat_map(|questions| HITS.map(|hits| (questions, hits)))
        {
            let measured = calls::measure(&cluster, embedding_type, asked, exact, hits).await;
            let mut row = vec![format!("`{embedding_type}`"), (*kind).to_owned(), hits.to_string()];
            row.push(format!("{:.3}", measured.recall));
            for times in [&measured.floor, &measured.ours] {
                row.extend(
                    [50, 99].map(|percent| format!("{:.1} ms", times.percentile(percent) / 1e3)),
                );
            }
            let [ours, floor] = measured.processor.map(|time| time.as_secs_f64() * 1e3);
            row.extend([format!("{floor:.2} ms"), format!("{ours:.2} ms")]);
            row.push(format!("{:.2}", ours / floor));
            found.add(&row);
        }
        if embedding_type == "binary" {
            curve = self::curve(&session, &kinds).await;
        }
        let number = (options.rows as f64 * CHURN) as usize;
        let [save, write] = store::write_again(embedding_type, number);
        session.run(&save).await;
        let written = session.run(&write).await;
        let vacuum = session.run(store::VACUUM).await;
        costs.add(&[
            format!("`{embedding_type}`"),
            format!("{column} B"),
            format!("{index} B"),
            format!("{:.0} s", build.as_secs_f64()),
            format!("{:.0}", number as f64 / written.as_secs_f64()),
            format!("{:.1} s", vacuum.as_secs_f64()),
        ]);
    }
    cluster.stop();
    let (rows, embedded) = (options.rows, options.embedded);
    let numbers: Vec<_> = kinds
        .iter()
        .map(|questions| format!("{} of {}", questions.asked.len(), questions.kind))
        .collect();
    let what = format!(
        "{rows} chunks, {embedded} of them embedded by the model; questions: {}",
        numbers.join(", ")
    );
    format!("{what}\n\n{}\n{}\n{curve}", costs.0, found.0)
}

/// A table that also prints each row when it is measured.
struct Table(String);

impl Table {
    fn new(head: &[&str]) -> Self {
        Self(format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len())))
    }

    fn add(&mut self, cells: &[String]) {
        let row = format!("| {} |", cells.join(" | "));
        eprintln!("bench: {row}");
        writeln!(self.0, "{row}").expect("a String takes all");
    }
}

/// Questions with the nearest chunks.
struct Questions {
    kind: &'static str,
    asked: Vec<Vec<f32>>,
    exact: Vec<Vec<uuid::Uuid>>,
}

/// Measures the recall of an index of signs by the number of candidates that are compared exactly.
async fn curve(session: &Session, kinds: &[Questions]) -> String {
    let mut table = Table::new(&[
        "questions",
        "candidates for each hit",
        "recall at 10",
        "CPU",
        "recall at 50",
        "CPU",
    ]);
    for (Questions { kind, asked, exact }, factor) in
        kinds.iter().flat_map(|questions| OVERSAMPLING.map(|factor| (questions, factor)))
    {
        let mut cells = vec![(*kind).to_owned(), factor.to_string()];
        for hits in HITS {
            let reranked = session.reranked(asked, exact, hits, factor * hits).await;
            cells.push(format!("{:.3}", reranked.recall));
            cells.push(format!("{:.1} ms", reranked.time.as_secs_f64() * 1e3));
        }
        table.add(&cells);
    }
    table.0
}
