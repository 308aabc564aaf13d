/*!
Rows in the text format of COPY.

A chapter has twenty chunks: one of its own, then three sections with four chunks of their own and
up to three subsections of one chunk each. A content has 1,024 bytes of made-up words, some of
them common and most of them rare.
*/

use bytes::Bytes;
use uuid::Uuid;

use super::{Shape, chunk_id};

/// Chunks of a chapter.
pub const CHAPTER: usize = 20;

/// Bytes of a content.
const CONTENT: usize = 1_024;

pub const OF_DOCUMENTS: &str = "id, collection, version, uri, title, media_type, chunk_count";

pub const OF_CHUNKS: &str = "id, document_id, ordinal, level, section, kind, unit, content, \
                             preamble, tokens, start_byte, end_byte, first_line, last_line";

/// The row of a document.
pub fn document(shape: &Shape, number: usize) -> Bytes {
    let (id, collection) = (shape.document(number), shape.collection(number));
    let (store, chunks) = (shape.store, shape.chunks);
    format!("{id}\t{collection}\t{store}\t{number}.md\tManual {number}\ttext/markdown\t{chunks}\n")
        .into()
}

/// The row of a chunk.
pub fn chunk(document: Uuid, ordinal: usize) -> Bytes {
    let id = chunk_id(document, ordinal);
    let section = section(ordinal);
    let (level, titles) = (section.len(), section.join("\",\""));
    let preamble = section.join(" / ");
    let content = content(id.as_u64_pair().1);
    let (start, end) = (ordinal * CONTENT, (ordinal + 1) * CONTENT);
    let (first, last) = (ordinal * 12 + 1, ordinal * 12 + 12);
    format!(
        "{id}\t{document}\t{ordinal}\t{level}\t{{\"{titles}\"}}\tprose\ttext\t{content}\t\
         {preamble}\t{}\t{start}\t{end}\t{first}\t{last}\n",
        CONTENT / 4
    )
    .into()
}

/// The titles down to a chunk.
fn section(ordinal: usize) -> Vec<String> {
    let within = ordinal % CHAPTER;
    let mut titles = vec![format!("Chapter {}", ordinal / CHAPTER + 1)];
    if let Some(place) = within.checked_sub(1) {
        titles.push(["Installation", "Configuration", "Operation"][place / 7].to_owned());
        if let Some(below) = (place % 7).checked_sub(4) {
            titles.push(["On a server", "In a container", "From source"][below].to_owned());
        }
    }
    titles
}

fn content(seed: u64) -> String {
    // Xorshift: the same rows at every run.
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut content = String::with_capacity(CONTENT + 16);
    while content.len() < CONTENT {
        // The cube makes small numbers, so short and common words, the likely ones.
        let chance = (next() >> 40) as f64 / f64::from(1 << 24);
        word((chance.powi(3) * 30_000.0) as usize + 5, &mut content);
        content.push(' ');
    }
    content.truncate(CONTENT);
    content
}

/// Spells a number in syllables.
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
