/*!
Chunks of scopes: the context of code and data in document order, with the hits in it.

Consecutive chunks of one section and one unit are a run. A run of several chunks is text that the splitter cut, so
its chunks may begin inside of a statement.
*/

use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::selection::{SelectedChunk, sorted};
use super::{Container, Hit, LazyColumns, Rule};
use crate::section::{self, Section};
use crate::{Kind, Unit, interrupt};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// The scope that a chunk is a part of: a scope group of the plan, or a document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ScopeId {
    Group(usize),
    Document(Uuid),
}

/// The beginning of a chunk, as far as its level shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    /// At an item of its section, such as a statement of a function.
    Item,
    /// Inside of an item, so it does not parse without the chunk before it.
    Inside,
    Unknown,
}

/// A chunk of a scope, or a hit in it.
pub(super) struct ScopeChunk {
    pub(super) scope: ScopeId,
    pub(super) ordinal: i32,
    pub(super) section: Section,
    pub(super) unit: Option<Unit>,
    pub(super) beginning: Beginning,
    /// Its index in the list of rows.
    pub(super) row: usize,
    /// The hit that claims it, or itself.
    pub(super) hit: usize,
    /// Its claim; `None` for a hit.
    pub(super) selected: Option<SelectedChunk>,
    /// The number of the run that it belongs to.
    pub(super) run: usize,
    /// The edge between it and the chunk before it.
    pub(super) before: Edge,
}

/// The edge between two adjacent chunks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Edge {
    /// Between two items of the body with this number. Text between two edges of one body can be left out.
    Item(usize),
    /// Inside of an item.
    Inside,
    /// One of the chunks was not read.
    Unread,
}

/// The chunks of all scopes, by scope and ordinal.
pub(super) struct ScopeChunks(pub(super) Vec<ScopeChunk>);

impl ScopeChunks {
    /// Returns the chunks of scopes in code and data, with their hits.
    pub(super) fn new(
        hits: &[Hit],
        plan: &Plan,
        probe_rows: &ProbeRows,
        columns: &impl LazyColumns,
        context: &[SelectedChunk],
    ) -> Self {
        let mut chunks = Vec::new();
        let mut scopes = HashSet::new();
        let chunk = |scope,
                     section: Section,
                     row: usize,
                     unit,
                     (hit, selected): (usize, Option<SelectedChunk>)| {
            let beginning = beginning(&hits[hit], &section, unit, columns.level(row));
            let ordinal = probe_rows.ordinal(row);
            ScopeChunk {
                scope,
                ordinal,
                section,
                unit,
                beginning,
                row,
                hit,
                selected,
                run: 0,
                before: Edge::Inside,
            }
        };
        for (index, selected) in context.iter().enumerate() {
            interrupt::poll_periodically(index);
            let Some(scope) = scope(&hits[selected.hit], plan, selected) else { continue };
            let Some(section) = columns.section(selected.row) else { continue };
            scopes.insert(scope);
            let (row, claim) = (selected.row, (selected.hit, Some(*selected)));
            chunks.push(chunk(scope, section, row, columns.unit(row), claim));
        }
        let read = probe_rows.rows.iter().enumerate().filter(|(_, row)| row.probe.is_none());
        let rows: HashMap<_, _> = read.map(|(row, read)| (read.chunk, row)).collect();
        for (hit, of) in hits.iter().enumerate() {
            interrupt::poll_periodically(hit);
            let scope = plan.group_of[hit].map_or(ScopeId::Document(of.document), ScopeId::Group);
            if let (true, Some(_), Some(section), Some(row)) =
                (scopes.contains(&scope), of.ordinal, of.section.clone(), rows.get(&of.chunk))
            {
                chunks.push(chunk(scope, section, *row, of.unit, (hit, None)));
            }
        }
        let mut chunks = sorted(chunks, |chunk| (chunk.scope, chunk.ordinal, chunk.hit));
        for index in 1..chunks.len() {
            interrupt::poll_periodically(index);
            let (before, chunk) = (&chunks[index - 1], &chunks[index]);
            let continues = before.scope == chunk.scope
                && chunk.ordinal.checked_sub(before.ordinal) == Some(1)
                && before.section == chunk.section
                && before.unit == chunk.unit;
            chunks[index].run = before.run + usize::from(!continues);
        }
        let edges = edges(&chunks);
        for (chunk, edge) in chunks.iter_mut().zip(edges) {
            chunk.before = edge;
        }
        Self(chunks)
    }

    /// Returns the edge after a chunk.
    pub(super) fn edge_after(&self, index: usize) -> Edge {
        let chunk = &self.0[index];
        let next = self.0.get(index + 1).filter(|next| chunk.is_followed_by(next));
        next.map_or(Edge::Unread, |next| next.before)
    }

    /// Returns the chunk of a scope at an ordinal.
    pub(super) fn at(&self, scope: ScopeId, ordinal: i32) -> Option<&ScopeChunk> {
        let at = self.0.partition_point(|of| (of.scope, of.ordinal) < (scope, ordinal));
        self.0.get(at).filter(|of| (of.scope, of.ordinal) == (scope, ordinal))
    }

    /// Returns whether a chunk ends a container: nothing of the container follows it.
    pub(super) fn closes(&self, chunk: &ScopeChunk, container: &[String]) -> bool {
        let next = chunk.ordinal.checked_add(1).and_then(|next| self.at(chunk.scope, next));
        next.is_none_or(|next| !next.section.starts_with(container))
    }

    /// Returns whether a chunk does not parse without the one before it, which is in the same scope.
    pub(super) fn continues(&self, index: usize) -> bool {
        let chunk = &self.0[index];
        let before = index.checked_sub(1).map(|before| &self.0[before]);
        chunk.beginning == Beginning::Inside
            && before.is_some_and(|before| {
                before.scope == chunk.scope && chunk.ordinal.checked_sub(before.ordinal) == Some(1)
            })
    }
}

impl ScopeChunk {
    fn is_followed_by(&self, next: &Self) -> bool {
        self.scope == next.scope && next.ordinal.checked_sub(self.ordinal) == Some(1)
    }
}

/// Returns the edge before each chunk.
///
/// The body of an edge is the section that both sides share. Long own text of a container may be in a body of its
/// own: the methods of a type may be outside of it.
fn edges(chunks: &[ScopeChunk]) -> Vec<Edge> {
    let mut bodies: HashMap<(ScopeId, &[String], Option<usize>), usize> = HashMap::new();
    let mut edges = Vec::with_capacity(chunks.len());
    for (index, chunk) in chunks.iter().enumerate() {
        interrupt::poll_periodically(index);
        let before = index.checked_sub(1).map(|before| &chunks[before]);
        let before = before.filter(|before| before.is_followed_by(chunk));
        let is_run = before.is_some_and(|before| before.run == chunk.run);
        let is_own = matches!(chunk.unit, Some(Unit::Container | Unit::Module));
        let depth = match (before, chunk.beginning) {
            (_, Beginning::Inside) => None,
            (Some(_), Beginning::Unknown) if is_run => None,
            (Some(before), _) => {
                Some(section::common_prefix(&before.section, &chunk.section).len())
            }
            (None, Beginning::Item) => is_own.then_some(chunk.section.len()),
            (None, Beginning::Unknown) => {
                Some(chunk.section.len().saturating_sub(usize::from(!is_own)))
            }
        };
        edges.push(depth.map_or(Edge::Inside, |depth| {
            let run = (is_run && chunk.unit == Some(Unit::Container)).then_some(chunk.run);
            let next = bodies.len();
            let body = bodies.entry((chunk.scope, &chunk.section[..depth], run));
            Edge::Item(*body.or_insert(next))
        }));
    }
    edges
}

/// Returns where a chunk begins, which a hit claims.
///
/// The level of a chunk is that of its section, or of its members if it has several, and one more inside of an item.
/// Stores that others fill may have lower levels.
fn beginning(hit: &Hit, section: &[String], unit: Option<Unit>, level: Option<i32>) -> Beginning {
    let titles = hit.section.as_deref().unwrap_or_default();
    let is_container = |of: &Container| titles.get(..of.depth) == Some(section);
    let has_members = unit == Some(Unit::Member) && hit.containers.iter().any(is_container);
    let depth = section.len() + usize::from(has_members);
    match level.and_then(|level| usize::try_from(level).ok()) {
        Some(level) if level == depth => Beginning::Item,
        Some(level) if level > depth => Beginning::Inside,
        _ => Beginning::Unknown,
    }
}

/// Returns the scope of a chunk in code or data.
fn scope(hit: &Hit, plan: &Plan, selected: &SelectedChunk) -> Option<ScopeId> {
    let is_structured = matches!(hit.kind, Some(Kind::Code | Kind::Data));
    let has_container = || plan.container(selected.hit).is_some();
    match selected.rule {
        Rule::Container if is_structured || has_container() => {
            plan.group_of[selected.hit].map(ScopeId::Group)
        }
        Rule::Section if is_structured => plan.group_of[selected.hit].map(ScopeId::Group),
        Rule::Document if is_structured => Some(ScopeId::Document(hit.document)),
        _ => None,
    }
}
