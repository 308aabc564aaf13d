/*!
What strategies bring back, at the same budgets as plain search.

The rows of a table are plain search, for each way of making chunks that was asked for, and every
preset over the chunks of the first one, for each share of the budget that hits may take before (see
`shares`). All are compared with plain search over the chunks of each way, one table for each.

The sets are there to tune on. Of many rows the best is better than it would be on other questions,
so a row is no proof of what it was chosen for.
*/

use std::fmt;

use passage_core::MediaType;
use passage_core::strategy::PRESETS;

use super::report::figures;
use super::score::{Filling, fill, recall};
use super::search::Searched;
use super::set::Set;
use super::shares::{Share, returned};
use super::store::Store;

/// Tokens that may be returned.
const BUDGETS: [usize; 4] = [512, 1_024, 2_048, 4_096];

/// What hits may take of them before a strategy adds to them.
const SHARES: [Share; 5] =
    [Share::All, Share::Percent(75), Share::Percent(50), Share::Percent(25), Share::Whole];

/// One way of returning over all questions of a set.
struct Row {
    name: String,
    /// For each budget, the recall of each question.
    recalls: Vec<Vec<f64>>,
}

/// All ways of returning, those first with which the others are compared.
pub struct Comparison<'a> {
    set: &'a Set,
    yardsticks: usize,
    rows: Vec<Row>,
}

/// Measures plain search over all chunks that there are, and strategies over the first ones.
pub fn compare<'a>(set: &'a Set, searched: &[Searched], filling: Filling) -> Comparison<'a> {
    let mut rows: Vec<_> = searched.iter().map(|one| plain(set, one, filling)).collect();
    if let Some(first) = searched.first() {
        let media_type = |name: &str| MediaType::of_file(name).unwrap_or(MediaType::PLAIN);
        let media_types: Vec<_> =
            set.documents.iter().map(|document| media_type(&document.name)).collect();
        let store = Store::new(&first.chunks, &media_types);
        for preset in &PRESETS {
            rows.extend(SHARES.map(|share| expanded(set, first, &store, preset.name, share)));
        }
    }
    Comparison { set, yardsticks: searched.len(), rows }
}

fn plain(set: &Set, searched: &Searched, filling: Filling) -> Row {
    let recalls = BUDGETS.map(|budget| {
        let of = |(question, ranked): (usize, &Vec<usize>)| {
            let passages = ranked.iter().map(|place| &searched.chunks[*place].passage);
            recall(
                &set.questions[question].wanted,
                fill(passages, |one| one.tokens, budget, filling),
            )
        };
        searched.ranked.iter().enumerate().map(of).collect()
    });
    Row { name: format!("plain, {}", searched.configuration), recalls: recalls.into() }
}

fn expanded(set: &Set, searched: &Searched, store: &Store, preset: &str, share: Share) -> Row {
    let recalls = BUDGETS.map(|budget| {
        let of = |(question, ranked): (usize, &Vec<usize>)| {
            let returned = returned(store, ranked, preset, share, budget);
            let spent = returned.iter().map(|passage| passage.tokens).sum::<usize>();
            assert!(spent <= budget, "{preset}, {share}: {spent} of {budget} are spent");
            recall(&set.questions[question].wanted, &returned)
        };
        searched.ranked.iter().enumerate().map(of).collect()
    });
    Row { name: format!("`{preset}`, {share}"), recalls: recalls.into() }
}

impl fmt::Display for Comparison<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { set, yardsticks, rows } = self;
        let (questions, documents) = (set.questions.len(), set.documents.len());
        for yardstick in 0..*yardsticks {
            let yardstick = &rows[yardstick];
            let name = &yardstick.name;
            writeln!(formatter, "{}: {questions} questions, {documents} documents", set.name)?;
            writeln!(formatter, "differences to {name}\n")?;
            write!(formatter, "| method, share of hits |")?;
            for budget in BUDGETS {
                write!(formatter, " recall {budget} | complete {budget} |")?;
            }
            writeln!(formatter, "\n|---|{}", "---|---|".repeat(BUDGETS.len()))?;
            for row in rows {
                write!(formatter, "| {} |", row.name)?;
                let first = (row.name != *name).then_some(&yardstick.recalls[..]);
                figures(formatter, first, &row.recalls)?;
                writeln!(formatter)?;
            }
            writeln!(formatter)?;
        }
        Ok(())
    }
}
