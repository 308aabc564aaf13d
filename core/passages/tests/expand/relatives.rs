//! Parents, siblings, children, windows and sections of a hit.

use super::memory::{Store, preset, relatives};
use passage_core::Strategy;
use passage_core::expand::Role;
use passage_core::strategy::{Siblings, Window, Within};

#[test]
fn a_parent_merged_into_its_first_child_is_that_child() {
    let store = Store::one(&[&["A", "B"], &["A", "C"], &["A", "D"]]);
    let parents = relatives(|own| own.parents = 1);
    assert_eq!(store.context(2, &parents), [(Role::Parent, 0), (Role::Hit, 2)]);
    // The first child itself has no parent before it.
    assert_eq!(store.context(0, &parents), [(Role::Hit, 0)]);
}

#[test]
fn a_parent_is_one_level_up_or_at_the_root() {
    let store = Store::one(&[&[], &["A"], &["B", "C", "D"], &["B", "C", "E"], &["F"]]);
    let parents = relatives(|own| own.parents = 1);
    assert_eq!(store.context(2, &parents), [(Role::Parent, 0), (Role::Hit, 2)]);
    assert_eq!(store.context(4, &parents), [(Role::Parent, 0), (Role::Hit, 4)]);
    assert_eq!(store.context(0, &parents), [(Role::Hit, 0)]);
}

#[test]
fn ancestors_follow_the_parent() {
    let store = Store::one(&[&[], &["A"], &["A", "B"], &["A", "B", "C"]]);
    let parents = relatives(|own| own.parents = 2);
    let expected = [(Role::Ancestor, 1), (Role::Parent, 2), (Role::Hit, 3)];
    assert_eq!(store.context(3, &parents), expected);
}

#[test]
fn siblings_may_be_limited_to_the_same_section() {
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
fn the_siblings_of_a_release_are_in_it() {
    let store = Store::one(&[&["1.3.0"], &["1.2.0"], &["1.2.0"], &["1.1.0"], &["Introduction"]]);
    let siblings = relatives(|own| (own.preceding, own.following) = (5, 5));
    let ordinals =
        |hit| store.context(hit, &siblings).iter().map(|(_, ordinal)| *ordinal).collect::<Vec<_>>();
    assert_eq!(ordinals(1), [1, 2]);
    // Other sections have all their siblings.
    assert_eq!(ordinals(4), [0, 1, 2, 3, 4]);
}

#[test]
fn a_window_stays_within_its_bounds() {
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
fn a_section_is_returned_as_far_as_it_is_contiguous() {
    let store = Store::one(&[&["A"], &["B"], &["B", "C"], &["B"], &["D"], &["B"]]);
    let ordinals: Vec<_> =
        store.context(2, &preset("section")).iter().map(|(_, ordinal)| *ordinal).collect();
    assert_eq!(ordinals, [2]);
    let ordinals: Vec<_> =
        store.context(1, &preset("section")).iter().map(|(_, ordinal)| *ordinal).collect();
    assert_eq!(ordinals, [1, 2, 3]);
}
