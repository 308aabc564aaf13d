/*!
Parts: the chunks that a budget keeps or cuts together.

In code and data, the context of a hit consists of units: the unit that was hit, the ends of its containers (the
head and the closing part), and members. A member is the subtree of sections beside the hit's: for a hit in
`{Stack,push}` the whole of `{Stack,pop}`, and for a hit in an inner class also the methods beside that class. Long
own text of a container that was cut is a member too: consecutive chunks of its section with the unit of the
container. Small members that the splitter merged into one chunk are a member each chunk. All other context is
in parts of one chunk.
*/

use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::selection::{SelectedChunk, sorted};
use super::{Hit, LazyColumns, Role, Rule};
use crate::section::{self, Section};
use crate::{Kind, Unit, interrupt};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Chunks that are kept or cut together, the nearest to the hit first.
pub(super) struct Part {
    pub(super) kind: PartKind,
    pub(super) chunks: Vec<SelectedChunk>,
}

/// The kind of a part. Those of a hit are spent in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum PartKind {
    /// A single chunk outside of structure, or a piece of the hit's own unit.
    Chunk,
    /// The rest of the unit that was hit.
    OwnUnit,
    /// The head and the closing part of a container.
    Ends,
    /// Another member.
    Member,
}

/// The scope that a chunk is a part of: a scope group of the plan, or a document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum ScopeId {
    Group(usize),
    Document(Uuid),
}

/// Identifies a part. Hits that share a scope share its members.
#[derive(PartialEq, Eq, Hash)]
enum PartKey {
    Chunk(usize),
    OwnUnit(usize),
    Ends(ScopeId, usize),
    Member(ScopeId, Section),
    Merged(usize),
    Run(usize),
}

/// The order of parts: score rank, stage, distance, role and hit of the nearest chunk, and its position.
type PartOrder = (usize, u8, u32, Role, usize, usize);

/// A chunk of a scope, or a hit in it.
struct ScopeChunk {
    scope: ScopeId,
    ordinal: i32,
    section: Section,
    unit: Option<Unit>,
    /// Its index in the list of rows; `None` for a hit.
    row: Option<usize>,
    /// The hit that claims it, or itself.
    hit: usize,
    /// The number of the run that it belongs to.
    run: usize,
}

impl Part {
    /// Returns the hit that pays for the part: that of its nearest chunk.
    pub(super) fn hit(&self) -> usize {
        self.chunks[0].hit
    }
}

/// Divides context into parts, in the order in which a budget is spent on them.
pub(super) fn parts(
    hits: &[Hit],
    plan: &Plan,
    probe_rows: &ProbeRows,
    columns: &impl LazyColumns,
    context: Vec<SelectedChunk>,
) -> Vec<Part> {
    let scope_chunks = scope_chunks(hits, plan, probe_rows, columns, &context);
    let of_hits = scope_chunks.iter().filter(|chunk| chunk.row.is_none());
    let run_of_hit: HashMap<_, _> =
        of_hits.map(|chunk| ((chunk.hit, chunk.scope), chunk.run)).collect();
    let mut keys: HashMap<usize, PartKey> = HashMap::new();
    for (index, chunk) in scope_chunks.iter().enumerate() {
        interrupt::poll_periodically(index);
        if let Some(row) = chunk.row {
            let own_run = run_of_hit.get(&(chunk.hit, chunk.scope)).copied();
            let key = key(&hits[chunk.hit], plan, &scope_chunks, (chunk, row), own_run);
            keys.insert(row, key);
        }
    }
    let order = |selected: &SelectedChunk| {
        let hit = &hits[selected.hit];
        let distance = selected.distance.unsigned_abs();
        let ordinal = probe_rows.rows[selected.row].ordinal;
        (hit.score_rank, distance, selected.role, selected.hit, ordinal)
    };
    // Chunks are in order, so the first chunk of a part is its nearest.
    let mut parts: Vec<(PartOrder, Part)> = Vec::new();
    let mut indexes: HashMap<PartKey, usize> = HashMap::new();
    for (index, selected) in sorted(context, order).into_iter().enumerate() {
        interrupt::poll_periodically(index);
        let key = keys.remove(&selected.row).unwrap_or(PartKey::Chunk(selected.row));
        let kind = key.kind();
        let part = *indexes.entry(key).or_insert_with(|| {
            let (score_rank, distance, role, hit, _) = order(&selected);
            let stage = kind.stage();
            parts.push((
                (score_rank, stage, distance, role, hit, index),
                Part { kind, chunks: vec![] },
            ));
            parts.len() - 1
        });
        parts[part].1.chunks.push(selected);
    }
    let parts = sorted(parts, |(order, _)| *order);
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Returns the chunks of scopes in code and data, with their hits, by scope and ordinal.
fn scope_chunks(
    hits: &[Hit],
    plan: &Plan,
    probe_rows: &ProbeRows,
    columns: &impl LazyColumns,
    context: &[SelectedChunk],
) -> Vec<ScopeChunk> {
    let mut chunks = Vec::new();
    let mut scopes = HashSet::new();
    for (index, selected) in context.iter().enumerate() {
        interrupt::poll_periodically(index);
        let Some(scope) = scope(&hits[selected.hit], plan, selected) else { continue };
        let Some(section) = columns.section(selected.row) else { continue };
        scopes.insert(scope);
        let (ordinal, row) = (probe_rows.ordinal(selected.row), Some(selected.row));
        let (unit, hit) = (columns.unit(selected.row), selected.hit);
        chunks.push(ScopeChunk { scope, ordinal, section, unit, row, hit, run: 0 });
    }
    for (hit, of) in hits.iter().enumerate() {
        interrupt::poll_periodically(hit);
        let scope = plan.group_of[hit].map_or(ScopeId::Document(of.document), ScopeId::Group);
        if let (true, Some(ordinal), Some(section)) =
            (scopes.contains(&scope), of.ordinal, of.section.clone())
        {
            let (unit, row) = (of.unit, None);
            chunks.push(ScopeChunk { scope, ordinal, section, unit, row, hit, run: 0 });
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
    chunks
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

/// Returns the part of a chunk in the scope of a hit.
fn key(
    hit: &Hit,
    plan: &Plan,
    scope_chunks: &[ScopeChunk],
    (chunk, row): (&ScopeChunk, usize),
    own_run: Option<usize>,
) -> PartKey {
    let titles = hit.section.as_deref().unwrap_or_default();
    let scope_depth = match chunk.scope {
        ScopeId::Group(group) => plan.groups[group].section.len(),
        ScopeId::Document(_) => 0,
    };
    if titles.len() > scope_depth && chunk.section.starts_with(titles) {
        return PartKey::OwnUnit(chunk.hit);
    }
    if plan.container(chunk.hit).is_some() {
        let around = hit.containers.iter().filter(|container| container.depth >= scope_depth);
        for container in around {
            let is_end = container.first == chunk.ordinal
                || container.last == chunk.ordinal
                    && closes(scope_chunks, chunk, &titles[..container.depth]);
            if is_end {
                return PartKey::Ends(chunk.scope, container.depth);
            }
        }
    }
    if own_run == Some(chunk.run) {
        return PartKey::OwnUnit(chunk.hit);
    }
    let common = section::common_prefix(&chunk.section, titles).len();
    match chunk.unit {
        _ if chunk.section.len() > common => {
            PartKey::Member(chunk.scope, chunk.section[..=common].to_vec())
        }
        Some(Unit::Container | Unit::Module) => PartKey::Run(chunk.run),
        _ => PartKey::Merged(row),
    }
}

/// Returns whether a chunk ends a container: nothing of the container follows it.
fn closes(scope_chunks: &[ScopeChunk], chunk: &ScopeChunk, container: &[String]) -> bool {
    let next = (chunk.scope, chunk.ordinal.saturating_add(1));
    let at = scope_chunks.partition_point(|other| (other.scope, other.ordinal) < next);
    scope_chunks.get(at).is_none_or(|other| {
        (other.scope, other.ordinal) != next || !other.section.starts_with(container)
    })
}

impl PartKey {
    fn kind(&self) -> PartKind {
        match self {
            Self::Chunk(_) => PartKind::Chunk,
            Self::OwnUnit(_) => PartKind::OwnUnit,
            Self::Ends(..) => PartKind::Ends,
            Self::Member(..) | Self::Merged(_) | Self::Run(_) => PartKind::Member,
        }
    }
}

impl PartKind {
    /// Returns the stage in which the parts of a hit are spent.
    fn stage(self) -> u8 {
        match self {
            Self::Chunk | Self::OwnUnit => 0,
            Self::Ends => 1,
            Self::Member => 2,
        }
    }
}
