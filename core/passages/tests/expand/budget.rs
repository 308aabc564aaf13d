//! Budgets: whole members, the ends of a container, and the limit of a hit's context. Each chunk has ten tokens.

use super::memory::{Store, preset};
use passage_core::expand::{Budget, DefaultBudget, Hit};
use passage_core::{Strategy, StrategyOverrides};
use passage_split::Kind;

/// Returns a class: `a` has two chunks, `b` four and is an inner class, `c` three; a field is between them.
fn class() -> Store {
    Store::units(
        Kind::Code,
        &[
            ("module", "", "import x\n"),
            ("container", "C", "class C {\n"),
            ("member", "C/a", "a1\n"),
            ("member", "C/a", "a2\n"),
            ("container", "C/b", "class b {\n"),
            ("member", "C/b/d", "d1\n"),
            ("member", "C/b/d", "d2\n"),
            ("container", "C/b", "}\n"),
            ("container", "C", "field\n"),
            ("member", "C/c", "c1\n"),
            ("member", "C/c", "c2\n"),
            ("member", "C/c", "c3\n"),
            ("container", "C", "}\n"),
            ("member", "main", "main() {}\n"),
        ],
    )
}

/// Returns the ordinals around a hit in a document within a budget, and whether it cut.
fn within(store: &Store, ordinal: usize, max_tokens: u32) -> (Vec<usize>, bool) {
    let strategy = Strategy { max_tokens: Some(max_tokens), ..preset("hierarchical") };
    let hits = [store.hit((0, ordinal), 0, &strategy)];
    returned(store, &hits, Budget::of(&hits))
}

fn returned(store: &Store, hits: &[Hit], budget: Budget) -> (Vec<usize>, bool) {
    let (rows, selection) = store.expand(hits, budget);
    let ordinal = |row: usize| rows[row].ordinal.unwrap() as usize;
    let ordinals = selection.chunks.iter().map(|selected| ordinal(selected.row)).collect();
    (ordinals, selection.truncated[0])
}

#[test]
fn a_member_is_kept_or_cut_as_a_whole() {
    let class = class();
    assert_eq!(within(&class, 2, 0), ((1..=12).collect(), false), "0 means no limit");
    assert_eq!(within(&class, 2, 120), ((1..=12).collect(), false));
    // The method that was hit, the head and the closing part; then the inner class does not fit.
    assert_eq!(within(&class, 2, 20), (vec![2, 3], true));
    assert_eq!(within(&class, 2, 40), (vec![1, 2, 3, 12], true));
    assert_eq!(within(&class, 2, 50), (vec![1, 2, 3, 8, 12], true), "a field fits");
    assert_eq!(within(&class, 2, 70), (vec![1, 2, 3, 8, 12], true), "no member in pieces");
    assert_eq!(within(&class, 2, 80), (vec![1, 2, 3, 4, 5, 6, 7, 12], true));
    assert_eq!(within(&class, 2, 119), (vec![1, 2, 3, 4, 5, 6, 7, 8, 12], true));
}

#[test]
fn a_member_that_was_not_read_to_its_end_is_not_kept() {
    let class = class();
    let within = |max_chunks| {
        let strategy = Strategy { max_chunks: Some(max_chunks), ..preset("hierarchical") };
        let hits = [class.hit((0, 2), 0, &strategy)];
        returned(&class, &hits, Budget::of(&hits)).0
    };
    // At most as many chunks are read on each side of the hit: of the last method only the first chunk.
    assert_eq!(within(7), [1, 2, 3, 8, 12]);
    assert_eq!(within(8), [1, 2, 3, 4, 5, 6, 7, 12]);
}

#[test]
fn a_smaller_member_takes_the_room_that_a_larger_one_leaves() {
    // The field is farther away than the inner class.
    assert_eq!(within(&class(), 3, 60).0, [1, 2, 3, 8, 12]);
    // The method `a` is farther away than the field and the inner class.
    assert_eq!(within(&class(), 10, 79).0, [1, 8, 9, 10, 11, 12]);
    assert_eq!(within(&class(), 10, 80).0, [1, 2, 3, 8, 9, 10, 11, 12]);
}

#[test]
fn a_member_that_does_not_fit_is_surrounded_by_the_ends_of_its_container() {
    let mut chunks = vec![("container", "C", "class C {\n")];
    chunks.extend(vec![("member", "C/long", "x\n"); 20]);
    chunks.push(("member", "C/short", "y\n"));
    chunks.push(("container", "C", "}\n"));
    let mut class = Store::units(Kind::Code, &chunks);
    // Nothing shows where a statement begins, so the context has no gap.
    assert_eq!(within(&class, 10, 60).0, [7, 8, 9, 10, 11, 12]);
    for chunk in &mut class.documents[0] {
        chunk.level = Some(chunk.section.len() as i32);
    }
    // Each piece begins with a statement: the first and the last piece, the ends of the class, and the nearest.
    assert_eq!(within(&class, 10, 60).0, [0, 1, 9, 10, 20, 22]);
    assert_eq!(within(&class, 10, 40).0, [0, 1, 10, 20], "the head comes before pieces");
    assert_eq!(within(&class, 10, 20).0, [9, 10], "no room for the signature");
    // The piece before the hit is in the same statement.
    class.documents[0][10].level = Some(3);
    assert_eq!(within(&class, 10, 60).0, [0, 1, 9, 10, 20, 22]);
    class.documents[0][11].level = Some(3);
    assert_eq!(within(&class, 10, 60).0, [0, 1, 9, 10, 11, 20]);
}

#[test]
fn a_member_in_the_value_of_a_field_is_kept_with_the_field() {
    let mut class = Store::units(
        Kind::Code,
        &[
            ("container", "C", "class C {\n"),
            ("member", "C/a", "  a() {}\n"),
            ("container", "C", "  D = new D() {\n"),
            ("member", "C/check", "    check() {}\n"),
            ("container", "C", "  };\n"),
            ("member", "C/b", "  b() {}\n"),
            ("container", "C", "}\n"),
        ],
    );
    for chunk in &mut class.documents[0] {
        chunk.level = Some(chunk.section.len() as i32);
    }
    class.documents[0][3].level = Some(3);
    class.documents[0][4].level = Some(2);
    assert_eq!(within(&class, 3, 50).0, [0, 2, 3, 4, 6]);
    assert_eq!(within(&class, 1, 50).0, [0, 1, 5, 6], "the field does not fit");
    assert_eq!(within(&class, 1, 60).0, [0, 1, 2, 3, 4, 6]);
    assert_eq!(within(&class, 1, 70).0, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn hits_in_nested_containers_get_the_ends_of_both() {
    let (class, strategy) = (class(), preset("hierarchical"));
    let hits = [class.hit((0, 5), 0, &strategy), class.hit((0, 2), 1, &strategy)];
    let budget = Budget { max_tokens: Some(80), ..Budget::default() };
    // Both hits, the rest of their methods, and the ends of both classes.
    assert_eq!(returned(&class, &hits, budget).0, [1, 2, 3, 4, 5, 6, 7, 12]);
    // The ends do not fit, but the head of the inner class does.
    let budget = Budget { max_tokens: Some(50), ..Budget::default() };
    assert_eq!(returned(&class, &hits, budget).0, [2, 3, 4, 5, 6]);
}

#[test]
fn the_head_of_a_class_comes_before_members_and_without_its_end() {
    let class = class();
    // The method that was hit has two chunks; the end of the class does not fit.
    assert_eq!(within(&class, 2, 29).0, [2, 3]);
    assert_eq!(within(&class, 2, 30), (vec![1, 2, 3], true));
    assert_eq!(within(&class, 2, 39).0, [1, 2, 3]);
    // Each hit gets the head of its class before the better one gets members.
    let mut two = class.documents[0].clone();
    for chunk in &mut two {
        if let Some(name) = chunk.section.first_mut().filter(|name| *name == "C") {
            "D".clone_into(name);
        }
    }
    let mut store = class;
    store.documents[0].extend(two);
    let strategy = Strategy { max_tokens: Some(90), ..preset("hierarchical") };
    let hits = [store.hit((0, 2), 0, &strategy), store.hit((0, 16), 1, &strategy)];
    assert_eq!(returned(&store, &hits, Budget::of(&hits)).0, [1, 2, 3, 8, 12, 15, 16, 17, 26]);
}

#[test]
fn the_parent_comes_before_siblings_and_does_not_stop_them() {
    let mut prose = Store::one(&[&["A"], &["A", "1"], &["A", "2"], &["A", "3"], &["A", "4"]]);
    let broad = |max_tokens| Strategy { max_tokens: Some(max_tokens), ..preset("broad") };
    let spent = |store: &Store, max_tokens| {
        let strategy = broad(max_tokens);
        let hits = [store.hit((0, 3), 0, &strategy)];
        let (_, selection) = store.expand(&hits, Budget::of(&hits));
        (returned(store, &hits, Budget::of(&hits)).0, selection.cut_tokens[0])
    };
    // Of the parent, the sibling before and the sibling after, two are left out.
    assert_eq!(spent(&prose, 20), (vec![0, 3], 20));
    assert_eq!(spent(&prose, 30), (vec![0, 2, 3], 10));
    assert_eq!(spent(&prose, 40), (vec![0, 2, 3, 4], 0));
    prose.documents[0][0].tokens = 1_000;
    assert_eq!(spent(&prose, 30), (vec![2, 3, 4], 1_000));
    // A sibling that does not fit stops those behind it.
    prose.documents[0][2].tokens = 1_000;
    assert_eq!(spent(&prose, 30), (vec![3], 2_010));
}

#[test]
fn numbers_of_chunks_that_a_call_names_count_more_than_the_default() {
    let default = DefaultBudget { max_tokens: 0, max_passage_tokens: 20 };
    let prose = Store::of(vec![vec![vec![]; 40]]);
    let ordinals = |overrides: StrategyOverrides| {
        let mut strategy = preset("adjacent");
        overrides.apply(&mut strategy).unwrap();
        default.apply(&mut strategy);
        let hits = [prose.hit((0, 20), 0, &strategy)];
        returned(&prose, &hits, Budget::with_default(&hits, default)).0
    };
    let none = StrategyOverrides::default();
    assert_eq!(ordinals(none.clone()), [19, 20, 21]);
    // Context that the call names does not count against the default, which bounds the rest.
    let after = StrategyOverrides { after: Some(5), ..none.clone() };
    assert_eq!(ordinals(after.clone()), [18, 19, 20, 21, 22, 23, 24, 25]);
    let windows = Some(serde_json::json!({ "prose": 4 }));
    assert_eq!(ordinals(StrategyOverrides { windows, ..none.clone() }).len(), 9);
    // A limit of tokens that is named too applies.
    let limited = StrategyOverrides { max_passage_tokens: Some(30), ..after.clone() };
    assert_eq!(ordinals(limited).len(), 4);
    assert_eq!(ordinals(StrategyOverrides { max_tokens: Some(30), ..after }).len(), 3);
}

#[test]
fn a_hit_in_a_long_head_is_kept_with_its_statement() {
    let mut chunks = vec![("container", "C", "  field\n"); 6];
    chunks.extend(vec![("member", "C/long", "x\n"); 10]);
    chunks.push(("container", "C", "}\n"));
    let mut class = Store::units(Kind::Code, &chunks);
    for chunk in &mut class.documents[0] {
        chunk.level = Some(chunk.section.len() as i32);
    }
    // The second hit is inside of the field that the chunk before it begins.
    class.documents[0][2].level = Some(2);
    let strategy = Strategy { max_tokens: Some(80), ..preset("hierarchical") };
    let hits = [class.hit((0, 11), 0, &strategy), class.hit((0, 2), 1, &strategy)];
    assert_eq!(returned(&class, &hits, Budget::of(&hits)).0, [0, 1, 2, 5, 6, 11, 15, 16]);
}

#[test]
fn own_text_of_a_container_that_was_cut_is_one_member() {
    let class = Store::units(
        Kind::Code,
        &[
            ("container", "C", "class C {\n"),
            ("container", "C", "  TABLE = [\n"),
            ("container", "C", "  1, 2,\n"),
            ("container", "C", "  ]\n"),
            ("member", "C/a", "a\n"),
            // Small methods that the splitter merged are a member each chunk.
            ("member", "C", "b c\n"),
            ("member", "C", "d e\n"),
            ("container", "C", "}\n"),
        ],
    );
    // The table belongs to the head, because only its level could show that it begins at a statement.
    assert_eq!(within(&class, 4, 49).0, [4, 5, 6]);
    assert_eq!(within(&class, 4, 59).0, [0, 1, 2, 3, 4], "the head alone");
    assert_eq!(within(&class, 4, 60).0, [0, 1, 2, 3, 4, 7]);
    assert_eq!(within(&class, 4, 80).0, [0, 1, 2, 3, 4, 5, 6, 7]);
    // A hit in the table gets the whole of it, or its neighbors without a gap.
    assert_eq!(within(&class, 2, 40).0, [0, 1, 2, 3]);
    assert_eq!(within(&class, 2, 50).0, [0, 1, 2, 3, 7]);
}

#[test]
fn a_last_field_is_no_closing_part() {
    let class = Store::units(
        Kind::Code,
        &[
            ("container", "C", "class C:\n"),
            ("container", "C", "  field = [\n"),
            ("container", "C", "  ]\n"),
            ("member", "C/a", "  def a(): pass\n"),
            ("member", "C/b", "  def b(): pass\n"),
            ("member", "C/b", "  pass\n"),
        ],
    );
    assert_eq!(within(&class, 3, 30).0, [3, 4, 5]);
    assert_eq!(within(&class, 3, 40).0, [0, 1, 2, 3]);
}

#[test]
fn a_document_and_a_section_of_code_consist_of_members_too() {
    let class = class();
    let strategy = Strategy { max_tokens: Some(40), ..preset("document") };
    let hits = [class.hit((0, 13), 0, &strategy)];
    assert_eq!(returned(&class, &hits, Budget::of(&hits)), (vec![0, 13], true));
    let strategy = Strategy { max_tokens: Some(40), ..preset("section") };
    let hits = [class.hit((0, 12), 0, &strategy)];
    assert_eq!(returned(&class, &hits, Budget::of(&hits)), (vec![9, 10, 11, 12], true));
}

#[test]
fn the_context_of_each_hit_has_a_limit() {
    let prose = Store::of(vec![vec![vec![]; 40]; 2]);
    let strategy = preset("document");
    let hits = [prose.hit((0, 10), 0, &strategy), prose.hit((1, 30), 1, &strategy)];
    let default = DefaultBudget { max_tokens: 0, max_passage_tokens: 40 };
    let (ordinals, truncated) = returned(&prose, &hits, Budget::with_default(&hits, default));
    assert_eq!(ordinals, [8, 9, 10, 11, 12, 28, 29, 30, 31, 32]);
    assert!(truncated);
    let (_, selection) = prose.expand(&hits, Budget::with_default(&hits, default));
    assert_eq!(selection.truncated, [true, true]);
}

#[test]
fn the_chunks_of_a_unit_count_against_the_limits_of_their_own_hits() {
    let mut chunks = vec![("container", "C", "class C {\n")];
    chunks.extend(vec![("member", "C/long", "x\n"); 6]);
    chunks.extend(vec![("member", "C/other", "y\n"); 2]);
    let class = Store::units(Kind::Code, &chunks);
    let strategy = Strategy { max_passage_tokens: Some(30), ..preset("hierarchical") };
    let hits = [class.hit((0, 2), 0, &strategy), class.hit((0, 5), 0, &strategy)];
    // The long method costs 20 tokens for each hit, the head 10 for the first one. The other method does not fit.
    assert_eq!(returned(&class, &hits, Budget::of(&hits)).0, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn limits_of_a_strategy_replace_the_default() {
    let default = DefaultBudget { max_tokens: 100, max_passage_tokens: 20 };
    let prose = Store::of(vec![vec![vec![]; 40]]);
    let count = |max_tokens, max_passage_tokens| {
        let mut strategy = preset("document");
        let overrides = StrategyOverrides { max_tokens, max_passage_tokens, ..Default::default() };
        overrides.apply(&mut strategy).unwrap();
        let hits = [prose.hit((0, 20), 0, &strategy)];
        returned(&prose, &hits, Budget::with_default(&hits, default)).0.len()
    };
    assert_eq!(count(None, None), 3);
    assert_eq!(count(Some(50), None), 5);
    assert_eq!(count(Some(0), None), 40);
    assert_eq!(count(None, Some(30)), 4);
    assert_eq!(count(None, Some(0)), 10, "the default for the whole call remains");
    assert_eq!(count(Some(0), Some(30)), 4);
    assert_eq!(count(Some(30), Some(50)), 3);
}

#[test]
fn a_strategy_with_a_budget_bounds_its_hits_beside_one_without() {
    let prose = Store::of(vec![vec![vec![]; 40], vec![vec![]; 40]]);
    let bounded = Strategy { max_tokens: Some(20), ..preset("document") };
    let unbounded = preset("document");
    let hits = [prose.hit((0, 20), 0, &bounded), prose.hit((1, 20), 1, &unbounded)];
    let (_, selection) = prose.expand(&hits, Budget::of(&hits));
    assert_eq!((selection.chunks.len(), &selection.truncated[..]), (3 + 40, &[true, false][..]));
}
