/*!
The text leg alone, which must be fast for any words.

The worst case are words that are in every fifth chunk. A note shows the time if every chunk with any of the words
is ranked.
*/

use passage_tests::Cluster;

use super::load::STORE;
use super::session::{CANDIDATES, Question, Session};
use crate::rounds::Times;
use crate::table::Table;

/// The number of the most common words that are searched in pairs.
const COMMONEST: usize = 12;

/// How often each pair is searched.
const TIMES: usize = 5;

/// The number of pairs that are ranked in full.
const PLAIN: usize = 9;

/// The largest time of 95 of 100 calls in milliseconds.
const MAX_MILLISECONDS: f64 = 30.0;

pub async fn measure(
    cluster: &Cluster,
    session: &Session,
    questions: &[Question],
    table: &mut Table,
) {
    let asked: Vec<_> = questions.iter().map(|question| question.text.clone()).collect();
    let pairs = pairs(&commonest(cluster).await);
    for (what, asked) in [("questions", asked), ("pairs of the commonest words", pairs)] {
        let times = Times::of(asked.len(), TIMES, async |at| session.text(&asked[at]).await).await;
        let plain = format!(
            "SELECT id FROM {STORE}.chunks, to_tsquery('english', \
                 replace(plainto_tsquery('english', $1)::text, '&', '|')) AS asked \
             WHERE tsv @@ asked ORDER BY ts_rank(tsv, asked) DESC LIMIT {CANDIDATES}"
        );
        let plain = session.prepare(&plain).await;
        let few: Vec<_> = asked.iter().step_by(asked.len() / PLAIN).collect();
        let floor = Times::of(few.len(), 1, async |at| session.ask(&plain, &[few[at]]).await).await;
        let what = format!("text leg, {CANDIDATES} hits, {} {what}", asked.len());
        table.latency(&what, Some(&floor), &times, 95, MAX_MILLISECONDS);
    }
}

/// Returns the words that are in the most chunks, by the planner's statistics.
async fn commonest(cluster: &Cluster) -> Vec<String> {
    let words = cluster
        .query_text(&format!(
            "SELECT string_agg(word, ' ' ORDER BY place) FROM (
                SELECT word, row_number() OVER (ORDER BY frequency DESC, word) AS place
                FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs)
                    AS common (word, frequency)
                WHERE schemaname = '{STORE}' AND tablename = 'chunks' AND attname = 'tsv'
                    AND word ~ '^[a-z]{{2,}}$'
            ) AS common WHERE place <= {COMMONEST}"
        ))
        .await;
    words.split(' ').map(str::to_owned).collect()
}

fn pairs(words: &[String]) -> Vec<String> {
    let after = |at: usize| words[at + 1..].iter().map(move |other| (at, other));
    let pairs = (0..words.len()).flat_map(after);
    pairs.map(|(at, other)| format!("{} {other}", words[at])).collect()
}
