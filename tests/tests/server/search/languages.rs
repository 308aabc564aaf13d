//! Questions in eleven languages: which of the first three hits answers, by words alone.
//!
//! `tests/quality/languages` has the documents and the questions. Each language has a store of its own with PostgreSQL's
//! configuration for it, or with `simple` if there is none. Another store has all languages, with `simple`.

use passage_tests::Cluster;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tokio_postgres::Client;

/// The languages, each with its configuration.
const LANGUAGES: [(&str, &str); 11] = [
    ("ar", "arabic"),
    ("de", "german"),
    ("fi", "finnish"),
    ("hi", "hindi"),
    ("ja", "simple"),
    ("ko", "simple"),
    ("ru", "russian"),
    ("th", "simple"),
    ("tr", "turkish"),
    ("vi", "simple"),
    ("zh", "simple"),
];

/// The number of hits, one of which must answer.
const HITS: i32 = 3;

/// The least share of exact words, and of questions, that an answer is found for.
const GOALS: [(&str, f64); 2] = [("word", 0.95), ("question", 0.8)];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("quality/languages")
}

/// Creates a store with the documents whose names begin with a prefix.
async fn fill(client: &Client, store: &str, language: &str, prefix: &str) {
    let sql = "SELECT passage.create_store($1, language => $2::text::regconfig)";
    client.query(sql, &[&store, &language]).await.unwrap();
    let entries = fs::read_dir(folder().join("docs")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let uri = path.file_name().unwrap().to_str().unwrap();
        if uri.starts_with(prefix) {
            let text = fs::read_to_string(&path).unwrap();
            let sql = "SELECT passage.ingest($1, $2, store => $3)";
            client.query(sql, &[&uri, &text, &store]).await.unwrap();
        }
    }
    client.batch_execute(&format!("ANALYZE \"{store}\".chunks")).await.unwrap();
}

/// Returns whether one of the first hits is in the section that answers.
async fn is_answered(client: &Client, store: &str, question: &Value) -> bool {
    let text = |key: &str| question[key].as_str().unwrap();
    let sql = "SELECT uri, section[cardinality(section)] FROM passage.search_hits($1, max_hits => $2, store => $3)";
    let rows = client.query(sql, &[&text("question"), &HITS, &store]).await.unwrap();
    rows.iter().any(|row| {
        let (uri, section): (&str, Option<&str>) = (row.get(0), row.get(1));
        uri == text("doc") && section == Some(text("section"))
    })
}

#[tokio::test]
async fn questions_in_eleven_languages_find_their_section() {
    let cluster = Cluster::without_store().await;
    let client = cluster.client().await;
    for (language, configuration) in LANGUAGES {
        fill(&client, language, configuration, language).await;
    }
    fill(&client, "all", "simple", "").await;
    let questions = fs::read_to_string(folder().join("questions.jsonl")).unwrap();
    // For each language and kind: the questions, those answered in its store, and those answered in the common one.
    let mut counts: BTreeMap<(String, String), [usize; 3]> = BTreeMap::new();
    for line in questions.lines() {
        let question: Value = serde_json::from_str(line).unwrap();
        let language = question["id"].as_str().unwrap()[..2].to_owned();
        let kind = question["kind"].as_str().unwrap().to_owned();
        let found = is_answered(&client, &language, &question).await;
        let in_all = is_answered(&client, "all", &question).await;
        if !found {
            eprintln!("not answered: {question}");
        }
        let count = counts.entry((language, kind)).or_default();
        for (sum, one) in count.iter_mut().zip([true, found, in_all]) {
            *sum += usize::from(one);
        }
    }
    for ((language, kind), [asked, found, in_all]) in &counts {
        eprintln!("{language} {kind}: {found} of {asked}, {in_all} in the common store");
    }
    for (kind, goal) in GOALS {
        let of_kind = || counts.iter().filter(|((_, asked), _)| asked == kind);
        let sum = |which: usize| of_kind().map(|(_, count)| count[which]).sum::<usize>() as f64;
        assert!(sum(1) / sum(0) >= goal, "{kind}: {} of {}", sum(1), sum(0));
        for ((language, _), [asked, found, _]) in of_kind() {
            assert!(*found * 10 >= *asked * 7, "{kind} in {language}: {found} of {asked}");
        }
    }
}

#[tokio::test]
async fn a_configuration_of_the_user_works_in_all_functions() {
    let cluster = Cluster::without_store().await;
    cluster.execute_as(passage_tests::cluster::SUPERUSER, "CREATE EXTENSION unaccent").await;
    cluster
        .execute(
            "CREATE TEXT SEARCH CONFIGURATION public.plain (COPY = pg_catalog.simple);
            ALTER TEXT SEARCH CONFIGURATION public.plain
                ALTER MAPPING FOR hword, hword_part, word WITH unaccent, simple;
            SELECT passage.create_store(language => 'public.plain');
            SELECT passage.ingest('a.md', E'# Menü\n\nLe café ouvre à neuf heures. Cafe\u{301} fermé. Die Straße. 日本語の説明書。')",
        )
        .await;
    for query in
        ["cafe", "café", "CAFÉ", "menu", "Ferme", "日本語", "\"日本語の\"", "ouvré", "ouvrw"]
    {
        for function in ["search", "search_hits", "fragments"] {
            let count = cluster
                .query_text(&format!("SELECT count(*) FROM passage.{function}('{query}')"))
                .await;
            assert_eq!(count, "1", "{function} {query}");
        }
    }
    assert_eq!(cluster.query_text("SELECT count(*) FROM passage.check_store()").await, "0");
}

#[tokio::test]
async fn stores_of_several_languages_are_searched_together() {
    let cluster = Cluster::without_store().await;
    cluster
        .execute(
            "SELECT passage.create_store('german', language => 'german'), passage.create_store('english', language => 'english'),
                passage.create_store('mixed', language => 'simple');
            SELECT passage.ingest('de.md', 'Die Sicherungen laufen jede Nacht.', store => 'german'),
                passage.ingest('en.md', 'The servers run each night.', store => 'english'),
                passage.ingest('de.md', 'Die Sicherungen laufen jede Nacht.', collection => 'de', store => 'mixed'),
                passage.ingest('en.md', 'The servers run each night.', collection => 'en', store => 'mixed')",
        )
        .await;
    for (query, united, mixed) in [
        ("Sicherung", "de.md", ""),
        // Without stems, the plural is found as a word that differs by one letter.
        ("server", "en.md", "en.md"),
        ("Sicherungen Nacht", "de.md", "de.md"),
        ("servers", "en.md", "en.md"),
    ] {
        let hits = |store: &str| {
            format!("SELECT rank, uri FROM passage.search_hits('{query}', store => '{store}')")
        };
        let sql = format!(
            "SELECT string_agg(uri, ' ' ORDER BY rank) FROM ({} UNION ALL {}) AS hit",
            hits("german"),
            hits("english"),
        );
        assert_eq!(cluster.query_text(&sql).await, united, "{query}");
        let sql = format!(
            "SELECT coalesce(string_agg(uri, ' '), '') FROM passage.search_hits('{query}', store => 'mixed',
                filter => '{{\"collection\": [\"de\", \"en\"]}}')"
        );
        assert_eq!(cluster.query_text(&sql).await, mixed, "{query}");
    }
}

#[tokio::test]
async fn a_dictionary_with_a_compound_flag_finds_the_parts_of_compounds() {
    let cluster = Cluster::without_store().await;
    // A sample of PostgreSQL has the compound "footballklubber".
    cluster
        .execute(
            "CREATE TEXT SEARCH DICTIONARY public.compounds (TEMPLATE = ispell, DictFile = ispell_sample, AffFile = hunspell_sample);
            CREATE TEXT SEARCH CONFIGURATION public.compounds (COPY = pg_catalog.simple);
            ALTER TEXT SEARCH CONFIGURATION public.compounds ALTER MAPPING FOR asciiword WITH compounds, simple;
            SELECT passage.create_store(language => 'public.compounds');
            SELECT passage.ingest('a.md', 'The footballklubber plays at night.'), passage.ingest('b.md', 'The ball is round.')",
        )
        .await;
    for (query, uris) in [
        ("klubber", "a.md"),
        ("footballklubber", "a.md"),
        ("ballklubber", "a.md"),
        ("\"footballklubber plays\"", "a.md"),
        ("ball -klubber", "b.md"),
    ] {
        for function in ["search", "search_hits", "fragments"] {
            let sql =
                format!("SELECT string_agg(DISTINCT uri, ' ') FROM passage.{function}('{query}')");
            assert_eq!(cluster.query_text(&sql).await, uris, "{function} {query}");
        }
    }
}
