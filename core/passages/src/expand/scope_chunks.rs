/*!
Chunks of scopes: the context of code and data in document order, with the hits in it.

Consecutive chunks of one section and one unit are a run. A run of several chunks is text that the splitter cut, so
its chunks may begin inside of a statement.

Its twin in SQL is `sql/edition/parts.sql`.
*/

use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::selection::{SelectedChunk, sorted};
use super::{Hit, LazyColumns, Rule};
use passage_split::section::{self, Section};
use passage_split::{Kind, Unit, interrupt};
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
enum Beginning {
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
    level: Option<i32>,
    beginning: Beginning,
    /// Its index in the list of rows.
    pub(super) row: usize,
    /// The hit that claims it, or itself.
    pub(super) hit: usize,
    /// Its claim; `None` for a hit.
    pub(super) selected: Option<SelectedChunk>,
    /// The number of the run that it belongs to.
    pub(super) run: usize,
    /// The edges on both sides.
    pub(super) before: Edge,
    pub(super) after: Edge,
}

/// The edge between a chunk and the one next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// Between two items of the body with this number. Text between two edges of one body can be left out.
    Item(usize),
    /// Inside of an item.
    Inside,
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
            ScopeChunk {
                scope,
                ordinal: probe_rows.ordinal(row),
                section,
                unit,
                level: columns.level(row),
                beginning: Beginning::Unknown,
                row,
                hit,
                selected,
                run: 0,
                before: Edge::Inside,
                after: Edge::Inside,
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
        for (hit, own) in hits.iter().enumerate() {
            interrupt::poll_periodically(hit);
            let scope = plan.group_of[hit].map_or(ScopeId::Document(own.document), ScopeId::Group);
            if let (true, Some(_), Some(section), Some(row)) =
                (scopes.contains(&scope), own.ordinal, own.section.clone(), rows.get(&own.chunk))
            {
                chunks.push(chunk(scope, section, *row, own.unit, (hit, None)));
            }
        }
        let mut chunks = sorted(chunks, |chunk| (chunk.scope, chunk.ordinal, chunk.hit));
        for index in 1..chunks.len() {
            interrupt::poll_periodically(index);
            let (before, chunk) = (&chunks[index - 1], &chunks[index]);
            let continues = before.is_followed_by(chunk)
                && before.section == chunk.section
                && before.unit == chunk.unit;
            chunks[index].run = before.run + usize::from(!continues);
        }
        for (index, beginning) in beginnings(&chunks).into_iter().enumerate() {
            chunks[index].beginning = beginning;
        }
        for (index, (before, after)) in edges(&chunks).into_iter().enumerate() {
            (chunks[index].before, chunks[index].after) = (before, after);
        }
        Self(chunks)
    }

    /// Returns the chunk of a scope at an ordinal.
    pub(super) fn at(&self, scope: ScopeId, ordinal: i32) -> Option<&ScopeChunk> {
        let at = self.0.partition_point(|chunk| (chunk.scope, chunk.ordinal) < (scope, ordinal));
        self.0.get(at).filter(|chunk| (chunk.scope, chunk.ordinal) == (scope, ordinal))
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
            && before.is_some_and(|before| before.is_followed_by(chunk))
    }
}

impl ScopeChunk {
    fn is_followed_by(&self, next: &Self) -> bool {
        self.scope == next.scope && next.ordinal.checked_sub(self.ordinal) == Some(1)
    }
}

/// Returns the edges before and after each chunk.
///
/// The body of an edge is the section that both sides share. Long own text of a container is in a body of its
/// own, because the methods of a type may be outside of it.
fn edges(chunks: &[ScopeChunk]) -> Vec<(Edge, Edge)> {
    let mut bodies: HashMap<(ScopeId, &[String], Option<usize>), usize> = HashMap::new();
    let mut edges: Vec<(Edge, Edge)> = Vec::with_capacity(chunks.len());
    for (index, chunk) in chunks.iter().enumerate() {
        interrupt::poll_periodically(index);
        let mut item = |depth: Option<usize>, run| {
            let Some(depth) = depth else { return Edge::Inside };
            let next = bodies.len();
            let body = (chunk.scope, &chunk.section[..depth], run);
            Edge::Item(*bodies.entry(body).or_insert(next))
        };
        let before = index.checked_sub(1).map(|before| &chunks[before]);
        let before = before.filter(|before| before.is_followed_by(chunk));
        let edge = match (before, chunk.beginning) {
            (_, Beginning::Inside) => Edge::Inside,
            (Some(before), beginning) if before.run == chunk.run => {
                let is_item = beginning == Beginning::Item;
                let run = (chunk.unit == Some(Unit::Container)).then_some(chunk.run);
                item(is_item.then_some(chunk.section.len()), run)
            }
            (Some(before), _) => {
                item(Some(section::common_prefix(&before.section, &chunk.section).len()), None)
            }
            (None, _) => item(depth_beside_unread(chunk), None),
        };
        if before.is_some() {
            edges[index - 1].1 = edge;
        }
        // The next chunk replaces the edge after this one, if it is read.
        edges.push((edge, item(depth_beside_unread(chunk), None)));
    }
    edges
}

/// Returns the number of titles of the body that a chunk is an item of, if its neighbour was not read.
///
/// A chunk with a level may be a part of a longer unit. Without a level it counts as a whole one.
fn depth_beside_unread(chunk: &ScopeChunk) -> Option<usize> {
    if is_own_text(chunk.unit) {
        return Some(chunk.section.len());
    }
    let is_unknown = chunk.beginning == Beginning::Unknown;
    is_unknown.then(|| chunk.section.len().saturating_sub(1))
}

/// Returns whether a chunk is text directly in a container or a file, and not a unit in it.
pub(super) fn is_own_text(unit: Option<Unit>) -> bool {
    matches!(unit, Some(Unit::Container | Unit::Module))
}

/// Returns where each chunk begins.
///
/// The level of a chunk is that of its section, or of its members if it has several of a container, and one more
/// inside of an item. It is lower if the chunk ends with closing lines of units around its own. Such a chunk may begin
/// inside of an item unless it is the first of its unit. Stores that others fill may have lower levels too.
fn beginnings(chunks: &[ScopeChunk]) -> Vec<Beginning> {
    let mut containers = HashSet::new();
    for (index, chunk) in chunks.iter().enumerate() {
        interrupt::poll_periodically(index);
        if chunk.unit == Some(Unit::Container) {
            containers.insert((chunk.scope, &chunk.section[..]));
        }
    }
    let beginning = |(index, chunk): (usize, &ScopeChunk)| {
        interrupt::poll_periodically(index);
        let has_members = chunk.unit == Some(Unit::Member)
            && containers.contains(&(chunk.scope, &chunk.section[..]));
        let depth = chunk.section.len() + usize::from(has_members);
        match chunk.level.and_then(|level| usize::try_from(level).ok()) {
            Some(level) if level == depth => Beginning::Item,
            Some(level) if level > depth => Beginning::Inside,
            Some(level @ 1..) if level < chunk.section.len() => {
                let before = index.checked_sub(1).map(|before| &chunks[before]);
                let before = before.filter(|before| before.is_followed_by(chunk));
                let is_first = |before: &ScopeChunk| !before.section.starts_with(&chunk.section);
                before.map_or(Beginning::Unknown, |before| {
                    if is_first(before) { Beginning::Item } else { Beginning::Inside }
                })
            }
            _ => Beginning::Unknown,
        }
    };
    chunks.iter().enumerate().map(beginning).collect()
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
