//! The README's reference says what is there: functions, columns, strategies, settings and errors.

use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, SUPERUSER};
use std::path::Path;
use tokio_postgres::NoTls;

const README: &str = include_str!("../../README.md");

/// What stands under a heading, down to the next one.
fn under(heading: &str) -> &'static str {
    let (_, rest) = README.split_once(&format!("\n{heading}\n")).expect("the heading is there");
    rest.split("\n#").next().expect("a split has a first part")
}

/// What stands between backticks.
fn names(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The cells of a table's rows, without its head.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().skip_while(|line| !line.starts_with('|'));
    let rows = rows.take_while(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

/// The paragraph that begins so.
fn paragraph<'a>(text: &'a str, begins: &str) -> &'a str {
    text.split("\n\n").find(|paragraph| paragraph.starts_with(begins)).expect("it is there")
}

#[tokio::test]
async fn every_function_stands_in_the_readme_with_its_arguments() {
    let cluster = Cluster::start().await;
    let section = under("### Functions");
    let limits = names(paragraph(section, "`…limits` are"))[1..14].join(", ");
    let filters: Vec<_> = names(paragraph(section, "`…filters` are"))
        .into_iter()
        .filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
        .take(9)
        .collect();
    let filters = filters.join(", ");
    let mut documented: Vec<String> = rows(section)
        .iter()
        .flat_map(|row| names(row[0]))
        .map(|signature| signature.replace("…limits", &limits).replace("…filters", &filters))
        .collect();
    documented.sort();
    let public = "SELECT proname || '(' || coalesce(array_to_string(proargnames[:pronargs], ', '), '') || ')'
        FROM pg_proc WHERE pronamespace = 'passage'::regnamespace";
    let mut public = cluster.query_lines(public).await;
    public.sort();
    assert_eq!(documented, public);
}

#[tokio::test]
async fn rows_of_functions_have_the_columns_that_the_readme_lists() {
    let cluster = Cluster::start().await;
    let section = under("### Functions");
    let context = paragraph(section, "Rows of `expand_context`").split("Roles").next().unwrap();
    let mut passages = names(paragraph(section, "Rows of `reassemble`"));
    passages.drain(..2);
    let mut listed: Vec<String> = Vec::new();
    for name in passages {
        if !listed.contains(&name) {
            listed.push(name);
        }
    }
    let context = names(context)[2..].join(",");
    let explained = paragraph(section, "Rows of `explain_context`").split(". A rule").next();
    let explained = names(explained.unwrap())[1..].join(",");
    let hits = paragraph(section, "Rows of `search_hits`").split(". The score").next();
    let hits = names(hits.unwrap())[1..].join(",");
    let fragments = paragraph(section, "Rows of `fragments`").split(". `signals` has").next();
    let fragments: Vec<_> = names(fragments.unwrap())
        .into_iter()
        .skip(1)
        .filter(|name| !["previous", "next", "parent"].contains(&name.as_str()))
        .collect();
    let row_of = |function: &str, before: usize| {
        let names = names(paragraph(section, &format!("Rows of `{function}`:")));
        let told = |name: &String| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        names.into_iter().skip(before).filter(told).collect::<Vec<_>>().join(",")
    };
    for (function, listed) in [
        ("fragments", &fragments.join(",")),
        ("search_hits", &hits),
        ("search", &listed.join(",")),
        ("split", &row_of("split", 1)),
        ("ingest", &row_of("ingest", 1)),
        ("store_stats", &row_of("store_stats", 1)),
        ("expand_context", &context),
        ("expand_contexts", &context),
        ("explain_context", &explained),
        ("reassemble", &listed.join(",")),
    ] {
        let columns = format!(
            "SELECT array_to_string(proargnames[pronargs + 1:], ',') FROM pg_proc
            WHERE pronamespace = 'passage'::regnamespace AND proname = '{function}'"
        );
        assert_eq!(&cluster.query_text(&columns).await, listed, "{function}");
    }
}

#[tokio::test]
async fn tables_have_the_columns_that_the_readme_lists() {
    let cluster = Cluster::start().await;
    let (documents, chunks) = under("### Tables").split_once("\n`chunks`\n").unwrap();
    for (table, text) in [("documents", documents), ("chunks", chunks)] {
        let listed = rows(text).into_iter().flat_map(|row| {
            names(row[0]).into_iter().map(move |name| format!("{name}|{}", row[1]))
        });
        let columns = format!(
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
            WHERE attrelid = 'rag.{table}'::regclass AND attnum > 0 ORDER BY attnum"
        );
        assert_eq!(listed.collect::<Vec<_>>(), cluster.query_lines(&columns).await, "{table}");
    }
    let settings = names(paragraph(chunks, "`settings`"))[3..].join(",");
    let kept = "SELECT string_agg(key, ',' ORDER BY key) FROM rag.settings";
    for key in cluster.query_text(kept).await.split(',') {
        assert!(settings.split(',').any(|listed| listed == key), "{key} is not in the README");
    }
    // The setting is known from the first call on.
    let store = "SELECT current_setting('passage.store') FROM passage.outline(uri => 'none') RIGHT JOIN (SELECT) AS one ON true";
    assert_eq!(cluster.query_text(store).await, "rag");
    let strategy = store.replace("passage.store", "passage.strategy");
    assert_eq!(cluster.query_text(&strategy).await, "auto");
}

#[tokio::test]
async fn strategies_have_the_limits_that_the_readme_lists() {
    let cluster = Cluster::start().await;
    let mut listed: Vec<String> = rows(under("## Strategies"))
        .iter()
        .map(|row| {
            let name = &names(row[0])[0];
            let number = |cell: &&str| cell.split(';').next().unwrap().trim().to_owned();
            let limits = row[1..].iter().map(number).collect::<Vec<_>>();
            match name.as_str() {
                "auto" | "section" | "hierarchical" | "merge" | "document" => {
                    format!("{name}|{}", row[row.len() - 1])
                }
                _ => format!("{name}|{}", limits.join("|")),
            }
        })
        .collect();
    listed.sort();
    let strategies = "
        SELECT concat_ws('|', name,
            CASE WHEN name NOT IN ('auto', 'section', 'hierarchical', 'merge', 'document')
                THEN concat_ws('|', parents, preceding, following, children, before) END,
            coalesce(max_chunks::text, ''))
        FROM _passage.preset_strategies()";
    let mut presets = cluster.query_lines(strategies).await;
    presets.sort();
    assert_eq!(listed, presets);
}

#[tokio::test]
async fn errors_have_the_sqlstates_that_the_readme_lists() {
    let cluster = Cluster::start().await;
    cluster
        .execute(
            "CREATE SCHEMA bare; CREATE TABLE bare.chunks (id uuid, document_id uuid, ordinal integer);
            CREATE SCHEMA typed; CREATE TABLE typed.chunks (id uuid, document_id integer, ordinal integer, content text);
            CREATE SCHEMA seen;
            CREATE VIEW seen.chunks AS SELECT id, document_id, ordinal, content FROM rag.chunks;
            SELECT passage.create_store('newer'); UPDATE newer.settings SET value = '2' WHERE key = 'layout_version'",
        )
        .await;
    cluster.execute_as(SUPERUSER, "CREATE ROLE nobody LOGIN").await;
    cluster
        .execute_as(SUPERUSER, &format!("CREATE DATABASE ascii OWNER {OWNER} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0"))
        .await;
    let mut raised = vec!["0A000".to_owned(), "42501".to_owned(), "42704".to_owned()];
    for (code, sql) in [
        ("22023", "SELECT * FROM passage.expand_contexts('{}', strategy => 'wide')"),
        ("22023", "SELECT * FROM passage.expand_contexts('{}', siblings => 'all')"),
        ("22023", "SELECT * FROM passage.expand_contexts('{}', parents => -1)"),
        ("22023", "SELECT * FROM passage.expand_contexts('{}', threshold => 2)"),
        ("22023", "SELECT * FROM passage.expand_contexts('{}', windows => '[]')"),
        ("22023", "SELECT * FROM passage.expand_contexts('{}', '{1}')"),
        ("22023", "SELECT passage.create_store('a', distance => 'far')"),
        ("22023", "SELECT passage.create_store('a', dimensions => 5000)"),
        ("22023", "SELECT passage.create_store(language => 'simple')"),
        ("3F000", "SELECT * FROM passage.outline(uri => '', store => 'nowhere')"),
        ("42703", "SELECT * FROM passage.expand_contexts('{}', store => 'bare')"),
        ("42804", "SELECT * FROM passage.expand_contexts('{}', store => 'typed')"),
        ("42P07", "SELECT passage.create_store('bare')"),
        ("42809", "SELECT passage.create_store('seen', dimensions => 3)"),
        ("42939", "SELECT passage.create_store('passage')"),
        ("55000", "SELECT passage.create_store('newer')"),
        ("22004", "SELECT passage.ingest('a.md', NULL)"),
        ("54000", "SELECT passage.ingest('a.html', repeat('<p>', 12000000))"),
        ("22023", "SELECT passage.ingest('a.md', '', max_size => -1)"),
        ("22023", "SELECT passage.remove()"),
        ("22P05", r#"SELECT passage.ingest('a.json', '{"a\u0000": {"b": 1}}', max_size => 10)"#),
        ("25006", "BEGIN READ ONLY; SELECT passage.ingest('a.md', '')"),
        ("25006", "BEGIN READ ONLY; SELECT passage.remove('a.md')"),
        ("42809", "SELECT passage.ingest('a.md', '', store => 'seen')"),
        ("39P01", "CREATE TABLE early (a text); CREATE TRIGGER early BEFORE INSERT ON early
            FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={a}', 'uri={a}'); INSERT INTO early VALUES ('')"),
        ("0A000", "CREATE TEMP TABLE brief (a text UNIQUE); CREATE TRIGGER brief AFTER INSERT OR UPDATE OR DELETE ON brief
            FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={a}', 'uri={a}'); INSERT INTO brief VALUES ('')"),
        ("42830", "CREATE TABLE keyless (a text); CREATE TRIGGER keyless AFTER INSERT OR UPDATE OR DELETE ON keyless
            FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={a}', 'uri={a}'); INSERT INTO keyless VALUES ('')"),
        ("42710", "CREATE TABLE twice (a text UNIQUE); CREATE TRIGGER one AFTER INSERT OR UPDATE OR DELETE ON twice
            FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={a}', 'uri={a}');
            CREATE TRIGGER two AFTER INSERT OR UPDATE OR DELETE ON twice
            FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text=', 'uri={a}'); INSERT INTO twice VALUES ('')"),
        ("23505", "CREATE TABLE pairs (a text, b text, UNIQUE (a, b)); CREATE TRIGGER pairs AFTER INSERT OR UPDATE OR DELETE ON pairs
            FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={a}', 'uri={a}{b}'); INSERT INTO pairs VALUES ('', 'ab'), ('a', 'b')"),
        ("2BP01", "DROP EXTENSION pg_passage"),
    ] {
        raised.push(code.to_owned());
        if code == "42809"
            && sql.contains("dimensions")
            && cluster.lacks_vector("embeddings for a store of views are refused")
        {
            continue;
        }
        assert_eq!(cluster.error(sql).await.code().code(), code, "{sql}");
    }
    cluster.execute("GRANT USAGE ON SCHEMA rag TO nobody").await;
    let sql = "SELECT * FROM passage.outline(uri => '')";
    assert_eq!(cluster.error_as("nobody", sql).await.code().code(), "42501");
    if cluster.has_vector() {
        cluster.execute_as(SUPERUSER, "DROP EXTENSION vector CASCADE").await;
    }
    let error = cluster.error("SELECT passage.create_store('a', dimensions => 3)").await;
    assert_eq!(error.code().code(), "42704");
    let (client, connection) = cluster.config(OWNER).dbname("ascii").connect(NoTls).await.unwrap();
    tokio::spawn(connection);
    let error = client.batch_execute("CREATE EXTENSION pg_passage CASCADE").await.unwrap_err();
    assert_eq!(error.code().unwrap().code(), "0A000");

    raised.sort();
    raised.dedup();
    let mut listed: Vec<String> =
        rows(under("### Errors")).iter().map(|row| row[0].trim().to_owned()).collect();
    listed.sort();
    assert_eq!(listed, raised);
}

#[test]
fn files_that_the_documents_name_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut seen = 0;
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        let rooms = ["core/", "extension/", "client/", "sql/", "tests/", "ground/"];
        let paths = names(&text).into_iter().filter(|name| {
            rooms.iter().any(|room| name.starts_with(room)) && !name.contains("NAME")
        });
        for path in paths {
            let file = path.split(' ').next().unwrap();
            assert!(root.join(file).exists(), "{document} names {path}, which is not there");
            seen += 1;
        }
        for target in text.split("`make ").skip(1).filter_map(|rest| rest.split(['`', ' ']).next())
        {
            let makefile = std::fs::read_to_string(root.join("Makefile")).unwrap();
            assert!(makefile.contains(&format!("\n{target}:")), "{document} names make {target}");
        }
    }
    assert!(seen > 20, "only {seen} paths were found");
}
