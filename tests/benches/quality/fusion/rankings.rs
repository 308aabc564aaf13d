//! The rankings of both legs for a question, and their fusion with any constants.

use std::collections::HashMap;
use std::fmt;

use super::super::score::{Answer, Filling, ReturnedPassage, fill, recall};
use super::super::server::{Loaded, Server};
use super::super::table::BUDGETS;

/// The number of chunks of each leg.
const CANDIDATES: usize = 100;

/// A chunk with its score.
struct Hit {
    passage: ReturnedPassage,
    score: f64,
}

/// The rankings of both legs for a question.
pub struct Rankings {
    answer: Answer,
    vector: Vec<Hit>,
    text: Vec<Hit>,
    /// As `passage_core::search::coverage`.
    coverage: f64,
}

/// The recall at each budget.
pub type Recalls = [f64; BUDGETS.len()];

/// The constants of a fusion by scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// The weight of the words.
    pub words: f64,
    /// Whether the weight is multiplied by the coverage.
    pub by_coverage: bool,
    /// The exponent of a scaled score.
    pub power: f64,
    /// The share of the rank.
    pub rank_share: f64,
}

/// As in `passage_core::search::fuse_scores`.
const RANK_K: f64 = 10.0;

impl Constants {
    /// Those of the product.
    pub const PRODUCT: Self = Self { words: 2.0, by_coverage: true, power: 1.0, rank_share: 0.5 };

    /// Returns the settings among which the constants are chosen.
    pub fn grid() -> Vec<Self> {
        let mut grid = Vec::new();
        for words in [0.7, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0] {
            for by_coverage in [false, true] {
                for power in [0.5, 0.7, 1.0, 1.5] {
                    for rank_share in [0.0, 0.25, 0.5, 1.0] {
                        grid.push(Self { words, by_coverage, power, rank_share });
                    }
                }
            }
        }
        grid
    }
}

impl fmt::Display for Constants {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { words, by_coverage, power, rank_share } = self;
        let coverage = if *by_coverage { " x coverage" } else { "" };
        write!(formatter, "words {words}{coverage}, power {power}, rank {rank_share}")
    }
}

impl Rankings {
    /// Queries both legs for all questions of a set.
    pub fn read(server: &Server, loaded: &Loaded) -> Vec<Self> {
        let store = &loaded.store;
        let hits = format!(
            "SELECT h.uri, h.tokens, c.start_byte, c.end_byte, h.score \
             FROM passage.search_hits(query => $1, embedding => $2::real[], ranking => passage.ranking(mode => $3, candidates => {CANDIDATES}), \
                 max_hits => {CANDIDATES}, store => '{store}') AS h \
             JOIN {store}.chunks AS c ON c.id = h.chunk_id ORDER BY h.rank"
        );
        let coverage = format!(
            "SELECT greatest(sum((c.tsv @@ quote_literal(l.lexeme)::tsquery)::integer), 1) \
                 / (count(*) + 1.0)::float8 \
             FROM (SELECT chunk_id FROM passage.search_hits(query => $1, ranking => passage.ranking(mode => 'text', candidates => {CANDIDATES}), \
                 max_hits => 1, store => '{store}')) AS h \
             JOIN {store}.chunks AS c ON c.id = h.chunk_id, \
             unnest(to_tsvector('english', $1)) AS l"
        );
        let questions = loaded.set.questions.iter().zip(&loaded.asked);
        let rankings = questions.map(|(question, embedding)| {
            let leg = |mode: &str| {
                let rows = server.query(&hits, &[&question.text, &embedding, &mode]);
                let hit = |row: &tokio_postgres::Row| {
                    let at = |column: usize| row.get::<_, i32>(column) as usize;
                    let passage = ReturnedPassage {
                        document: loaded.number(row.get(0)),
                        spans: std::iter::once(at(2)..at(3)).collect(),
                        tokens: at(1),
                    };
                    Hit { passage, score: row.get(4) }
                };
                rows.iter().map(hit).collect::<Vec<_>>()
            };
            let row = server.query(&coverage, &[&question.text]);
            Self {
                answer: question.answer.clone(),
                vector: leg("vector"),
                text: leg("text"),
                coverage: row[0].get::<_, Option<f64>>(0).unwrap_or_default(),
            }
        });
        rankings.collect()
    }

    /// Returns the recall of the vector leg, of the text leg, and of reciprocal rank fusion with 60.
    pub fn fixed(&self) -> [Recalls; 3] {
        let alone =
            |hits: &[Hit]| self.recalls(&hits.iter().map(|hit| &hit.passage).collect::<Vec<_>>());
        let by_rank = |hits: &[Hit]| {
            (1..=hits.len()).map(|rank| 1.0 / (60.0 + rank as f64)).collect::<Vec<_>>()
        };
        let ranks = [by_rank(&self.vector), by_rank(&self.text)];
        [alone(&self.vector), alone(&self.text), self.recalls(&self.fused(&ranks))]
    }

    /// Returns the recall of a fusion by scores.
    pub fn by_scores(&self, constants: Constants) -> Recalls {
        let Constants { words, by_coverage, power, rank_share } = constants;
        let values = |hits: &[Hit], floor: Option<f64>, weight: f64| {
            let best = hits.first().map_or(0.0, |hit| hit.score);
            let last = floor.or(hits.last().map(|hit| hit.score)).unwrap_or_default();
            let value = |(index, hit): (usize, &Hit)| {
                let range = best - last;
                let scaled = if range > 0.0 { (hit.score - last) / range } else { 1.0 };
                let rank = rank_share * RANK_K / (RANK_K + (index + 1) as f64);
                weight * (scaled.powf(power) + rank)
            };
            hits.iter().enumerate().map(value).collect::<Vec<_>>()
        };
        let floor = (self.text.len() < CANDIDATES).then_some(0.0);
        let words = if by_coverage { words * self.coverage } else { words };
        let values = [values(&self.vector, None, 1.0), values(&self.text, floor, words)];
        self.recalls(&self.fused(&values))
    }

    /// Adds the values of each chunk in both legs, and returns the chunks, best first.
    fn fused(&self, values: &[Vec<f64>; 2]) -> Vec<&ReturnedPassage> {
        let mut fused: HashMap<(usize, usize), (f64, usize, usize)> = HashMap::new();
        let legs = [&self.vector, &self.text];
        for (leg, values) in values.iter().enumerate() {
            for (rank, (hit, value)) in legs[leg].iter().zip(values).enumerate() {
                let key = (hit.passage.document, hit.passage.spans[0].start);
                let sum = fused.entry(key).or_insert((0.0, rank, leg));
                sum.0 += value;
                if rank < sum.1 {
                    (sum.1, sum.2) = (rank, leg);
                }
            }
        }
        let mut ranked: Vec<_> = fused.into_values().collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        ranked.into_iter().map(|(_, rank, leg)| &legs[leg][rank].passage).collect()
    }

    fn recalls(&self, ranked: &[&ReturnedPassage]) -> Recalls {
        BUDGETS.map(|budget| {
            let returned =
                fill(ranked.iter().copied(), |one| one.tokens, budget, Filling::Continue);
            recall(&self.answer, returned)
        })
    }
}
