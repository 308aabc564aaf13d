//! Lines of documents: fragments, and a chunk with its context.

use super::{BOLD, DIM, TITLE, count, line, printable, quote, section};
use passage::store::{ContextRow, Fragment};

/// Fragments, the best first, each with the lines it has in its document.
pub fn fragments(fragments: &[Fragment]) -> String {
    if fragments.is_empty() {
        return "nothing found\n".into();
    }
    let mut output = String::new();
    for (rank, fragment) in (1..).zip(fragments) {
        let title = printable(fragment.title.as_deref().unwrap_or("(no title)"));
        line(&mut output, &format!("{BOLD}{rank}{BOLD:#}  {TITLE}{title}{TITLE:#}"));
        let mut facts: Vec<String> =
            fragment.score.map(|score| format!("score {score:.3}")).into_iter().collect();
        facts.extend(fragment.tokens.map(|tokens| count(tokens as usize, "token")));
        facts.extend(fragment.strategy_used.as_deref().map(|by| format!("by {}", printable(by))));
        let hint = fragment.signals.as_ref().and_then(|signals| signals["hint"].as_str());
        let place = place(fragment.uri.as_deref(), fragment.first_line, fragment.last_line);
        line(&mut output, &format!("   {place}  {DIM}{}{DIM:#}", facts.join("  ")));
        if let Some(hint) = hint {
            line(&mut output, &format!("   {DIM}{}{DIM:#}", printable(hint)));
        }
        quote(&mut output, fragment.content.as_deref().unwrap_or_default(), &[]);
    }
    output
}

/// A chunk with its context, in document order; the bar beside the chunk itself is bold.
pub fn context(rows: &[ContextRow]) -> String {
    let mut output = String::new();
    for row in rows {
        let titles = section(&row.section);
        let role = printable(&row.role);
        line(&mut output, &format!("{BOLD}{role}{BOLD:#}  {TITLE}{titles}{TITLE:#}"));
        let mut facts = vec![format!("distance {}", row.distance)];
        facts.extend(row.tokens.map(|tokens| count(tokens as usize, "token")));
        facts.push(row.chunk_id.to_string());
        let place = place(row.uri.as_deref(), row.first_line, row.last_line);
        line(&mut output, &format!("   {place}  {DIM}{}{DIM:#}", facts.join("  ")));
        let whole = 0..row.content.len();
        let hits = if row.role == "hit" { std::slice::from_ref(&whole) } else { &[] };
        quote(&mut output, &row.content, hits);
    }
    output
}

/// A document and lines of it, as editors and terminals open them.
pub(super) fn place(uri: Option<&str>, first: Option<i32>, last: Option<i32>) -> String {
    let uri = printable(uri.unwrap_or("(no document)"));
    match (first, last) {
        (Some(first), Some(last)) => format!("{uri}:{first}-{last}"),
        _ => uri,
    }
}
