//! The order of the sections of a document whose offsets begin again in each section.

use passage_split::interrupt;
use std::collections::{HashMap, HashSet};

/// A row of a document, as a framework stores it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OffsetRow {
    /// The page.
    pub page: Option<i64>,
    /// A hash of the titles.
    pub section: i64,
    /// The place in the document, or in its section.
    pub offset: Option<i64>,
    /// A hash of the text.
    pub text: i32,
}

/// Returns for each row the place of its run, where a run is a section whose rows follow each other by offset.
///
/// Rows are given in the order of their arrival. If no two sections of a page share an offset, the offsets count
/// through the document, and all rows are in run 0. Otherwise runs are ordered by page, then by the arrival of
/// their first row. A row whose offset is already taken begins another run of its section: the titles came again
/// in the document. A row with equal offset and text is a copy and joins the run of the first one. A row
/// without an offset is a run of its own.
///
/// ```
/// use passage_core::section_runs::{OffsetRow, section_runs};
///
/// let row = |section, offset| OffsetRow { section, offset: Some(offset), ..OffsetRow::default() };
/// assert_eq!(section_runs(&[row(1, 0), row(1, 700), row(2, 0), row(1, 300)]), [0, 0, 1, 0]);
/// assert_eq!(section_runs(&[row(1, 0), row(1, 700), row(2, 900)]), [0, 0, 0]);
/// ```
pub fn section_runs(rows: &[OffsetRow]) -> Vec<usize> {
    if !restarts(rows) {
        return vec![0; rows.len()];
    }
    let mut pages = Vec::new();
    let mut begin = |page| {
        pages.push(page);
        pages.len() - 1
    };
    let mut latest: HashMap<_, usize> = HashMap::new();
    let mut taken = HashSet::new();
    let mut copies = HashMap::new();
    let mut runs = Vec::with_capacity(rows.len());
    for (round, row) in rows.iter().enumerate() {
        interrupt::poll_periodically(round);
        let section = (row.page, row.section);
        let run = match row.offset {
            None => begin(row.page),
            Some(offset) => *copies.entry((section, offset, row.text)).or_insert_with(|| {
                let run = latest
                    .get(&section)
                    .copied()
                    .filter(|run| !taken.contains(&(*run, offset)))
                    .unwrap_or_else(|| begin(row.page));
                latest.insert(section, run);
                taken.insert((run, offset));
                run
            }),
        };
        runs.push(run);
    }
    let mut order: Vec<usize> = (0..pages.len()).collect();
    order.sort_by_key(|run| (pages[*run].is_none(), pages[*run], *run));
    let mut places = vec![0; pages.len()];
    for (place, run) in order.into_iter().enumerate() {
        places[run] = place;
    }
    runs.into_iter().map(|run| places[run]).collect()
}

/// Returns whether two sections of a page share an offset.
fn restarts(rows: &[OffsetRow]) -> bool {
    let mut sections = HashMap::new();
    rows.iter().enumerate().any(|(round, row)| {
        interrupt::poll_periodically(round);
        row.offset.is_some_and(|offset| {
            *sections.entry((row.page, offset)).or_insert(row.section) != row.section
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(section: i64, offset: i64, text: i32) -> OffsetRow {
        OffsetRow { page: None, section, offset: Some(offset), text }
    }

    #[test]
    fn a_late_row_joins_its_section() {
        let rows = [row(1, 0, 9), row(2, 0, 8), row(2, 90, 7), row(1, 40, 6), row(2, 50, 5)];
        assert_eq!(section_runs(&rows), [0, 1, 1, 0, 1]);
    }

    #[test]
    fn titles_that_come_again_are_another_run() {
        let rows = [row(1, 0, 9), row(1, 90, 9), row(2, 0, 8), row(1, 0, 7), row(1, 80, 6)];
        assert_eq!(section_runs(&rows), [0, 0, 1, 2, 2]);
    }

    #[test]
    fn copies_join_the_run_of_the_first_row() {
        let rows = [row(1, 0, 9), row(1, 90, 8), row(2, 0, 7), row(1, 0, 9), row(1, 90, 8)];
        assert_eq!(section_runs(&rows), [0, 0, 1, 0, 0]);
    }

    #[test]
    fn copies_within_one_section_are_no_restart() {
        assert_eq!(section_runs(&[row(1, 0, 9), row(2, 90, 8), row(1, 0, 7)]), [0, 0, 0]);
    }

    #[test]
    fn pages_are_in_the_order_of_their_numbers() {
        let page = |page, row| OffsetRow { page, ..row };
        let rows = [
            page(None, row(1, 0, 9)),
            page(Some(2), row(1, 0, 9)),
            page(Some(1), row(1, 0, 9)),
            page(Some(1), row(2, 0, 9)),
        ];
        assert_eq!(section_runs(&rows), [3, 2, 0, 1]);
        assert_eq!(section_runs(&rows[..3]), [0, 0, 0]);
    }

    #[test]
    fn a_row_without_an_offset_keeps_its_arrival() {
        let unknown = OffsetRow { section: 1, text: 9, ..OffsetRow::default() };
        let rows = [row(1, 0, 9), row(2, 0, 9), unknown, row(3, 0, 9), unknown];
        assert_eq!(section_runs(&rows), [0, 1, 2, 3, 4]);
        assert_eq!(section_runs(&[unknown, unknown]), [0, 0]);
        assert_eq!(section_runs(&[]), Vec::<usize>::new());
    }
}
