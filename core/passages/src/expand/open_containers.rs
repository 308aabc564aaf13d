/*!
Closing lines of containers whose end is left out.

A budget may have room for the head of a class but not for its end, because a splitter merges the closing line of the
class with its last method, which may be long. A passage with the head alone does not parse. So it gets the closing line,
and nothing else of that method:

```text
class Stack {                     the head
    pop() { ... }                 the hit
    // ... 80 lines left out
}                                 the closing line of the chunk with the last method
```

The line is a slice of the source with its own span, but not a chunk of the result, and costs no tokens.

Its twin in SQL is `sql/edition/scopes.sql`.
*/

use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::selection::{ClosingLines, SelectedChunk, Selection};
use super::{Hit, LazyColumns, Role};
use crate::assemble::Part;
use crate::gaps::ChunkPosition;
use passage_split::split::without_closing_lines;
use passage_split::{Kind, interrupt};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// Returns the closing lines of containers whose head is context, and whose last chunk is not selected.
///
/// The level of the last chunk is that of the outermost unit that it closes, as in `outer_closings`.
pub(super) fn open_containers(
    hits: &[Hit],
    plan: &Plan,
    probe_rows: &ProbeRows,
    columns: &impl LazyColumns,
    chunks: &[SelectedChunk],
) -> Vec<ClosingLines> {
    let key =
        |chunk: &SelectedChunk| (hits[chunk.hit].document, probe_rows.rows[chunk.row].ordinal);
    let roles: HashMap<_, _> = chunks.iter().map(|chunk| (key(chunk), chunk.role)).collect();
    // By scope group and last ordinal: a hit, and the depths of the containers.
    let mut open: BTreeMap<(usize, i32), (usize, BTreeSet<usize>)> = BTreeMap::new();
    for (index, hit) in hits.iter().enumerate() {
        interrupt::poll_periodically(index);
        let Some(group) = plan.group_of[index].filter(|_| hit.kind == Some(Kind::Code)) else {
            continue;
        };
        let is_in_scope = |depth: usize| depth >= plan.groups[group].section.len().max(1);
        for container in hit.containers.iter().filter(|container| is_in_scope(container.depth)) {
            let role = |ordinal| roles.get(&(hit.document, Some(ordinal)));
            let has_head = role(container.first).is_some_and(|role| *role != Role::Hit);
            if has_head && role(container.last).is_none() {
                let known = open.entry((group, container.last)).or_insert((index, BTreeSet::new()));
                known.1.insert(container.depth);
            }
        }
    }
    let lines = |((group, last), (hit, depths)): ((usize, i32), (usize, BTreeSet<usize>))| {
        let mut rows = plan.groups[group].probes.iter().flat_map(|probe| probe_rows.all(*probe));
        let row = *rows.find(|row| probe_rows.rows[**row].ordinal == Some(last))?;
        let level = columns.level(row).and_then(|level| usize::try_from(level).ok())?;
        let (least, greatest) = (*depths.first()?, *depths.last()?);
        let outer = least.checked_sub(level).filter(|_| level > 0)?;
        // The line of a container whose head is left out is between those of two others.
        let count = Some(depths.len()).filter(|count| *count == greatest - least + 1)?;
        Some(ClosingLines { hit, row, outer, count })
    };
    open.into_iter().filter_map(lines).collect()
}

/// Adds the closing lines of a passage to its parts, which are in document order, and returns the indexes of the added
/// parts.
///
/// `hits` are those of the passage. `read` returns the chunk of a row.
pub fn add_closing_lines<'t>(
    selection: &Selection,
    hits: &[usize],
    parts: &mut Vec<(Part<'t>, ChunkPosition)>,
    read: impl Fn(usize) -> (Part<'t>, ChunkPosition),
) -> Vec<usize> {
    let mut added = Vec::new();
    let lines = selection.closing_lines.iter().filter(|lines| hits.contains(&lines.hit));
    for lines in lines {
        interrupt::poll();
        let (part, position) = read(lines.row);
        let Some(closing) = lines.of(&part, position) else { continue };
        let is_before = |(_, other): &(Part, ChunkPosition)| other.ordinal < position.ordinal;
        let at = parts.partition_point(is_before);
        parts.insert(at, closing);
        added.iter_mut().filter(|index| **index >= at).for_each(|index| *index += 1);
        added.push(at);
    }
    added.sort_unstable();
    added
}

impl ClosingLines {
    /// Returns the lines of their chunk with their position, `None` if one of them is more than closing brackets.
    fn of<'t>(self, part: &Part<'t>, position: ChunkPosition) -> Option<(Part<'t>, ChunkPosition)> {
        let bytes = self.bytes(&part.content)?;
        let line_count = |text: &str| i32::try_from(text.lines().count()).unwrap_or(i32::MAX);
        let behind = line_count(&part.content[bytes.end..]);
        let last_line = position.last_line.map(|last| last.saturating_sub(behind));
        let above = line_count(&part.content[bytes.clone()]) - 1;
        let first_line = last_line.map(|last| last.saturating_sub(above));
        let offset = |at: usize| i32::try_from(at).unwrap_or(i32::MAX);
        let span = part.span.as_ref().map(|span| {
            span.start.saturating_add(offset(bytes.start))
                ..span.start.saturating_add(offset(bytes.end))
        });
        let content = match &part.content {
            Cow::Borrowed(text) => Cow::Borrowed(&text[bytes]),
            Cow::Owned(text) => Cow::Owned(text[bytes].to_owned()),
        };
        Some((Part { content, span }, ChunkPosition { first_line, last_line, ..position }))
    }

    fn bytes(self, content: &str) -> Option<Range<usize>> {
        // A chunk may be nothing but its closing lines.
        let text = format!("\n{content}");
        let without = |lines| Some(without_closing_lines(&text, lines)?.len().saturating_sub(1));
        let (start, end) = (without(self.outer + self.count)?, without(self.outer)?);
        (start < end).then_some(start..end)
    }
}
