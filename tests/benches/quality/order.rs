/*!
The order of hits: hybrid search next to its legs, to plain rankings of the same chunks, and to the best possible order.

All rows but the last two are chunks without context, so they differ only by their order. `search` adds passages to the
order of `search_hits`, so its row shows what passages add. The ceilings show how much a better order could still gain:

- The best order of the first 50: the hits that have a part of the answer come first, best first.
- Exact context: if one of the first 50 has a part of an answer, and all chunks of the answer fit into the budget, the
  answer is returned completely.

Plain BM25 is an independent implementation in SQL, over the preambles and the contents, without fields, proximity and
parts of compound words.
*/

use tokio_postgres::Row;

use super::passages::{CANDIDATES, asked, filled, name, passage};
use super::score::{ReturnedPassage, recall};
use super::server::{Loaded, Server};
use super::table::{BUDGETS, Comparison, MethodRecalls};

/// The number of hits that the ceilings may use.
const FIRST: usize = 50;

/// Compares hybrid hits with other orders. `measured` has the rows of `passages`, the first one of plain vectors.
pub fn measure(server: &Server, loaded: &Loaded, measured: &Comparison) -> Comparison {
    let row = |way: &str, mode: &str| measured.row(&name(way, mode)).clone();
    let plain_vectors = MethodRecalls { name: "plain vectors".into(), ..measured.rows[0].clone() };
    let hits = hybrid_hits(server, loaded);
    let rows = vec![
        row("`search_hits`", "hybrid"),
        row("`search_hits`", "text"),
        row("`search_hits`", "vector"),
        plain_bm25(server, loaded),
        plain_vectors,
        best_order(loaded, &hits),
        row("`search`, `auto`", "hybrid"),
        exact_context(server, loaded, &hits),
    ];
    Comparison { title: measured.title.clone(), yardsticks: 1, rows }
}

/// Ranks the chunks by BM25 with the usual constants, k1 = 1.2 and b = 0.75.
fn plain_bm25(server: &Server, loaded: &Loaded) -> MethodRecalls {
    let store = &loaded.store;
    server.run(&format!(
        "CREATE TABLE {store}.postings AS \
         SELECT c.id AS chunk_id, l.lexeme, cardinality(l.positions) AS count FROM {store}.chunks AS c, \
             unnest(to_tsvector('english', concat_ws(E'\\n', nullif(c.preamble, ''), c.content))) AS l; \
         CREATE INDEX ON {store}.postings (lexeme); \
         CREATE TABLE {store}.lengths AS \
         SELECT chunk_id, sum(count) AS length FROM {store}.postings GROUP BY chunk_id; \
         CREATE INDEX ON {store}.lengths (chunk_id); ANALYZE {store}.postings; ANALYZE {store}.lengths"
    ));
    let sql = format!(
        "SELECT d.uri, c.tokens::bigint, ARRAY[c.start_byte], ARRAY[c.end_byte] FROM (\
             SELECT p.chunk_id, sum(ln(1 + (s.chunks - w.chunks_with + 0.5) / (w.chunks_with + 0.5)) \
                 * p.count * 2.2 / (p.count + 1.2 * (0.25 + 0.75 * n.length / s.mean))) AS score \
             FROM {store}.postings AS p \
             JOIN (SELECT q.lexeme, count(*) AS chunks_with FROM unnest(to_tsvector('english', $1)) AS q \
                 JOIN {store}.postings USING (lexeme) GROUP BY q.lexeme) AS w USING (lexeme) \
             JOIN {store}.lengths AS n USING (chunk_id), \
             (SELECT count(*) AS chunks, avg(length) AS mean FROM {store}.lengths) AS s \
             GROUP BY p.chunk_id ORDER BY score DESC, p.chunk_id LIMIT {CANDIDATES}) AS f \
         JOIN {store}.chunks AS c ON c.id = f.chunk_id JOIN {store}.documents AS d ON d.id = c.document_id \
         ORDER BY f.score DESC, c.id"
    );
    let ranked =
        asked(loaded).map(|(question, _)| passages(loaded, &server.query(&sql, &[&question])));
    filled(loaded, "plain BM25".into(), &ranked.collect::<Vec<_>>())
}

/// Returns the first hits of hybrid search for each question.
fn hybrid_hits(server: &Server, loaded: &Loaded) -> Vec<Vec<ReturnedPassage>> {
    let store = &loaded.store;
    let sql = format!(
        "SELECT h.uri, h.tokens::bigint, ARRAY[c.start_byte], ARRAY[c.end_byte] \
         FROM passage.search_hits(query => $1, embedding => $2::real[], \
             ranking => passage.ranking(candidates => {CANDIDATES}), max_hits => {FIRST}, store => '{store}') AS h \
         JOIN {store}.chunks AS c ON c.id = h.chunk_id ORDER BY h.rank"
    );
    let hits = asked(loaded).map(|(question, embedding)| {
        passages(loaded, &server.query(&sql, &[&question, &embedding]))
    });
    hits.collect()
}

/// Takes the hits that have a part of the answer first.
fn best_order(loaded: &Loaded, hits: &[Vec<ReturnedPassage>]) -> MethodRecalls {
    let ordered = hits.iter().zip(&loaded.set.questions).map(|(hits, question)| {
        let has_answer = |hit: &ReturnedPassage| recall(&question.answer, [hit]) > 0.0;
        let (mut first, others): (Vec<_>, Vec<_>) = hits.iter().cloned().partition(has_answer);
        first.extend(others);
        first
    });
    filled(loaded, format!("best order of the first {FIRST}"), &ordered.collect::<Vec<_>>())
}

/// Returns exactly the chunks of the answer, if one of the hits has a part of it.
fn exact_context(server: &Server, loaded: &Loaded, hits: &[Vec<ReturnedPassage>]) -> MethodRecalls {
    let sql = format!(
        "SELECT coalesce(sum(c.tokens), 0)::bigint FROM {store}.chunks AS c \
         JOIN {store}.documents AS d ON d.id = c.document_id \
         WHERE d.uri = $1 AND c.start_byte < $3 AND c.end_byte > $2",
        store = loaded.store
    );
    let smallest = |number: usize| {
        let answer = &loaded.set.questions[number].answer;
        let is_found = |hit: &ReturnedPassage| recall(answer, [hit]) > 0.0;
        let size = |span: &std::ops::Range<usize>| {
            let [start, end] =
                [span.start, span.end].map(|at| i32::try_from(at).expect("documents are small"));
            let uri = loaded.uri(answer.document);
            let row = &server.query(&sql, &[&uri, &start, &end])[0];
            usize::try_from(row.get::<_, i64>(0)).expect("a size is not negative")
        };
        let sizes = answer.spans.iter().map(size).min();
        sizes.filter(|_| hits[number].iter().any(is_found))
    };
    let smallest: Vec<_> = (0..hits.len()).map(smallest).collect();
    let within = |budget: usize| {
        let is_complete = |size: &Option<usize>| size.is_some_and(|size| size <= budget);
        smallest.iter().map(|size| f64::from(is_complete(size))).collect()
    };
    let name = format!("exact context of the first {FIRST}");
    MethodRecalls { name, recalls: BUDGETS.map(within).into() }
}

fn passages(loaded: &Loaded, rows: &[Row]) -> Vec<ReturnedPassage> {
    rows.iter().map(|row| passage(loaded, row)).collect()
}
