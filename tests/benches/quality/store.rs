/*!
The chunks of a set, and the answers that a server would give about them.

Core plans the probes, and this module answers each of them by its description, one by one. So the result is that
of `expand_contexts` and `reassemble`.
*/

use std::ops::Range;

use passage_core::Strategy;
use passage_core::expand::{Budget, ChunkRow, Container, Hit, LazyColumns, Plan, Probe, Shape};
use passage_core::expand::{plan, select_context};
use passage_core::reassemble::{OrderBy, PassageOptions, ScoreBy, reassemble};
use passage_split::key::section_key;
use passage_split::section::{self, Section};
use passage_split::{DataFormat, Kind, MediaType, Unit};
use uuid::Uuid;

use super::score::ReturnedPassage;

/// The default of `reassemble`.
const JOINING: PassageOptions = PassageOptions {
    max_distance: Some(3),
    score_by: ScoreBy::Max,
    order_by: OrderBy::Score,
    max_passages: None,
};

/// A chunk, for expansion and for the result.
pub struct Chunk {
    pub section: Section,
    pub kind: Kind,
    pub unit: Unit,
    pub level: u32,
    pub imports: Vec<String>,
    pub content: String,
    pub passage: ReturnedPassage,
}

/// Chunks, identified by their indexes in one list, in which the chunks of a document are adjacent.
pub struct Store<'s> {
    chunks: &'s [Chunk],
    media_types: &'s [MediaType],
    /// The indexes of the chunks of each document; the first one has the ordinal 0.
    documents: Vec<Range<usize>>,
}

impl<'s> Store<'s> {
    /// Makes a store of the chunks of all documents, in order, and the media type of each document.
    pub fn new(chunks: &'s [Chunk], media_types: &'s [MediaType]) -> Self {
        let first_chunk =
            |document| chunks.partition_point(|chunk| chunk.passage.document < document);
        let documents = (0..media_types.len())
            .map(|document| first_chunk(document)..first_chunk(document + 1))
            .collect();
        Self { chunks, media_types, documents }
    }

    /// Returns the chunk at an index.
    pub fn chunk(&self, index: usize) -> &Chunk {
        &self.chunks[index]
    }

    /// Returns the media type of a chunk's document.
    pub fn media_type(&self, index: usize) -> &MediaType {
        &self.media_types[self.chunks[index].passage.document]
    }

    /// Expands and reassembles hits, best first, each with its strategy. Returns the chunks of each passage, the best
    /// passage first.
    pub fn expand(&self, hits: &[(usize, &Strategy)]) -> Vec<Vec<usize>> {
        let numbered = hits.iter().enumerate();
        let hits: Vec<_> = numbered
            .map(|(score_rank, (index, strategy))| self.hit(*index, score_rank, strategy))
            .collect();
        let plan = plan(&hits, false);
        let rows = self.read(&hits, &plan);
        let selection =
            select_context(&hits, &plan, &rows, &StoreRows(self, &rows), Budget::of(&hits), false);
        let passages = reassemble(&hits, &vec![None; hits.len()], &rows, &selection, &JOINING);
        let at = |index: &usize| index_of(rows[selection.chunks[*index].row].chunk);
        passages.iter().map(|passage| passage.chunks.iter().map(at).collect()).collect()
    }

    /// Returns a chunk as a hit; no two scores are equal.
    fn hit<'a>(&self, index: usize, score_rank: usize, strategy: &'a Strategy) -> Hit<'a> {
        let chunk = &self.chunks[index];
        let document = chunk.passage.document;
        Hit {
            chunk: self.id(index),
            document: Uuid::from_u64_pair(document as u64, 0),
            ordinal: Some(self.ordinal(index)),
            section: Some(chunk.section.clone()),
            kind: Some(chunk.kind),
            unit: Some(chunk.unit),
            containers: self.containers(index),
            format: DataFormat::of(&self.media_types[document]),
            score_rank,
            strategy,
        }
    }

    /// Returns the sections around a chunk whose first chunk is the head of a container, nearest first.
    fn containers(&self, index: usize) -> Vec<Container> {
        let chunk = &self.chunks[index];
        let depths = (1..=chunk.section.len()).rev();
        let around = depths.filter_map(|depth| {
            let document = self.documents[chunk.passage.document].clone();
            let own = |at: &usize| self.chunks[*at].section == chunk.section[..depth];
            let (first, last) = (document.clone().find(own)?, document.rev().find(own)?);
            (self.chunks[first].unit == Unit::Container).then(|| Container {
                depth,
                first: self.ordinal(first),
                head_tokens: self.tokens(first),
                last: self.ordinal(last),
            })
        });
        around.collect()
    }

    /// Reads the hits and the probes of a plan.
    fn read(&self, hits: &[Hit], plan: &Plan) -> Vec<ChunkRow> {
        let row = |probe, index: usize, depth_below| ChunkRow {
            probe,
            chunk: self.id(index),
            ordinal: Some(self.ordinal(index)),
            tokens: self.tokens(index),
            depth_below,
        };
        let mut rows: Vec<_> =
            hits.iter().map(|hit| row(None, index_of(hit.chunk), None)).collect();
        for (number, probe) in plan.probes.iter().enumerate() {
            for index in self.answer(probe) {
                let titles = &self.chunks[index].section;
                let inside = probe.shape == Shape::Inside && titles.starts_with(&probe.section);
                let depth_below = inside.then(|| (titles.len() - probe.section.len()) as u32);
                rows.push(row(Some(number), index, depth_below));
            }
        }
        rows
    }

    /// Answers a probe from its description alone.
    fn answer(&self, probe: &Probe) -> Vec<usize> {
        let (number, _) = probe.document.as_u64_pair();
        let document = self.documents[number as usize].clone();
        let span = probe.first..=probe.last;
        let in_span = document.clone().filter(|at| span.contains(&self.ordinal(*at)));
        let titles = |at: &usize| &self.chunks[*at].section;
        let own = |at: &usize, section: &[String]| *titles(at) == section;
        let child = |at: &usize, section: &[String]| section::parent(titles(at)) == Some(section);
        let inside = |at: &usize| titles(at).starts_with(&probe.section);
        let (section, limit) = (&probe.section[..], probe.limit as usize);
        match probe.shape {
            Shape::Range => in_span.collect(),
            Shape::SectionForward => in_span.filter(|at| own(at, section)).take(limit).collect(),
            Shape::SectionBackward => {
                in_span.rev().filter(|at| own(at, section)).take(limit).collect()
            }
            Shape::ParentForward => in_span.filter(|at| child(at, section)).take(limit).collect(),
            Shape::ParentBackward => {
                in_span.rev().filter(|at| child(at, section)).take(limit).collect()
            }
            Shape::Ancestors => {
                let depths = (0..=section.len()).rev();
                let stand_in = |depth: usize| {
                    let above = &section[..depth];
                    assert_eq!(probe.keys[section.len() - depth], section_key(above), "keys fit");
                    let last = in_span.clone().rev().find(|at| own(at, above));
                    let opens = || in_span.clone().find(|at| child(at, above));
                    last.or_else(|| opens().filter(|_| depth > 0))
                };
                depths.filter_map(stand_in).take(limit).collect()
            }
            Shape::Inside => {
                let at = |ordinal: i32| {
                    document.start.saturating_add_signed(ordinal as isize).min(document.end)
                };
                let (from, to) = (at(probe.first), at(probe.last.saturating_add(1)));
                let before = (document.start..from).rev().take(limit).take_while(inside).count();
                let after = (to..document.end).take(limit).take_while(inside).count();
                let first = (from - before).saturating_sub(1).max(document.start);
                (first..(to + after + 1).min(document.end)).collect()
            }
        }
    }

    fn ordinal(&self, index: usize) -> i32 {
        let document = &self.documents[self.chunks[index].passage.document];
        i32::try_from(index - document.start).expect("documents are small")
    }

    fn tokens(&self, index: usize) -> u32 {
        u32::try_from(self.chunks[index].passage.tokens).unwrap_or(u32::MAX)
    }

    fn id(&self, index: usize) -> Uuid {
        Uuid::from_u64_pair(self.chunks[index].passage.document as u64, index as u64 + 1)
    }
}

/// Returns the index of an id.
fn index_of(id: Uuid) -> usize {
    id.as_u64_pair().1 as usize - 1
}

/// The rows of a store.
struct StoreRows<'a>(&'a Store<'a>, &'a [ChunkRow]);

impl StoreRows<'_> {
    fn chunk(&self, row: usize) -> &Chunk {
        self.0.chunk(index_of(self.1[row].chunk))
    }
}

impl LazyColumns for StoreRows<'_> {
    fn section(&self, row: usize) -> Option<Section> {
        Some(self.chunk(row).section.clone())
    }

    fn unit(&self, row: usize) -> Option<Unit> {
        Some(self.chunk(row).unit)
    }

    fn level(&self, row: usize) -> Option<i32> {
        i32::try_from(self.chunk(row).level).ok()
    }

    fn content(&self, row: usize) -> String {
        self.chunk(row).content.clone()
    }

    fn span(&self, _row: usize) -> Option<std::ops::Range<i32>> {
        None
    }

    fn imports(&self, row: usize) -> Vec<String> {
        self.chunk(row).imports.clone()
    }
}
