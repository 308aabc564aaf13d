/*!
Full-text search: chunks that have words of the query, ranked by BM25.

The candidates (`passage_core::search`) are read with their lexemes and positions in one statement or a
few: some thousand chunks, or as many as are requested, whatever the size of the store. BM25 is computed
from those positions. If words are so common that a sample of all chunks finds them sooner than an index,
a statement of its own reads the sample. The sample is always the same, so a search is repeatable. Rare
words are counted; the frequencies of common words come from the planner's statistics.

Under row-level security PostgreSQL applies the policy before it matches words, and all counts include
only chunks that the caller may see.
*/

use super::RankedChunks;
use super::filter_shape::{FilterShape, MetadataPart};
use super::filters::Filters;
use super::lexemes::ParsedQuery;
use super::match_reader::MatchReader;
use super::query_embedding::QueryEmbedding;
use crate::server::error::Error;
use crate::server::spi::{Access, Connection, Rows, Value};
use crate::server::sql_text::{EQUAL, MATCHES};
use crate::store::Store;
use crate::store::layout::{Layout, StatementKey};
use passage_core::fragments::unmatched_words;
use passage_core::search::bm25::{Bm25, Candidate, Idf, score_candidates};
use passage_core::search::{
    ENOUGH_CANDIDATES, QueryLexemes, Subquery, SubqueryPlan, coverage, plan_subqueries,
};
use passage_split::interrupt::poll_periodically as pause;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Identifies the statement.
#[derive(Clone, PartialEq)]
struct TextStatement {
    subqueries: usize,
    filters: FilterShape,
    sampled: bool,
}

impl StatementKey for TextStatement {
    fn access(&self) -> Access {
        if self.sampled { Access::Any } else { Access::Matches }
    }
}

/// The chunks that match a query best, ranked.
pub struct TextRanking {
    pub hits: RankedChunks,
    /// All chunks that were ranked, in no order.
    matches: TextMatches,
}

impl TextRanking {
    /// Returns the indexes of the words of the query that no chunk has.
    pub fn unmatched(&self) -> &[usize] {
        &self.matches.unmatched
    }

    /// Returns the share of the query's words that each of some chunks has, see [`coverage`]. Chunks that were not ranked
    /// are left out.
    pub fn coverages(&self, chunks: &HashSet<Uuid>) -> HashMap<Uuid, f64> {
        let TextMatches { ids, candidates, lexemes, idf, .. } = &self.matches;
        let ranked = ids.iter().zip(candidates).filter(|(id, _)| chunks.contains(id));
        ranked.map(|(id, candidate)| (*id, coverage(lexemes, idf, candidate))).collect()
    }
}

/// Chunks that have words of a query.
pub struct TextMatches {
    pub ids: Vec<Uuid>,
    pub candidates: Vec<Candidate>,
    pub lexemes: QueryLexemes,
    pub idf: Idf,
    /// The indexes of the words that no chunk has. The candidates may lack a word that is common in the store.
    pub unmatched: Vec<usize>,
}

impl Store {
    /// Returns whether the store supports full-text search.
    pub fn has_lexemes(&self) -> bool {
        self.0.has_lexemes()
    }

    /// Finds the chunks that match the words of a query, best first: at least `requested` if there are so
    /// many, and at most `most`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoColumn`] if `chunks` has no column `tsv`.
    pub fn text_search(
        &self,
        connection: &Connection,
        query: ParsedQuery,
        filters: &Filters,
        embedding: Option<&QueryEmbedding>,
        [requested, max]: [usize; 2],
    ) -> Result<TextRanking, Error> {
        let matches = self.text_matches(connection, query, filters, embedding, requested)?;
        let scores =
            score_candidates(&matches.candidates, &matches.lexemes, &matches.idf, Bm25::CHUNKS);
        let mut hits: RankedChunks = matches.ids.iter().copied().zip(scores).collect();
        hits.sort_by(|(a, first), (b, second)| second.total_cmp(first).then(a.cmp(b)));
        hits.truncate(max);
        Ok(TextRanking { hits, matches })
    }

    /// Reads the candidates for the words of a query: at least `requested` chunks if so many have any of
    /// the words, else all that have.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NoColumn`] if `chunks` has no column `tsv`.
    pub fn text_matches(
        &self,
        connection: &Connection,
        ParsedQuery { lexemes, required }: ParsedQuery,
        filters: &Filters,
        embedding: Option<&QueryEmbedding>,
        requested: usize,
    ) -> Result<TextMatches, Error> {
        if !self.0.has_lexemes() {
            let store = self.0.store.clone();
            return Err(Error::NoColumn { store, relation: "chunks", column: "tsv" });
        }
        let counts = self.lexeme_counts(connection, &lexemes);
        let max = u32::try_from(requested).unwrap_or(u32::MAX);
        let SubqueryPlan { mut primary, mut secondary, fallback } =
            plan_subqueries(&lexemes, counts.as_ref(), &required, max);
        if self.has_policies() && !secondary.is_empty() {
            // Each subquery would apply the policy to all chunks again.
            (primary, secondary) = (secondary, Vec::new());
        }
        let mut reader = MatchReader::new(&lexemes);
        let steps = [(primary, usize::MAX), (secondary, requested.max(ENOUGH_CANDIDATES as usize))]
            .into_iter();
        let steps = steps.chain(fallback.into_iter().map(|subquery| (vec![subquery], requested)));
        for (subqueries, enough) in steps {
            if reader.ids.len() >= enough {
                continue;
            }
            let (samples, indexed): (Vec<_>, Vec<_>) =
                subqueries.into_iter().partition(|subquery| subquery.sample_percent.is_some());
            for (subqueries, sampled) in [(indexed, false), (samples, true)] {
                if !subqueries.is_empty() {
                    self.execute(connection, &subqueries, sampled, filters, embedding, &mut reader);
                }
            }
        }
        let frequencies = reader.frequencies(counts.as_ref());
        let idf = reader.idf(counts.as_ref(), &frequencies);
        let unmatched = unmatched_words(&lexemes, |lexeme| frequencies[lexeme] > 0.0);
        let MatchReader { ids, candidates, .. } = reader;
        Ok(TextMatches { ids, candidates, lexemes, idf, unmatched })
    }

    fn execute(
        &self,
        connection: &Connection,
        subqueries: &[Subquery],
        sampled: bool,
        filters: &Filters,
        embedding: Option<&QueryEmbedding>,
        reader: &mut MatchReader,
    ) {
        let (count, shape) = (subqueries.len(), filters.shape());
        let key = TextStatement { subqueries: count, filters: shape.clone(), sampled };
        let statement =
            self.0.statement(key, || statement(&self.0, count, sampled, &shape, embedding));
        let embedding = embedding.filter(|_| shape.needs_similarity());
        let limits: Vec<_> = subqueries.iter().map(|subquery| subquery.limit as usize).collect();
        let values = |limits: &[usize]| {
            let mut values = vec![embedding.map_or(Value::new(0_i32), QueryEmbedding::value)];
            values.extend(subqueries.iter().zip(limits).flat_map(|(subquery, limit)| {
                [
                    Value::new(subquery.query.clone()),
                    Value::new(*limit as i64),
                    Value::new(subquery.sample_percent),
                ]
            }));
            values.extend(filters.values());
            values
        };
        let subquery_of =
            |rows: &Rows, row| rows.get::<i32>(row, 0).expect("the subquery is NOT NULL") as usize;
        let rows = self.read_limited(connection, &statement, &limits, values, subquery_of);
        for row in 0..rows.len() {
            pause(row);
            if let Some(tsv) = rows.tsvector(row, 2) {
                reader.add(subquery_of(&rows, row), rows.uuid(row, 1), &tsv);
            }
        }
        reader.count(subqueries);
    }
}

/// Returns the text of the statement. Each subquery has three parameters: the `tsquery`, the limit, and
/// the sample in percent of the chunks.
fn statement(
    layout: &Layout,
    subqueries: usize,
    sampled: bool,
    filters: &FilterShape,
    embedding: Option<&QueryEmbedding>,
) -> String {
    let embedding = embedding.filter(|_| filters.needs_similarity());
    let embeddings = layout.embeddings.as_ref().filter(|_| embedding.is_some());
    let embeddings = embeddings.map_or_else(String::new, |embeddings| {
        format!(" JOIN {} AS e ON e.chunk_id {EQUAL} c.id", embeddings.name)
    });
    let conditions =
        |part| filters.conditions(layout, "c.document_id", embedding, 2 + 3 * subqueries, part);
    // A sample reads the same chunks whatever the filters.
    let parts = if sampled { &[MetadataPart::All] } else { filters.parts(layout) };
    // The side table of an adopted store has all that most statements read, and only a table can be sampled.
    let adopted = layout.adopted.as_ref();
    let table = adopted.filter(|_| !filters.needs_chunk()).unwrap_or(&layout.chunks);
    let of_view = adopted.filter(|_| sampled && filters.needs_chunk());
    let subquery = |subquery: usize| {
        let [query, limit, sample] = [2, 3, 4].map(|first| first + 3 * subquery);
        // Without a sample the index is used.
        let method = format!("TABLESAMPLE pg_catalog.system (${sample}) REPEATABLE (0)");
        let chunks = match of_view {
            Some(adopted) => {
                let (adopted, chunks) = (&adopted.name, &layout.chunks.name);
                format!("{adopted} AS t {method} JOIN {chunks} AS c ON c.id {EQUAL} t.id")
            }
            None if sampled => format!("{} AS c {method}", table.name),
            None => format!("{} AS c", table.name),
        };
        let and = if sampled { String::new() } else { format!(" AND ${sample} IS NULL") };
        let part = |part: &MetadataPart| {
            format!(
                "SELECT {subquery}, {id}, c.tsv FROM {chunks}{documents}{embeddings} \
                 WHERE c.tsv {MATCHES} ${query}::pg_catalog.tsquery{and}{conditions}",
                id = layout.chunks.column("c", "id", "uuid"),
                documents = filters.join(layout, "c.document_id"),
                conditions = conditions(*part),
            )
        };
        let parts: Vec<_> = parts.iter().map(part).collect();
        format!("({} LIMIT ${limit})", parts.join(" UNION ALL "))
    };
    let subqueries: Vec<_> = (0..subqueries).map(subquery).collect();
    // An unused parameter would have no type.
    format!("SELECT * FROM ({}) AS f WHERE $1 IS NOT NULL", subqueries.join(" UNION ALL "))
}
