//! Misspelled words in real documents: how many `fragments` corrects, in the document and in the whole store.

use futures_util::future::join_all;
use passage_tests::Cluster;
use passage_tests::cluster::is_sql_edition;
use std::fs;
use std::path::Path;
use tokio_postgres::Client;

/// The seeds, and the number of words for each.
const SEEDS: [u64; 3] = [1, 2, 3];
const COUNT: usize = 200;

/// The share of all words that must be found in their document and in the store, and of the best fragments that must
/// have the word. Some slips have several corrections, as `sreach` has `search` and `breach`.
const FOUND: f64 = 0.98;
const PRECISE: f64 = 0.94;

/// The generator of Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators* (2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    /// Omits, adds, changes or swaps a letter of a word.
    fn slip(&mut self, word: &str) -> String {
        let mut letters: Vec<_> = word.chars().collect();
        let letter = char::from(b'a' + self.below(26) as u8);
        let at = self.below(letters.len() - 1);
        match self.below(4) {
            0 => _ = letters.remove(at),
            1 => letters.insert(at, letter),
            2 => letters[at] = letter,
            _ => letters.swap(at, at + 1),
        }
        letters.into_iter().collect()
    }
}

/// The documents of the questions, each with its words of six letters or more.
fn documents() -> Vec<(String, String, Vec<String>)> {
    let quality = Path::new(env!("CARGO_MANIFEST_DIR")).join("quality");
    let mut documents = Vec::new();
    for folder in ["docs", "facts/docs"] {
        let entries = fs::read_dir(quality.join(folder)).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let text = fs::read_to_string(&path).unwrap();
            let is_word =
                |word: &&str| word.len() >= 6 && word.bytes().all(|b| b.is_ascii_alphabetic());
            let mut words: Vec<_> =
                text.split_whitespace().filter(is_word).map(str::to_lowercase).collect();
            words.sort();
            words.dedup();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            documents.push((name, text, words));
        }
    }
    documents
}

/// Returns whether a word is in any fragment of an answer, and whether it is in the best one.
async fn answer(client: &Client, query: &str, word: &str, uri: Option<&str>) -> (bool, bool) {
    let sql = "SELECT position($2 in lower(content)) > 0 \
               OR to_tsvector('english', content) @@ plainto_tsquery('english', $2) \
               FROM passage.fragments($1, uri => $3) ORDER BY score DESC";
    let rows = client.query(sql, &[&query, &word, &uri]).await.unwrap();
    let has: Vec<bool> = rows.iter().map(|row| row.get(0)).collect();
    (has.contains(&true), has.first() == Some(&true))
}

/// Returns whether a word is in the store.
async fn is_word(client: &Client, word: &str) -> bool {
    let sql = "SELECT EXISTS (SELECT FROM rag.chunks \
               WHERE to_tsvector('english', content) @@ plainto_tsquery('english', $1))";
    client.query_one(sql, &[&word]).await.unwrap().get(0)
}

/// Asks for the words of a seed, each with a slip. Returns how many are found in their document and in the store, and
/// how many are in the best fragment.
async fn ask(
    cluster: &Cluster,
    documents: &[(String, String, Vec<String>)],
    seed: u64,
) -> [[usize; 2]; 2] {
    let client = cluster.client().await;
    let mut random = Random(seed);
    let (mut asked, mut found, mut best) = (0, [0; 2], [0; 2]);
    while asked < COUNT {
        let (uri, _, words) = &documents[random.below(documents.len())];
        let word = &words[random.below(words.len())];
        let slip = random.slip(word);
        // Stop words and words of comments are not found either way. A slip that makes another word, as `rally` of
        // `really`, is not misspelled.
        let is_found = answer(&client, word, word, Some(uri)).await.0;
        if slip == *word || !is_found || is_word(&client, &slip).await {
            continue;
        }
        asked += 1;
        for (scope, uri) in [Some(uri.as_str()), None].into_iter().enumerate() {
            let (is_found, is_best) = answer(&client, &slip, word, uri).await;
            found[scope] += usize::from(is_found);
            best[scope] += usize::from(is_best);
            if !is_found {
                eprintln!("seed {seed}: {slip} does not find {word} in {uri:?}");
            }
        }
    }
    eprintln!("seed {seed}: found {found:?}, best {best:?} of {COUNT} in document and store");
    [found, best]
}

#[tokio::test]
async fn words_with_one_slip_are_found_in_real_documents() {
    let cluster = Cluster::start().await;
    let client = cluster.client().await;
    let documents = documents();
    let media_type = is_sql_edition().then_some("text/plain");
    for (uri, text, _) in &documents {
        let sql = "SELECT passage.ingest($1, $2, $3)";
        client.query(sql, &[uri, text, &media_type]).await.unwrap();
    }
    client.batch_execute("ANALYZE rag.documents, rag.chunks").await.unwrap();
    let counts = join_all(SEEDS.map(|seed| ask(&cluster, &documents, seed))).await;
    let share = |kind: usize, scope: usize| {
        let sum: usize = counts.iter().map(|count| count[kind][scope]).sum();
        sum as f64 / (COUNT * SEEDS.len()) as f64
    };
    for (scope, name) in ["the document", "the store"].into_iter().enumerate() {
        let (found, best) = (share(0, scope), share(1, scope));
        assert!(found >= FOUND, "in {name}: {found}");
        assert!(best >= PRECISE, "best fragments in {name}: {best}");
    }
}
