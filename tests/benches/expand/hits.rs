//! The hits of the benchmark, and the rows of their context.

use uuid::Uuid;

use super::load::{Shape, chunk_id};

/// The number of hits that alternate: enough to exceed the caches of a processor.
const HITS: usize = 1_000;

/// A hit: its chunk, and the range of its context.
#[derive(Clone, Copy)]
pub struct HitLocation {
    pub chunk: Uuid,
    pub document: Uuid,
    pub first: i32,
    pub last: i32,
}

/// Hits as parameters; any ten in a row are in ten documents.
pub struct Many {
    pub chunks: Vec<Uuid>,
    pub documents: Vec<Uuid>,
    pub first: Vec<i32>,
    pub last: Vec<i32>,
}

/// The hits of a store.
pub struct Hits {
    locations: Vec<HitLocation>,
    tens: Vec<Many>,
}

impl Hits {
    /// Chooses hits all over a store, in documents that the reader may see.
    pub fn of(shape: &Shape) -> Self {
        let periods = shape.chunks / shape.text.period();
        let context = shape.text.context();
        // The factors are coprime to the moduli. So ten hits in a row are in ten documents, and hits of one document
        // are in different chapters. The first factor is large, so that the hits of a large store are spread all over
        // it.
        let location = |hit: usize| {
            let document = shape.document(hit * 618_033_989 % shape.visible);
            let begin = (hit / shape.visible + hit * 613) % periods * shape.text.period();
            let chunk = chunk_id(document, begin + shape.text.hit());
            let [first, last] = [context.start(), context.end()].map(|end| (begin + end) as i32);
            HitLocation { chunk, document, first, last }
        };
        let locations: Vec<_> = (0..HITS).map(location).collect();
        let tens = locations.chunks_exact(10).map(Many::of).collect();
        Self { locations, tens }
    }

    pub fn one(&self, call: usize) -> &HitLocation {
        &self.locations[call % self.locations.len()]
    }

    /// Returns a number of hits, each ten of which are in ten documents; after the last hit the first one follows.
    pub fn first(&self, count: usize) -> Vec<HitLocation> {
        self.locations.iter().copied().cycle().take(count).collect()
    }

    pub fn ten(&self, call: usize) -> &Many {
        &self.tens[call % self.tens.len()]
    }

    /// Returns all hits in groups of ten.
    pub fn tens(&self) -> &[Many] {
        &self.tens
    }

    /// Returns all hits for one call.
    pub fn all(&self) -> Many {
        Many::of(&self.locations)
    }
}

impl Many {
    pub fn of(locations: &[HitLocation]) -> Self {
        Self {
            chunks: locations.iter().map(|location| location.chunk).collect(),
            documents: locations.iter().map(|location| location.document).collect(),
            first: locations.iter().map(|location| location.first).collect(),
            last: locations.iter().map(|location| location.last).collect(),
        }
    }
}
