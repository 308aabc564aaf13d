//! Offsets of a call at which `split` and `ingest` divide a text.

use crate::rng::Rng;
use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, is_sql_edition};
use passage_tests::share::share;

/// Parts of texts: characters of one to four bytes, white space of every kind, blocks of Markdown.
const PARTS: [&str; 24] = [
    "Some words. ",
    "é",
    "漢字",
    "🦀",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "\u{a0}",
    "\u{3000}",
    "\u{feff}",
    "# Title\n",
    "\n## Part\n\n",
    "- item\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "```\ncode\n```\n",
    "> quoted\n",
    "a: 1\n",
    "{\"a\": [1, 2]}\n",
    "1,2,3\n",
    "fn a() {}\n",
    "x",
    "word",
];

/// Media types, those that the SQL edition splits first.
const TYPES: [&str; 7] = [
    "text/plain",
    "text/markdown",
    "text/x-perl",
    "application/json",
    "text/csv",
    "text/x-yaml",
    "text/x-rust",
];

async fn with_store() -> Cluster {
    let cluster = Cluster::bare().await;
    cluster.install_as(OWNER).await;
    cluster.execute("SELECT passage.create_store()").await;
    cluster
}

/// Returns the offsets at which a chunk must begin: behind the character that they are in, and with text on both sides.
fn expected(text: &str, offsets: &[i32]) -> Vec<i32> {
    let behind_character = |offset: &i32| {
        let at = (*offset as usize..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap();
        at + usize::from(text[..at].ends_with('\r') && text[at..].starts_with('\n'))
    };
    let mut sorted: Vec<_> = offsets.iter().map(behind_character).collect();
    sorted.sort_unstable();
    let is_visible = |part: &str| !part.replace('\u{feff}', " ").trim().is_empty();
    let mut kept = vec![0];
    for at in sorted {
        if is_visible(&text[*kept.last().unwrap()..at]) && !text[at..].trim().is_empty() {
            kept.push(at);
        }
    }
    kept[1..].iter().map(|at| *at as i32).collect()
}

#[tokio::test]
async fn chunks_of_any_text_begin_at_the_offsets_and_are_ingested_as_they_are_split() {
    let cluster = with_store().await;
    let client = cluster.client().await;
    let split = client
        .prepare("SELECT content, start_byte FROM passage.split($1, $2, splitting => passage.splitting(max_size => $3, split_offsets => $4)) ORDER BY ordinal")
        .await
        .unwrap();
    let ingest = client
        .prepare("SELECT outcome FROM passage.ingest('a', $1, $2, splitting => passage.splitting(max_size => $3, split_offsets => $4))")
        .await
        .unwrap();
    let types = if is_sql_edition() { &TYPES[..2] } else { &TYPES };
    let numbers: Vec<u32> = (0..1_600).collect();
    for number in share(&numbers) {
        let mut rng = Rng::new(0x0ff5_e700, number);
        let text: String = (0..rng.index(60)).map(|_| PARTS[rng.index(PARTS.len())]).collect();
        let mut offsets: Vec<i32> =
            (0..rng.index(9)).map(|_| rng.index(text.len() + 1) as i32).collect();
        let media_type = types[rng.index(types.len())];
        let max_size = [20, 120, 1_000][rng.index(3)];
        let what = format!("{number}: {text:?}, {media_type}, {max_size}, {offsets:?}");
        let rows = client.query(&split, &[&text, &media_type, &max_size, &offsets]).await;
        let rows = rows.unwrap_or_else(|error| panic!("{what}: {error:?}"));
        let chunks: Vec<(String, i32)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        assert_eq!(
            chunks.iter().map(|(content, _)| &**content).collect::<String>(),
            text,
            "{what}"
        );
        let fits =
            |content: &str| content.chars().count() <= max_size as usize || content == "\r\n";
        assert!(chunks.iter().all(|(content, _)| fits(content)), "{what}: {chunks:?}");
        for start in expected(&text, &offsets) {
            assert!(
                chunks.iter().any(|(_, begin)| *begin == start),
                "{start} of {what}: {chunks:?}"
            );
        }

        let outcome = client.query_one(&ingest, &[&text, &media_type, &max_size, &offsets]).await;
        assert_ne!(outcome.unwrap().get::<_, &str>(0), "unchanged", "{what}");
        let stored =
            client.query("SELECT content, start_byte FROM rag.chunks ORDER BY ordinal", &[]);
        let stored: Vec<(String, i32)> =
            stored.await.unwrap().iter().map(|row| (row.get(0), row.get(1))).collect();
        assert_eq!(stored, chunks, "{what}");
        // Their order does not count, nor does a repetition.
        offsets.reverse();
        offsets.extend(offsets.first().copied());
        let outcome = client.query_one(&ingest, &[&text, &media_type, &max_size, &offsets]).await;
        assert_eq!(outcome.unwrap().get::<_, &str>(0), "unchanged", "{what}");
    }
    assert_eq!(cluster.query_lines("SELECT FROM passage.check_store(data => true)").await.len(), 0);
}

#[tokio::test]
async fn as_many_offsets_as_allowed_divide_one_line_of_text() {
    let cluster = with_store().await;
    let client = cluster.client().await;
    // The SQL edition takes 0.3 ms for a chunk.
    let count = if is_sql_edition() { 2_000 } else { 100_000 };
    let (text, size) = ("é ".repeat(count as usize * 10), 1_000);
    let offsets: Vec<i32> = (1..=count).map(|number| number * 30).collect();
    let sql = "SELECT count(*), max(octet_length(content)) FROM passage.split($1, 'text/plain', splitting => passage.splitting(max_size => $2, split_offsets => $3))";
    let row = client.query_one(sql, &[&text, &size, &offsets]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i32>(1)), (i64::from(count), 30));
    // The maximum size counts more.
    let row = client.query_one(sql, &[&text, &15, &&offsets[..1_000]]).await.unwrap();
    assert!(row.get::<_, i32>(1) <= 23, "15 characters, half of them of two bytes");
}

#[tokio::test]
async fn an_upgrade_of_a_store_keeps_a_document_with_offsets() {
    let cluster = with_store().await;
    let ingest = "SELECT outcome FROM passage.ingest('a.txt', 'One. Two. Three.', splitting => passage.splitting(split_offsets => '{5, 10}'))";
    assert_eq!(cluster.query_text(ingest).await, "added");
    cluster.execute("ALTER TABLE rag.chunks DROP COLUMN tsv; SELECT passage.upgrade_store()").await;
    let contents = "SELECT string_agg(content, '|' ORDER BY ordinal) FROM rag.chunks";
    assert_eq!(cluster.query_text(contents).await, "One. |Two. |Three.");
    assert_eq!(cluster.query_text(ingest).await, "unchanged");
}
