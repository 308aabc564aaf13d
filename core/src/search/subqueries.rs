/*!
Which chunks are worth ranking.

To rank a chunk costs a microsecond or two, and a common word is in a third of them all, so a search
ranks no more than some thousands. Rare words come first: where few chunks have any of the words, all
of them are ranked. Else all that have a rare word are, or where no word is rare what has all words.
Only if that is not enough a part of the others is: what has two of the rarer common words, and what
has the rarest.
So what is left out could only have matched by common words, which are worth the least.

An index of words answers only when it has gone through the lists of the words, however few chunks are
wanted, so what lists hold is bounded, too. Where so many chunks match that they are found sooner
without the index, a sample of all chunks is looked at, which is as large as it should have to be.

A sample may lack what words that keep away from each other have in common, or what passes a narrow
filter. So when all of that gave less than is wanted, the rest is read without a bound on its cost.
*/

use super::QueryLexemes;
use std::collections::HashMap;

/// The most chunks that an arm of rare words has: how far words count as rare together.
pub const MAX_CANDIDATES: u32 = 3_000;

/// With so many chunks to rank there are enough.
pub const ENOUGH_CANDIDATES: u32 = MAX_CANDIDATES / 4;

/// How many entries of lists are gone through beside those of rare words; an entry takes 0.1 us.
const ENTRIES: f64 = 120_000.0;

/// How many entries take as long as to look at a chunk of a sample.
const LOOK: f64 = 14.0;

/// How many times as large a sample is as it should have to be.
const MARGIN: f64 = 1.5;

/// The least part of its limit that a sample should give, to be worth its cost.
const LEAST: f64 = 0.25;

/// How many of the common words are paired, from the rarest on.
const PAIRED: usize = 3;

/// How common lexemes are, as the planner's statistics have it.
#[derive(Clone, Debug, Default)]
pub struct Frequencies {
    /// How many chunks there are.
    pub chunks: f64,
    /// The share of the chunks that have a lexeme, for the common ones.
    pub shares: HashMap<String, f64>,
    /// Below this share lie all others.
    pub min_share: f64,
}

impl Frequencies {
    /// Returns about how many chunks have a lexeme, if it is a common one.
    pub fn chunks_with(&self, lexeme: &str) -> Option<f64> {
        self.shares.get(lexeme).map(|share| share * self.chunks)
    }

    /// Returns how many chunks have a lexeme at the most that is not common.
    pub fn uncommon_bound(&self) -> f64 {
        self.min_share * self.chunks
    }
}

/// How many chunks there are, and how many of them have each lexeme of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LexemeCounts {
    /// All chunks.
    pub chunks: f64,
    /// Those that have a lexeme, by its place.
    pub chunks_with: Vec<f64>,
}

/// Some of the chunks that are worth ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Subquery {
    /// What they match, as the text of a `tsquery`.
    pub query: String,
    /// The most of them that are read.
    pub limit: u32,
    /// The share of all chunks that are looked at, in percent; `None` to ask the index.
    pub sample_percent: Option<f64>,
    /// The words all of whose chunks are read if the limit does not cut them, by their places.
    pub complete_words: Vec<usize>,
}

/// What is read for a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubqueryPlan {
    /// What is read in any case.
    pub primary: Vec<Subquery>,
    /// What is read unless there are [`ENOUGH_CANDIDATES`] by then.
    pub secondary: Vec<Subquery>,
    /// What is read, one after the other, as long as there are fewer than are wanted.
    pub fallback: Vec<Subquery>,
}

/// Plans what is read for the words of a query. Each arm also matches what `required` says, the text
/// of a `tsquery` or nothing. Where nothing is counted, words are read up to a limit. As many chunks
/// as are wanted are read in the end, if so many match.
pub fn plan_subqueries(
    lexemes: &QueryLexemes,
    counts: Option<&LexemeCounts>,
    required: &str,
    wanted: u32,
) -> SubqueryPlan {
    let words: Vec<_> = (0..lexemes.words.len()).collect();
    let Some(counts) = counts else {
        let limit = MAX_CANDIDATES.max(wanted);
        let arm = |places: &[usize], operator| arm(lexemes, required, places, operator, limit);
        let (primary, secondary) = match words.len() {
            0 => (Vec::new(), Vec::new()),
            1 => (vec![arm(&words, "|")], Vec::new()),
            _ => (vec![arm(&words, "&")], vec![arm(&words, "|")]),
        };
        return SubqueryPlan { primary, secondary, fallback: Vec::new() };
    };
    let with: Vec<_> = lexemes
        .words
        .iter()
        .map(|word| lexemes.estimate_chunks(word, &counts.chunks_with))
        .collect();
    let mut rarest = words.clone();
    rarest.sort_by(|a, b| with[*a].total_cmp(&with[*b]));
    let mut sum = 0.0;
    let rare = rarest.iter().take_while(|place| {
        sum += with[**place];
        sum <= f64::from(MAX_CANDIDATES)
    });
    let rare = rare.count();
    let everything = counts.chunks <= f64::from(MAX_CANDIDATES);
    let (rare, common) = rarest.split_at(if everything { rarest.len() } else { rare });
    let mut spending =
        Spending { lexemes, required, chunks: counts.chunks, with: &with, left: ENTRIES };
    let mut arms = SubqueryPlan::default();
    if !rare.is_empty() {
        arms.primary.push(arm(lexemes, required, rare, "|", MAX_CANDIDATES));
    }
    if common.is_empty() {
        return arms;
    }
    // What has all words has the rare ones, too.
    if words.len() > 1 && rare.is_empty() {
        arms.primary.extend(spending.arm(&words, "&", ENOUGH_CANDIDATES));
    }
    // Two words are all words of a query of two.
    if words.len() > 2 {
        let pairing = &common[..common.len().min(PAIRED)];
        for (place, first) in pairing.iter().enumerate() {
            for second in &pairing[place + 1..] {
                arms.secondary.extend(spending.arm(&[*first, *second], "&", ENOUGH_CANDIDATES / 2));
            }
        }
    }
    if rare.is_empty()
        && let Some(single) = spending.arm(&common[..1], "|", ENOUGH_CANDIDATES)
    {
        let arms = if words.len() > 1 { &mut arms.secondary } else { &mut arms.primary };
        arms.push(single);
    } else {
        // There is a rare word, or all was spent on others.
        let mut again = Spending { left: ENTRIES, ..spending };
        arms.fallback.extend(again.arm(&common[..1], "|", ENOUGH_CANDIDATES));
    }
    arms.fallback.push(arm(lexemes, required, common, "|", ENOUGH_CANDIDATES.max(wanted)));
    arms
}

fn arm(
    lexemes: &QueryLexemes,
    required: &str,
    places: &[usize],
    operator: &str,
    limit: u32,
) -> Subquery {
    let words = places.iter().map(|place| lexemes.word_query(&lexemes.words[*place]));
    let query = words.collect::<Vec<_>>().join(operator);
    Subquery {
        query: if required.is_empty() { query } else { format!("({query})&{required}") },
        limit,
        sample_percent: None,
        complete_words: if operator == "|" { places.to_vec() } else { Vec::new() },
    }
}

/// What common words may cost.
struct Spending<'a> {
    lexemes: &'a QueryLexemes,
    required: &'a str,
    chunks: f64,
    /// How many chunks have each word.
    with: &'a [f64],
    /// How many entries are left to go through.
    left: f64,
}

impl Spending<'_> {
    /// Plans an arm of common words the cheaper way. What would be too dear is left out, or is a
    /// smaller sample.
    fn arm(&mut self, places: &[usize], operator: &str, limit: u32) -> Option<Subquery> {
        let shares = places.iter().map(|place| self.with[*place] / self.chunks);
        // As if each word came without regard to the others.
        let share: f64 = shares.product();
        // Entries of the other lists are skipped.
        let entries = places.iter().map(|place| self.with[*place]).fold(f64::INFINITY, f64::min);
        let arm = arm(self.lexemes, self.required, places, operator, limit);
        let looks = (f64::from(limit) / share).min(self.left / LOOK);
        if entries <= self.left.min(looks * LOOK) {
            self.left -= entries;
            return Some(arm);
        }
        if looks * share < LEAST * f64::from(limit) {
            return None;
        }
        self.left -= looks * LOOK;
        let sample_percent = Some(100.0 * MARGIN * looks / self.chunks);
        Some(Subquery { sample_percent, complete_words: Vec::new(), ..arm })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(words: &[&str]) -> QueryLexemes {
        let mut lexemes = QueryLexemes::default();
        for word in words {
            lexemes.add(vec![(*word).to_owned()], vec![]);
        }
        lexemes
    }

    fn planned(words: &[&str], chunks: f64) -> SubqueryPlan {
        let share = |word: &&str| match *word {
            "the" => 0.9,
            "of" => 0.5,
            "page" => 0.1,
            "index" => 0.05,
            _ => 0.0001,
        };
        let chunks_with = words.iter().map(|word| share(word) * chunks).collect();
        plan_subqueries(&query(words), Some(&LexemeCounts { chunks, chunks_with }), "", 50)
    }

    fn queries(arms: &[Subquery]) -> Vec<&str> {
        arms.iter().map(|arm| arm.query.as_str()).collect()
    }

    #[test]
    fn where_few_chunks_match_all_of_them_are_ranked() {
        for (words, chunks) in [(["the", "of"], 1_000.0), (["rare", "other"], 1e6)] {
            let SubqueryPlan { primary, secondary, fallback } = planned(&words, chunks);
            let counts = (primary.len(), secondary.len(), fallback.len());
            assert_eq!((counts, primary[0].limit), ((1, 0, 0), MAX_CANDIDATES), "{words:?}");
            assert_eq!(primary[0].complete_words.len(), 2);
        }
    }

    #[test]
    fn rare_words_come_first_and_then_two_of_the_rarer_common_ones() {
        let SubqueryPlan { primary, secondary, fallback } =
            planned(&["the", "rare", "page", "index"], 1e6);
        assert_eq!(queries(&primary), ["('rare')"]);
        assert_eq!(
            queries(&secondary),
            ["('index')&('page')", "('index')&('the')", "('page')&('the')"]
        );
        assert_eq!(queries(&fallback), ["('index')", "('index')|('page')|('the')"]);
        // By the index, but for the two that are in every eleventh chunk.
        let sampled = |arms: &[Subquery]| {
            arms.iter().map(|arm| arm.sample_percent.is_some()).collect::<Vec<_>>()
        };
        assert_eq!(
            (sampled(&secondary), sampled(&fallback)),
            (vec![false, false, true], vec![false, false])
        );
    }

    #[test]
    fn of_common_words_what_has_all_of_them_comes_first() {
        let SubqueryPlan { primary, secondary, fallback } = planned(&["the", "page", "index"], 1e6);
        assert_eq!(queries(&primary), ["('the')&('page')&('index')"]);
        assert_eq!(queries(&secondary), ["('index')&('page')", "('page')&('the')"]);
        assert_eq!(queries(&fallback), ["('index')", "('index')|('page')|('the')"]);
    }

    #[test]
    fn very_common_words_are_found_in_a_sample() {
        let SubqueryPlan { primary, secondary, .. } = planned(&["the", "of"], 1e6);
        assert_eq!(
            (queries(&primary), queries(&secondary)),
            (vec!["('the')&('of')"], vec!["('of')"])
        );
        let looks = |arm: &Subquery, chunks: f64| arm.sample_percent.unwrap() / 100.0 * chunks;
        let close = |looks: f64| (looks - 2_500.0).abs() < 1.0;
        assert!(
            close(looks(&primary[0], 1e6)),
            "half as many again as it should take: {primary:?}"
        );
        let larger = planned(&["the", "of"], 1e8).primary;
        assert!(close(looks(&larger[0], 1e8)), "whatever the size of the store: {larger:?}");
        assert_eq!(primary[0].complete_words, [0; 0], "a sample does not count");
        assert_eq!(queries(&planned(&["of"], 1e6).primary), ["('of')"]);
    }

    #[test]
    fn a_sample_that_would_be_too_large_is_smaller_or_left_out() {
        let of = |index| {
            let counts = LexemeCounts { chunks: 1e7, chunks_with: vec![5e6, index] };
            plan_subqueries(&query(&["of", "index"]), Some(&counts), "", 50)
        };
        let SubqueryPlan { primary, secondary, fallback } = of(1e6);
        let looks = primary[0].sample_percent.unwrap() / 100.0 * 1e7;
        assert!((looks - MARGIN * ENTRIES / LOOK).abs() < 1.0, "{looks}");
        // All is spent by then, and what has the rarer word is read if there is too little.
        assert_eq!(queries(&secondary), [""; 0]);
        assert_eq!(queries(&fallback), ["('index')", "('index')|('of')"]);
        let SubqueryPlan { primary, secondary, .. } = of(1e5);
        assert_eq!((queries(&primary), queries(&secondary)), (vec!["('of')&('index')"], vec![]));
        assert_eq!(primary[0].sample_percent, None, "the index is cheaper");
        assert_eq!(of(2e5).primary, [], "the one is too long and the other too large");
    }

    #[test]
    fn a_query_costs_no_more_than_a_few_caps() {
        for words in [&["the"][..], &["the", "of"], &["the", "of", "page", "index", "rare"]] {
            for chunks in [1e4, 1e6, 1e8] {
                let SubqueryPlan { primary, secondary, .. } = planned(words, chunks);
                let limits: u32 = primary.iter().chain(&secondary).map(|arm| arm.limit).sum();
                assert!(limits <= 2 * MAX_CANDIDATES, "{words:?}: {limits}");
                let samples: f64 =
                    primary.iter().chain(&secondary).filter_map(|arm| arm.sample_percent).sum();
                let looks = samples / 100.0 * chunks;
                assert!(looks * LOOK <= MARGIN * ENTRIES * 1.001, "{words:?}: {looks}");
            }
        }
    }

    #[test]
    fn what_is_required_is_asked_of_every_arm() {
        let counts = LexemeCounts { chunks: 1e6, chunks_with: vec![5e5, 9e5, 3.0] };
        let arms = plan_subqueries(&query(&["of", "the", "rare"]), Some(&counts), "!'x'", 50);
        let mut all = arms.primary.iter().chain(&arms.secondary).chain(&arms.fallback);
        assert!(all.all(|arm| arm.query.ends_with(")&!'x'")), "{arms:?}");
    }

    #[test]
    fn without_counts_all_words_come_before_any() {
        let SubqueryPlan { primary, secondary, fallback } =
            plan_subqueries(&query(&["a", "b"]), None, "", 50);
        assert_eq!(
            (queries(&primary), queries(&secondary)),
            (vec!["('a')&('b')"], vec!["('a')|('b')"])
        );
        assert_eq!(fallback, []);
        assert_eq!(plan_subqueries(&query(&[]), None, "", 50), SubqueryPlan::default());
    }

    #[test]
    fn as_many_as_are_wanted_are_read_in_the_end() {
        for wanted in [50, 10_000] {
            let counts = LexemeCounts { chunks: 1e6, chunks_with: vec![5e5, 9e5] };
            let SubqueryPlan { fallback, .. } =
                plan_subqueries(&query(&["of", "the"]), Some(&counts), "", wanted);
            assert_eq!(fallback.last().unwrap().limit, wanted.max(ENOUGH_CANDIDATES));
            let SubqueryPlan { primary, .. } = plan_subqueries(&query(&["of"]), None, "", wanted);
            assert_eq!(primary[0].limit, wanted.max(MAX_CANDIDATES));
        }
    }
}
