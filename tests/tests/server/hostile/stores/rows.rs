//! Rows that our clients never write, in columns of the right types.

use super::attacker::{Attacker, Outcome};
use super::store::Kind;
use super::sweep::Sweep;
use super::verdict::{Vocabulary, judge};
use super::{GREETING, cluster};
use passage_tests::cluster::is_sql_edition;
use passage_tests::share::share;

/// Changes of the rows of a store `@`, with their names. `@lines` and `@titles` are numbers.
const CHANGES: &[(&str, &str)] = &[
    ("the last ordinals", "UPDATE @.chunks SET ordinal = 2147483647 - ordinal"),
    ("the first ordinals", "UPDATE @.chunks SET ordinal = -2147483648 + ordinal"),
    (
        "ordinals at both ends",
        "UPDATE @.chunks SET ordinal = CASE ordinal WHEN 1 THEN 2147483647 WHEN 2 THEN -2147483648 ELSE ordinal END",
    ),
    (
        "ordinals all the same",
        "ALTER TABLE @.chunks DROP CONSTRAINT chunks_document_id_ordinal_key; UPDATE @.chunks SET ordinal = 1",
    ),
    (
        "the longest spans",
        "UPDATE @.chunks SET start_byte = -2147483648, end_byte = 2147483647, first_line = -2147483648, last_line = 2147483647",
    ),
    (
        "spans that end before they begin",
        "UPDATE @.chunks SET start_byte = 2147483647, end_byte = -2147483648, first_line = 9, last_line = -9",
    ),
    ("spans that overlap", "UPDATE @.chunks SET start_byte = ordinal, end_byte = 1000000"),
    (
        "spans that end within a character",
        "UPDATE @.chunks SET content = repeat('é', 9), start_byte = ordinal * 3, end_byte = ordinal * 3 + 18",
    ),
    ("the largest number of tokens", "UPDATE @.chunks SET tokens = 2147483647, level = 2147483647"),
    ("the least tokens", "UPDATE @.chunks SET tokens = -2147483648, level = -2147483648"),
    ("sections of NULLs", "UPDATE @.chunks SET section = '{NULL,NULL}'"),
    ("sections of two dimensions", "UPDATE @.chunks SET section = '{{A,B},{C,D}}'"),
    ("sections that begin at 5", "UPDATE @.chunks SET section = '[5:6]={A,B}'"),
    (
        "sections that begin with the integers",
        "UPDATE @.chunks SET section = '[-2147483648:-2147483647]={A,B}'",
    ),
    (
        "sections that end with the integers",
        "UPDATE @.chunks SET section = '[2147483646:2147483646]={A}'",
    ),
    (
        "a section of many titles",
        "UPDATE @.chunks SET section = ARRAY(SELECT i::text FROM generate_series(1, @titles) AS i) WHERE ordinal = 1",
    ),
    (
        "sections of 20,000 titles",
        "UPDATE @.chunks SET section = ARRAY(SELECT i::text || ordinal FROM generate_series(1, 20000) AS i)",
    ),
    (
        "a title of control characters",
        r"UPDATE @.chunks SET section = ARRAY[E'\x01\n\t', repeat('é', 100000)]",
    ),
    ("keys that are all the same", "UPDATE @.chunks SET section_key = 7, parent_key = 7"),
    ("keys that are NULL", "UPDATE @.chunks SET section_key = NULL, parent_key = NULL"),
    ("an unknown kind and unit", r"UPDATE @.chunks SET kind = repeat('x', 100000), unit = E'\n'"),
    ("empty contents", "UPDATE @.chunks SET content = '', tokens = 0"),
    (
        "NULL contents",
        "UPDATE @.chunks SET content = NULL, tokens = NULL, level = NULL, section = NULL, kind = NULL, metadata = NULL",
    ),
    (
        "a content of many lines",
        r"UPDATE @.chunks SET content = repeat(E'x y\n', @lines) WHERE ordinal = 1",
    ),
    (
        "metadata that is an array",
        "UPDATE @.chunks SET metadata = '[1,2]'; UPDATE @.documents SET metadata = '[]'",
    ),
    (
        "metadata that is a string",
        r#"UPDATE @.chunks SET metadata = '"x"'; UPDATE @.documents SET metadata = '"x"'"#,
    ),
    (
        "metadata that is null",
        "UPDATE @.chunks SET metadata = 'null'; UPDATE @.documents SET metadata = 'null'",
    ),
    (
        "metadata that is deep",
        r#"UPDATE @.chunks SET metadata = (repeat('{"imports":', 3000) || '1' || repeat('}', 3000))::jsonb; UPDATE @.documents SET metadata = (repeat('[', 3000) || repeat(']', 3000))::jsonb"#,
    ),
    (
        "imports of other things",
        r#"UPDATE @.chunks SET metadata = '{"imports": [1, null, "\u0001", 1e400, {"a": []}]}'"#,
    ),
    (
        "imports that are an object",
        r#"UPDATE @.chunks SET metadata = '{"imports": {"a": [null]}}'"#,
    ),
    (
        "no media type",
        "UPDATE @.documents SET media_type = '', title = '', uri = repeat(' ', length(uri))",
    ),
    (
        "a media type of many lines",
        r"UPDATE @.documents SET media_type = E'text/\nx', title = repeat('t', 1000000)",
    ),
    (
        "a number of chunks below zero",
        r"UPDATE @.documents SET chunk_count = -2147483648, content_hash = '\x'",
    ),
    (
        "dates without end",
        "UPDATE @.documents SET ingested_at = 'infinity', orphaned_at = '-infinity'",
    ),
    (
        "containers alone",
        "UPDATE @.chunks SET unit = 'container', section = '{}', kind = 'code'; UPDATE @.documents SET media_type = 'application/json'",
    ),
    (
        "JSON that never ends",
        r#"UPDATE @.chunks SET kind = 'data', unit = 'value', content = '{"a":' || repeat('[', 5000); UPDATE @.documents SET media_type = 'application/json'"#,
    ),
    ("chunks without documents", "DELETE FROM @.documents"),
    (
        "chunks twice",
        "ALTER TABLE @.chunks DROP CONSTRAINT chunks_document_id_ordinal_key, DROP CONSTRAINT chunks_id_key; INSERT INTO @.chunks SELECT * FROM @.chunks",
    ),
    (
        "documents twice",
        "ALTER TABLE @.documents DROP CONSTRAINT documents_id_key, DROP CONSTRAINT documents_uri_collection_version_key; INSERT INTO @.documents SELECT * FROM @.documents",
    ),
    (
        "a threshold that is not a number",
        "UPDATE @.strategies SET threshold = 'NaN', base = 'merge'",
    ),
    ("a threshold without end", "UPDATE @.strategies SET threshold = '-Infinity', base = 'merge'"),
    (
        "limits below zero",
        "UPDATE @.strategies SET parents = -1, before = -2147483648, max_chunks = -1, max_tokens = -1",
    ),
    (
        "the largest limits",
        "UPDATE @.strategies SET parents = 2147483647, preceding = 2147483647, following = 2147483647, children = 2147483647, before = 2147483647, after = 2147483647, max_tokens = 2147483647, max_chunks = 2147483647",
    ),
    ("windows that are an array", r#"UPDATE @.strategies SET windows = '[1, {"code": -1e300}]'"#),
    (
        "windows out of range",
        r#"UPDATE @.strategies SET windows = '{"prose": 1e300, "code": 99999999999999999999, "x": null}'"#,
    ),
    (
        "windows that are deep",
        "UPDATE @.strategies SET windows = (repeat('[', 3000) || repeat(']', 3000))::jsonb",
    ),
    ("a base that is itself", "UPDATE @.strategies SET base = name"),
    (
        "a default for two dimensions",
        "UPDATE @.strategies SET default_for = '{{text/markdown,NULL},{a,b}}'",
    ),
    (
        "20,000 strategies",
        "INSERT INTO @.strategies (name, default_for) SELECT 'm' || i, '{text/*}' FROM generate_series(1, 20000) AS i",
    ),
    (
        "strategies of one name",
        "ALTER TABLE @.strategies DROP CONSTRAINT strategies_name_key; INSERT INTO @.strategies SELECT * FROM @.strategies",
    ),
    ("embeddings of zeros", "UPDATE @.embeddings SET embedding = '[0,0,0]'"),
    ("embeddings of the largest numbers", "UPDATE @.embeddings SET embedding = '[3e38,3e38,3e38]'"),
    (
        "embeddings of other documents",
        "UPDATE @.embeddings SET document_id = 'cccccccc-0000-0000-8000-000000000000'",
    ),
    (
        "settings of other shapes",
        r#"INSERT INTO @.settings VALUES ('dimensions', '[[[]]]'), ('distance', '{}'), ('embedding_type', '7'), ('x', '"y"'); UPDATE @.settings SET value = '"nowhere"' WHERE key = 'language'"#,
    ),
    (
        "lexemes of other words",
        "UPDATE @.chunks SET tsv = array_to_tsvector(ARRAY['quokka', repeat('é', 900)])",
    ),
    (
        "one lexeme everywhere",
        "UPDATE @.chunks SET tsv = (SELECT string_agg('quokka:' || i || 'A', ' ') FROM generate_series(1, 16383) AS i)::tsvector",
    ),
];

/// The SQLSTATEs that may refuse such rows. Each says what is wrong with them.
const ORDINARY: &[&str] =
    &["21000", "22000", "22004", "22023", "23502", "23505", "23514", "42804", "42809", "54000"];

#[tokio::test]
async fn rows_of_any_shape_are_read_or_refused_with_a_clear_error() {
    let Some(cluster) = cluster().await else { return };
    let attacker = Attacker::new(&cluster, GREETING).await;
    let mut sweep = Sweep::new(attacker, "plain", Kind::Table, &Vocabulary::default());
    let only = std::env::var("HOSTILE_ROWS").ok();
    let (mut calls, mut findings) = (0, Vec::new());
    // A call ends after 20 seconds, in which the edition does not read 20,000 lines of one chunk, or 100,000 titles.
    let (lines, titles) = if is_sql_edition() { ("2000", "2000") } else { ("2000000", "100000") };
    let changes = if only.is_none() { share(CHANGES) } else { CHANGES.to_vec() };
    for (name, change) in changes {
        if only.as_ref().is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let begun = std::time::Instant::now();
        sweep
            .changed(
                &change.replace("@lines", lines).replace("@titles", titles),
                |call, outcome| {
                    calls += 1;
                    let fault = match outcome {
                        Outcome::Rows(rows) => {
                            let secret =
                                rows.iter().find(|row| row.contains(super::verdict::SECRET));
                            secret.map(|row| format!("LEAK: {row}"))
                        }
                        Outcome::Error { code, text } => judge(outcome, None, true).or_else(|| {
                            // These messages name a wrong cause.
                            let misled = !ORDINARY.contains(&code.as_str())
                                || text.contains("strategy \"auto\"")
                                || text.contains("row-level security");
                            misled.then(|| format!("UNCLEAR {code}: {text}"))
                        }),
                        Outcome::Crash | Outcome::Endless | Outcome::Lost => {
                            judge(outcome, None, true)
                        }
                    };
                    findings.extend(fault.map(|fault| format!("{name}: {fault} | {}", call.sql)));
                },
            )
            .await;
        if begun.elapsed().as_secs() > 5 {
            println!("{name}: {:?}", begun.elapsed());
        }
    }
    println!("{calls} calls, {} findings", findings.len());
    assert!(findings.is_empty(), "{} of {calls} calls:\n{}", findings.len(), findings.join("\n"));
}
