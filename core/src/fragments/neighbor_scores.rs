/*!
What a chunk is worth for what stands beside it.

Chunks are cut by size, so an answer often lies across two of them, or goes on in a paragraph that has
none of the words. So each chunk gets a part of what its better neighbour in the section is worth, and
what goes on beside the best comes before what is middling elsewhere. The part is small: where answers
are single sentences, more fragments are worth more than longer ones.
*/

use super::text_run::SourceChunk;

/// How much of its neighbour's worth a chunk gets.
const SHARE: f64 = 0.2;

/// Adds to the worth of each piece a part of that of its better neighbour; pieces come in the order
/// of their documents. A piece that is worth nothing, and beside nothing, is not listed. The best
/// come first.
pub fn add_neighbor_scores(pieces: &[SourceChunk], worth: &[Option<f64>]) -> Vec<(usize, f64)> {
    let spread = |place: usize| {
        let before = place.checked_sub(1).filter(|before| goes_on(pieces, *before));
        let after = Some(place + 1).filter(|_| goes_on(pieces, place));
        let beside = before.into_iter().chain(after).filter_map(|beside| worth[beside]);
        let near = beside.fold(0.0, f64::max);
        let own = worth[place];
        (own.is_some() || near > 0.0).then(|| (place, own.unwrap_or_default() + SHARE * near))
    };
    let mut spread: Vec<_> = (0..pieces.len()).filter_map(spread).collect();
    spread.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    spread
}

/// Tells whether the section of a piece goes on in the next one.
fn goes_on(pieces: &[SourceChunk], place: usize) -> bool {
    let Some([piece, next]) = pieces.get(place..place + 2) else { return false };
    let adjacent =
        piece.ordinal.zip(next.ordinal).is_some_and(|(one, next)| one.abs_diff(next) == 1);
    adjacent && piece.document == next.document && piece.section == next.section
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places in order of pieces, each with a document, an ordinal and a section.
    fn order(pieces: &[(usize, i32, i64)], worth: &[Option<f64>]) -> Vec<usize> {
        let piece = |&(document, ordinal, section): &_| SourceChunk {
            document,
            ordinal: Some(ordinal),
            content: "".into(),
            span: None,
            first_line: None,
            tokens: 1,
            section: Some(section),
            continues: [false; 2],
        };
        let pieces: Vec<_> = pieces.iter().map(piece).collect();
        add_neighbor_scores(&pieces, worth).into_iter().map(|(place, _)| place).collect()
    }

    #[test]
    fn what_goes_on_beside_the_best_comes_before_what_is_middling_elsewhere() {
        let pieces = [(0, 3, 0), (0, 4, 0), (0, 5, 0), (0, 7, 0)];
        assert_eq!(order(&pieces, &[None, Some(1.0), None, Some(0.1)]), [1, 0, 2, 3]);
        assert_eq!(order(&pieces, &[None, Some(1.0), None, Some(0.3)]), [1, 3, 0, 2]);
    }

    #[test]
    fn neither_another_section_nor_another_document_goes_on() {
        let pieces = [(0, 3, 0), (0, 4, 1), (1, 5, 1), (1, 7, 1)];
        assert_eq!(order(&pieces, &[None, Some(1.0), None, None]), [1]);
        assert_eq!(order(&pieces, &[None, None, Some(1.0), None]), [2]);
    }
}
