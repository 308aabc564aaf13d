//! Expansion over documents that lie in memory: the seeds' examples, then what holds for any.

use passage_core::expand::{Budget, Choice, Details, Hit, Plan, Probe, Role, Row, Shape};
use passage_core::expand::{choose, plan};
use passage_core::key::section_key;
use passage_core::reassemble::{Joining, OrderBy, Passage, ScoreBy, reassemble};
use passage_core::section::{Section, is_ancestor};
use passage_core::strategy::{Relatives, Siblings, Window, Within};
use passage_core::{Strategy, section};
use proptest::prelude::{Strategy as Generator, any, prop, prop_assert, prop_assert_eq, proptest};
use std::collections::HashSet;
use uuid::Uuid;

/// Documents as lists of sections; a chunk's place in its list is its ordinal.
struct Store(Vec<Vec<Section>>);

impl Store {
    fn one(sections: &[&[&str]]) -> Self {
        Self(vec![sections.iter().map(|section| titles(section)).collect()])
    }

    fn id(document: usize, ordinal: usize) -> Uuid {
        Uuid::from_u64_pair(document as u64 + 1, ordinal as u64 + 1)
    }

    fn place(id: Uuid) -> (usize, usize) {
        let (document, ordinal) = id.as_u64_pair();
        (document as usize - 1, ordinal as usize - 1)
    }

    fn hit<'a>(&self, at: (usize, usize), class: usize, strategy: &'a Strategy) -> Hit<'a> {
        Hit {
            chunk: Self::id(at.0, at.1),
            document: Self::id(at.0, 999),
            ordinal: Some(at.1 as i32),
            section: Some(self.0[at.0][at.1].clone()),
            kind: None,
            unit: None,
            containers: Vec::new(),
            json: false,
            class,
            strategy,
        }
    }

    /// Answers a probe the slow way, from its description alone.
    fn answer(&self, probe: &Probe) -> Vec<usize> {
        let document = &self.0[Self::place(probe.document).0];
        let in_span = |i: &usize| (probe.first..=probe.last).contains(&(*i as i32));
        let own = |section: &Section| {
            (0..document.len()).filter(in_span).filter(|i| document[*i] == *section).collect()
        };
        let children = |parent: &Section| {
            (0..document.len())
                .filter(in_span)
                .filter(|i| section::parent(&document[*i]) == Some(parent))
                .collect()
        };
        let most = probe.limit as usize;
        let first = |found: Vec<usize>| found.into_iter().take(most).collect();
        let last = |found: Vec<usize>| found.into_iter().rev().take(most).collect();
        match probe.shape {
            Shape::Range => (0..document.len()).filter(in_span).collect(),
            Shape::SectionForward => first(own(&probe.section)),
            Shape::SectionBackward => last(own(&probe.section)),
            Shape::ParentForward => first(children(&probe.section)),
            Shape::ParentBackward => last(children(&probe.section)),
            Shape::Ancestors => {
                assert_eq!(probe.keys.len(), probe.section.len() + 1);
                let levels = (0..=probe.section.len()).rev().filter_map(|depth| {
                    let above = probe.section[..depth].to_vec();
                    assert_eq!(probe.keys[probe.section.len() - depth], section_key(&above));
                    own(&above)
                        .pop()
                        .or_else(|| children(&above).into_iter().next().filter(|_| depth > 0))
                });
                levels.take(most).collect()
            }
            Shape::Inside => {
                let inside = |i: &usize| document[*i].starts_with(&probe.section);
                let (from, to) = (probe.first as usize, probe.last as usize);
                let before = (0..from).rev().take(most).take_while(inside).count();
                let after = (to + 1..document.len()).take(most).take_while(inside).count();
                (from.saturating_sub(before + 1)..=to + after + 1)
                    .filter(|i| *i < document.len())
                    .collect()
            }
        }
    }

    fn read(&self, hits: &[Hit], plan: &Plan) -> Vec<Row> {
        let row = |probe, (document, ordinal)| Row {
            probe,
            chunk: Self::id(document, ordinal),
            ordinal: Some(ordinal as i32),
            tokens: 10,
            below: None,
        };
        let mut rows: Vec<Row> = hits.iter().map(|hit| row(None, Self::place(hit.chunk))).collect();
        for (i, probe) in plan.probes.iter().enumerate() {
            let document = Self::place(probe.document).0;
            for ordinal in self.answer(probe) {
                let titles = &self.0[document][ordinal];
                let is_inside = probe.shape == Shape::Inside && titles.starts_with(&probe.section);
                let below = is_inside.then(|| (titles.len() - probe.section.len()) as u32);
                rows.push(Row { below, ..row(Some(i), (document, ordinal)) });
            }
        }
        rows
    }

    fn expand(&self, hits: &[Hit], budget: Budget) -> (Vec<Row>, Choice) {
        let plan = plan(hits, false);
        let rows = self.read(hits, &plan);
        let choice = choose(hits, &plan, &rows, &Sections(self, &rows), budget, false);
        (rows, choice)
    }

    /// The context of one hit: roles with ordinals.
    fn context(&self, ordinal: usize, strategy: &Strategy) -> Vec<(Role, usize)> {
        let hits = [self.hit((0, ordinal), 0, strategy)];
        let (rows, choice) = self.expand(&hits, Budget::default());
        let ordinal = |row: usize| rows[row].ordinal.unwrap() as usize;
        choice.picks.iter().map(|pick| (pick.role, ordinal(pick.row))).collect()
    }
}

struct Sections<'a>(&'a Store, &'a [Row]);

impl Details for Sections<'_> {
    fn titles(&self, row: usize) -> Section {
        let (document, ordinal) = Store::place(self.1[row].chunk);
        self.0.0[document][ordinal].clone()
    }

    fn content(&self, row: usize) -> String {
        self.titles(row).join(" ")
    }

    fn imports(&self, _row: usize) -> Vec<String> {
        Vec::new()
    }
}

fn passages(
    hits: &[Hit],
    rows: &[Row],
    choice: &Choice,
    max_distance: Option<u32>,
) -> Vec<Passage> {
    let joining = Joining { max_distance, score_by: ScoreBy::Max, order_by: OrderBy::Score };
    reassemble(hits, &vec![None; hits.len()], rows, choice, &joining)
}

/// A strategy with some relatives and nothing else.
fn relatives(change: impl Fn(&mut Relatives)) -> Strategy {
    let mut strategy = preset("none");
    change(&mut strategy.relatives);
    strategy
}

fn titles(section: &[&str]) -> Section {
    section.iter().map(ToString::to_string).collect()
}

fn preset(name: &str) -> Strategy {
    Strategy::preset(name).unwrap()
}

/// The guide of seeds 000 and 004.
fn guide() -> Store {
    Store::one(&[
        &["Guide"],
        &["Guide", "Installation"],
        &["Guide", "Installation", "Prerequisites"],
        &["Guide", "Installation", "Steps"],
        &["Guide", "Installation", "Steps", "Step1"],
        &["Guide", "Installation", "Configuration"],
        &["Guide", "Use"],
    ])
}

#[test]
fn seed_000_example_1_simple_hierarchical_expansion() {
    use Role::{Child, Following, Hit, Parent, Preceding};
    let expected = [(Parent, 1), (Preceding, 2), (Hit, 3), (Child, 4), (Following, 5)];
    for strategy in ["auto", "broad", "reassembly"] {
        assert_eq!(guide().context(3, &preset(strategy)), expected);
    }
}

#[test]
fn seed_000_example_2_two_hits_of_a_document_share_their_context() {
    let (guide, broad) = (guide(), preset("broad"));
    let hits = [guide.hit((0, 2), 0, &broad), guide.hit((0, 5), 1, &broad)];
    let (rows, choice) = guide.expand(&hits, Budget::default());
    let ordinals: Vec<_> = choice.picks.iter().map(|pick| rows[pick.row].ordinal).collect();
    assert_eq!(ordinals, [1, 2, 3, 5].map(Some));
    let passages = passages(&hits, &rows, &choice, Some(3));
    assert_eq!(passages.len(), 1);
    assert_eq!(passages[0].hits, [0, 1]);
}

#[test]
fn seed_000_example_3_each_document_is_a_passage_of_its_own() {
    let store = Store(vec![guide().0.remove(0), guide().0.remove(0)]);
    let broad = preset("broad");
    let hits = [store.hit((1, 3), 0, &broad), store.hit((0, 3), 1, &broad)];
    let (rows, choice) = store.expand(&hits, Budget::default());
    let passages = passages(&hits, &rows, &choice, None);
    assert_eq!(passages.iter().map(|passage| passage.hits.clone()).collect::<Vec<_>>(), [[0], [1]]);
}

#[test]
fn a_parent_that_was_merged_into_its_first_child_is_that_child() {
    let store = Store::one(&[&["A", "B"], &["A", "C"], &["A", "D"]]);
    let parents = relatives(|own| own.parents = 1);
    assert_eq!(store.context(2, &parents), [(Role::Parent, 0), (Role::Hit, 2)]);
    // The first child itself has no parent before it.
    assert_eq!(store.context(0, &parents), [(Role::Hit, 0)]);
}

#[test]
fn a_parent_is_looked_for_one_level_up_and_at_the_root() {
    let store = Store::one(&[&[], &["A"], &["B", "C", "D"], &["B", "C", "E"], &["F"]]);
    let parents = relatives(|own| own.parents = 1);
    assert_eq!(store.context(2, &parents), [(Role::Parent, 0), (Role::Hit, 2)]);
    assert_eq!(store.context(4, &parents), [(Role::Parent, 0), (Role::Hit, 4)]);
    assert_eq!(store.context(0, &parents), [(Role::Hit, 0)]);
}

#[test]
fn beyond_the_parent_come_ancestors() {
    let store = Store::one(&[&[], &["A"], &["A", "B"], &["A", "B", "C"]]);
    let parents = relatives(|own| own.parents = 2);
    let expected = [(Role::Ancestor, 1), (Role::Parent, 2), (Role::Hit, 3)];
    assert_eq!(store.context(3, &parents), expected);
}

#[test]
fn siblings_may_be_those_of_the_same_section_alone() {
    let store = Store::one(&[&["A", "X"], &["A", "B"], &["A", "B"], &["A", "B"], &["A", "C"]]);
    let both = relatives(|own| (own.preceding, own.following) = (5, 5));
    let ordinals = |strategy: &Strategy| {
        store.context(2, strategy).iter().map(|(_, ordinal)| *ordinal).collect::<Vec<_>>()
    };
    assert_eq!(ordinals(&both), [0, 1, 2, 3, 4]);
    let mut own = both;
    own.relatives.siblings = Siblings::Section;
    assert_eq!(ordinals(&own), [1, 2, 3]);
}

#[test]
fn a_window_stays_within_what_bounds_it() {
    let store =
        Store::one(&[&["A"], &["A", "B"], &["A", "B"], &["A", "B", "C"], &["A", "D"], &["E"]]);
    let ordinals = |within| {
        let (before, after) = (Window::uniform(2), Window::uniform(3));
        let strategy = Strategy { within, before, after, ..preset("none") };
        store.context(2, &strategy).iter().map(|(_, ordinal)| *ordinal).collect::<Vec<_>>()
    };
    assert_eq!(ordinals(Within::Document), [0, 1, 2, 3, 4, 5]);
    assert_eq!(ordinals(Within::Parent), [0, 1, 2, 3, 4]);
    assert_eq!(ordinals(Within::Section), [1, 2, 3]);
}

#[test]
fn a_section_comes_as_far_as_it_goes_on() {
    let store = Store::one(&[&["A"], &["B"], &["B", "C"], &["B"], &["D"], &["B"]]);
    let ordinals: Vec<_> =
        store.context(2, &preset("section")).iter().map(|(_, ordinal)| *ordinal).collect();
    assert_eq!(ordinals, [2]);
    let ordinals: Vec<_> =
        store.context(1, &preset("section")).iter().map(|(_, ordinal)| *ordinal).collect();
    assert_eq!(ordinals, [1, 2, 3]);
}

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
    fn context_keeps_its_promises(
        documents in prop::collection::vec(prop::collection::vec(any_section(), 1..14), 1..3),
        places in prop::collection::vec((0usize..3, 0usize..14, 0usize..3), 1..5),
        strategy in any_strategy(),
        max_tokens in prop::option::of(0u32..120),
        max_chunks in prop::option::of(0u32..12),
        max_distance in prop::option::of(0u32..5),
    ) {
        let store = Store(documents);
        let mut seen = HashSet::new();
        let mut hits: Vec<Hit> = places
            .iter()
            .map(|(document, ordinal, class)| {
                let document = document % store.0.len();
                store.hit((document, ordinal % store.0[document].len()), *class, &strategy)
            })
            .filter(|hit| seen.insert(hit.chunk))
            .collect();
        hits.sort_by_key(|hit| hit.class);
        let budget = Budget { max_tokens, max_chunks };
        let (rows, choice) = store.expand(&hits, budget);

        // Hits first: each comes back, once, whatever the budget.
        let of_role = |role| choice.picks.iter().filter(move |pick| pick.role == role);
        prop_assert_eq!(of_role(Role::Hit).count(), hits.len());
        let chunks: HashSet<_> = choice.picks.iter().map(|pick| rows[pick.row].chunk).collect();
        prop_assert_eq!(chunks.len(), choice.picks.len());
        let context = choice.picks.len() - hits.len();
        if let Some(most) = max_tokens {
            prop_assert!(context == 0 || choice.picks.len() * 10 <= most as usize);
        }
        if let Some(most) = max_chunks {
            prop_assert!(context == 0 || choice.picks.len() <= most as usize);
        }

        // Each chunk is what its role says.
        for pick in &choice.picks {
            let hit = &hits[pick.hit];
            let (document, ordinal) = Store::place(rows[pick.row].chunk);
            let found = &store.0[document][ordinal];
            let own = hit.section.as_ref().unwrap();
            let distance = ordinal as i32 - hit.ordinal.unwrap();
            prop_assert_eq!(document, Store::place(hit.chunk).0);
            prop_assert_eq!(pick.distance, distance);
            match pick.role {
                Role::Hit => prop_assert_eq!(distance, 0),
                Role::Parent | Role::Ancestor => prop_assert!(
                    distance < 0 && (is_ancestor(found, own) || found.len() <= own.len())
                ),
                Role::Preceding => prop_assert!(distance < 0 && found.len() == own.len()),
                Role::Following => prop_assert!(distance > 0 && found.len() == own.len()),
                Role::Child => prop_assert!(distance > 0 && section::parent(found) == Some(own)),
                Role::Adjacent => prop_assert!(distance.unsigned_abs() <= 3),
                Role::Section => {}
            }
        }

        // Passages part the chunks among them, and each has a hit.
        let passages = passages(&hits, &rows, &choice, max_distance);
        let mut parted: Vec<_> = passages.iter().flat_map(|passage| passage.picks.clone()).collect();
        parted.sort_unstable();
        prop_assert_eq!(parted, (0..choice.picks.len()).collect::<Vec<_>>());
        prop_assert!(passages.iter().all(|passage| !passage.hits.is_empty()));
        let best: Vec<_> = passages.iter().map(|passage| hits[passage.hits[0]].class).collect();
        prop_assert!(best.is_sorted());
        if max_distance.is_none() {
            let documents: HashSet<_> = hits.iter().map(|hit| hit.document).collect();
            prop_assert_eq!(passages.len(), documents.len());
        }
    }

    #[test]
    fn a_larger_budget_only_adds(
        sections in prop::collection::vec(any_section(), 1..14),
        place in 0usize..14,
        strategy in any_strategy(),
        tokens in 0u32..150,
    ) {
        let store = Store(vec![sections]);
        let hits = [store.hit((0, place % store.0[0].len()), 0, &strategy)];
        let kept = |max_tokens| {
            let (rows, choice) = store.expand(&hits, Budget { max_tokens, max_chunks: None });
            choice.picks.iter().map(|pick| rows[pick.row].chunk).collect::<HashSet<_>>()
        };
        prop_assert!(kept(Some(tokens)).is_subset(&kept(Some(tokens + 10))));
        prop_assert!(kept(Some(tokens)).is_subset(&kept(None)));
    }
}
