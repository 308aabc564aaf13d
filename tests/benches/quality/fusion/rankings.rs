//! The rankings of both legs for a question, and their fusion with any weights.

use std::collections::HashMap;
use std::fmt;

use passage_core::search::{
    HitEvidence, OrderWeights, RankedList, ScoredList, fuse, fuse_scores, reorder,
};

use super::super::score::{Answer, Filling, ReturnedPassage, fill, recall};
use super::super::server::{Loaded, Server};
use super::super::table::BUDGETS;

/// The number of chunks of each leg.
const CANDIDATES: usize = 100;

/// A chunk by its document, the number in the set, and its ordinal.
type Place = (usize, i32);

/// A leg: chunks with their scores, best first.
type Leg = Vec<(Place, f64)>;

/// The rankings of both legs for a question.
pub struct Rankings {
    answer: Answer,
    vector: Leg,
    text: Leg,
    passages: HashMap<Place, ReturnedPassage>,
    /// As `passage_core::search::coverage`.
    coverages: HashMap<Place, f64>,
}

/// The recall at each budget.
pub type Recalls = [f64; BUDGETS.len()];

/// Weights, as they are printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting(pub OrderWeights);

impl Setting {
    /// Returns the settings among which the weights are chosen.
    pub fn grid() -> Vec<Self> {
        let mut grid = Vec::new();
        for words in [1.0, 1.5, 2.0] {
            for neighbor in [0.0, 0.15, 0.3, 0.45] {
                for coverage in [0.0, 0.25, 0.5] {
                    grid.push(Self(OrderWeights { words, neighbor, coverage }));
                }
            }
        }
        grid
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(OrderWeights { words, neighbor, coverage }) = self;
        write!(formatter, "words {words}, neighbor {neighbor}, coverage {coverage}")
    }
}

impl Rankings {
    /// Queries both legs for all questions of a set.
    pub fn read(server: &Server, loaded: &Loaded) -> Vec<Self> {
        let store = &loaded.store;
        let hits = format!(
            "SELECT h.uri, h.tokens, c.start_byte, c.end_byte, c.ordinal, h.score \
             FROM passage.search_hits(query => $1, embedding => $2::real[], ranking => passage.ranking(mode => $3, candidates => {CANDIDATES}), \
                 max_hits => {CANDIDATES}, store => '{store}') AS h \
             JOIN {store}.chunks AS c ON c.id = h.chunk_id ORDER BY h.rank"
        );
        // The share of the question's words that a chunk has, each by its inverse document frequency.
        let coverage = format!(
            "WITH words AS (SELECT l.lexeme, ln(1 + (s.chunks - w.chunks_with + 0.5) / (w.chunks_with + 0.5)) AS idf \
                 FROM unnest(to_tsvector('english', $1)) AS l, \
                 LATERAL (SELECT count(*) AS chunks_with FROM {store}.chunks AS c WHERE c.tsv @@ quote_literal(l.lexeme)::tsquery) AS w, \
                 (SELECT count(*) AS chunks FROM {store}.chunks) AS s) \
             SELECT d.uri, c.ordinal, (sum(w.idf) / (SELECT sum(idf) FROM words))::float8 \
             FROM words AS w JOIN {store}.chunks AS c ON c.tsv @@ quote_literal(w.lexeme)::tsquery \
             JOIN {store}.documents AS d ON d.id = c.document_id GROUP BY d.uri, c.ordinal"
        );
        let questions = loaded.set.questions.iter().zip(&loaded.asked);
        let rankings = questions.map(|(question, embedding)| {
            let mut passages = HashMap::new();
            let mut leg = |mode: &str| {
                let rows = server.query(&hits, &[&question.text, &embedding, &mode]);
                let hit = |row: &tokio_postgres::Row| {
                    let at = |column: usize| row.get::<_, i32>(column) as usize;
                    let document = loaded.number(row.get(0));
                    let place = (document, row.get(4));
                    let spans = std::iter::once(at(2)..at(3)).collect();
                    passages.insert(place, ReturnedPassage { document, spans, tokens: at(1) });
                    (place, row.get(5))
                };
                rows.iter().map(hit).collect::<Leg>()
            };
            let (vector, text) = (leg("vector"), leg("text"));
            let rows = server.query(&coverage, &[&question.text]);
            let covered = |row: &tokio_postgres::Row| {
                ((loaded.number(row.get(0)), row.get(1)), row.get::<_, f64>(2))
            };
            let covered = rows.iter().map(covered);
            let coverages = covered.filter(|(place, _)| passages.contains_key(place)).collect();
            Self { answer: question.answer.clone(), vector, text, passages, coverages }
        });
        rankings.collect()
    }

    /// Returns the recall of the vector leg, of the text leg, and of reciprocal rank fusion with 60.
    pub fn fixed(&self) -> [Recalls; 3] {
        let places = |leg: &Leg| leg.iter().map(|(place, _)| *place).collect::<Vec<_>>();
        let lists =
            [&self.vector, &self.text].map(|leg| RankedList { ids: places(leg), weight: 1.0 });
        let ranked = fuse(&lists, 60.0).into_iter().map(|hit| hit.chunk).collect();
        [places(&self.vector), places(&self.text), ranked].map(|ranked| self.recalls(&ranked))
    }

    /// Returns the recall of hybrid search with some weights.
    pub fn with(&self, weights: OrderWeights) -> Recalls {
        let best = self.coverages.values().copied().fold(0.0, f64::max);
        let floor = (self.text.len() < CANDIDATES).then_some(0.0);
        let list = |leg: &Leg, floor, weight| ScoredList { hits: leg.clone(), floor, weight };
        let lists = [list(&self.vector, None, 1.0), list(&self.text, floor, weights.words * best)];
        let fused = fuse_scores(&lists);
        let evidence = fused.iter().map(|hit| HitEvidence {
            place: Some(hit.chunk),
            coverage: self.coverages.get(&hit.chunk).copied().unwrap_or_default(),
        });
        let evidence: Vec<_> = evidence.collect();
        let ranked = reorder(fused, &evidence, weights).into_iter().map(|hit| hit.chunk);
        self.recalls(&ranked.collect::<Vec<_>>())
    }

    fn recalls(&self, ranked: &[Place]) -> Recalls {
        let passages = || ranked.iter().map(|place| &self.passages[place]);
        BUDGETS.map(|budget| {
            let returned = fill(passages(), |one| one.tokens, budget, Filling::Continue);
            recall(&self.answer, returned)
        })
    }
}
