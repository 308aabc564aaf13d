//! What a search found: passages, each with where it stands, and how long it took.

use super::lines::place;
use super::{BOLD, DIM, TITLE, count, line, quote, section};
use passage::store::{Hit, Passage, SearchResults};
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// How long each part of a search took.
#[derive(Default)]
pub struct Timing {
    /// To the server.
    pub connecting: Duration,
    /// The model, which a command loads anew; by words there is nothing to load or to embed.
    pub loading: Option<Duration>,
    /// The question.
    pub embedding: Option<Duration>,
    /// In the server, and to it and back.
    pub searching: Duration,
}

/// All that was found as one JSON object.
pub fn found_json(found: &SearchResults, timing: &Timing) -> String {
    #[derive(Serialize)]
    struct Whole<'a> {
        #[serde(flatten)]
        found: &'a SearchResults,
        timing: Value,
    }
    // To a hundredth, for more digits say nothing.
    let milliseconds = |time: Duration| (time.as_secs_f64() * 100_000.0).round() / 100.0;
    let timing = json!({
        "connecting_ms": milliseconds(timing.connecting),
        "loading_ms": timing.loading.map(milliseconds),
        "embedding_ms": timing.embedding.map(milliseconds),
        "searching_ms": milliseconds(timing.searching),
    });
    super::json(&Whole { found, timing })
}

/// What was found, for people: the hits by themselves if they were wanted, and the passages.
pub fn found(found: &SearchResults, timing: &Timing) -> String {
    let mut output = String::new();
    if found.passages.is_empty() {
        return "nothing found\n".into();
    }
    if let Some(hits) = &found.hits {
        line(&mut output, &format!("{BOLD}The best chunks by themselves{BOLD:#}\n"));
        for found in hits {
            hit(&mut output, found);
        }
        line(&mut output, &format!("{BOLD}The passages{BOLD:#}\n"));
    }
    for found in &found.passages {
        passage(&mut output, found);
    }
    let passages = count(found.passages.len(), "passage");
    let took = took(timing);
    line(&mut output, &format!("{DIM}{passages} {took}{DIM:#}"));
    output
}

fn took(Timing { loading, embedding, searching, .. }: &Timing) -> String {
    let milliseconds = |time: Duration| format!("{:.0} ms", time.as_secs_f64() * 1_000.0);
    match (loading, embedding) {
        (Some(loading), Some(embedding)) => format!(
            "in {} (embedding {}), after {} for the model",
            milliseconds(*searching + *embedding),
            milliseconds(*embedding),
            milliseconds(*loading)
        ),
        _ => format!("in {}", milliseconds(*searching)),
    }
}

fn hit(output: &mut String, hit: &Hit) {
    title(output, hit.rank, hit.title.as_deref(), &hit.section);
    let mut facts = vec![format!("score {}", score(hit.score))];
    for (leg, rank, of) in
        [("meaning", hit.vector_rank, hit.vector_score), ("words", hit.text_rank, hit.text_score)]
    {
        if let (Some(rank), Some(of)) = (rank, of) {
            facts.push(format!("by {leg} {rank} ({})", score(of)));
        }
    }
    facts.extend(hit.tokens.map(|tokens| count(tokens as usize, "token")));
    source(output, hit.uri.as_deref(), (hit.first_line, hit.last_line), &facts);
    quote(output, &hit.content, &[]);
}

fn passage(output: &mut String, passage: &Passage) {
    title(output, passage.rank, passage.title.as_deref(), &passage.section);
    let mut facts: Vec<_> =
        passage.score.map(|of| format!("score {}", score(of))).into_iter().collect();
    facts.push(count(passage.tokens as usize, "token"));
    let (hits, chunks) = (passage.hit_ids.len(), passage.chunk_ids.len());
    facts.push(format!("{hits} of {} hit", count(chunks, "chunk")));
    if passage.truncated {
        facts.push("cut to fit".into());
    }
    source(output, passage.uri.as_deref(), (passage.first_line, passage.last_line), &facts);
    quote(output, &passage.content, &passage.hit_ranges());
}

/// A document's title and the titles of a section in it; a document is often named by its first
/// heading, and once is enough.
fn title(output: &mut String, rank: i32, title: Option<&str>, titles: &[String]) {
    let title = title
        .filter(|title| !title.is_empty() && titles.first().map(String::as_str) != Some(title));
    let titles: Vec<String> =
        title.map(ToOwned::to_owned).into_iter().chain(titles.iter().cloned()).collect();
    let titles = section(&titles);
    line(output, &format!("{BOLD}{rank}{BOLD:#}  {TITLE}{titles}{TITLE:#}"));
}

/// Where it stands, and what else is known.
fn source(
    output: &mut String,
    uri: Option<&str>,
    lines: (Option<i32>, Option<i32>),
    facts: &[String],
) {
    let place = place(uri, lines.0, lines.1);
    line(output, &format!("   {place}  {DIM}{}{DIM:#}", facts.join("  ")));
}

/// Fused scores are small, and those by words large.
fn score(score: f64) -> String {
    let decimals = if score.abs() < 0.1 { 4 } else { 3 };
    format!("{score:.decimals$}")
}
