/*!
The recall of `search` at the budgets of plain search.

Plain search takes the nearest chunks that fit. It is measured in memory (see `search.rs`) and by `search_hits`,
whose rows are taken in order as long as they fit. By vector the two differ by the hits that the index misses, which
are different in each run, because an HNSW index is built with random numbers. `search` itself chooses what fits,
with each of its modes and some strategies.
*/

use tokio_postgres::Row;

use super::report::title;
use super::score::{Filling, ReturnedPassage, fill, recall};
use super::search::RankedSet;
use super::server::{Loaded, Server};
use super::strategies::plain;
use super::table::{BUDGETS, Comparison, MethodRecalls};

/// The mode of search.
pub const MODES: [&str; 3] = ["vector", "text", "hybrid"];

/// The strategies: no context, the same for all, and one that depends on the document.
const STRATEGIES: [&str; 3] = ["none", "broad", "auto"];

/// The number of hits of each leg.
pub const CANDIDATES: i32 = 100;

/// The ways whose modes are compared.
pub fn ways() -> Vec<String> {
    let searched = STRATEGIES.map(|strategy| format!("`search`, `{strategy}`"));
    [vec!["`search_hits`".to_owned()], searched.into()].concat()
}

/// Returns the name of a way with a mode.
pub fn name(way: &str, mode: &str) -> String {
    format!("{way}, {mode}")
}

/// Queries all questions of a set in every way.
pub fn measure(server: &Server, loaded: &Loaded, searched: &RankedSet) -> Comparison {
    let mut rows = vec![plain(loaded.set, searched, Filling::Continue)];
    for mode in MODES {
        rows.push(hits(server, loaded, mode));
        for strategy in STRATEGIES {
            rows.push(passages(server, loaded, mode, strategy));
            eprintln!("bench: {}, {} is measured", loaded.set.name, rows[rows.len() - 1].name);
        }
    }
    Comparison { title: title(loaded.set), yardsticks: 1, rows }
}

/// Returns rows of `search_hits` in order, as long as they fit.
fn hits(server: &Server, loaded: &Loaded, mode: &str) -> MethodRecalls {
    let store = &loaded.store;
    let sql = format!(
        "SELECT h.uri, h.tokens::bigint, ARRAY[c.start_byte], ARRAY[c.end_byte] \
         FROM passage.search_hits(query => $1, embedding => $2::real[], ranking => passage.ranking(mode => $3, candidates => {CANDIDATES}), \
             max_hits => {CANDIDATES}, store => '{store}') AS h \
         JOIN {store}.chunks AS c ON c.id = h.chunk_id ORDER BY h.rank"
    );
    let results = asked(loaded).map(|(question, embedding)| {
        let rows = server.query(&sql, &[&question, &embedding, &mode]);
        rows.iter().map(|row| passage(loaded, row)).collect()
    });
    filled(loaded, name("`search_hits`", mode), &results.collect::<Vec<_>>())
}

/// Returns the recalls of ranked chunks, which are taken in order as long as they fit.
pub fn filled(loaded: &Loaded, name: String, ranked: &[Vec<ReturnedPassage>]) -> MethodRecalls {
    let within = |budget| {
        let one = |number: usize| {
            let returned = fill(&ranked[number], |one| one.tokens, budget, Filling::Continue);
            recall(&loaded.set.questions[number].answer, returned)
        };
        (0..ranked.len()).map(one).collect()
    };
    MethodRecalls { name, recalls: BUDGETS.map(within).into() }
}

/// Returns passages of `search` with a budget.
fn passages(server: &Server, loaded: &Loaded, mode: &str, strategy: &str) -> MethodRecalls {
    let sql = format!(
        "SELECT uri, tokens::bigint, \
             ARRAY(SELECT lower(span) FROM unnest(spans) AS span), \
             ARRAY(SELECT upper(span) FROM unnest(spans) AS span) \
         FROM passage.search(query => $1, embedding => $2::real[], ranking => passage.ranking(mode => $3, candidates => {CANDIDATES}), \
             max_passages => {CANDIDATES}, strategy => $4, \
             max_tokens => $5, store => '{}')",
        loaded.store
    );
    let within = |budget: usize| {
        let max_tokens = i32::try_from(budget).expect("budgets are small");
        let one = |(number, (question, embedding)): (usize, (&str, &Vec<f32>))| {
            let rows = server.query(&sql, &[&question, &embedding, &mode, &strategy, &max_tokens]);
            let returned: Vec<_> = rows.iter().map(|row| passage(loaded, row)).collect();
            let spent: usize = returned.iter().map(|passage| passage.tokens).sum();
            assert!(spent <= budget, "{mode}, {strategy}: {spent} of {budget} are spent");
            recall(&loaded.set.questions[number].answer, &returned)
        };
        asked(loaded).enumerate().map(one).collect()
    };
    let way = format!("`search`, `{strategy}`");
    MethodRecalls { name: name(&way, mode), recalls: BUDGETS.map(within).into() }
}

/// Returns the questions with their embeddings.
pub fn asked<'l>(loaded: &'l Loaded) -> impl Iterator<Item = (&'l str, &'l Vec<f32>)> {
    loaded.set.questions.iter().map(|one| one.text.as_str()).zip(&loaded.asked)
}

/// Returns the result of a row with the columns uri, tokens, and the begins and ends of its spans.
pub fn passage(loaded: &Loaded, row: &Row) -> ReturnedPassage {
    let at = |column: usize| row.get::<_, Vec<i32>>(column).into_iter().map(|at| at as usize);
    ReturnedPassage {
        document: loaded.number(row.get(0)),
        spans: at(2).zip(at(3)).map(|(start, end)| start..end).collect(),
        tokens: usize::try_from(row.get::<_, i64>(1)).expect("a size is not negative"),
    }
}
