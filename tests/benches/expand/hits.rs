//! Which chunks are hit, and which rows their context is.

use uuid::Uuid;

use super::load::{Shape, chunk_id};

/// How many hits take turns: enough that no processor cache holds them all.
const HITS: usize = 1_000;

/// A hit: its chunk, and from where to where its context reaches.
#[derive(Clone, Copy)]
pub struct Place {
    pub chunk: Uuid,
    pub document: Uuid,
    pub first: i32,
    pub last: i32,
}

/// Hits as parameters; any ten in a row lie in ten documents.
pub struct Many {
    pub chunks: Vec<Uuid>,
    pub documents: Vec<Uuid>,
    pub first: Vec<i32>,
    pub last: Vec<i32>,
}

/// The hits of a store.
pub struct Hits {
    places: Vec<Place>,
    tens: Vec<Many>,
}

impl Hits {
    /// Chooses hits all over a store, in documents that the reader may see.
    pub fn of(shape: &Shape) -> Self {
        let periods = shape.chunks / shape.text.period();
        let context = shape.text.context();
        // The factors share no divisor with what they are reduced by, so ten hits in a row lie in
        // ten documents, and hits of one document in different chapters. The first is large, so
        // that the hits of a large store lie all over it.
        let place = |hit: usize| {
            let document = shape.document(hit * 618_033_989 % shape.visible);
            let begin = (hit / shape.visible + hit * 613) % periods * shape.text.period();
            let chunk = chunk_id(document, begin + shape.text.hit());
            let [first, last] = [context.start(), context.end()].map(|end| (begin + end) as i32);
            Place { chunk, document, first, last }
        };
        let places: Vec<_> = (0..HITS).map(place).collect();
        let tens = places.chunks_exact(10).map(Many::of).collect();
        Self { places, tens }
    }

    pub fn one(&self, call: usize) -> &Place {
        &self.places[call % self.places.len()]
    }

    /// The first hits, which lie in ten documents each ten of them.
    pub fn first(&self, count: usize) -> &[Place] {
        &self.places[..count]
    }

    pub fn ten(&self, call: usize) -> &Many {
        &self.tens[call % self.tens.len()]
    }

    /// All of them, by tens.
    pub fn tens(&self) -> &[Many] {
        &self.tens
    }

    /// All of them as the hits of one call.
    pub fn all(&self) -> Many {
        Many::of(&self.places)
    }
}

impl Many {
    pub fn of(places: &[Place]) -> Self {
        Self {
            chunks: places.iter().map(|place| place.chunk).collect(),
            documents: places.iter().map(|place| place.document).collect(),
            first: places.iter().map(|place| place.first).collect(),
            last: places.iter().map(|place| place.last).collect(),
        }
    }
}
