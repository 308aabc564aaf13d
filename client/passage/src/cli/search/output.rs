//! The results of a search as text and as JSON.

use crate::cli::output::render::{
    self, BOLD, DIM, TITLE, count, line, location, printable, quote, section,
};
use crate::store::{Hit, Passage, SearchResults};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// The times of a search.
#[derive(Default)]
pub struct Timing {
    /// The time to connect to the server.
    pub connecting: Duration,
    /// The time to load models; `None` for a search by words without a reranker.
    pub loading: Option<Duration>,
    /// The time to embed the question; `None` for a search by words.
    pub embedding: Option<Duration>,
    /// The time of the reranker; `None` without one.
    pub reranking: Option<Duration>,
    /// The time of the search in the server, with the round trip.
    pub searching: Duration,
}

/// Returns the results of a search as one JSON object.
pub fn as_json(results: &SearchResults, timing: &Timing) -> String {
    #[derive(Serialize)]
    struct WithTiming<'a> {
        #[serde(flatten)]
        results: &'a SearchResults,
        timing: Value,
    }
    // Two decimals: more would only be noise.
    let milliseconds = |time: Duration| (time.as_secs_f64() * 100_000.0).round() / 100.0;
    let mut times = json!({
        "connecting_ms": milliseconds(timing.connecting),
        "loading_ms": timing.loading.map(milliseconds),
        "embedding_ms": timing.embedding.map(milliseconds),
        "searching_ms": milliseconds(timing.searching),
    });
    if let Some(reranking) = timing.reranking {
        times["reranking_ms"] = milliseconds(reranking).into();
    }
    render::json(&WithTiming { results, timing: times })
}

/// Returns the results of a search as text: the chunks if they were requested, and the passages.
pub fn as_text(results: &SearchResults, timing: &Timing) -> String {
    let mut output = String::new();
    if results.passages.is_empty() {
        return "nothing found\n".into();
    }
    if let Some(hits) = &results.hits {
        line(&mut output, &format!("{BOLD}Best chunks{BOLD:#}\n"));
        for chunk in hits {
            hit(&mut output, chunk);
        }
        line(&mut output, &format!("{BOLD}Passages{BOLD:#}\n"));
    }
    for one in &results.passages {
        passage(&mut output, one);
    }
    let passages = count(results.passages.len(), "passage");
    let duration = duration(timing);
    line(&mut output, &format!("{DIM}{passages} {duration}{DIM:#}"));
    output
}

fn duration(timing: &Timing) -> String {
    let milliseconds = |time: Duration| format!("{:.0} ms", time.as_secs_f64() * 1_000.0);
    let parts = [("embedding", timing.embedding), ("reranking", timing.reranking)];
    let total =
        parts.iter().fold(timing.searching, |sum, (_, time)| sum + time.unwrap_or_default());
    let parts = parts
        .into_iter()
        .filter_map(|(name, time)| Some(format!("{name} {}", milliseconds(time?))));
    let parts: Vec<_> = parts.collect();
    let mut duration = format!("in {}", milliseconds(total));
    if !parts.is_empty() {
        write!(duration, " ({})", parts.join(", ")).expect("a string takes any text");
    }
    if let Some(loading) = timing.loading {
        write!(duration, ", plus {} to load the model", milliseconds(loading))
            .expect("a string takes any text");
    }
    duration
}

fn hit(output: &mut String, hit: &Hit) {
    title(output, hit.rank, hit.title.as_deref(), &hit.section);
    let mut facts = vec![format!("score {}", score(hit.score))];
    for (leg, rank, leg_score) in
        [("meaning", hit.vector_rank, hit.vector_score), ("words", hit.text_rank, hit.text_score)]
    {
        if let (Some(rank), Some(leg_score)) = (rank, leg_score) {
            facts.push(format!("by {leg} {rank} ({})", score(leg_score)));
        }
    }
    facts.extend(hit.tokens.map(|tokens| count(tokens as usize, "token")));
    let location = location(hit.uri.as_deref(), hit.first_line, hit.last_line);
    source(output, &location, &facts);
    quote(output, &hit.content, &[]);
}

fn passage(output: &mut String, passage: &Passage) {
    title(output, passage.rank, passage.title.as_deref(), &passage.section);
    let mut facts: Vec<_> =
        passage.score.map(|value| format!("score {}", score(value))).into_iter().collect();
    facts.push(count(passage.tokens as usize, "token"));
    let (hits, chunks) = (passage.hit_ids.len(), passage.chunk_ids.len());
    facts.push(match hits {
        0 => "linked by a hit".into(),
        _ => format!("{hits} of {} hit", count(chunks, "chunk")),
    });
    if passage.truncated {
        facts.push("cut to fit".into());
    }
    let uri = passage.uri.as_deref();
    let location = match passage.place() {
        // Lines of the stored Markdown are not in the source.
        Some(place) => printable(&format!("{}, {place}", location(uri, None, None))),
        None => location(uri, passage.first_line, passage.last_line),
    };
    source(output, &location, &facts);
    quote(output, &passage.content, &passage.hit_ranges());
}

/// Writes the rank, the title of the document and the section. A title that is also the first
/// heading is written once.
fn title(output: &mut String, rank: i32, title: Option<&str>, titles: &[String]) {
    let title = title
        .filter(|title| !title.is_empty() && titles.first().map(String::as_str) != Some(title));
    let titles: Vec<String> =
        title.map(ToOwned::to_owned).into_iter().chain(titles.iter().cloned()).collect();
    let titles = section(&titles);
    line(output, &format!("{BOLD}{rank}{BOLD:#}  {TITLE}{titles}{TITLE:#}"));
}

/// Writes the place in the source, and other facts.
fn source(output: &mut String, location: &str, facts: &[String]) {
    line(output, &format!("   {location}  {DIM}{}{DIM:#}", facts.join("  ")));
}

/// Formats a score. Fused scores are small, scores by words are large.
fn score(score: f64) -> String {
    let decimals = if score.abs() < 0.1 { 4 } else { 3 };
    format!("{score:.decimals$}")
}
