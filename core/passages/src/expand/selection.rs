//! The result of expansion: the selected chunks, and the reason for each.
//!
//! Its twin in SQL is `sql/edition/expand.sql`.

use super::{Role, Rule};
use crate::assemble::Part;
use passage_split::interrupt;
use passage_split::split::without_closing_lines;
use std::borrow::Cow;
use std::collections::HashMap;
use uuid::Uuid;

/// A chunk of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectedChunk {
    /// Its index in the list of rows.
    pub row: usize,
    /// The index of its hit in the list of hits.
    pub hit: usize,
    /// The role of the chunk.
    pub role: Role,
    /// The rule that selected it.
    pub rule: Rule,
    /// Its ordinal minus that of its hit. The chunks of the linked sections of a hit are numbered from 1 instead.
    pub distance: i32,
}

/// The result of [`select_context`](super::select_context).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The chunks, ordered by the best score of their document, then by ordinal. Those of linked sections are last, by hit
    /// and distance.
    pub chunks: Vec<SelectedChunk>,
    /// For each hit, whether the budget cut part of its context, apart from linked sections.
    pub truncated: Vec<bool>,
    /// For each hit, whether the budget cut part of its linked sections.
    pub cut_links: Vec<bool>,
    /// For each hit, the tokens of the context that was read and left out.
    pub cut_tokens: Vec<u64>,
    /// For each hit, the number of the scope to which it was widened. Hits may share one.
    pub scopes: Vec<Option<usize>>,
    /// The chunks of each scope; merged sections are not listed.
    pub scope_chunks: Vec<Vec<Uuid>>,
    /// For each hit, whether its strategy widens to a container but the hit has none.
    pub fell_back: Vec<bool>,
    /// For each hit, whether the store lacks a part of its scope.
    pub broken: Vec<bool>,
    /// For each row, the number of lines at its end that passages leave out: closing brackets of units outside of
    /// the scope. Other rows are not listed.
    pub outer_closings: HashMap<usize, usize>,
    /// The closing lines that passages add for heads of containers whose end is left out.
    pub closing_lines: Vec<ClosingLines>,
    /// All decisions in the order in which the budget was spent; empty without `explain`.
    pub considered: Vec<BudgetDecision>,
}

impl Selection {
    /// Returns the chunk of a row as a part of a passage, without the closing lines of units outside of its scope.
    ///
    /// ```
    /// use passage_core::assemble::Part;
    /// use passage_core::expand::Selection;
    ///
    /// let selection = Selection { outer_closings: [(0, 1)].into(), ..Selection::default() };
    /// let part = Part { content: "    fn a() {\n    }\n}\n".into(), span: Some(10..30) };
    /// assert_eq!(selection.lines_left_out(0, &part.content), 1);
    /// let part = selection.part(0, part);
    /// assert_eq!((&*part.content, part.span), ("    fn a() {\n    }\n", Some(10..28)));
    /// ```
    #[must_use]
    pub fn part<'t>(&self, row: usize, part: Part<'t>) -> Part<'t> {
        let kept = self.kept(row, &part.content).len();
        let cut = part.content.len() - kept;
        if cut == 0 {
            return part;
        }
        let content = match part.content {
            Cow::Borrowed(text) => Cow::Borrowed(&text[..kept]),
            Cow::Owned(text) => Cow::Owned(text[..kept].to_owned()),
        };
        let cut = i32::try_from(cut).unwrap_or(i32::MAX);
        let span = part.span.map(|span| span.start..span.end.saturating_sub(cut).max(span.start));
        Part { content, span }
    }

    /// Returns how many lines a passage leaves out at the end of the chunk of a row.
    pub fn lines_left_out(&self, row: usize, content: &str) -> i32 {
        let lines = content[self.kept(row, content).len()..].lines().count();
        i32::try_from(lines).unwrap_or(i32::MAX)
    }

    /// Returns the text of the chunk of a row in a passage.
    fn kept<'t>(&self, row: usize, content: &'t str) -> &'t str {
        let lines = self.outer_closings.get(&row);
        lines.and_then(|lines| without_closing_lines(content, *lines)).unwrap_or(content)
    }
}

/// Closing lines at the end of a row that is not selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosingLines {
    /// A hit of the passage with the heads of the containers.
    pub hit: usize,
    /// The row.
    pub row: usize,
    /// The number of lines behind them, which close containers outside of the passage.
    pub(super) outer: usize,
    /// Their number, one for each container.
    pub(super) count: usize,
}

/// The decision of the budget on one chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetDecision {
    /// The chunk.
    pub chunk: SelectedChunk,
    /// The decision.
    pub verdict: Verdict,
    /// The tokens spent before this chunk.
    pub tokens_before: u64,
}

/// The decision on a chunk that a rule selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The chunk is in the result.
    Kept,
    /// The chunk would exceed `max_tokens`.
    MaxTokens,
    /// The chunk would exceed `max_passage_tokens`.
    MaxPassageTokens,
    /// The chunk would exceed `max_chunks`.
    MaxChunks,
    /// The budget already cut a nearer chunk of the same hit.
    NearerChunkCut,
}

/// Sorts items by keys that are computed once. The input has sorted runs, so the sort is stable.
pub(super) fn sorted<T, K: Ord>(items: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut count = 0_usize;
    let mut pause = || {
        count += 1;
        interrupt::poll_periodically(count);
    };
    let keyed = items.into_iter().map(|item| {
        pause();
        (key(&item), item)
    });
    let mut keyed: Vec<_> = keyed.collect();
    keyed.sort_by(|(a, _), (b, _)| {
        pause();
        a.cmp(b)
    });
    keyed.into_iter().map(|(_, item)| item).collect()
}
