//! Random ratings order the hits of random queries as `docs/guides/search.md` describes.

use crate::rng::Rng;
use passage_tests::Cluster;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

const WORDS: [&str; 8] = ["amber", "birch", "cobalt", "dusk", "ember", "fjord", "garnet", "hazel"];
const CHUNKS: usize = 24;
const ROUNDS: u32 = 12;

/// Words, by their indexes in the order in which a text has them.
type Text = Vec<usize>;

/// A rating: the question, its number from 1 up, and the opinion.
struct Rating {
    question: Text,
    number: usize,
    value: f64,
}

/// The ratings of each chunk by each user, the last one for each question.
type Ratings = BTreeMap<(usize, u64), Vec<Rating>>;

fn text(rng: &mut Rng, max: u64) -> Text {
    let count = 1 + rng.below(max) as usize;
    let words = rng.shuffled(WORDS.len() as u64).into_iter().take(count);
    words.map(|word| word as usize).collect()
}

fn words(text: &[usize]) -> String {
    text.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ")
}

fn id(chunk: usize) -> String {
    format!("aaaaaaaa-0000-0000-0000-{chunk:012}")
}

/// Returns how much a rating for a question counts for another one.
fn likeness(a: &[usize], b: &[usize]) -> f64 {
    let common = a.iter().filter(|word| b.contains(word)).count() as f64;
    2.0 * (common / (a.len() as f64 * b.len() as f64).sqrt()).min(1.0) - 1.0
}

/// Returns the votes of chunks for a query.
fn votes(ratings: &Ratings, query: &[usize]) -> HashMap<usize, f64> {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for ((chunk, _), ratings) in ratings {
        let alike = ratings.iter().map(|rating| (likeness(&rating.question, query), rating));
        let best = alike.filter(|(weight, _)| *weight > 0.0).max_by(|(a, first), (b, second)| {
            a.total_cmp(b).then(first.number.cmp(&second.number))
        });
        if let Some((weight, rating)) = best {
            let (sum, size) = sums.entry(*chunk).or_default();
            *sum += weight * rating.value;
            *size += (weight * rating.value).abs();
        }
    }
    sums.retain(|_, (sum, _)| *sum != 0.0);
    sums.into_iter().map(|(chunk, (sum, size))| (chunk, sum / (1.0 + size))).collect()
}

/// Returns the hits of a search with ratings from those without.
fn expected(
    hits: &[(usize, f64)],
    votes: &HashMap<usize, f64>,
    is_complete: impl Fn(usize) -> bool,
    weight: f64,
) -> Vec<(usize, f64)> {
    let found: BTreeSet<_> = hits.iter().map(|(chunk, _)| *chunk).collect();
    let mut added: Vec<_> =
        votes.iter().filter(|(chunk, vote)| **vote > 0.0 && !found.contains(chunk)).collect();
    // The best ten of all chunks with votes, of which some may be found.
    let mut best: Vec<_> = votes.iter().filter(|(_, vote)| **vote > 0.0).collect();
    best.sort_by(|a, b| b.1.total_cmp(a.1).then(a.0.cmp(b.0)));
    best.truncate(10);
    added.retain(|one| best.contains(one));
    added.sort_by(|a, b| b.1.total_cmp(a.1).then(a.0.cmp(b.0)));
    let last = hits.last().map_or(0.0, |(_, score)| *score);
    let mut all = hits.to_vec();
    all.extend(added.into_iter().map(|(chunk, _)| (*chunk, last)));
    let Some((_, best)) = all.first().copied() else { return all };
    let range = if best > last { best - last } else { 1.0 };
    let moved = |&(chunk, score): &(usize, f64)| {
        score + weight * votes.get(&chunk).copied().unwrap_or_default() * range
    };
    let mut placed: Vec<_> =
        all.iter().enumerate().map(|(rank, hit)| (moved(hit), 2, moved(hit), rank)).collect();
    let complete: Vec<_> = (0..all.len()).filter(|rank| is_complete(all[*rank].0)).collect();
    if let Some(first) = complete.first().copied() {
        let front = complete
            .iter()
            .copied()
            .rev()
            .max_by(|a, b| moved(&all[*a]).total_cmp(&moved(&all[*b])));
        let (kept, front) = (all[first].1, front.unwrap());
        for (value, class, _, rank) in &mut placed {
            if *rank == front {
                (*value, *class) = (value.max(kept), 1);
            } else if *rank < first {
                *class = 0;
            } else if !complete.contains(rank) {
                *value = value.min(kept);
            }
        }
    }
    placed.sort_by(|a, b| {
        b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(b.2.total_cmp(&a.2)).then(a.3.cmp(&b.3))
    });
    placed.iter().zip(&all).map(|((.., rank), (_, score))| (all[*rank].0, *score)).collect()
}

/// Returns the hits of a query with their scores.
async fn search(cluster: &Cluster, query: &str, ranking: &str) -> Vec<(usize, f64)> {
    let sql = format!(
        "SELECT chunk_id, score FROM passage.search_hits('{query}', max_hits => 100, ranking => {ranking}) ORDER BY rank"
    );
    let hit = |line: &String| {
        let (id, score) = line.split_once('|').unwrap();
        (id[24..].parse().unwrap(), score.parse().unwrap())
    };
    cluster.query_lines(&sql).await.iter().map(hit).collect()
}

#[tokio::test]
async fn random_ratings_order_the_hits_of_random_queries() {
    let cluster = Cluster::start().await;
    let mut moved = 0;
    for round in 0..ROUNDS {
        let mut rng = Rng::new(43, round);
        let chunks: Vec<_> = (0..CHUNKS).map(|_| text(&mut rng, 5)).collect();
        let mut sql = "DELETE FROM rag.ratings; DELETE FROM rag.documents; \
            INSERT INTO rag.documents (id, uri) VALUES ('aaaaaaaa-0000-0000-8000-000000000000', 'all');"
            .to_owned();
        for (number, chunk) in chunks.iter().enumerate() {
            // Repeated words, so that scores differ.
            let content = format!("{} {}", words(chunk), words(&chunk[..=rng.index(chunk.len())]));
            let _ = write!(
                sql,
                "INSERT INTO rag.chunks (id, document_id, ordinal, content) \
                VALUES ('{}', 'aaaaaaaa-0000-0000-8000-000000000000', {number}, '{content}');",
                id(number)
            );
        }
        cluster.execute(&sql).await;
        let mut ratings = Ratings::new();
        for number in 1..=40 {
            let (chunk, user) = (rng.index(CHUNKS), rng.below(3));
            let rating = *rng.choose(&[-1.0, -0.5, 0.25, 0.5, 1.0, 1.0]);
            let question = text(&mut rng, 3);
            let sql = format!(
                "SELECT passage.rate('{}', '{}', {rating}, rated_by => 'user {user}')",
                words(&question),
                id(chunk)
            );
            cluster.execute(&sql).await;
            let rated = ratings.entry((chunk, user)).or_default();
            rated.retain(|earlier| earlier.question != question);
            rated.push(Rating { question, number, value: rating });
        }
        for _ in 0..6 {
            let query = text(&mut rng, 3);
            let words = words(&query);
            let plain = search(&cluster, &words, "NULL").await;
            assert_eq!(search(&cluster, &words, "'{\"feedback\": 0}'").await, plain, "{words}");
            let is_complete = |chunk: usize| {
                query.iter().all(|word| chunks[chunk].contains(word))
                    && plain.iter().any(|(found, _)| *found == chunk)
            };
            let weight = *rng.choose(&[0.1, 0.5, 1.0]);
            let expected = expected(&plain, &votes(&ratings, &query), is_complete, weight);
            let ranking = format!("passage.ranking(feedback => {weight})");
            let found = search(&cluster, &words, &ranking).await;
            assert_eq!(found, expected, "round {round}, \"{words}\", {weight}, {plain:?}");
            moved += usize::from(found != plain);
            // No hit is dropped, and one with all words keeps its place among those that lack some.
            let place =
                |hits: &[(usize, f64)]| hits.iter().position(|(chunk, _)| is_complete(*chunk));
            assert!(plain.iter().all(|(chunk, _)| found.iter().any(|(other, _)| other == chunk)));
            assert!(place(&found) <= place(&plain), "{words}: {plain:?}, {found:?}");
        }
    }
    assert!(moved > 30, "{moved} searches with another order");
}
