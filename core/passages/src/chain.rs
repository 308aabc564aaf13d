//! The order of items of which each names the one before it.

use passage_split::interrupt;
use std::collections::HashMap;

/// Returns the place of each item in its chains, one chain after the other.
///
/// A chain begins at an item whose previous one is missing. The first items of chains keep their order, and
/// so do several items after the same one. An item of a circle comes last, in the given order. Of equal
/// ids the first counts.
///
/// ```
/// use passage_core::chain::chain_order;
///
/// let ids = [Some("c"), Some("a"), Some("b")];
/// let previous = [Some("b"), None, Some("a")];
/// assert_eq!(chain_order(&ids, &previous), [2, 0, 1]);
/// ```
pub fn chain_order(ids: &[Option<&str>], previous: &[Option<&str>]) -> Vec<usize> {
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    for (item, id) in ids.iter().enumerate() {
        interrupt::poll_periodically(item);
        if let Some(id) = id {
            by_id.entry(id).or_insert(item);
        }
    }
    let before = |item: usize| {
        let before = by_id.get(previous.get(item).copied().flatten()?)?;
        (*before != item).then_some(*before)
    };
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); ids.len()];
    let mut open = Vec::new();
    for item in 0..ids.len() {
        interrupt::poll_periodically(item);
        match before(item) {
            Some(before) => followers[before].push(item),
            None => open.push(item),
        }
    }
    // The last item of the stack comes next.
    open.reverse();
    let mut places = vec![usize::MAX; ids.len()];
    let mut next = 0;
    while let Some(item) = open.pop() {
        interrupt::poll_periodically(next);
        places[item] = next;
        next += 1;
        open.extend(followers[item].iter().rev());
    }
    for place in places.iter_mut().filter(|place| **place == usize::MAX) {
        *place = next;
        next += 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{catch_unwind, resume_unwind};

    fn order(items: &[(&'static str, &'static str)]) -> Vec<&'static str> {
        let some = |text: &'static str| Some(text).filter(|text| !text.is_empty());
        let ids: Vec<_> = items.iter().map(|(id, _)| some(id)).collect();
        let previous: Vec<_> = items.iter().map(|(_, previous)| some(previous)).collect();
        let mut ordered: Vec<_> = chain_order(&ids, &previous).into_iter().zip(items).collect();
        ordered.sort_by_key(|(place, _)| *place);
        ordered.into_iter().map(|(_, (id, _))| *id).collect()
    }

    #[test]
    fn an_item_follows_the_one_that_it_names() {
        assert_eq!(order(&[("c", "b"), ("b", "a"), ("a", "")]), ["a", "b", "c"]);
    }

    #[test]
    fn chains_keep_the_order_of_their_first_items() {
        assert_eq!(
            order(&[("x", "missing"), ("b", "a"), ("a", ""), ("y", "x")]),
            ["x", "y", "a", "b"]
        );
    }

    #[test]
    fn items_of_a_circle_come_last() {
        assert_eq!(order(&[("a", "b"), ("b", "a"), ("c", ""), ("d", "d")]), ["c", "d", "a", "b"]);
    }

    #[test]
    fn of_equal_ids_the_first_has_followers() {
        assert_eq!(order(&[("a", ""), ("a", ""), ("b", "a"), ("", "")]), ["a", "b", "a", ""]);
    }

    #[test]
    fn a_list_of_previous_ids_may_be_shorter() {
        assert_eq!(chain_order(&[Some("a"), None], &[]), [0, 1]);
    }

    #[test]
    fn a_long_chain_can_be_interrupted() {
        let links: Vec<_> = (0..100_000).map(|link: u32| link.to_string()).collect();
        let links: Vec<_> = links.iter().map(|link| Some(link.as_str())).collect();
        interrupt::register(|| resume_unwind(Box::new("stopped")));
        assert!(catch_unwind(|| chain_order(&links, &links)).is_err());
    }
}
