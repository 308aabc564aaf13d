/*!
The code of all fuzz targets: it splits an input with a media type and checks the properties of every split.

The first four bytes of an input choose the media type and the limits, so that a fuzzer varies them like the rest,
which is the document. All four may be letters. In a seed the fourth one is a line end, so its first line is the
choice, and a readable document follows.
*/

#[path = "../../core/tests/promises/splitting.rs"]
mod promises;

use passage_core::{Characters, ChunkLimits, MediaType, SplitOptions, convert, decode, split};
use promises::{fault, section_again};

/// The choice of the first four bytes of an input.
struct Choice {
    /// The number of the media type, modulo their count.
    number: usize,
    limits: ChunkLimits,
    overlap: usize,
}

impl Choice {
    fn new([kind, max, shape, room]: [u8; 4]) -> Self {
        let max = 1 + usize::from(max);
        let preferred = 1 + (max - 1) * usize::from(shape % 16) / 15;
        let min = preferred * usize::from(shape / 16 % 4) / 4;
        let limits = ChunkLimits { min, preferred, max, window: max + usize::from(room) };
        Self { number: kind.into(), limits, overlap: usize::from(kind / 16) }
    }
}

/// Splits an input as text.
///
/// # Panics
///
/// Panics if a split violates a property.
pub fn text(input: &[u8], media_types: &[&str]) {
    let Some((choice, document)) = parts(input) else { return };
    let media_type = MediaType::new(media_types[choice.number % media_types.len()]);
    // A fuzzer mostly breaks characters, which are replaced by the replacement character.
    check(&String::from_utf8_lossy(document), &media_type, &choice);
}

/// Converts an input and splits the stored text.
///
/// # Panics
///
/// Panics if a second conversion gives another text, or a split violates a property.
pub fn converted(input: &[u8], media_type: &str) {
    let Some((choice, document)) = parts(input) else { return };
    let media_type = MediaType::new(media_type);
    let Ok(text) = decode(document, &media_type) else { return };
    let base = (choice.number % 2 == 1).then_some("https://example.org/docs/");
    let Ok(stored) = convert(&text, &media_type, base) else { return };
    let stored = stored.expect("the type is one that is converted");
    assert_eq!(Ok(Some(&stored)), convert(&text, &media_type, base).as_ref().map(Option::as_ref));
    check(&stored.text, &stored.media_type, &choice);
}

fn parts(input: &[u8]) -> Option<(Choice, &[u8])> {
    let (head, document) = input.split_first_chunk::<4>()?;
    Some((Choice::new(*head), document))
}

/// Splits by small limits and by the default ones.
fn check(text: &str, media_type: &MediaType, choice: &Choice) {
    for limits in [choice.limits, ChunkLimits::CHARACTERS] {
        let title = Some("The title");
        let options = SplitOptions { title, overlap: choice.overlap, ..SplitOptions::new(limits) };
        let once = split(text, media_type, &options, &Characters).expect("the limits are in order");
        assert_eq!(fault(text, &once.chunks, limits, &Characters), None, "by {limits:?}");
        assert_eq!(section_again(media_type, &once.chunks), None, "by {limits:?}");
        let again = split(text, media_type, &options, &Characters);
        assert!(again.as_ref() == Ok(&once), "split otherwise the second time, by {limits:?}");
    }
}
