//! Documents in memory, with a naive implementation of probes.

use passage_core::expand::{
    Budget, ChunkRow, Container, Hit, LazyColumns, Plan, Probe, Role, Selection, Shape, plan,
    select_context,
};
use passage_core::reassemble::{OrderBy, PassageChunks, PassageOptions, ScoreBy, reassemble};
use passage_core::strategy::{RelativeLimits, Strategy};
use passage_split::key::section_key;
use passage_split::section::{self, Section};
use passage_split::{DataFormat, Kind, Unit};
use std::ops::Range;
use uuid::Uuid;

/// A chunk, whose ordinal is its index in the document.
#[derive(Clone, Debug)]
pub struct Chunk {
    pub section: Section,
    pub unit: Option<Unit>,
    pub tokens: u32,
    pub level: Option<i32>,
    pub content: String,
}

/// The tokens of chunks whose size does not matter.
pub const TOKENS: u32 = 10;

/// Documents as lists of chunks.
pub struct Store {
    pub documents: Vec<Vec<Chunk>>,
    /// The kind of all chunks.
    pub kind: Option<Kind>,
    /// The format of all documents.
    pub format: Option<DataFormat>,
}

impl Store {
    /// Returns a store of one document, by the sections of its chunks.
    pub fn one(sections: &[&[&str]]) -> Self {
        Self::of(vec![sections.iter().map(|section| titles(section)).collect()])
    }

    /// Returns a store of documents, by the sections of their chunks.
    pub fn of(documents: Vec<Vec<Section>>) -> Self {
        let chunk = |section: Section| {
            let content = section.join(" ");
            Chunk { section, unit: None, tokens: TOKENS, level: None, content }
        };
        let documents =
            documents.into_iter().map(|sections| sections.into_iter().map(chunk).collect());
        Self { documents: documents.collect(), kind: None, format: None }
    }

    /// Returns a store of one document, by the unit, section and text of each chunk. Slashes separate
    /// titles.
    pub fn units(kind: Kind, chunks: &[(&str, &str, &str)]) -> Self {
        let chunk = |(unit, section, content): &(&str, &str, &str)| Chunk {
            section: section
                .split('/')
                .filter(|title| !title.is_empty())
                .map(str::to_owned)
                .collect(),
            unit: Unit::from_name(unit),
            tokens: TOKENS,
            level: None,
            content: (*content).to_owned(),
        };
        let documents = vec![chunks.iter().map(chunk).collect()];
        let format = (kind == Kind::Data).then_some(DataFormat::Json);
        Self { documents, kind: Some(kind), format }
    }

    /// Returns a store of one document, by the chunks of a splitter and a measure of their tokens.
    #[allow(dead_code)] // Only tests with real files split them.
    pub fn of_split(
        chunks: &[passage_split::Chunk],
        format: Option<DataFormat>,
        tokens: impl Fn(&passage_split::Chunk) -> u32,
    ) -> Self {
        let chunk = |chunk: &passage_split::Chunk| Chunk {
            section: chunk.section.clone(),
            unit: Some(chunk.unit),
            tokens: tokens(chunk),
            level: Some(chunk.level as i32),
            content: chunk.content.to_owned(),
        };
        let documents = vec![chunks.iter().map(chunk).collect()];
        Self { documents, kind: Some(chunks[0].kind), format }
    }

    pub fn id(document: usize, ordinal: usize) -> Uuid {
        Uuid::from_u64_pair(document as u64 + 1, ordinal as u64 + 1)
    }

    pub fn position(id: Uuid) -> (usize, usize) {
        let (document, ordinal) = id.as_u64_pair();
        (document as usize - 1, ordinal as usize - 1)
    }

    pub fn hit<'a>(
        &self,
        at: (usize, usize),
        score_rank: usize,
        strategy: &'a Strategy,
    ) -> Hit<'a> {
        Hit {
            chunk: Self::id(at.0, at.1),
            document: Self::id(at.0, 999),
            ordinal: Some(at.1 as i32),
            section: Some(self.documents[at.0][at.1].section.clone()),
            kind: self.kind,
            unit: self.documents[at.0][at.1].unit,
            containers: self.containers(at),
            format: self.format,
            score_rank,
            strategy,
        }
    }

    /// Returns the containers around a chunk, the innermost first.
    fn containers(&self, (document, ordinal): (usize, usize)) -> Vec<Container> {
        let chunks = &self.documents[document];
        let section = &chunks[ordinal].section;
        let container = |depth: usize| {
            let is_in = |chunk: &Chunk| chunk.section == section[..depth];
            let first = chunks.iter().position(is_in)?;
            let last = chunks.iter().rposition(is_in)?;
            let is = chunks[first].unit == Some(Unit::Container);
            let head_tokens = chunks[first].tokens;
            is.then_some(Container { depth, first: first as i32, last: last as i32, head_tokens })
        };
        (1..=section.len()).rev().filter_map(container).collect()
    }

    /// Answers a probe by a naive implementation of its description.
    fn answer(&self, probe: &Probe) -> Vec<usize> {
        let document = &self.documents[Self::position(probe.document).0];
        let in_span = |i: &usize| (probe.first..=probe.last).contains(&(*i as i32));
        let own = |section: &Section| {
            (0..document.len())
                .filter(in_span)
                .filter(|i| document[*i].section == *section)
                .collect()
        };
        let children = |parent: &Section| {
            (0..document.len())
                .filter(in_span)
                .filter(|i| section::parent(&document[*i].section) == Some(parent))
                .collect()
        };
        let limit = probe.limit as usize;
        let first = |ordinals: Vec<usize>| ordinals.into_iter().take(limit).collect();
        let last = |ordinals: Vec<usize>| ordinals.into_iter().rev().take(limit).collect();
        match probe.shape {
            Shape::Range => (0..document.len()).filter(in_span).collect(),
            Shape::SectionForward => first(own(&probe.section)),
            Shape::SectionBackward => last(own(&probe.section)),
            Shape::ParentForward => first(children(&probe.section)),
            Shape::ParentBackward => last(children(&probe.section)),
            Shape::Ancestors => {
                assert_eq!(probe.keys.len(), probe.section.len() + 1);
                let levels = (0..=probe.section.len()).rev().filter_map(|depth| {
                    let above = probe.section[..depth].to_vec();
                    assert_eq!(probe.keys[probe.section.len() - depth], section_key(&above));
                    own(&above)
                        .pop()
                        .or_else(|| children(&above).into_iter().next().filter(|_| depth > 0))
                });
                levels.take(limit).collect()
            }
            Shape::Inside => {
                let inside = |i: &usize| document[*i].section.starts_with(&probe.section);
                let (from, to) = (probe.first as usize, probe.last as usize);
                let before = (0..from).rev().take(limit).take_while(inside).count();
                let after = (to + 1..document.len()).take(limit).take_while(inside).count();
                (from.saturating_sub(before + 1)..=to + after + 1)
                    .filter(|i| *i < document.len())
                    .collect()
            }
        }
    }

    fn read(&self, hits: &[Hit], plan: &Plan) -> Vec<ChunkRow> {
        let row = |probe, (document, ordinal)| ChunkRow {
            probe,
            chunk: Self::id(document, ordinal),
            ordinal: Some(ordinal as i32),
            tokens: self.documents[document][ordinal].tokens,
            depth_below: None,
        };
        let mut rows: Vec<ChunkRow> =
            hits.iter().map(|hit| row(None, Self::position(hit.chunk))).collect();
        for (i, probe) in plan.probes.iter().enumerate() {
            let document = Self::position(probe.document).0;
            for ordinal in self.answer(probe) {
                let titles = &self.documents[document][ordinal].section;
                let is_inside = probe.shape == Shape::Inside && titles.starts_with(&probe.section);
                let depth_below = is_inside.then(|| (titles.len() - probe.section.len()) as u32);
                rows.push(ChunkRow { depth_below, ..row(Some(i), (document, ordinal)) });
            }
        }
        rows
    }

    pub fn expand(&self, hits: &[Hit], budget: Budget) -> (Vec<ChunkRow>, Selection) {
        self.expand_plan(hits, &plan(hits, false), budget)
    }

    pub fn expand_plan(
        &self,
        hits: &[Hit],
        plan: &Plan,
        budget: Budget,
    ) -> (Vec<ChunkRow>, Selection) {
        let rows = self.read(hits, plan);
        let selection = select_context(hits, plan, &rows, &Sections(self, &rows), budget, false);
        (rows, selection)
    }

    /// Returns the context of one hit: roles with ordinals.
    pub fn context(&self, ordinal: usize, strategy: &Strategy) -> Vec<(Role, usize)> {
        let hits = [self.hit((0, ordinal), 0, strategy)];
        let (rows, selection) = self.expand(&hits, Budget::default());
        let ordinal = |row: usize| rows[row].ordinal.unwrap() as usize;
        selection.chunks.iter().map(|selected| (selected.role, ordinal(selected.row))).collect()
    }
}

struct Sections<'a>(&'a Store, &'a [ChunkRow]);

impl LazyColumns for Sections<'_> {
    fn section(&self, row: usize) -> Option<Section> {
        let (document, ordinal) = Store::position(self.1[row].chunk);
        Some(self.0.documents[document][ordinal].section.clone())
    }

    fn unit(&self, row: usize) -> Option<Unit> {
        let (document, ordinal) = Store::position(self.1[row].chunk);
        self.0.documents[document][ordinal].unit
    }

    fn level(&self, row: usize) -> Option<i32> {
        let (document, ordinal) = Store::position(self.1[row].chunk);
        self.0.documents[document][ordinal].level
    }

    fn content(&self, row: usize) -> String {
        let (document, ordinal) = Store::position(self.1[row].chunk);
        self.0.documents[document][ordinal].content.clone()
    }

    fn span(&self, _row: usize) -> Option<Range<i32>> {
        None
    }

    fn imports(&self, _row: usize) -> Vec<String> {
        Vec::new()
    }
}

pub fn passages(
    hits: &[Hit],
    rows: &[ChunkRow],
    selection: &Selection,
    max_distance: Option<u32>,
) -> Vec<PassageChunks> {
    let joining = PassageOptions {
        max_distance,
        score_by: ScoreBy::Max,
        order_by: OrderBy::Score,
        max_passages: None,
    };
    reassemble(hits, &vec![None; hits.len()], rows, selection, &joining)
}

/// Returns a strategy with relatives only.
pub fn relatives(change: impl Fn(&mut RelativeLimits)) -> Strategy {
    let mut strategy = preset("none");
    change(&mut strategy.relatives);
    strategy
}

pub fn titles(section: &[&str]) -> Section {
    section.iter().map(ToString::to_string).collect()
}

pub fn preset(name: &str) -> Strategy {
    Strategy::preset(name).unwrap()
}

/// Returns the guide of seeds 000 and 004.
pub fn guide() -> Store {
    Store::one(&[
        &["Guide"],
        &["Guide", "Installation"],
        &["Guide", "Installation", "Prerequisites"],
        &["Guide", "Installation", "Steps"],
        &["Guide", "Installation", "Steps", "Step1"],
        &["Guide", "Installation", "Configuration"],
        &["Guide", "Use"],
    ])
}
