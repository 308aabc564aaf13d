/*!
Recall: the share of the wanted text that was returned.

The benchmarks of the project and `passage eval` both use it, so that their figures mean the same.
*/

use std::ops::Range;

/// Returns the share of the wanted bytes that are in a returned range, from 0 to 1. It is exactly 1 if all are. The returned
/// ranges may have any order and overlap; the wanted ones must not overlap. Without a wanted byte it is 0.
///
/// # Examples
///
/// ```
/// use passage::eval::share;
///
/// assert_eq!(share(&[100..200], &[150..160, 155..300]), 0.5);
/// ```
pub fn share(wanted: &[Range<usize>], returned: &[Range<usize>]) -> f64 {
    let bytes: usize = wanted.iter().map(ExactSizeIterator::len).sum();
    let returned: usize = wanted.iter().map(|range| covered(range, returned)).sum();
    returned as f64 / bytes.max(1) as f64
}

/// Counts the bytes of a range that are in any of the others.
fn covered(range: &Range<usize>, others: &[Range<usize>]) -> usize {
    let clip = |other: &Range<usize>| other.start.max(range.start)..other.end.min(range.end);
    let mut parts: Vec<_> = others.iter().map(clip).collect();
    parts.sort_by_key(|part| part.start);
    let (mut bytes, mut end) = (0, range.start);
    for part in parts {
        bytes += part.end.saturating_sub(part.start.max(end));
        end = end.max(part.end);
    }
    bytes
}

/// Returns the mean of figures, 0 without any.
pub fn mean(figures: &[f64]) -> f64 {
    figures.iter().sum::<f64>() / figures.len().max(1) as f64
}

/// Returns for each recall whether the answer is complete: 1 or 0.
pub fn completeness(recalls: &[f64]) -> Vec<f64> {
    recalls.iter().map(|recall| f64::from(*recall >= 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranges() -> impl Strategy<Value = Vec<Range<usize>>> {
        prop::collection::vec((0_usize..60, 0_usize..20), 0..8).prop_map(|pairs| {
            pairs.into_iter().map(|(start, length)| start..start + length).collect()
        })
    }

    #[test]
    fn means_and_complete_answers_are_counted() {
        assert!((mean(&[0.0, 0.5, 1.0]) - 0.5).abs() < 1e-12 && mean(&[]) == 0.0);
        assert_eq!(completeness(&[0.0, 0.999, 1.0]), [0.0, 0.0, 1.0]);
    }

    proptest! {
        #[test]
        fn the_share_is_that_of_a_count_byte_by_byte(start in 0_usize..60, length in 0_usize..30, returned in ranges()) {
            let wanted = [start..start + length, 90..95];
            let bytes: Vec<usize> = wanted.iter().flat_map(Clone::clone).collect();
            let held = bytes.iter().filter(|byte| returned.iter().any(|range| range.contains(byte)));
            let expected = held.count() as f64 / bytes.len() as f64;
            prop_assert!((share(&wanted, &returned) - expected).abs() < 1e-12);
        }

        #[test]
        fn more_text_never_lowers_the_share(returned in ranges(), more in ranges()) {
            let all = [returned.clone(), more].concat();
            let wanted = [10..30, 40..50];
            prop_assert!(share(&wanted, &all) >= share(&wanted, &returned));
            prop_assert!(share(&wanted, &[vec![0..20, 20..100], all].concat()) >= 1.0);
        }
    }
}
