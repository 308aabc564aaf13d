/*!
The recall of strategies at the budgets of plain search.

The rows of a table are plain search for each requested way of making chunks, and every preset over the chunks of the
first way, for each share of the budget that hits may take first (see `shares`). Each table compares all rows with
plain search over the chunks of one way.

The sets are for tuning. The best of many rows is better than it would be on other questions, so a row does not prove
the choice that it led to.
*/

use passage_core::strategy::PRESETS;
use passage_split::MediaType;

use super::report::title;
use super::score::{Filling, fill, recall};
use super::search::RankedSet;
use super::set::Set;
use super::shares::{Share, returned};
use super::store::Store;
use super::table::{BUDGETS, Comparison, MethodRecalls};

/// The shares of the budget for hits, before a strategy adds context.
const SHARES: [Share; 5] =
    [Share::All, Share::Percent(75), Share::Percent(50), Share::Percent(25), Share::Whole];

/// Measures plain search over all ways of making chunks, and strategies over the first one.
pub fn compare(set: &Set, searched: &[RankedSet], filling: Filling) -> Comparison {
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

/// Measures plain search: the nearest chunks that fit.
pub fn plain(set: &Set, searched: &RankedSet, filling: Filling) -> MethodRecalls {
    let recalls = BUDGETS.map(|budget| {
        let question_recall = |(question, ranked): (usize, &Vec<usize>)| {
            let passages = ranked.iter().map(|index| &searched.chunks[*index].passage);
            recall(
                &set.questions[question].answer,
                fill(passages, |one| one.tokens, budget, filling),
            )
        };
        searched.ranked.iter().enumerate().map(question_recall).collect()
    });
    MethodRecalls { name: format!("plain, {}", searched.configuration), recalls: recalls.into() }
}

fn expanded(
    set: &Set,
    searched: &RankedSet,
    store: &Store,
    preset: &str,
    share: Share,
) -> MethodRecalls {
    let recalls = BUDGETS.map(|budget| {
        let question_recall = |(question, ranked): (usize, &Vec<usize>)| {
            let returned = returned(store, ranked, preset, share, budget);
            let spent = returned.iter().map(|passage| passage.tokens).sum::<usize>();
            assert!(spent <= budget, "{preset}, {share}: {spent} of {budget} are spent");
            recall(&set.questions[question].answer, &returned)
        };
        searched.ranked.iter().enumerate().map(question_recall).collect()
    });
    MethodRecalls { name: format!("`{preset}`, {share}"), recalls: recalls.into() }
}
