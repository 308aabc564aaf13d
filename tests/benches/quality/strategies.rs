/*!
What strategies bring back, at the same budgets as plain search.

The rows of a table are plain search, for each way of making chunks that was asked for, and every
preset over the chunks of the first one, for each share of the budget that hits may take before (see
`shares`). All are compared with plain search over the chunks of each way, one table for each.

The sets are there to tune on. Of many rows the best is better than it would be on other questions,
so a row is no proof of what it was chosen for.
*/

use passage_core::MediaType;
use passage_core::strategy::PRESETS;

use super::report::title;
use super::score::{Filling, fill, recall};
use super::search::Searched;
use super::set::Set;
use super::shares::{Share, returned};
use super::store::Store;
use super::table::{BUDGETS, Comparison, Row};

/// What hits may take of them before a strategy adds to them.
const SHARES: [Share; 5] =
    [Share::All, Share::Percent(75), Share::Percent(50), Share::Percent(25), Share::Whole];

/// Measures plain search over all chunks that there are, and strategies over the first ones.
pub fn compare(set: &Set, searched: &[Searched], filling: Filling) -> Comparison {
    let mut rows: Vec<_> = searched.iter().map(|one| plain(set, one, filling)).collect();
    if let Some(first) = searched.first() {
        let media_type = |name: &str| MediaType::from_path(name).unwrap_or(MediaType::PLAIN);
        let media_types: Vec<_> =
            set.documents.iter().map(|document| media_type(&document.name)).collect();
        let store = Store::new(&first.chunks, &media_types);
        for preset in &PRESETS {
            rows.extend(SHARES.map(|share| expanded(set, first, &store, preset.name, share)));
        }
    }
    Comparison { title: title(set), yardsticks: searched.len(), rows }
}

/// Plain search: the nearest chunks that fit.
pub fn plain(set: &Set, searched: &Searched, filling: Filling) -> Row {
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
