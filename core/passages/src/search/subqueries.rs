/*!
Planning of text search: which chunks are worth ranking.

Ranking a chunk costs 1 to 2 microseconds, and a common word may be in a third of all chunks. So a search ranks at
most a few thousand. Rare words come first: if few chunks match any word, all of these are ranked. Otherwise
the candidates are all chunks with a rare word or, without rare words, those with all words. If these are too few,
more subqueries follow: chunks with two of the rarer common words, and chunks with the rarest one. So omitted
chunks match only common words, which score least.

A GIN index answers only after scanning the posting lists of the words, even for small limits. So the scanned
entries are bounded too. If so many chunks match that a scan without the index finds enough sooner, a subquery
reads a sample of all chunks instead.

A sample may miss combinations of words that rarely co-occur, or the matches of a narrow filter. So if all
subqueries together return less than requested, fallback subqueries run without a bound on their cost.

Its twin in SQL is `sql/edition/subqueries.sql`.
*/

use super::QueryLexemes;
use super::scripts::is_syllable;
use std::collections::HashMap;

/// The maximum number of candidates of a subquery for rare words. Words count as rare up to this sum.
pub const MAX_CANDIDATES: u32 = 3_000;

/// The number of candidates that suffices for ranking.
pub const ENOUGH_CANDIDATES: u32 = MAX_CANDIDATES / 4;

/// The maximum number of posting list entries scanned for common words. An entry takes 0.1 µs.
const ENTRIES: f64 = 120_000.0;

/// The cost of one sampled chunk, in posting list entries.
const LOOK: f64 = 14.0;

/// The factor by which a sample exceeds its expected size.
const MARGIN: f64 = 1.5;

/// The minimum share of its limit that a sample must be expected to return.
const LEAST: f64 = 0.25;

/// The number of common words that are paired, from the rarest.
const PAIRED: usize = 3;

/// Document frequencies from the planner's statistics.
#[derive(Clone, Debug, Default)]
pub struct Frequencies {
    /// The number of chunks.
    pub chunks: f64,
    /// The share of chunks with each common lexeme, 0 to 1.
    pub shares: HashMap<String, f64>,
    /// The upper bound of the share of all other lexemes.
    pub min_share: f64,
}

impl Frequencies {
    /// Returns the frequencies in several shards together, or `None` without any. A lexeme outside the statistics
    /// of a shard counts there as often as it can occur.
    pub fn merged(parts: &[Self]) -> Option<Self> {
        let chunks: f64 = parts.iter().map(|part| part.chunks).sum();
        let bound: f64 = parts.iter().map(Self::uncommon_bound).sum();
        let lexemes = parts.iter().flat_map(|part| part.shares.keys());
        let mut shares = HashMap::new();
        for lexeme in lexemes {
            if !shares.contains_key(lexeme) {
                let with = |part: &Self| {
                    part.shares
                        .get(lexeme)
                        .map_or(part.uncommon_bound(), |share| share * part.chunks)
                };
                let with: f64 = parts.iter().map(with).sum();
                shares.insert(lexeme.clone(), with / chunks);
            }
        }
        (chunks > 0.0).then(|| Self { chunks, shares, min_share: bound / chunks })
    }

    /// Estimates the number of chunks with a lexeme of a query; `None` for lexemes outside the statistics. A syllable has
    /// the chunks of the lexemes that begin with it.
    pub fn chunks_with(&self, lexeme: &str) -> Option<f64> {
        if is_syllable(lexeme) {
            let pairs = self.shares.iter().filter(|(known, _)| known.starts_with(lexeme));
            let share: f64 = pairs.map(|(_, share)| share).sum();
            return (share > 0.0).then(|| share.min(1.0) * self.chunks);
        }
        self.shares.get(lexeme).map(|share| share * self.chunks)
    }

    /// Returns the upper bound of the number of chunks with a lexeme outside the statistics.
    pub fn uncommon_bound(&self) -> f64 {
        self.min_share * self.chunks
    }
}

/// The number of chunks, and of chunks with each lexeme of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LexemeCounts {
    /// The number of all chunks.
    pub chunks: f64,
    /// The number of chunks with each lexeme, by index.
    pub chunks_with: Vec<f64>,
}

/// A subquery for candidate chunks.
#[derive(Clone, Debug, PartialEq)]
pub struct Subquery {
    /// The text of the `tsquery`.
    pub query: String,
    /// The maximum number of rows.
    pub limit: u32,
    /// The size of the sample in percent of all chunks; `None` to use the index.
    pub sample_percent: Option<f64>,
    /// The indexes of the words whose chunks are all read, unless the limit applies.
    pub complete_words: Vec<usize>,
}

/// The subqueries of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubqueryPlan {
    /// The subqueries that always run.
    pub primary: Vec<Subquery>,
    /// The subqueries that run with fewer than [`ENOUGH_CANDIDATES`] so far.
    pub secondary: Vec<Subquery>,
    /// The subqueries that run one by one until enough candidates are found.
    pub fallback: Vec<Subquery>,
}

/// Plans the subqueries for the words of a query.
///
/// Each subquery also matches `required`, the text of a `tsquery` or the empty string. Without `counts`, words are
/// read up to a limit. Together the subqueries return at least `requested` chunks, if that many match.
///
/// ```
/// use passage_core::search::{QueryLexemes, plan_subqueries};
///
/// let mut lexemes = QueryLexemes::default();
/// lexemes.add("index", vec!["index".into()], vec![]);
/// assert_eq!(plan_subqueries(&lexemes, None, "", 10).primary[0].query, "('index')");
/// ```
pub fn plan_subqueries(
    lexemes: &QueryLexemes,
    counts: Option<&LexemeCounts>,
    required: &str,
    requested: u32,
) -> SubqueryPlan {
    let words: Vec<_> = (0..lexemes.words.len()).collect();
    let Some(counts) = counts else {
        let limit = MAX_CANDIDATES.max(requested);
        let subquery =
            |indexes: &[usize], operator| subquery(lexemes, required, indexes, operator, limit);
        let (primary, secondary) = match words.len() {
            0 => (Vec::new(), Vec::new()),
            1 => (vec![subquery(&words, "|")], Vec::new()),
            _ => (vec![subquery(&words, "&")], vec![subquery(&words, "|")]),
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
    let rare = rarest.iter().take_while(|index| {
        sum += with[**index];
        sum <= f64::from(MAX_CANDIDATES)
    });
    let rare = rare.count();
    let everything = counts.chunks <= f64::from(MAX_CANDIDATES);
    let (rare, common) = rarest.split_at(if everything { rarest.len() } else { rare });
    let mut cost =
        CostBudget { lexemes, required, chunks: counts.chunks, with: &with, left: ENTRIES };
    let mut plan = SubqueryPlan::default();
    if !rare.is_empty() {
        plan.primary.push(subquery(lexemes, required, rare, "|", MAX_CANDIDATES));
    }
    if common.is_empty() {
        return plan;
    }
    // Chunks with all words are among those with rare words.
    if words.len() > 1 && rare.is_empty() {
        plan.primary.extend(cost.subquery(&words, "&", ENOUGH_CANDIDATES));
    }
    // For two words the pair equals all words.
    if words.len() > 2 {
        let pairing = &common[..common.len().min(PAIRED)];
        for (position, first) in pairing.iter().enumerate() {
            for second in &pairing[position + 1..] {
                plan.secondary.extend(cost.subquery(
                    &[*first, *second],
                    "&",
                    ENOUGH_CANDIDATES / 2,
                ));
            }
        }
    }
    if rare.is_empty()
        && let Some(single) = cost.subquery(&common[..1], "|", ENOUGH_CANDIDATES)
    {
        let plan = if words.len() > 1 { &mut plan.secondary } else { &mut plan.primary };
        plan.push(single);
    } else {
        // A rare word exists, or other subqueries used up the cost.
        let mut again = CostBudget { left: ENTRIES, ..cost };
        plan.fallback.extend(again.subquery(&common[..1], "|", ENOUGH_CANDIDATES));
    }
    plan.fallback.push(subquery(lexemes, required, common, "|", ENOUGH_CANDIDATES.max(requested)));
    plan
}

fn subquery(
    lexemes: &QueryLexemes,
    required: &str,
    indexes: &[usize],
    operator: &str,
    limit: u32,
) -> Subquery {
    let words = indexes.iter().map(|index| lexemes.word_query(&lexemes.words[*index]));
    let query = words.collect::<Vec<_>>().join(operator);
    Subquery {
        query: if required.is_empty() { query } else { format!("({query})&{required}") },
        limit,
        sample_percent: None,
        complete_words: if operator == "|" { indexes.to_vec() } else { Vec::new() },
    }
}

/// The remaining cost for common words.
struct CostBudget<'a> {
    lexemes: &'a QueryLexemes,
    required: &'a str,
    chunks: f64,
    /// The number of chunks with each word.
    with: &'a [f64],
    /// The posting list entries that remain.
    left: f64,
}

impl CostBudget<'_> {
    /// Plans a subquery for common words with the cheaper method. Too expensive ones are omitted or use a
    /// smaller sample.
    fn subquery(&mut self, indexes: &[usize], operator: &str, limit: u32) -> Option<Subquery> {
        let shares = indexes.iter().map(|index| self.with[*index] / self.chunks);
        // This assumes that words are independent.
        let share: f64 = shares.product();
        // The index skips entries of the other lists.
        let entries = indexes.iter().map(|index| self.with[*index]).fold(f64::INFINITY, f64::min);
        let subquery = subquery(self.lexemes, self.required, indexes, operator, limit);
        let looks = (f64::from(limit) / share).min(self.left / LOOK);
        if entries <= self.left.min(looks * LOOK) {
            self.left -= entries;
            return Some(subquery);
        }
        if looks * share < LEAST * f64::from(limit) {
            return None;
        }
        self.left -= looks * LOOK;
        let sample_percent = Some(100.0 * MARGIN * looks / self.chunks);
        Some(Subquery { sample_percent, complete_words: Vec::new(), ..subquery })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(words: &[&str], chunks: f64) -> SubqueryPlan {
        let share = |word: &&str| match *word {
            "the" => 0.9,
            "of" => 0.5,
            "page" => 0.1,
            "index" => 0.05,
            _ => 0.0001,
        };
        let chunks_with = words.iter().map(|word| share(word) * chunks).collect();
        plan_subqueries(
            &QueryLexemes::of_words(words),
            Some(&LexemeCounts { chunks, chunks_with }),
            "",
            50,
        )
    }

    fn queries(plan: &[Subquery]) -> Vec<&str> {
        plan.iter().map(|subquery| subquery.query.as_str()).collect()
    }

    #[test]
    fn frequencies_of_shards_are_weighted_by_their_chunks() {
        let shard = |chunks, shares: &[(&str, f64)], min_share| Frequencies {
            chunks,
            shares: shares.iter().map(|(lexeme, share)| ((*lexeme).to_owned(), *share)).collect(),
            min_share,
        };
        let shards = [
            shard(900.0, &[("the", 0.9), ("page", 0.1)], 0.01),
            shard(100.0, &[("the", 0.5)], 0.05),
        ];
        let merged = Frequencies::merged(&shards).unwrap();
        assert!((merged.chunks - 1_000.0).abs() < 1e-9);
        assert!((merged.chunks_with("the").unwrap() - 860.0).abs() < 1e-9);
        // In the second shard "page" is at most as common as the bound.
        assert!((merged.chunks_with("page").unwrap() - 95.0).abs() < 1e-9);
        assert_eq!(merged.chunks_with("rare"), None);
        assert!((merged.uncommon_bound() - 14.0).abs() < 1e-9);
        assert!(Frequencies::merged(&[]).is_none());
    }

    #[test]
    fn a_syllable_is_as_frequent_as_its_pairs() {
        let shares = [("公開", 0.1), ("公司", 0.2), ("開鍵", 0.4)];
        let shares = shares.map(|(lexeme, share)| (lexeme.to_owned(), share)).into();
        let known = Frequencies { chunks: 1_000.0, shares, min_share: 0.01 };
        assert!((known.chunks_with("公").unwrap() - 300.0).abs() < 1e-9);
        assert_eq!(known.chunks_with("鍵"), None);
    }

    #[test]
    fn few_matching_chunks_are_all_ranked() {
        for (words, chunks) in [(["the", "of"], 1_000.0), (["rare", "other"], 1e6)] {
            let SubqueryPlan { primary, secondary, fallback } = planned(&words, chunks);
            let counts = (primary.len(), secondary.len(), fallback.len());
            assert_eq!((counts, primary[0].limit), ((1, 0, 0), MAX_CANDIDATES), "{words:?}");
            assert_eq!(primary[0].complete_words.len(), 2);
        }
    }

    #[test]
    fn rare_words_come_first_then_pairs_of_the_rarer_common_ones() {
        let SubqueryPlan { primary, secondary, fallback } =
            planned(&["the", "rare", "page", "index"], 1e6);
        assert_eq!(queries(&primary), ["('rare')"]);
        assert_eq!(
            queries(&secondary),
            ["('index')&('page')", "('index')&('the')", "('page')&('the')"]
        );
        assert_eq!(queries(&fallback), ["('index')", "('index')|('page')|('the')"]);
        // All use the index, except the pair in every eleventh chunk.
        let sampled = |plan: &[Subquery]| {
            plan.iter().map(|subquery| subquery.sample_percent.is_some()).collect::<Vec<_>>()
        };
        assert_eq!(
            (sampled(&secondary), sampled(&fallback)),
            (vec![false, false, true], vec![false, false])
        );
    }

    #[test]
    fn chunks_with_all_common_words_come_first() {
        let SubqueryPlan { primary, secondary, fallback } = planned(&["the", "page", "index"], 1e6);
        assert_eq!(queries(&primary), ["('the')&('page')&('index')"]);
        assert_eq!(queries(&secondary), ["('index')&('page')", "('page')&('the')"]);
        assert_eq!(queries(&fallback), ["('index')", "('index')|('page')|('the')"]);
    }

    #[test]
    fn very_common_words_use_a_sample() {
        let SubqueryPlan { primary, secondary, .. } = planned(&["the", "of"], 1e6);
        assert_eq!(
            (queries(&primary), queries(&secondary)),
            (vec!["('the')&('of')"], vec!["('of')"])
        );
        let looks =
            |subquery: &Subquery, chunks: f64| subquery.sample_percent.unwrap() / 100.0 * chunks;
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
    fn a_too_large_sample_is_reduced_or_omitted() {
        let planned = |index| {
            let counts = LexemeCounts { chunks: 1e7, chunks_with: vec![5e6, index] };
            plan_subqueries(&QueryLexemes::of_words(&["of", "index"]), Some(&counts), "", 50)
        };
        let SubqueryPlan { primary, secondary, fallback } = planned(1e6);
        let looks = primary[0].sample_percent.unwrap() / 100.0 * 1e7;
        assert!((looks - MARGIN * ENTRIES / LOOK).abs() < 1.0, "{looks}");
        // The cost is used up, so the rarer word is only a fallback.
        assert_eq!(queries(&secondary), [""; 0]);
        assert_eq!(queries(&fallback), ["('index')", "('index')|('of')"]);
        let SubqueryPlan { primary, secondary, .. } = planned(1e5);
        assert_eq!((queries(&primary), queries(&secondary)), (vec!["('of')&('index')"], vec![]));
        assert_eq!(primary[0].sample_percent, None, "the index is cheaper");
        assert_eq!(planned(2e5).primary, [], "the one is too long and the other too large");
    }

    #[test]
    fn the_cost_of_a_query_is_bounded() {
        for words in [&["the"][..], &["the", "of"], &["the", "of", "page", "index", "rare"]] {
            for chunks in [1e4, 1e6, 1e8] {
                let SubqueryPlan { primary, secondary, .. } = planned(words, chunks);
                let limits: u32 =
                    primary.iter().chain(&secondary).map(|subquery| subquery.limit).sum();
                assert!(limits <= 2 * MAX_CANDIDATES, "{words:?}: {limits}");
                let samples: f64 = primary
                    .iter()
                    .chain(&secondary)
                    .filter_map(|subquery| subquery.sample_percent)
                    .sum();
                let looks = samples / 100.0 * chunks;
                assert!(looks * LOOK <= MARGIN * ENTRIES * 1.001, "{words:?}: {looks}");
            }
        }
    }

    #[test]
    fn every_subquery_includes_the_required_terms() {
        let counts = LexemeCounts { chunks: 1e6, chunks_with: vec![5e5, 9e5, 3.0] };
        let plan = plan_subqueries(
            &QueryLexemes::of_words(&["of", "the", "rare"]),
            Some(&counts),
            "!'x'",
            50,
        );
        let mut all = plan.primary.iter().chain(&plan.secondary).chain(&plan.fallback);
        assert!(all.all(|subquery| subquery.query.ends_with(")&!'x'")), "{plan:?}");
    }

    #[test]
    fn without_counts_all_words_come_before_any() {
        let SubqueryPlan { primary, secondary, fallback } =
            plan_subqueries(&QueryLexemes::of_words(&["a", "b"]), None, "", 50);
        assert_eq!(
            (queries(&primary), queries(&secondary)),
            (vec!["('a')&('b')"], vec!["('a')|('b')"])
        );
        assert_eq!(fallback, []);
        assert_eq!(
            plan_subqueries(&QueryLexemes::of_words(&[]), None, "", 50),
            SubqueryPlan::default()
        );
    }

    #[test]
    fn the_fallback_reads_as_many_as_requested() {
        for requested in [50, 10_000] {
            let counts = LexemeCounts { chunks: 1e6, chunks_with: vec![5e5, 9e5] };
            let SubqueryPlan { fallback, .. } = plan_subqueries(
                &QueryLexemes::of_words(&["of", "the"]),
                Some(&counts),
                "",
                requested,
            );
            assert_eq!(fallback.last().unwrap().limit, requested.max(ENOUGH_CANDIDATES));
            let SubqueryPlan { primary, .. } =
                plan_subqueries(&QueryLexemes::of_words(&["of"]), None, "", requested);
            assert_eq!(primary[0].limit, requested.max(MAX_CANDIDATES));
        }
    }
}
