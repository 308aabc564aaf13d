/*!
Imports that a passage uses.

A class or a function reads better with the imports of its names. They are at the head of the file or of a
module above it, in chunks that list the names they bind. Such a chunk is added if the selected context of a
hit uses one of the names. Imports are last in the budget.

Its twin in SQL is `sql/edition/imports.sql`.
*/

use super::budget::{Budget, Spending};
use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::selection::{SelectedChunk, Selection, Verdict};
use super::{ChunkRow, Hit, LazyColumns, Role, Rule};
use passage_split::interrupt;
use std::collections::{HashMap, HashSet};

/// Adds the imports that a selection uses, within the budget.
pub(super) fn add_imports(
    hits: &[Hit],
    plan: &Plan,
    probe_rows: &ProbeRows,
    columns: &impl LazyColumns,
    budget: Budget,
    selection: &mut Selection,
) {
    let mut heads = plan.requests.iter().filter(|request| request.rule == Rule::Imports).peekable();
    if heads.peek().is_none() {
        return;
    }
    let rows = probe_rows.rows;
    let mut taken: HashSet<_> =
        selection.chunks.iter().map(|selected| rows[selected.row].chunk).collect();
    let mut spending = Spending::new(hits.len());
    for selected in &selection.chunks {
        let tokens = u64::from(rows[selected.row].tokens);
        match selected.role {
            Role::Hit => spending.add_hit(tokens),
            _ => spending.add_context(hits, selected, tokens),
        }
    }
    let mut bound: HashMap<usize, Vec<String>> = HashMap::new();
    let mut of_hit: Vec<(Vec<usize>, Vec<usize>)> = vec![Default::default(); hits.len()];
    let own = selection.chunks.iter().filter(|selected| selected.rule != Rule::Links);
    own.for_each(|selected| of_hit[selected.hit].0.push(selected.row));
    heads.for_each(|request| of_hit[request.hit].1.push(request.probe));
    for (hit_index, (hit, (own, heads))) in hits.iter().zip(of_hit).enumerate() {
        interrupt::poll();
        let texts: Vec<_> = own.iter().map(|row| columns.content(*row)).collect();
        let words: HashSet<&str> = texts.iter().flat_map(|text| words(text)).collect();
        for row in heads.iter().flat_map(|probe| probe_rows.all(*probe)) {
            let names = bound.entry(*row).or_insert_with(|| columns.imports(*row));
            let is_used = names.iter().any(|name| words.contains(&**name));
            if !is_used || !taken.insert(rows[*row].chunk) {
                continue;
            }
            let tokens = u64::from(rows[*row].tokens);
            let ordinal = |row: &ChunkRow| row.ordinal.unwrap_or_default();
            let distance = ordinal(&rows[*row]).saturating_sub(hit.ordinal.unwrap_or_default());
            let selected = SelectedChunk {
                row: *row,
                hit: hit_index,
                role: Role::Ancestor,
                rule: Rule::Imports,
                distance,
            };
            if budget.verdict(&spending, hits, &[(selected, tokens)]) != Verdict::Kept {
                selection.truncated[hit_index] = true;
                selection.cut_tokens[hit_index] += tokens;
                continue;
            }
            spending.add_context(hits, &selected, tokens);
            selection.chunks.push(selected);
        }
    }
}

/// Returns the words of a text, as programs spell identifiers.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
}
