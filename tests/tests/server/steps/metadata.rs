//! The metadata of a document that `keep_in_step` makes of a row: the values of the row as JSON, whatever they are.

use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{SUPERUSER, session_lines};
use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

/// The number of random templates, and of random rows that each of them gets.
const TEMPLATES: usize = 200;
const ROWS: usize = 8;

/// The columns of the table, with values that their types can have.
const COLUMNS: [(&str, &str, &[&str]); 24] = [
    ("tenant", "text", TEXTS),
    ("The Title", "varchar", TEXTS),
    ("a\"b", "char(3)", &["'x'", "'\"'", "'\\'"]),
    ("small", "smallint", &["0", "-32768"]),
    ("number", "bigint", &["1", "-9223372036854775808"]),
    (
        "price",
        "numeric",
        &["1.50", "-0.000", "1e300", "'NaN'", "'Infinity'", "12345678901234567890.123"],
    ),
    ("ratio", "double precision", &["0.1", "'-Infinity'", "'NaN'", "1e308", "-0.0"]),
    ("share", "real", &["0.1", "'NaN'"]),
    ("is_open", "boolean", &["true", "false"]),
    ("day", "date", &["'2024-02-29'", "'infinity'"]),
    ("at", "timestamptz", &["'2024-02-29 12:00+02'", "'-infinity'"]),
    ("length", "interval", &["'1 mon -2 days 03:00'", "'0'"]),
    ("code", "uuid", &["'00000000-0000-0000-0000-000000000001'"]),
    ("bytes", "bytea", &["'\\x00ff22'", "''"]),
    ("raw", "json", &["'{\"a\":  1, \"a\": [2]}'", "'null'", "'\"{tenant}\"'", "' [ ] '"]),
    (
        "about",
        "jsonb",
        &["'{\"tenant\": \"b\"}'", "'null'", "'[1, {\"x\": null}]'", "'\"a\\\\\"'", "'1.500'"],
    ),
    ("tags", "text[]", &["'{}'", "'{a,NULL,\"x\\\"y\"}'", "'{{a},{b}}'"]),
    ("counts", "integer[]", &["'{1,2}'", "'[2:3]={1,NULL}'"]),
    ("pair", "pair", &["ROW(1, 'q\"')", "ROW(NULL, NULL)"]),
    ("mood", "mood", &["'glad'", "'so\"so'"]),
    ("word", "word", &["'a'", "'\"'"]),
    ("span", "int4range", &["'[1,5)'", "'empty'"]),
    ("address", "inet", &["'10.0.0.1/8'"]),
    ("cash", "money", &["1.5"]),
];

const TEXTS: &[&str] = &[
    "''",
    "'plain'",
    "'x\", \"tenant\": \"b'",
    "'Dwayne \"The Rock\" Johnson'",
    "E'\\\\'",
    "E'\\\\\"'",
    "E'a\\nb\\tc\\x01\\x1f\\x7f'",
    "'{tenant}'",
    "'{{}}'",
    "'</script> é 𝄞 \u{2028}'",
    "'null'",
    "E'\\\\u0000'",
];

/// Random numbers that a seed repeats.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn value(&mut self, values: &[&'static str]) -> &'static str {
        if self.below(5) == 0 { "NULL" } else { values[self.below(values.len())] }
    }
}

/// A template and the SQL expression that has the same value.
struct Template {
    text: String,
    sql: String,
}

impl Template {
    fn new(text: impl Into<String>, sql: impl Into<String>) -> Self {
        Self { text: text.into(), sql: sql.into() }
    }
}

/// The braces of a template: doubled as in texts, or those of JSON.
#[derive(Clone, Copy)]
struct Braces(&'static str, &'static str);

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Returns an object, with the expression that builds it.
fn object(random: &mut Random, braces: Braces, levels: usize) -> Template {
    let (mut texts, mut sqls) = (Vec::new(), Vec::new());
    for _ in 0..random.below(4) {
        let (key, value) = (string(random, true), value(random, braces, levels));
        texts.push(format!("{}:{}{}", key.text, random.one_of(&["", " ", "\n"]), value.text));
        sqls.push(format!("{}, {}", key.sql, value.sql));
    }
    let Braces(open, close) = braces;
    let text = format!("{open}{}{close}", texts.join(", "));
    Template::new(text, format!("jsonb_build_object({})", sqls.join(", ")))
}

fn value(random: &mut Random, braces: Braces, levels: usize) -> Template {
    match random.below(if levels == 0 { 6 } else { 8 }) {
        0..3 => {
            let column = COLUMNS[random.below(COLUMNS.len())].0;
            Template::new(format!("{{{column}}}"), format!("to_jsonb(t.{})", quoted(column)))
        }
        3 | 4 => string(random, false),
        5 => {
            let scalar =
                random.one_of(&["1.50", "null", "true", "-2e3", "[]", "\"\\u00e9\\n{{}}\""]);
            Template::new(scalar, format!("'{}'::jsonb", scalar.replace("{{}}", "{}")))
        }
        6 => object(random, braces, levels - 1),
        _ => {
            let items: Vec<_> =
                (0..random.below(3)).map(|_| value(random, braces, levels - 1)).collect();
            let join = |text_of: fn(&Template) -> &str| {
                items.iter().map(text_of).collect::<Vec<_>>().join(", ")
            };
            let (texts, sqls) = (join(|item| &item.text), join(|item| &item.sql));
            Template::new(format!("[{texts}]"), format!("jsonb_build_array({sqls})"))
        }
    }
}

/// Returns a string with columns in it.
fn string(random: &mut Random, is_key: bool) -> Template {
    let (mut text, mut sqls) = (String::new(), vec!["''::text".to_owned()]);
    for _ in 0..=random.below(3) {
        if random.below(2) == 0 {
            let column = COLUMNS[random.below(COLUMNS.len())].0;
            // A quote in a name would end the string.
            if !column.contains('"') {
                write!(text, "{{{column}}}").unwrap();
                let sql = format!("(to_jsonb(t.{}) #>> '{{}}')", quoted(column));
                sqls.push(if is_key { format!("coalesce({sql}, '')") } else { sql });
            }
        } else {
            let (json, decoded) = [
                ("by ", "by "),
                ("\\\"", "\""),
                ("\\\\", "\\"),
                ("\\u0041", "A"),
                ("{{id}}", "{id}"),
                ("é", "é"),
                (":", ":"),
            ][random.below(7)];
            text.push_str(json);
            sqls.push(literal(decoded));
        }
    }
    let sql = sqls.join(" || ");
    Template::new(format!("\"{text}\""), if is_key { sql } else { format!("to_jsonb({sql})") })
}

/// Creates the table with all types.
async fn with_table() -> Cluster {
    let cluster = Cluster::start().await;
    let columns =
        COLUMNS.map(|(name, of_type, _)| format!(", {} {of_type}", quoted(name))).concat();
    cluster
        .execute(&format!(
            "CREATE TYPE pair AS (x integer, \"y z\" text); CREATE TYPE mood AS ENUM ('glad', 'so\"so');
             CREATE DOMAIN word AS text CHECK (value <> ''); CREATE TABLE notes (id serial PRIMARY KEY{columns})"
        ))
        .await;
    cluster
}

/// Returns SQL that follows the table with this template of metadata.
fn trigger(metadata: &str) -> String {
    format!(
        "CREATE OR REPLACE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW
             EXECUTE FUNCTION passage.keep_in_step('text=Text.', 'uri=notes/{{id}}', {});",
        literal(&format!("metadata={metadata}"))
    )
}

#[tokio::test]
async fn the_metadata_of_a_row_equal_the_object_that_sql_builds() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let seed = std::env::var("PASSAGE_SEED").map_or(now, |seed| seed.parse().unwrap());
    println!("PASSAGE_SEED={seed}");
    let mut random = Random(seed);
    let cluster = with_table().await;
    let session = cluster.client().await;
    for _ in 0..TEMPLATES {
        let braces = if random.below(2) == 0 { Braces("{{", "}}") } else { Braces("{", "}") };
        let Template { text, sql } = object(&mut random, braces, 3);
        let rows: Vec<_> = (0..ROWS)
            .map(|_| {
                let values = COLUMNS.map(|(_, _, values)| random.value(values));
                format!("(DEFAULT, {})", values.join(", "))
            })
            .collect();
        // Settings of the writer change no value.
        let rows = rows.join(", ");
        let write = format!(
            "SET timezone = 'Asia/Tokyo'; {} INSERT INTO notes VALUES {rows}",
            trigger(&text)
        );
        session_lines(&session, &write).await;
        let compare = format!(
            "SET timezone = 'UTC'; SELECT metadata, {sql} FROM notes AS t LEFT JOIN rag.documents ON uri = 'notes/' || t.id
             WHERE metadata IS DISTINCT FROM {sql}"
        );
        assert_eq!(session_lines(&session, &compare).await, [""; 0], "seed {seed}: {text}");
        session_lines(&session, "DELETE FROM notes").await;
    }
}

#[tokio::test]
async fn a_value_that_jsonb_cannot_hold_or_that_readers_cannot_parse_becomes_a_string() {
    let cluster = with_table().await;
    let metadata = async |template: &str, column: &str, value: &str| {
        let insert = format!("INSERT INTO notes ({}) VALUES ({value})", quoted(column));
        cluster.execute(&format!("DELETE FROM notes; {} {insert}", trigger(template))).await;
        cluster.query_text("SELECT metadata FROM rag.documents").await
    };
    for (column, value, expected) in cases([
        ("raw", r#"'"\u0000"'"#, r#"{"x": "\"\\u0000\""}"#),
        ("raw", r#"'"\ud800"'"#, r#"{"x": "\"\\ud800\""}"#),
        ("raw", "'1e999999'", r#"{"x": "1e999999"}"#),
    ]) {
        let template = format!("{{\"x\": {{{column}}}}}");
        assert_eq!(metadata(&template, column, value).await, expected);
    }
    // The client reads numbers as double precision, and a limited number of levels.
    let large = metadata(r#"{"x": {price}}"#, "price", "1e309").await;
    assert_eq!(large, format!("{{\"x\": \"1{}\"}}", "0".repeat(309)));
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let deep = metadata(r#"{"x": {about}}"#, "about", &format!("'{}'", nested(101))).await;
    assert_eq!(deep, format!("{{\"x\": \"{}\"}}", nested(101)));
    let flat = metadata(r#"{"x": {about}}"#, "about", &format!("'{}'", nested(100))).await;
    assert_eq!(flat, format!("{{\"x\": {}}}", nested(100)));
    cluster.passage(["reindex", "--no-embed", "--collection", ""]).await;
}

#[tokio::test]
async fn a_column_alone_holds_the_object_or_is_a_member_with_its_own_name() {
    let cluster = with_table().await;
    for (column, value, expected) in cases([
        ("about", r#"'{"a": 1}'"#, r#"{"a": 1}"#),
        ("raw", r#"'{"a": 1}'"#, r#"{"a": 1}"#),
        ("tenant", r#"'{"a": 1}'"#, r#"{"a": 1}"#),
        ("pair", "ROW(1, 'z')", r#"{"x": 1, "y z": "z"}"#),
        ("about", "NULL", "{}"),
        ("about", "'null'", r#"{"about": null}"#),
        ("about", "'[1]'", r#"{"about": [1]}"#),
        ("tenant", r#"'x", "tenant": "b'"#, r#"{"tenant": "x\", \"tenant\": \"b"}"#),
        ("tenant", r#"'{"a": 1e400}'"#, r#"{"tenant": "{\"a\": 1e400}"}"#),
        ("tenant", r#"'{"a": "\u0000"}'"#, r#"{"tenant": "{\"a\": \"\\u0000\"}"}"#),
        ("number", "1", r#"{"number": 1}"#),
    ]) {
        let insert = format!("INSERT INTO notes ({}) VALUES ({value})", quoted(column));
        let template = trigger(&format!("{{{column}}}"));
        cluster.execute(&format!("DELETE FROM notes; {template} {insert}")).await;
        let metadata = cluster.query_text("SELECT metadata FROM rag.documents").await;
        assert_eq!(metadata, expected, "{column} {value}");
    }
}

#[tokio::test]
async fn a_template_that_is_no_object_is_refused_before_it_is_used() {
    let cluster = with_table().await;
    for template in cases([
        "",
        "[{number}]",
        "{tenant}{about}",
        r#"{"a": {number}"#,
        r#"{"a": x{number}}"#,
        r#"{"a": "\u0000"}"#,
    ]) {
        let error =
            cluster.error(&format!("{} INSERT INTO notes DEFAULT VALUES", trigger(template))).await;
        assert_eq!(error.code().code(), "22023", "{template}: {error:?}");
        assert!(error.message().contains("\"in_step\"") && error.hint().is_some(), "{error:?}");
    }
    for template in cases([r#"{"a": {numbr}}"#, r#"{"a": "{numbr}"}"#, "{numbr}"]) {
        let error =
            cluster.error(&format!("{} INSERT INTO notes DEFAULT VALUES", trigger(template))).await;
        assert_eq!(error.code().code(), "42703", "{template}: {error:?}");
        assert!(error.message().contains("\"numbr\""), "{error:?}");
    }
    // An argument has no more than 1 MB.
    let long = format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 20));
    let error =
        cluster.error(&format!("{} INSERT INTO notes DEFAULT VALUES", trigger(&long))).await;
    assert_eq!(error.code().code(), "54000");
}

#[tokio::test]
async fn a_row_stays_with_its_tenant() {
    let cluster = Cluster::start().await;
    cluster
        .execute(
            r#"CREATE TABLE notes (id integer PRIMARY KEY, tenant text NOT NULL, author text, body text);
            CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW
                EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}', 'title={author}',
                    'collection={tenant}', 'metadata={"tenant": "{tenant}", "author": "{author}"}');
            INSERT INTO notes VALUES (1, 'a', 'x", "tenant": "b', 'Secret of a.'), (2, 'b', 'Dwayne "The Rock" Johnson', 'Secret of b.'),
                (3, '{"tenant": "b"}', '{tenant}', 'Secret of c.'), (4, E'b\n', NULL, 'Secret of d.')"#,
        )
        .await;
    for filter in
        ["collection => 'b'", r#"filter => passage.filter(metadata => '{"tenant": "b"}')"#]
    {
        let found = format!("SELECT uri, title FROM passage.search('secret', {filter})");
        assert_eq!(
            cluster.query_lines(&found).await,
            ["notes/2|Dwayne \"The Rock\" Johnson"],
            "{filter}"
        );
    }
    // A row that changes its tenant takes its document with it.
    cluster.execute("UPDATE notes SET tenant = 'b' WHERE id = 1").await;
    let of_a =
        "SELECT count(*) FROM rag.documents WHERE collection = 'a' OR metadata ->> 'tenant' = 'a'";
    assert_eq!(cluster.query_text(of_a).await, "0");
    // A template can be read by everybody who may read the catalogs, and errors name no value.
    cluster.execute_as(SUPERUSER, "CREATE ROLE writer LOGIN; GRANT ALL ON notes TO writer").await;
    let error =
        cluster.error_as("writer", "INSERT INTO notes VALUES (5, 'a', 'Hidden', 'Hidden')").await;
    assert!(!format!("{error:?}").contains("Hidden"), "{error:?}");
}
