/*!
Search with a reranker: the texts to score, and the passages of the hits in the order of the scores.

`arguments of search -> candidates (search_hits) -> texts -> scores, which the caller computes -> hits -> reassemble`

The arguments are those of `passage.search`. `search_hits` takes those that decide which hits are found, `reassemble`
those that decide how passages are formed.
*/

use super::super::connect::Notice;
use super::super::connection::Store;
use super::super::error::Error;
use super::arguments::given;
use super::call::{Call, CallResult};
use super::search::{HIT_COLUMNS, chunks_of_hits};
use super::search_results::{Hit, Passage};
use super::signature::resolve;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use uuid::Uuid;

/// The passages of a search without a limit, as in `passage.search`.
pub const DEFAULT_PASSAGES: u32 = 10;

/// The arguments of `search` that decide which hits are found.
const OF_HITS: [&str; 5] = ["query", "embedding", "collection", "filter", "skip"];

/// The arguments of `search` that decide how passages are formed.
const OF_PASSAGES: [&str; 5] = ["strategy", "max_tokens", "limits", "output", "skip"];

/// The key of `ranking` that decides how passages are formed. The other keys decide which hits are found.
const SCORE_BY: &str = "score_by";

/// The context that a reranker reads with a hit, in tokens, unless the search limits it. Common models read 512 tokens of
/// question and text together, and a hit at the end of a longer text would be cut off.
const CONTEXT_TOKENS: u32 = 256;

/// The text that a reranker reads for a hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RerankContext {
    /// The chunk alone.
    Hit,
    /// The chunk below the title of its document and those of its section.
    #[default]
    Section,
    /// The passage of the chunk: the chunk with the context that the strategy adds. Hits that share a passage share its
    /// score.
    Passage,
}

/// Hits of a search, and the texts that a reranker scores for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RerankCandidates {
    /// The hits, best first.
    hits: Vec<Hit>,
    /// Each text with the ids of its hits.
    texts: Vec<(String, Vec<Uuid>)>,
    /// The notices of the server.
    pub notices: Vec<Notice>,
}

impl RerankCandidates {
    /// Returns whether the search found nothing.
    pub fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    /// Returns the texts to score.
    pub fn texts(&self) -> Vec<String> {
        self.texts.iter().map(|(text, _)| text.clone()).collect()
    }

    /// Returns the hits with the scores of their texts, best first. Those whose text has no score are left out.
    pub fn ranked(self, scores: &[Option<f64>]) -> Vec<Hit> {
        let of_text = |((_, ids), score): (&(String, Vec<Uuid>), &Option<f64>)| {
            let score = (*score)?;
            Some(ids.iter().map(move |id| (*id, score)).collect::<Vec<_>>())
        };
        let scores: HashMap<Uuid, f64> =
            self.texts.iter().zip(scores).filter_map(of_text).flatten().collect();
        let with_score = |hit: Hit| Some(Hit { score: *scores.get(&hit.chunk_id)?, ..hit });
        let mut hits: Vec<Hit> = self.hits.into_iter().filter_map(with_score).collect();
        // A stable sort: equal scores stay in the order of the search.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        for (rank, hit) in (1..).zip(&mut hits) {
            hit.rank = rank;
        }
        hits
    }
}

impl Store {
    /// Finds the best `count` chunks of a search, with the texts to score. `search` has the arguments of `passage.search`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`call`](Self::call).
    pub async fn rerank_candidates(
        &self,
        search: &Map<String, Value>,
        embedding: Option<&[f32]>,
        count: u32,
        context: RerankContext,
    ) -> Result<RerankCandidates, Error> {
        /// A hit with its preamble, which names the title and the sections.
        #[derive(Deserialize)]
        struct Row {
            #[serde(flatten)]
            hit: Hit,
            preamble: Option<String>,
        }
        // The parts below leave unknown arguments out.
        resolve(&self.signatures("search").await?, search)?;
        drop(self.notices.take());
        let functions = self.signatures("search_hits").await?;
        let columns = format!("{HIT_COLUMNS}, to_jsonb(chunk) ->> 'preamble' AS preamble");
        let arguments = of_hits(search, count);
        let call = Call {
            columns: &columns,
            joins: &chunks_of_hits(&self.schema),
            ..Call::new(&functions, &arguments, embedding)
        };
        let rows: Vec<Row> = call.rows(&self.client, &self.name).await?.parse()?;
        let notices = self.notices.take();
        let text = |row: &Row| {
            let preamble = row.preamble.as_deref().filter(|_| context == RerankContext::Section);
            (below(preamble, &row.hit.content), vec![row.hit.chunk_id])
        };
        let mut texts: Vec<_> = rows.iter().map(text).collect();
        let hits: Vec<Hit> = rows.into_iter().map(|row| row.hit).collect();
        if context == RerankContext::Passage && !hits.is_empty() {
            texts = self.texts_of_passages(search, &hits).await?;
        }
        Ok(RerankCandidates { hits, texts, notices })
    }

    /// Returns the texts of the passages of hits, with the ids of their hits.
    async fn texts_of_passages(
        &self,
        search: &Map<String, Value>,
        hits: &[Hit],
    ) -> Result<Vec<(String, Vec<Uuid>)>, Error> {
        let mut arguments = of_passages(search, hits);
        // All passages, each with its own budget.
        arguments.remove("max_tokens");
        let limits = arguments.entry("limits").or_insert_with(|| json!({}));
        if let Some(limits) = limits.as_object_mut() {
            limits.entry("max_passage_tokens").or_insert(CONTEXT_TOKENS.into());
            // A linked section has no hit that its score could rank.
            limits.remove("links");
        }
        let passages: Vec<Passage> =
            self.call_named("reassemble", &arguments, None).await?.parse()?;
        let text = |passage: Passage| {
            let title = passage.title.filter(|title| Some(title) != passage.section.first());
            let titles: Vec<String> = title.into_iter().chain(passage.section).collect();
            (below(Some(&titles.join("\n")), &passage.content), passage.hit_ids)
        };
        Ok(passages.into_iter().map(text).collect())
    }

    /// Returns the passages of hits that a reranker has ordered, best first. `search` has the arguments of
    /// `passage.search`, which decide their number, context, size and order.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`call`](Self::call).
    pub async fn reranked_passages(
        &self,
        search: &Map<String, Value>,
        hits: &[Hit],
    ) -> Result<CallResult, Error> {
        let mut arguments = of_passages(search, hits);
        let limit = search.get("max_passages").filter(|limit| !limit.is_null()).cloned();
        arguments.insert("max_passages".into(), limit.unwrap_or(DEFAULT_PASSAGES.into()));
        self.call_named("reassemble", &arguments, None).await
    }
}

/// Returns a text below its titles.
fn below(titles: Option<&str>, text: &str) -> String {
    let titles = titles.filter(|titles| !titles.is_empty());
    titles.map_or_else(|| text.to_owned(), |titles| format!("{titles}\n{text}"))
}

/// Returns the arguments of `search_hits` for a search.
fn of_hits(search: &Map<String, Value>, count: u32) -> Map<String, Value> {
    let mut ranking = search.get("ranking").cloned().unwrap_or_default();
    if let Some(ranking) = ranking.as_object_mut() {
        ranking.remove(SCORE_BY);
    }
    given([part(search, &OF_HITS), json!({ "ranking": ranking, "max_hits": count })])
}

/// Returns the arguments of `reassemble` for hits of a search, without a maximum number of passages.
fn of_passages(search: &Map<String, Value>, hits: &[Hit]) -> Map<String, Value> {
    let (ids, scores): (Vec<Uuid>, Vec<f64>) =
        hits.iter().map(|hit| (hit.chunk_id, hit.score)).unzip();
    let score_by = search.get("ranking").and_then(|ranking| ranking.get(SCORE_BY));
    let hits = json!({ "chunk_ids": ids, "scores": scores, "ranking": { SCORE_BY: score_by } });
    given([part(search, &OF_PASSAGES), hits])
}

/// Returns the given ones of some arguments.
fn part(arguments: &Map<String, Value>, names: &[&str]) -> Value {
    let given = |name: &&str| Some(((*name).to_owned(), arguments.get(*name)?.clone()));
    Value::Object(names.iter().filter_map(given).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(number: u128, score: f64) -> Hit {
        let row = json!({"rank": 1, "chunk_id": Uuid::from_u128(number), "document_id": Uuid::nil(), "uri": null,
            "title": null, "section": [], "score": score, "vector_rank": null, "vector_score": null, "text_rank": 1,
            "text_score": 0.5, "tokens": 3, "content": "text", "first_line": 1, "last_line": 1});
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn hits_have_the_order_of_the_scores_of_their_texts() {
        let hits = vec![hit(1, 0.9), hit(2, 0.8), hit(3, 0.7), hit(4, 0.6)];
        let ids =
            |numbers: &[u128]| numbers.iter().map(|number| Uuid::from_u128(*number)).collect();
        let texts = vec![
            ("first".into(), ids(&[1])),
            ("second".into(), ids(&[2, 4])),
            ("third".into(), ids(&[3])),
        ];
        let candidates = RerankCandidates { hits, texts, notices: Vec::new() };
        assert_eq!(candidates.texts(), ["first", "second", "third"]);
        let ranked = candidates.ranked(&[Some(-1.0), Some(5.0), None]);
        let order = |hit: &Hit| (hit.rank, hit.chunk_id.as_u128(), hit.score);
        let order: Vec<_> = ranked.iter().map(order).collect();
        assert_eq!(order, [(1, 2, 5.0), (2, 4, 5.0), (3, 1, -1.0)]);
    }

    #[test]
    fn each_part_of_a_search_takes_its_own_arguments() {
        let Value::Object(search) = json!({
            "query": "why", "collection": "a", "max_passages": 3, "max_tokens": 100, "strategy": "section",
            "filter": {"kind": "code"}, "limits": {"parents": 1}, "skip": [],
            "ranking": {"mode": "text", "score_by": "sum"}, "output": {"gaps": "none"},
        }) else {
            unreachable!("it is an object")
        };
        assert_eq!(
            Value::Object(of_hits(&search, 50)),
            json!({"query": "why", "collection": "a", "filter": {"kind": "code"}, "skip": [],
                "ranking": {"mode": "text"}, "max_hits": 50})
        );
        assert_eq!(
            Value::Object(of_passages(&search, &[hit(1, 0.5)])),
            json!({"chunk_ids": [Uuid::from_u128(1)], "scores": [0.5], "ranking": {"score_by": "sum"}, "strategy": "section",
                "max_tokens": 100, "limits": {"parents": 1}, "skip": [], "output": {"gaps": "none"}})
        );
        let Value::Object(bare) = json!({"query": "why"}) else { unreachable!("it is an object") };
        assert_eq!(Value::Object(of_hits(&bare, 5)), json!({"query": "why", "max_hits": 5}));
    }
}
