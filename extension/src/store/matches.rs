/*!
The text leg of a search: chunks that have words of the query, ranked.

What is worth ranking (`passage_core::search::plan_subqueries`) is read in one statement or a few, no more than
some thousand chunks or what is wanted, whatever the size of the store, with their lexemes and positions, and BM25 is
computed from those. Where words are so common that a sample of all chunks finds them sooner than an
index, that part is a statement of its own; the sample is always the same one, so a search gives the
same twice. How often rare words occur is counted; for common ones the planner's statistics say it.

Under row-level security PostgreSQL applies the policy before it looks for words, and all counts are
of what the caller may see.
*/

use super::Store;
use super::filters::{Filters, Shape};
use super::hits::uuid;
use super::layout::{Layout, Purpose};
use super::lexemes::Asked;
use super::operators::{EQUAL, MATCHES};
use super::vectors::Vectors;
use crate::error::Error;
use crate::interrupt::pause;
use crate::spi::{Connection, Value};
use crate::types::Tsvector;
use passage_core::search::bm25::{Candidate, Idf, Occurrence, score_candidates};
use passage_core::search::{
    ENOUGH_CANDIDATES, LexemeCounts, QueryLexemes, SearchQuery, Subquery, SubqueryPlan,
    plan_subqueries,
};
use std::collections::HashSet;
use uuid::Uuid;

/// A chunk that a leg found, with its score there.
pub type Ranked = Vec<(Uuid, f64)>;

/// Chunks that have words of a query.
pub struct Matches {
    pub ids: Vec<Uuid>,
    pub candidates: Vec<Candidate>,
    pub lexemes: QueryLexemes,
    pub idf: Idf,
}

impl Store {
    /// Tells whether chunks can be found by their words.
    pub fn has_words(&self) -> bool {
        self.0.has_words()
    }

    /// Finds the chunks that answer a query by its words, best first, at most so many.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoColumn`] if chunks have no words.
    pub fn text_leg(
        &self,
        connection: &Connection,
        query: &str,
        filters: &Filters,
        vectors: Option<&Vectors>,
        most: usize,
    ) -> Result<Ranked, Error> {
        let asked = self.ask(connection, &SearchQuery::parse(query));
        let Matches { ids, candidates, lexemes, idf } =
            self.matches(connection, asked, filters, vectors, most)?;
        let scores = score_candidates(&candidates, &lexemes, &idf);
        let mut ranked: Ranked = ids.into_iter().zip(scores).collect();
        ranked.sort_by(|(a, first), (b, second)| second.total_cmp(first).then(a.cmp(b)));
        ranked.truncate(most);
        Ok(ranked)
    }

    /// Reads the chunks that are worth ranking for the words of a query: as many as are wanted, if so
    /// many have any of them, and else all that have.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoColumn`] if chunks have no words.
    pub fn matches(
        &self,
        connection: &Connection,
        Asked { lexemes, required }: Asked,
        filters: &Filters,
        vectors: Option<&Vectors>,
        wanted: usize,
    ) -> Result<Matches, Error> {
        if !self.0.has_words() {
            let store = self.0.store.clone();
            return Err(Error::NoColumn { store, relation: "chunks", column: "tsv" });
        }
        let counts = self.counts(connection, &lexemes);
        let SubqueryPlan { mut primary, mut secondary, fallback } = plan_subqueries(
            &lexemes,
            counts.as_ref(),
            &required,
            u32::try_from(wanted).unwrap_or(u32::MAX),
        );
        if self.has_policies() && !secondary.is_empty() {
            // Each arm would apply the policy to all chunks again.
            (primary, secondary) = (secondary, Vec::new());
        }
        let mut read = Read::new(&lexemes);
        let planned = [(primary, usize::MAX), (secondary, wanted.max(ENOUGH_CANDIDATES as usize))]
            .into_iter();
        for (arms, most) in planned.chain(fallback.into_iter().map(|arm| (vec![arm], wanted))) {
            if read.ids.len() >= most {
                continue;
            }
            let (samples, matches): (Vec<_>, Vec<_>) =
                arms.into_iter().partition(|arm| arm.sample_percent.is_some());
            for (arms, sampled) in [(matches, false), (samples, true)] {
                if !arms.is_empty() {
                    self.read_arms(connection, &arms, sampled, filters, vectors, &mut read);
                }
            }
        }
        let idf = read.idf(counts.as_ref());
        let Read { ids, candidates, .. } = read;
        Ok(Matches { ids, candidates, lexemes, idf })
    }

    fn read_arms(
        &self,
        connection: &Connection,
        arms: &[Subquery],
        sampled: bool,
        filters: &Filters,
        vectors: Option<&Vectors>,
        read: &mut Read,
    ) {
        let shape = filters.shape();
        let purpose = Purpose::Matches { arms: arms.len(), filters: shape, sampled };
        let statement =
            self.0.statement(purpose, || statement(&self.0, arms.len(), sampled, shape, vectors));
        let embedding = vectors.filter(|_| shape.asks_similarity());
        let mut values = vec![embedding.map_or(Value::new(0_i32), Vectors::value)];
        values.extend(arms.iter().flat_map(|arm| {
            let limit = i64::from(arm.limit);
            [Value::new(arm.query.clone()), Value::new(limit), Value::new(arm.sample_percent)]
        }));
        values.extend(filters.values());
        let rows = connection.read(&statement, values);
        for row in 0..rows.len() {
            pause(row);
            let arm = rows.get::<i32>(row, 0).expect("an arm is NOT NULL") as usize;
            if let Some(words) = rows.words(row, 2) {
                read.add(arm, uuid(rows.get(row, 1)), &words);
            }
        }
        read.count(arms);
    }
}

/// What was read so far.
struct Read<'a> {
    lexemes: &'a QueryLexemes,
    seen: HashSet<Uuid>,
    ids: Vec<Uuid>,
    candidates: Vec<Candidate>,
    /// How many rows each arm gave, and how many chunks of them have each lexeme.
    rows: Vec<u32>,
    with: Vec<Vec<u32>>,
    /// For each lexeme how many chunks have it, where all of them were read.
    counted: Vec<Option<u32>>,
}

impl<'a> Read<'a> {
    fn new(lexemes: &'a QueryLexemes) -> Self {
        let counted = vec![None; lexemes.list.len()];
        let (rows, with) = Default::default();
        Self {
            lexemes,
            seen: HashSet::new(),
            ids: Vec::new(),
            candidates: Vec::new(),
            rows,
            with,
            counted,
        }
    }

    /// Adds a chunk that an arm found.
    fn add(&mut self, arm: usize, id: Uuid, words: &Tsvector) {
        if self.rows.len() <= arm {
            self.rows.resize(arm + 1, 0);
            self.with.resize(arm + 1, vec![0; self.lexemes.list.len()]);
        }
        self.rows[arm] += 1;
        let mut occurrences: Vec<Occurrence> = Vec::new();
        for (lexeme, text) in self.lexemes.list.iter().enumerate() {
            let before = occurrences.len();
            words.positions(text, |field, position| {
                occurrences.push(Occurrence { lexeme, field, position });
            });
            self.with[arm][lexeme] += u32::from(occurrences.len() > before);
        }
        if self.seen.insert(id) {
            self.ids.push(id);
            self.candidates.push(Candidate { length: words.length(), occurrences });
        }
    }

    /// Counts the lexemes of words whose chunks were all read.
    fn count(&mut self, arms: &[Subquery]) {
        for (place, arm) in arms.iter().enumerate() {
            let rows = self.rows.get(place).copied().unwrap_or_default();
            if rows < arm.limit {
                let of = |word: &usize| &self.lexemes.words[*word];
                let lexemes = arm
                    .complete_words
                    .iter()
                    .flat_map(|word| of(word).whole.iter().chain(&of(word).parts));
                for lexeme in lexemes {
                    self.counted[*lexeme] =
                        Some(self.with.get(place).map_or(0, |with| with[*lexeme]));
                }
            }
        }
        self.rows.clear();
        self.with.clear();
    }

    /// Returns how rare each lexeme is: as counted while reading, else as known before, else as what
    /// was read suggests.
    fn idf(&self, counts: Option<&LexemeCounts>) -> Idf {
        let among = |lexeme: usize| {
            let with = |candidate: &&Candidate| !candidate.occurrences_of(lexeme).is_empty();
            self.candidates.iter().filter(with).count() as f64
        };
        let frequency = |lexeme: usize| match (self.counted[lexeme], counts) {
            (Some(counted), _) => f64::from(counted),
            (None, Some(counts)) => counts.chunks_with[lexeme],
            (None, None) => among(lexeme),
        };
        let list: Vec<_> = (0..self.lexemes.list.len()).map(frequency).collect();
        let chunks = counts.map_or(self.candidates.len() as f64, |counts| counts.chunks);
        Idf::new(list.iter().copied().fold(chunks, f64::max), &list)
    }
}

/// Each arm has three parameters: what matches, the limit, and how many percent of the chunks are
/// looked at.
fn statement(
    layout: &Layout,
    arms: usize,
    sampled: bool,
    filters: Shape,
    vectors: Option<&Vectors>,
) -> String {
    let vectors = vectors.filter(|_| filters.asks_similarity());
    let near = layout.embeddings.as_ref().filter(|_| vectors.is_some());
    let near = near.map_or_else(String::new, |embeddings| {
        format!(" JOIN {} AS e ON e.chunk_id {EQUAL} c.id", embeddings.name)
    });
    let conditions = filters.conditions(layout, "c.document_id", vectors, 2 + 3 * arms);
    let arm = |arm: usize| {
        let [query, limit, sample] = [2, 3, 4].map(|first| first + 3 * arm);
        // An index is asked where nothing says how many to look at.
        let (of, and) = if sampled {
            let method = "TABLESAMPLE pg_catalog.system";
            (format!(" {method} (${sample}) REPEATABLE (0)"), String::new())
        } else {
            (String::new(), format!(" AND ${sample} IS NULL"))
        };
        format!(
            "(SELECT {arm}, {id}, c.tsv FROM {chunks} AS c{of}{documents}{near} \
             WHERE c.tsv {MATCHES} ${query}::pg_catalog.tsquery{and}{conditions} LIMIT ${limit})",
            chunks = layout.chunks.name,
            id = layout.chunks.column("c", "id", "uuid"),
            documents = filters.join(layout, "c.document_id"),
        )
    };
    let arms: Vec<_> = (0..arms).map(arm).collect();
    // Without a use the first parameter would have no type.
    format!("SELECT * FROM ({}) AS f WHERE $1 IS NOT NULL", arms.join(" UNION ALL "))
}
