/*!
Fuzzing of the splitters: splits an input as one of several media types and checks the invariants.

The first four bytes of an input choose the media type and the limits, so that the fuzzer varies them
too; the rest is the document. In a seed, the fourth byte is a line end: its first line is the choice,
and the readable document is below it.
*/

#[path = "../../core/split/tests/invariants/splitting.rs"]
mod invariants;

use passage_split::{Characters, ChunkLimits, DecodedText, MediaType, SplitOptions, convert, decode, split};
use invariants::{find_violation, find_repeated_section};

/// The choice of the first four bytes of an input.
struct Choice {
    /// The index of the media type, modulo their number.
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

/// Splits an input without conversion.
///
/// # Panics
///
/// Panics if the chunks violate an invariant.
pub fn text(input: &[u8], media_types: &[&str]) {
    let Some((choice, document)) = parts(input) else { return };
    let media_type = MediaType::new(media_types[choice.number % media_types.len()]);
    // The fuzzer often breaks characters, which become replacement characters.
    check(&String::from_utf8_lossy(document), &media_type, &choice);
}

/// Converts an input and splits the result.
///
/// # Panics
///
/// Panics if a second conversion has a different result, or if the chunks violate an invariant.
pub fn converted(input: &[u8], media_type: &str) {
    let Some((choice, document)) = parts(input) else { return };
    let media_type = MediaType::new(media_type);
    let Ok(DecodedText { text, .. }) = decode(document, &media_type, None) else { return };
    let base = (choice.number % 2 == 1).then_some("https://example.org/docs/");
    let Ok(stored) = convert(&text, &media_type, base) else { return };
    let stored = stored.expect("the media type has a conversion");
    assert_eq!(Ok(Some(&stored)), convert(&text, &media_type, base).as_ref().map(Option::as_ref));
    check(&stored.text, &stored.media_type, &choice);
}

fn parts(input: &[u8]) -> Option<(Choice, &[u8])> {
    let (head, document) = input.split_first_chunk::<4>()?;
    Some((Choice::new(*head), document))
}

/// Splits a text with small limits and with the default ones.
fn check(text: &str, media_type: &MediaType, choice: &Choice) {
    for limits in [choice.limits, ChunkLimits::CHARACTERS] {
        let title = Some("The title");
        let options = SplitOptions { title, overlap: choice.overlap, ..SplitOptions::new(limits) };
        let once = split(text, media_type, &options, &Characters).expect("the limits are in order");
        assert_eq!(find_violation(text, &once.chunks, limits, &Characters), None, "by {limits:?}");
        assert_eq!(find_repeated_section(media_type, &once.chunks), None, "by {limits:?}");
        let again = split(text, media_type, &options, &Characters);
        assert!(again.as_ref() == Ok(&once), "different chunks the second time, by {limits:?}");
    }
}
