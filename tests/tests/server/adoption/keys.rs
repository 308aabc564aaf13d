//! Keys and documents of adopted tables: every type of PostgreSQL, and every session whatever its settings.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{SUPERUSER, session_lines};
use passage_tests::share::share_of_others;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

/// Types, each with distinct values, and another text of the first one.
const KEYS: &[(&str, &[&str], &str)] = &[
    ("smallint", &["1", "-2", "3"], "1"),
    ("integer", &["1", "-2", "3"], "01"),
    ("bigint", &["1", "-9223372036854775808", "3"], "1"),
    ("numeric", &["1.0", "'-0.50'", "'NaN'"], "1.00"),
    ("numeric(9, 2)", &["1", "2.50", "-3"], "1.00"),
    ("real", &["0.1", "'Infinity'", "-0.0"], "0.1"),
    ("double precision", &["0.1", "'NaN'", "-0.0"], "0.10"),
    ("text", &["'a'", "'A'", "'ä'"], "'a'"),
    (r#"text COLLATE "C""#, &["'a'", "'A'", "''"], "'a'"),
    ("varchar(5)", &["'a'", "'b '", "'b'"], "'a'"),
    ("char(4)", &["'a'", "'b'", "'c'"], "'a  '"),
    ("name", &["'a'", "'b'", "'c'"], "'a'"),
    (
        "uuid",
        &[
            "'11111111-1111-4111-8111-111111111111'",
            "'22222222-2222-4222-8222-222222222222'",
            "'33333333-3333-4333-8333-333333333333'",
        ],
        "'{11111111111141118111111111111111}'",
    ),
    ("bytea", &[r"'\x00ff'", r"'\x5c'", "''"], r"'\000\377'"),
    ("boolean", &["true", "false"], "'on'"),
    ("date", &["'2026-11-27'", "'infinity'", "'0044-03-15 BC'"], "'20261127'"),
    ("time", &["'12:00'", "'13:00:00.5'", "'24:00'"], "'12:00:00'"),
    ("timetz", &["'12:00+02'", "'12:00+03'", "'12:00-05'"], "'12:00+02'"),
    ("timestamp", &["'2026-11-27 12:00'", "'-infinity'", "'2026-11-28'"], "'2026-11-27T12:00'"),
    (
        "timestamptz",
        &["'2026-11-27 12:00+00'", "'2026-11-27 13:00+00'", "'infinity'"],
        "'2026-11-27 14:00+02'",
    ),
    ("inet", &["'10.0.0.1'", "'10.0.0.1/8'", "'::1'"], "'10.0.0.1/32'"),
    ("cidr", &["'10.0.0.0/8'", "'10.0.0.0/9'", "'::/0'"], "'10.0.0.0/8'"),
    (
        "macaddr",
        &["'08:00:2b:01:02:03'", "'08:00:2b:01:02:04'", "'08:00:2b:01:02:05'"],
        "'08002b:010203'",
    ),
    (
        "macaddr8",
        &["'08:00:2b:01:02:03:04:05'", "'08:00:2b:01:02:03:04:06'", "'08:00:2b:01:02:03:04:07'"],
        "'08002b0102030405'",
    ),
    ("bit(4)", &["B'1010'", "B'0101'", "B'0000'"], "B'1010'"),
    ("bit varying", &["B'1010'", "B'101'", "B''"], "B'1010'"),
    ("oid", &["1", "2", "4294967295"], "1"),
    ("few", &["1", "2", "3"], "1"),
    ("fewer", &["1", "2", "3"], "1"),
];

/// Types that a key must not have.
const REFUSED: &[&str] = &[
    "integer[]",
    "text[]",
    "interval",
    "money",
    "jsonb",
    "mood",
    "pair",
    "int4range",
    "datemultirange",
    "list",
    "text COLLATE any_case",
    "ltree",
    "tsvector",
    "pg_lsn",
    "many",
];

const SETUP: &str = r"
    CREATE DOMAIN few AS integer CHECK (VALUE > 0);
    CREATE DOMAIN fewer AS few NOT NULL;
    CREATE DOMAIN list AS integer[];
    CREATE DOMAIN many AS jsonb;
    CREATE TYPE mood AS ENUM ('calm', 'keen');
    CREATE TYPE pair AS (one integer, two text);
    CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)";

/// Sessions whose settings change the text of values.
const SETTINGS: [&str; 4] = [
    "SET timezone = 'UTC'",
    "SET timezone = 'Asia/Tokyo'; SET datestyle = 'SQL, DMY'; SET intervalstyle = 'iso_8601'; SET extra_float_digits = -10; SET bytea_output = 'escape'",
    "SET timezone = 'America/New_York'; SET datestyle = 'German'; SET intervalstyle = 'sql_standard'; SET extra_float_digits = 3; SET quote_all_identifiers = on",
    "SET timezone = '-11:30'; SET datestyle = 'Postgres, MDY'; SET lc_monetary = 'C'; SET xmlbinary = 'hex'; SET search_path = pg_temp, public",
];

const CHUNKS: &str = "SELECT chunks.id, document_id, uri, ordinal, content FROM STORE.chunks JOIN STORE.documents ON documents.id = document_id ORDER BY uri, ordinal, content";

async fn sessions(cluster: &Cluster) -> Vec<Client> {
    let mut sessions = Vec::new();
    for settings in cases(SETTINGS) {
        let session = cluster.client().await;
        session.batch_execute(settings).await.unwrap();
        sessions.push(session);
    }
    sessions
}

/// Compares a store with a new one of the same table, which is made in another session.
async fn compare(session: &Client, case: &str, adopt: &str) {
    let kept = session_lines(session, &CHUNKS.replace("STORE", "kept")).await;
    assert!(!kept.is_empty(), "{case}: nothing is left");
    session.batch_execute(&adopt.replace("kept", "fresh")).await.unwrap();
    let fresh = session_lines(session, &CHUNKS.replace("STORE", "fresh")).await;
    session.batch_execute("SELECT passage.unadopt('fresh')").await.unwrap();
    assert_eq!(kept, fresh, "{case}");
}

#[tokio::test]
async fn a_key_of_any_type_stays_in_step_in_every_session_or_is_refused() {
    let cluster = Cluster::without_store().await;
    cluster.execute_as(SUPERUSER, "GRANT ALL ON SCHEMA public TO owner").await;
    let has_collation = cluster.client().await.batch_execute(SETUP).await.is_ok();
    if !has_collation {
        cluster.execute(SETUP.rsplit_once(';').unwrap().0).await;
    }
    let sessions = sessions(&cluster).await;
    for (index, (sql_type, values, again)) in cases(share_of_others(KEYS).into_iter().enumerate()) {
        let mut keys = vec![format!("id {sql_type} PRIMARY KEY")];
        // The texts of two columns are joined in the same way for each type.
        if index % 4 == 0 {
            keys.push(format!("id {sql_type}, part integer DEFAULT 1, PRIMARY KEY (part, id)"));
        }
        for key in cases(keys) {
            let row = |(place, value)| format!("({value}, 'page', 'Water {place}.', {place})");
            let rows: Vec<_> = values.iter().enumerate().map(row).collect();
            let case = &key;
            let adopt = "SELECT passage.adopt('public.keyed', 'kept', document => 'page', content => 'body', ordinal => 'place')";
            let run = async |session: &Client, sql: &str| {
                session
                    .batch_execute(sql)
                    .await
                    .unwrap_or_else(|error| panic!("{case}: {sql}: {error:?}"));
            };
            run(
                &sessions[0],
                &format!("CREATE TABLE public.keyed ({key}, page text, body text, place integer)"),
            )
            .await;
            for (row, session) in rows.iter().zip(&sessions) {
                run(
                    session,
                    &format!("INSERT INTO public.keyed (id, page, body, place) VALUES {row}"),
                )
                .await;
            }
            run(&sessions[1], adopt).await;
            for (number, session) in sessions.iter().enumerate() {
                // Equal values have other texts.
                run(
                    session,
                    &format!(
                        "UPDATE public.keyed SET body = body || ' {number}', place = 9 - place"
                    ),
                )
                .await;
                run(
                    session,
                    &format!("UPDATE public.keyed SET id = {again} WHERE id = {}", values[0]),
                )
                .await;
                run(
                    session,
                    "INSERT INTO public.keyed SELECT * FROM public.keyed ON CONFLICT DO NOTHING",
                )
                .await;
                run(session, &format!("DELETE FROM public.keyed WHERE id = {}; INSERT INTO public.keyed (id, page, body, place) VALUES ({}, 'page', 'Again.', {number}5)", values[1], values[1])).await;
            }
            compare(&sessions[2], case, adopt).await;
            let ids = "SELECT array_agg(id ORDER BY id) FROM kept.chunks";
            let before = session_lines(&sessions[0], ids).await;
            let found = "SELECT count(*) FROM kept.chunks WHERE id IS DISTINCT FROM passage.chunk_id('kept', source_id)";
            for session in &sessions {
                assert_eq!(session_lines(session, found).await, ["0"], "{case}");
            }
            run(&sessions[2], "SELECT passage.unadopt('kept')").await;
            run(&sessions[3], adopt).await;
            assert_eq!(session_lines(&sessions[0], ids).await, before, "{case}");
            run(&sessions[0], "SELECT passage.unadopt('kept'); DROP TABLE public.keyed").await;
        }
    }
    for sql_type in cases(REFUSED) {
        if sql_type.contains("any_case") && !has_collation {
            continue;
        }
        let create =
            format!("CREATE TABLE public.keyed (id {sql_type} PRIMARY KEY, page text, body text)");
        sessions[0].batch_execute(&create).await.unwrap();
        let adopt =
            "SELECT passage.adopt('public.keyed', 'kept', document => 'page', content => 'body')";
        let error = cluster.error(adopt).await;
        assert_eq!(error.code(), &SqlState::DATATYPE_MISMATCH, "{sql_type}: {error:?}");
        let hint = error.hint().unwrap();
        assert!(hint.contains("bigint") && hint.contains("IDENTITY"), "{hint}");
        // The statement of the hint.
        let remedy = &hint[hint.find("ALTER TABLE").unwrap()..];
        cluster.execute(remedy).await;
        cluster.execute(adopt).await;
        cluster.execute("SELECT passage.unadopt('kept'); DROP TABLE public.keyed").await;
    }
}

#[tokio::test]
async fn a_document_is_the_same_in_every_session() {
    let cluster = Cluster::without_store().await;
    let sessions = sessions(&cluster).await;
    for (sql_type, value) in cases([
        ("date", "'2026-11-27'"),
        ("timestamptz", "'2026-11-27 12:00+00'"),
        ("timestamp", "'2026-11-27 12:00'"),
        ("interval", "'1 year 2 days 03:00'"),
        ("double precision", "0.1::double precision / 3"),
        ("bytea", r"'\x00ff5c'"),
        ("money", "12.5"),
        ("integer[]", "'{1,2}'"),
        ("tstzrange", "'[2026-11-27 12:00+00,)'"),
        ("jsonb", r#"'{"a": 1}'"#),
        ("xml", "xmlparse(CONTENT '<a/>')"),
    ]) {
        if sessions[0].batch_execute(&format!("SELECT ({value})::{sql_type}")).await.is_err() {
            // The server was built without XML.
            continue;
        }
        let adopt = "SELECT passage.adopt('public.dated', 'kept', document => 'day', content => 'body', uri => 'day::text', title => 'day::text')";
        sessions[0]
            .batch_execute(&format!("CREATE TABLE public.dated (id integer PRIMARY KEY, day {sql_type}, body text); INSERT INTO public.dated VALUES (0, ({value})::{sql_type}, 'First.'); {adopt}"))
            .await
            .unwrap();
        for (number, session) in sessions.iter().enumerate() {
            let write = format!(
                "INSERT INTO public.dated VALUES ({}, ({value})::{sql_type}, 'Part {number}.'); UPDATE public.dated SET body = body || '!'",
                number + 1
            );
            session.batch_execute(&write).await.unwrap();
        }
        let documents = cluster.query_lines("SELECT uri, chunk_count FROM kept.documents").await;
        assert_eq!(documents.len(), 1, "{sql_type}: {documents:?}");
        compare(&sessions[2], sql_type, adopt).await;
        sessions[1]
            .batch_execute("SELECT passage.unadopt('kept'); DROP TABLE public.dated")
            .await
            .unwrap();
    }
}
