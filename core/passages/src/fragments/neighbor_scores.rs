/*!
Scores of neighbours: a chunk gains from its better neighbour in the section.

Chunks are cut by size, so an answer may span two of them or continue in a paragraph without the words. So each
chunk gets a share of the score of its better neighbour. The share is small: where answers are single sentences,
more fragments are better than longer ones.

Its twin in SQL is `sql/edition/fragments/select.sql`.
*/

use super::text_run::SourceChunk;

/// The share of the neighbour's score that a chunk gets.
const SHARE: f64 = 0.2;

/// Adds a share of the better neighbour's score to each chunk, and returns indexes and scores, best first.
///
/// `pieces` are in document order. Chunks without a score of their own or of a neighbour are omitted.
pub fn add_neighbor_scores(pieces: &[SourceChunk], scores: &[Option<f64>]) -> Vec<(usize, f64)> {
    let spread = |index: usize| {
        let before = index.checked_sub(1).filter(|before| goes_on(pieces, *before));
        let after = Some(index + 1).filter(|_| goes_on(pieces, index));
        let beside = before.into_iter().chain(after).filter_map(|beside| scores[beside]);
        let near = beside.fold(0.0, f64::max);
        let own = scores[index];
        (own.is_some() || near > 0.0).then(|| (index, own.unwrap_or_default() + SHARE * near))
    };
    let mut spread: Vec<_> = (0..pieces.len()).filter_map(spread).collect();
    spread.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    spread
}

/// Returns whether the next chunk continues the section.
fn goes_on(pieces: &[SourceChunk], index: usize) -> bool {
    let Some([piece, next]) = pieces.get(index..index + 2) else { return false };
    let adjacent =
        piece.ordinal.zip(next.ordinal).is_some_and(|(one, next)| one.abs_diff(next) == 1);
    adjacent && piece.document == next.document && piece.section == next.section
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the order of pieces, each with a document, an ordinal and a section.
    fn order(pieces: &[(usize, i32, i64)], scores: &[Option<f64>]) -> Vec<usize> {
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
        add_neighbor_scores(&pieces, scores).into_iter().map(|(index, _)| index).collect()
    }

    #[test]
    fn neighbours_of_the_best_chunk_rank_before_mediocre_chunks() {
        let pieces = [(0, 3, 0), (0, 4, 0), (0, 5, 0), (0, 7, 0)];
        assert_eq!(order(&pieces, &[None, Some(1.0), None, Some(0.1)]), [1, 0, 2, 3]);
        assert_eq!(order(&pieces, &[None, Some(1.0), None, Some(0.3)]), [1, 3, 0, 2]);
    }

    #[test]
    fn scores_do_not_spread_across_sections_or_documents() {
        let pieces = [(0, 3, 0), (0, 4, 1), (1, 5, 1), (1, 7, 1)];
        assert_eq!(order(&pieces, &[None, Some(1.0), None, None]), [1]);
        assert_eq!(order(&pieces, &[None, None, Some(1.0), None]), [2]);
    }
}
