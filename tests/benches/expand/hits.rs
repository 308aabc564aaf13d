/*!
Which chunks are hit, and what their context is.

The second chunk of a section that has four of its own and three below them: its parent, the
sibling before it, the two after it and the three children lie side by side, eight rows from
the chapter's first chunk on.
*/

use uuid::Uuid;

use super::load::{CHAPTER, Shape, chunk_id};

/// How many hits take turns: enough that no processor cache holds them all.
const HITS: usize = 1_000;

/// The rows of a hit's context lie from this many before it to this many after it.
pub const BEFORE: i32 = 2;
pub const AFTER: i32 = 5;

/// A hit: its chunk, and where it is.
#[derive(Clone, Copy)]
pub struct Place {
    pub chunk: Uuid,
    pub document: Uuid,
    pub ordinal: i32,
}

/// Hits as parameters; ten of them lie in ten documents.
pub struct Ten {
    pub chunks: Vec<Uuid>,
    pub documents: Vec<Uuid>,
    pub first: Vec<i32>,
    pub last: Vec<i32>,
}

/// The hits of a store.
pub struct Hits {
    places: Vec<Place>,
    tens: Vec<Ten>,
}

impl Hits {
    /// Chooses hits all over a store, in documents that the reader may see.
    pub fn of(shape: &Shape) -> Self {
        let chapters = shape.chunks / CHAPTER;
        // The factors share no divisor with what they are reduced by, so ten hits in a row lie in
        // ten documents, and hits of one document in different chapters.
        let place = |hit: usize| {
            let document = shape.document(hit * 7 % shape.visible);
            let ordinal = hit * 613 % chapters * CHAPTER + BEFORE as usize;
            let chunk = chunk_id(document, ordinal);
            Place { chunk, document, ordinal: ordinal as i32 }
        };
        let places: Vec<_> = (0..HITS).map(place).collect();
        let tens = places.chunks_exact(10).map(Ten::of).collect();
        Self { places, tens }
    }

    pub fn one(&self, call: usize) -> &Place {
        &self.places[call % self.places.len()]
    }

    /// The first hits, which lie in ten documents each ten of them.
    pub fn first(&self, count: usize) -> &[Place] {
        &self.places[..count]
    }

    pub fn ten(&self, call: usize) -> &Ten {
        &self.tens[call % self.tens.len()]
    }
}

impl Ten {
    pub fn of(places: &[Place]) -> Self {
        Self {
            chunks: places.iter().map(|place| place.chunk).collect(),
            documents: places.iter().map(|place| place.document).collect(),
            first: places.iter().map(|place| place.ordinal - BEFORE).collect(),
            last: places.iter().map(|place| place.ordinal + AFTER).collect(),
        }
    }
}
