/*!
Rows in the text format of COPY.

The content is made-up words, some of them common and most of them rare.
*/

use bytes::Bytes;
use uuid::Uuid;

use super::{Shape, chunk_id};

pub const OF_DOCUMENTS: &str = "id, collection, version, uri, title, media_type, chunk_count";

pub const OF_CHUNKS: &str = "id, document_id, ordinal, level, section, kind, unit, content, \
                             preamble, tokens, start_byte, end_byte, first_line, last_line";

/// Returns the row of a document.
pub fn document(shape: &Shape, number: usize) -> Bytes {
    let (id, collection) = (shape.document(number), shape.collection(number));
    let (store, chunks, uri) = (shape.store, shape.chunks, shape.uri(number));
    let media_type = shape.text.media_type();
    format!("{id}\t{collection}\t{store}\t{uri}\tDocument {number}\t{media_type}\t{chunks}\n")
        .into()
}

/// Returns the row of a chunk.
pub fn chunk(shape: &Shape, document: Uuid, ordinal: usize) -> Bytes {
    let id = chunk_id(document, ordinal);
    let section = shape.text.section(ordinal);
    let (level, titles) = (section.len(), section.join("\",\""));
    let preamble = section.join(" / ");
    let (kind, unit) = (shape.text.kind(), shape.text.unit(ordinal));
    let (bytes, tokens) = (shape.content(), shape.content() / 4);
    let content = content(id.as_u64_pair().1, bytes);
    let (start, end) = (ordinal * bytes, (ordinal + 1) * bytes);
    let (first, last) = (ordinal * 12 + 1, ordinal * 12 + 12);
    format!(
        "{id}\t{document}\t{ordinal}\t{level}\t{{\"{titles}\"}}\t{kind}\t{unit}\t{content}\t\
         {preamble}\t{tokens}\t{start}\t{end}\t{first}\t{last}\n"
    )
    .into()
}

fn content(seed: u64, bytes: usize) -> String {
    // Xorshift: the same rows in every run.
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut content = String::with_capacity(bytes + 16);
    while content.len() < bytes {
        // The cube makes small numbers likely, which are short and common words.
        let chance = (next() >> 40) as f64 / f64::from(1 << 24);
        word((chance.powi(3) * 30_000.0) as usize + 5, &mut content);
        content.push(' ');
    }
    content.truncate(bytes);
    content
}

/// Writes a number as syllables.
fn word(mut number: usize, text: &mut String) {
    const SYLLABLES: [&str; 16] = [
        "ra", "to", "mi", "ne", "lu", "sta", "per", "con", "di", "ver", "ga", "fo", "ri", "ten",
        "bul", "shi",
    ];
    while number > 0 {
        text.push_str(SYLLABLES[number % SYLLABLES.len()]);
        number /= SYLLABLES.len();
    }
}
