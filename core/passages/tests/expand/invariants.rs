//! Invariants of expansion for any document, any hits and any strategy.

use super::memory::{Store, passages, preset};
use passage_core::Strategy;
use passage_core::expand::{Budget, Hit, Role, Rule};
use passage_core::strategy::{Siblings, Within};
use passage_split::section::{self, Section, is_ancestor};
use proptest::prelude::{Strategy as Generator, any, prop, prop_assert, prop_assert_eq, proptest};
use std::collections::HashSet;

fn any_section() -> impl Generator<Value = Section> {
    prop::collection::vec("[ab]", 0..4)
}

fn any_strategy() -> impl Generator<Value = Strategy> {
    let name = prop::sample::select(vec![
        "none",
        "adjacent",
        "broad",
        "reassembly",
        "section",
        "hierarchical",
        "merge",
        "document",
    ]);
    (name, prop::option::of(0u32..4), any::<bool>(), 0u32..3).prop_map(
        |(name, parents, own, within)| {
            let mut strategy = preset(name);
            strategy.relatives.parents = parents.unwrap_or(strategy.relatives.parents);
            if own {
                strategy.relatives.siblings = Siblings::Section;
            }
            strategy.within = [Within::Document, Within::Parent, Within::Section][within as usize];
            strategy
        },
    )
}

proptest! {
    #[test]
    fn context_satisfies_its_invariants(
        documents in prop::collection::vec(prop::collection::vec(any_section(), 1..14), 1..3),
        positions in prop::collection::vec((0usize..3, 0usize..14, 0usize..3), 1..5),
        strategy in any_strategy(),
        max_tokens in prop::option::of(0u32..120),
        max_chunks in prop::option::of(0u32..12),
        max_distance in prop::option::of(0u32..5),
    ) {
        let store = Store::of(documents);
        let mut seen = HashSet::new();
        let mut hits: Vec<Hit> = positions
            .iter()
            .map(|(document, ordinal, score_rank)| {
                let document = document % store.documents.len();
                store.hit((document, ordinal % store.documents[document].len()), *score_rank, &strategy)
            })
            .filter(|hit| seen.insert(hit.chunk))
            .collect();
        hits.sort_by_key(|hit| hit.score_rank);
        let budget = Budget { max_tokens, max_chunks, ..Budget::default() };
        let (rows, selection) = store.expand(&hits, budget);

        // Each hit is returned once, whatever the budget.
        let of_role = |role| selection.chunks.iter().filter(move |selected| selected.role == role);
        prop_assert_eq!(of_role(Role::Hit).count(), hits.len());
        let chunks: HashSet<_> = selection.chunks.iter().map(|selected| rows[selected.row].chunk).collect();
        prop_assert_eq!(chunks.len(), selection.chunks.len());
        let context = selection.chunks.len() - hits.len();
        if let Some(max) = max_tokens {
            prop_assert!(context == 0 || selection.chunks.len() * 10 <= max as usize);
        }
        if let Some(max) = max_chunks {
            prop_assert!(context == 0 || selection.chunks.len() <= max as usize);
        }

        // Each chunk has the relation that its role names.
        for selected in &selection.chunks {
            let hit = &hits[selected.hit];
            let (document, ordinal) = Store::position(rows[selected.row].chunk);
            let section = &store.documents[document][ordinal].section;
            let own = hit.section.as_ref().unwrap();
            let distance = ordinal as i32 - hit.ordinal.unwrap();
            prop_assert_eq!(document, Store::position(hit.chunk).0);
            prop_assert_eq!(selected.distance, distance);
            match selected.role {
                Role::Hit => prop_assert_eq!(distance, 0),
                Role::Parent | Role::Ancestor => prop_assert!(
                    distance < 0 && (is_ancestor(section, own) || section.len() <= own.len())
                ),
                Role::Preceding => prop_assert!(distance < 0 && section.len() == own.len()),
                Role::Following => prop_assert!(distance > 0 && section.len() == own.len()),
                Role::Child => prop_assert!(distance > 0 && section::parent(section) == Some(own)),
                // A chunk that fills a gap may be far from the hit whose section was merged.
                Role::Adjacent => {
                    prop_assert!(distance.unsigned_abs() <= 3 || selected.rule == Rule::Gap);
                }
                Role::Section => {}
                Role::Linked => prop_assert!(false, "no links are read"),
            }
        }

        // Each chunk is in one passage, and each passage has a hit.
        let passages = passages(&hits, &rows, &selection, max_distance);
        let mut parted: Vec<_> = passages.iter().flat_map(|passage| passage.chunks.clone()).collect();
        parted.sort_unstable();
        prop_assert_eq!(parted, (0..selection.chunks.len()).collect::<Vec<_>>());
        prop_assert!(passages.iter().all(|passage| !passage.hits.is_empty()));
        let best: Vec<_> = passages.iter().map(|passage| hits[passage.hits[0]].score_rank).collect();
        prop_assert!(best.is_sorted());
        if max_distance.is_none() {
            let documents: HashSet<_> = hits.iter().map(|hit| hit.document).collect();
            prop_assert_eq!(passages.len(), documents.len());
        }
    }

    #[test]
    fn a_larger_budget_only_adds(
        sections in prop::collection::vec(any_section(), 1..14),
        ordinal in 0usize..14,
        strategy in any_strategy(),
        tokens in 0u32..150,
    ) {
        let store = Store::of(vec![sections]);
        let hits = [store.hit((0, ordinal % store.documents[0].len()), 0, &strategy)];
        let kept = |max_tokens| {
            let (rows, selection) = store.expand(&hits, Budget { max_tokens, ..Budget::default() });
            selection.chunks.iter().map(|selected| rows[selected.row].chunk).collect::<HashSet<_>>()
        };
        prop_assert!(kept(Some(tokens)).is_subset(&kept(Some(tokens + 10))));
        prop_assert!(kept(Some(tokens)).is_subset(&kept(None)));
    }
}
