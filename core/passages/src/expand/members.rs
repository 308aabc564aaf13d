/*!
Parts: the chunks that a budget keeps or cuts together.

In code and data, the context of a hit consists of units: the unit that was hit, the ends of its containers (the
head and the closing part), and members. A member is the subtree of sections beside the hit's: for a hit in
`{Stack,push}` the whole of `{Stack,pop}`, and for a hit in an inner class also the methods beside that class. The
ends of a container are its whole first and last run, because a run is cut anywhere. Any other run of own text is a
member too. Small members that the splitter merged into one chunk are a member each chunk. All other context is in
parts of one chunk.

Its twin in SQL is `sql/edition/parts.sql`.
*/

use super::probe::Plan;
use super::probe_rows::ProbeRows;
use super::scope_chunks::{Edge, ScopeChunk, ScopeChunks, ScopeId, is_own_text};
use super::selection::{SelectedChunk, sorted};
use super::{Container, Hit, LazyColumns, Role};
use passage_split::section;
use passage_split::{Unit, interrupt};
use std::collections::HashMap;

/// Chunks that are kept or cut together, the nearest to the hit first.
pub(super) struct Part {
    pub(super) kind: PartKind,
    pub(super) chunks: Vec<SelectedChunk>,
    /// For the unit that was hit and for ends, all chunks in document order, also the hits in it.
    pub(super) pieces: Vec<UnitChunk>,
}

/// The kind of a part. Those of a hit are spent in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum PartKind {
    /// A single chunk outside of structure.
    Chunk,
    /// The rest of the unit that was hit.
    OwnUnit,
    /// The rest of the run of own text that was hit. It does not parse without the ends of the container.
    OwnRun,
    /// The head and the closing part of a container.
    Ends,
    /// Another member.
    Member,
}

/// A chunk of a unit.
pub(super) struct UnitChunk {
    /// Its claim; `None` for a hit.
    pub(super) selected: Option<SelectedChunk>,
    /// The hit that claims it, or itself.
    pub(super) hit: usize,
    pub(super) ordinal: i32,
    /// The edges on both sides.
    pub(super) before: Edge,
    pub(super) after: Edge,
}

impl UnitChunk {
    /// Returns whether a piece follows without a gap.
    pub(super) fn is_followed_by(&self, next: &Self) -> bool {
        next.ordinal.checked_sub(self.ordinal) == Some(1)
    }
}

/// Identifies a part. Hits that share a scope share its members.
#[derive(PartialEq, Eq, Hash)]
enum PartKey<'a> {
    OwnUnit(ScopeId, &'a [String]),
    OwnRun(usize),
    Ends(ScopeId, usize),
    Member(ScopeId, &'a [String]),
    Merged(usize),
    Run(usize),
}

/// The stage of linked sections, behind those of the other context of a hit.
const LINKED_STAGE: u8 = 3;

/// The order of parts: 0 for a bridge between two hits and 2 for a member, then score rank, stage, role, distance and hit
/// of the nearest chunk, and its position.
///
/// Hits in one scope share a passage, so their units and its ends have the best of their ranks. A member never takes the
/// room of the unit that another hit is in, or of the class line above it. The parent comes before siblings, although it
/// is mostly farther away: a reader needs it to place the hit.
type PartOrder = (u8, usize, u8, Role, u32, usize, usize);

impl Part {
    /// Returns the hit that pays for the part: that of its nearest chunk.
    pub(super) fn hit(&self) -> usize {
        self.chunks[0].hit
    }

    /// Returns whether a hit is in the part.
    pub(super) fn has_hit(&self) -> bool {
        self.pieces.iter().any(|piece| piece.selected.is_none())
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
    let scope_chunks = ScopeChunks::new(hits, plan, probe_rows, columns, &context);
    let of_hits = scope_chunks.0.iter().filter(|chunk| chunk.selected.is_none());
    let run_of_hit: HashMap<_, _> =
        of_hits.map(|chunk| ((chunk.hit, chunk.scope), chunk.run)).collect();
    let mut joined = JoinedParts::default();
    let mut indexes: HashMap<PartKey, usize> = HashMap::new();
    let mut of_row: HashMap<usize, usize> = HashMap::new();
    // The part of each chunk.
    let mut part_of: Vec<usize> = Vec::new();
    for (index, chunk) in scope_chunks.0.iter().enumerate() {
        interrupt::poll_periodically(index);
        let own_run = run_of_hit.get(&(chunk.hit, chunk.scope)).copied();
        let key = key(&hits[chunk.hit], plan, &scope_chunks, chunk, own_run);
        let kind = key.kind();
        let part = *indexes.entry(key).or_insert_with(|| joined.add(kind));
        if let Some(before) = part_of.last().filter(|_| scope_chunks.continues(index)) {
            joined.join(*before, part);
        }
        of_row.extend(chunk.selected.map(|_| (chunk.row, part)));
        part_of.push(part);
    }
    // Members have no pieces: there may be a million of them.
    let mut pieces: HashMap<usize, Vec<UnitChunk>> = HashMap::new();
    for (index, (chunk, part)) in scope_chunks.0.iter().zip(&part_of).enumerate() {
        interrupt::poll_periodically(index);
        let part = joined.root(*part);
        if joined.kind(part).is_of_scope() {
            let ScopeChunk { selected, hit, ordinal, before, after, .. } = *chunk;
            let piece = UnitChunk { selected, hit, ordinal, before, after };
            pieces.entry(part).or_default().push(piece);
        }
    }
    let mut group_ranks = vec![usize::MAX; plan.groups.len()];
    for (group, hit) in plan.group_of.iter().zip(hits) {
        if let Some(group) = group {
            group_ranks[*group] = group_ranks[*group].min(hit.score_rank);
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
    let mut positions: HashMap<usize, usize> = HashMap::new();
    for (index, selected) in sorted(context, order).into_iter().enumerate() {
        interrupt::poll_periodically(index);
        let of_scope = of_row.get(&selected.row).map(|part| joined.root(*part));
        if let Some(position) = of_scope.and_then(|part| positions.get(&part)) {
            parts[*position].1.chunks.push(selected);
            continue;
        }
        let kind = of_scope.map_or(PartKind::Chunk, |part| joined.kind(part));
        let (score_rank, distance, role, hit, _) = order(&selected);
        let group = plan.group_of[hit].filter(|_| kind.is_of_scope());
        let score_rank = group.map_or(score_rank, |group| group_ranks[group]);
        let ordinal = probe_rows.ordinal(selected.row);
        let class = match kind {
            // A linked chunk may be in another document.
            _ if role != Role::Linked && plan.bridges.contains(&(hits[hit].document, ordinal)) => 0,
            PartKind::Member => 2,
            _ => 1,
        };
        positions.extend(of_scope.map(|part| (part, parts.len())));
        let stage = if role == Role::Linked { LINKED_STAGE } else { kind.stage() };
        let part_order = (class, score_rank, stage, role, distance, hit, index);
        let pieces = of_scope.and_then(|part| pieces.remove(&part)).unwrap_or_default();
        parts.push((part_order, Part { kind, chunks: vec![selected], pieces }));
    }
    let parts = sorted(parts, |(order, _)| *order);
    parts.into_iter().map(|(_, part)| part).collect()
}

/// The kinds of parts by number, each with the part that it was joined to, or itself.
#[derive(Default)]
struct JoinedParts(Vec<(PartKind, usize)>);

impl JoinedParts {
    fn add(&mut self, kind: PartKind) -> usize {
        self.0.push((kind, self.0.len()));
        self.0.len() - 1
    }

    fn kind(&self, root: usize) -> PartKind {
        self.0[root].0
    }

    /// Returns the part that a part was joined to, and shortens the way to it.
    fn root(&mut self, mut part: usize) -> usize {
        while self.0[part].1 != part {
            self.0[part].1 = self.0[self.0[part].1].1;
            part = self.0[part].1;
        }
        part
    }

    /// Joins two parts whose chunks do not parse without each other.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.0[a].0 = self.kind(a).joined(self.kind(b));
            self.0[b].1 = a;
        }
    }
}

/// Returns the part of a chunk in the scope of a hit.
fn key<'a>(
    hit: &'a Hit,
    plan: &Plan,
    scope_chunks: &ScopeChunks,
    chunk: &'a ScopeChunk,
    own_run: Option<usize>,
) -> PartKey<'a> {
    let titles = hit.section.as_deref().unwrap_or_default();
    let scope_depth = match chunk.scope {
        ScopeId::Group(group) => plan.groups[group].section.len(),
        ScopeId::Document(_) => 0,
    };
    let has_container = plan.container(chunk.hit).is_some();
    let is_whole_unit = !has_container && hit.unit == Some(Unit::Member) && !titles.is_empty();
    // A function inside of a method belongs to the method.
    let nearest = hit.containers.first().filter(|_| has_container);
    let nearest = nearest.filter(|nearest| nearest.depth >= scope_depth);
    let own = nearest.map_or(titles.len(), |nearest| titles.len().min(nearest.depth + 1));
    // Containers that end in one chunk have their ends together.
    let ends = |container: &Container| {
        let shares =
            |other: &&Container| other.depth >= scope_depth && other.last == container.last;
        let outermost = hit.containers.iter().rfind(shares).unwrap_or(container);
        PartKey::Ends(chunk.scope, outermost.depth)
    };
    let is_below = own > scope_depth || is_whole_unit;
    if is_below && chunk.section.starts_with(&titles[..own]) {
        // The last unit may have the closing part, and does not parse without the head then.
        let mut around = hit.containers.iter().filter(|_| has_container);
        let closes = |around: &&Container| {
            (scope_depth..own).contains(&around.depth)
                && scope_chunks
                    .at(chunk.scope, around.last)
                    .is_some_and(|last| last.section.starts_with(&titles[..own]))
        };
        return match around.find(closes) {
            Some(container) => ends(container),
            None => PartKey::OwnUnit(chunk.scope, &titles[..own]),
        };
    }
    if has_container {
        let around = hit.containers.iter().filter(|container| container.depth >= scope_depth);
        for container in around {
            let at = |ordinal: i32| scope_chunks.at(chunk.scope, ordinal);
            let section = &titles[..container.depth];
            // The closing part may be in a part of the last unit.
            let is_in_last = |end: &ScopeChunk| match end.section.get(..=container.depth) {
                Some(unit) => chunk.section.starts_with(unit),
                None => end.run == chunk.run,
            };
            let is_end = at(container.first).is_some_and(|end| end.run == chunk.run)
                || at(container.last)
                    .is_some_and(|end| is_in_last(end) && scope_chunks.closes(end, section));
            if is_end {
                return ends(container);
            }
        }
    }
    // Of a container, several merged members are whole each chunk.
    let is_run = is_own_text(chunk.unit);
    if own_run == Some(chunk.run) && (is_run || !has_container) {
        return PartKey::OwnRun(chunk.run);
    }
    let common = section::common_prefix(&chunk.section, titles).len();
    match chunk.unit {
        _ if chunk.section.len() > common => {
            PartKey::Member(chunk.scope, &chunk.section[..=common])
        }
        _ if is_run => PartKey::Run(chunk.run),
        _ => PartKey::Merged(chunk.row),
    }
}

impl PartKey<'_> {
    fn kind(&self) -> PartKind {
        match self {
            Self::OwnUnit(..) => PartKind::OwnUnit,
            Self::OwnRun(_) => PartKind::OwnRun,
            Self::Ends(..) => PartKind::Ends,
            Self::Member(..) | Self::Merged(_) | Self::Run(_) => PartKind::Member,
        }
    }
}

impl PartKind {
    /// Returns whether a passage of the scope does not parse without the whole of it.
    fn is_of_scope(self) -> bool {
        matches!(self, Self::OwnUnit | Self::OwnRun | Self::Ends)
    }

    /// Returns the kind of two parts that are joined.
    fn joined(self, other: Self) -> Self {
        match (self, other) {
            (Self::Ends, _) | (_, Self::Ends) => Self::Ends,
            (Self::OwnUnit | Self::OwnRun, _) | (_, Self::OwnUnit | Self::OwnRun) => Self::OwnUnit,
            _ => Self::Member,
        }
    }

    /// Returns the stage in which the parts of a hit are spent.
    fn stage(self) -> u8 {
        match self {
            Self::Chunk | Self::OwnUnit | Self::OwnRun => 0,
            Self::Ends => 1,
            Self::Member => 2,
        }
    }
}
