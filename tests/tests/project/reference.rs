//! The reference in `docs/` against the catalogs: functions, tables, strategies, settings and errors.

use passage_tests::cases;
use std::collections::BTreeSet;
use std::path::Path;

use passage_tests::Cluster;
use passage_tests::cluster::{OWNER, SUPERUSER};
use passage_tests::markdown::{Page, code, pages, root, table, tables};
use tokio_postgres::NoTls;

/// Returns the pages about functions.
fn function_pages() -> Vec<Page> {
    pages().into_iter().filter(|page| page.name.starts_with("docs/reference/functions/")).collect()
}

/// Returns the rows of a table with their first columns joined as `psql -A` prints them.
fn lines(rows: &[Vec<String>], columns: usize) -> Vec<String> {
    let cell = |cell: &String| cell.trim_matches('`').to_owned();
    rows.iter().map(|row| row[..columns].iter().map(cell).collect::<Vec<_>>().join("|")).collect()
}

#[tokio::test]
async fn the_reference_has_a_section_for_every_function() {
    let cluster = Cluster::start().await;
    let functions = "SELECT proname FROM pg_proc WHERE pronamespace = 'passage'::regnamespace";
    let functions: BTreeSet<_> = cluster.query_lines(functions).await.into_iter().collect();
    let sections: BTreeSet<_> = function_pages().iter().flat_map(|page| page.headings(2)).collect();
    assert_eq!(sections, functions);
    let index = Page::read("docs/reference/functions.md");
    let rows = table(&index.text, "purpose").rows;
    let listed: BTreeSet<_> = rows.iter().flat_map(|row| code(&row[1])).collect();
    assert_eq!(listed, functions);
}

#[tokio::test]
async fn sections_of_functions_have_the_arguments_and_columns_of_the_catalog() {
    let cluster = Cluster::start().await;
    let errors = Page::read("docs/reference/errors.md");
    let known = lines(&table(&errors.text, "SQLSTATE").rows, 1);
    for page in function_pages() {
        for function in page.headings(2) {
            let section = page.section(&format!("## {function}"));
            let what = format!("{}: {function}", page.name);
            let condition =
                format!("pronamespace = 'passage'::regnamespace AND proname = '{function}'");
            // Overloads are in the order of their declaration, and return the same columns.
            let argument = format!("
                SELECT name, format_type(proargtypes[place - 1], NULL), coalesce(regexp_replace(
                    pg_get_function_arg_default(pg_proc.oid, place::integer), '::[a-z ]+(\\[\\])?$', ''), 'required')
                FROM pg_proc, unnest(proargnames[:pronargs]) WITH ORDINALITY AS argument (name, place)
                WHERE {condition} ORDER BY pg_proc.oid, place");
            let column = format!("
                SELECT name, type FROM (
                    SELECT DISTINCT proargnames[place] AS name, format_type(proallargtypes[place], NULL) AS type, place - pronargs
                    FROM pg_proc, generate_series(pronargs + 1, cardinality(proallargtypes)) AS place
                    WHERE {condition}
                ) AS result (name, type, place) ORDER BY place");
            for (title, query, columns) in cases([("argument", argument, 3), ("column", column, 2)])
            {
                let catalog = cluster.query_lines(&query).await;
                let tables = tables(section).into_iter().filter(|table| table.head[0] == title);
                let listed: Vec<_> = tables.flat_map(|table| lines(&table.rows, columns)).collect();
                assert_eq!(listed, catalog, "{what}");
            }
            let signatures = format!(
                "SELECT '{function}(' || coalesce(array_to_string(proargnames[:pronargs], ', '), '') || ')'
                FROM pg_proc WHERE {condition}"
            );
            let text = section.split_whitespace().collect::<Vec<_>>().join(" ");
            for signature in cluster.query_lines(&signatures).await {
                let is_listed = text.contains(&format!("passage.{signature}"));
                assert!(is_listed, "{what}: no signature {signature}");
            }
            let codes = section.lines().find_map(|line| line.strip_prefix("**Errors:** "));
            let codes = codes.unwrap_or_else(|| panic!("{what}: no errors"));
            for code in codes.trim_end_matches('.').split(", ") {
                let listed = known.iter().any(|known| known == code);
                assert!(listed || code == "none of its own", "{what}: SQLSTATE {code}");
            }
            assert!(section.contains("```sql"), "{what}: no example");
        }
    }
}

#[tokio::test]
async fn tables_of_the_reference_have_the_columns_of_the_catalog() {
    let cluster = Cluster::start().await;
    let page = Page::read("docs/reference/tables.md");
    for name in ["documents", "chunks", "embeddings", "strategies", "settings"] {
        if name == "embeddings" && !cluster.has_vector() {
            continue;
        }
        let columns = format!(
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
            WHERE attrelid = 'rag.{name}'::regclass AND attnum > 0 ORDER BY attnum"
        );
        let section = page.section(&format!("## {name}"));
        let listed = lines(&table(section, "column").rows, 2);
        assert_eq!(listed, cluster.query_lines(&columns).await, "{name}");
    }
    let keys = lines(&table(page.section("## settings"), "key").rows, 1);
    for key in cluster.query_lines("SELECT key FROM rag.settings").await {
        assert!(keys.contains(&key), "the setting {key} is not in the reference");
    }
}

#[tokio::test]
async fn settings_of_the_reference_have_the_defaults_of_the_server() {
    let cluster = Cluster::start().await;
    let page = Page::read("docs/reference/settings.md");
    let rows = table(&page.text, "setting").rows;
    assert_eq!(rows.len(), 5);
    for row in lines(&rows, 2) {
        let (name, default) = row.split_once('|').expect("a row has two cells");
        // The library defines its settings when the session calls it first.
        let value = format!(
            "SELECT current_setting('{name}') FROM (SELECT passage.section_key('{{}}') OFFSET 0) AS loaded
            WHERE section_key IS NOT NULL"
        );
        assert_eq!(cluster.query_text(&value).await, default, "{name}");
    }
}

#[tokio::test]
async fn the_table_of_strategies_has_the_limits_of_the_server() {
    let cluster = Cluster::start().await;
    let page = Page::read("docs/guides/strategies.md");
    let described = ["auto", "section", "hierarchical", "merge", "document"];
    let mut listed: Vec<String> = Vec::new();
    for row in &table(&page.text, "strategy").rows {
        let name = code(&row[0]).remove(0);
        // Before and after are equal; for some kinds of chunks they differ.
        let number = |cell: &String| cell.split(';').next().unwrap_or_default().trim().to_owned();
        let mut limits: Vec<_> = row[1..].iter().map(number).collect();
        if described.contains(&name.as_str()) {
            limits.drain(..limits.len() - 1);
        }
        listed.push(format!("{name}|{}", limits.join("|")));
    }
    listed.sort();
    let strategies = "
        SELECT concat_ws('|', name,
            CASE WHEN name NOT IN ('auto', 'section', 'hierarchical', 'merge', 'document')
                THEN concat_ws('|', parents, preceding, following, children, before) END,
            coalesce(max_chunks::text, ''))
        FROM passage.strategies() WHERE base IS NULL";
    let mut presets = cluster.query_lines(strategies).await;
    presets.sort();
    assert_eq!(listed, presets);
}

#[tokio::test]
async fn the_reference_lists_every_sqlstate() {
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
    // 40001 needs Citus: `tests/scale`.
    let mut raised = ["0A000", "40001", "42501", "42704"].map(str::to_owned).to_vec();
    for (code, sql) in [
        ("22023", "SELECT * FROM passage.expand_contexts('{}', strategy => 'wide')"),
        ("22023", "SELECT * FROM passage.expand_contexts('{}', limits => passage.limits(siblings => 'all'))"),
        ("22023", "SELECT * FROM passage.expand_contexts('{}', limits => passage.limits(parents => -1))"),
        ("22023", "SELECT * FROM passage.expand_contexts('{}', limits => passage.limits(threshold => 2))"),
        ("22023", "SELECT * FROM passage.expand_contexts('{}', limits => passage.limits(windows => '[]'))"),
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
        ("22023", "SELECT passage.ingest('a.md', '', splitting => passage.splitting(max_size => -1))"),
        ("2201B", "SELECT passage.split('a', splitting => passage.splitting(split_at => '('))"),
        ("22023", "SELECT passage.remove()"),
        ("22P05", r#"SELECT passage.ingest('a.json', '{"a\u0000": {"b": 1}}', splitting => passage.splitting(max_size => 10))"#),
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
    let errors = Page::read("docs/reference/errors.md");
    let mut listed: Vec<String> =
        table(&errors.text, "SQLSTATE").rows.iter().map(|row| row[0].clone()).collect();
    listed.sort();
    assert_eq!(listed, raised);
}

#[test]
fn files_that_the_documents_name_exist() {
    let mut seen = 0;
    let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
    let other = ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"].map(Page::read);
    for page in pages().into_iter().chain(other) {
        let document = &page.name;
        let rooms = ["core/", "extension/", "client/", "sql/", "tests/", "ground/"];
        let paths = code(&page.text).into_iter().filter(|name| {
            rooms.iter().any(|room| name.starts_with(room)) && !name.contains("NAME")
        });
        for path in paths {
            let file = path.split(' ').next().unwrap();
            assert!(root().join(file).exists(), "{document} names {path}, which does not exist");
            seen += 1;
        }
        for target in
            page.text.split("`make ").skip(1).filter_map(|rest| rest.split(['`', ' ']).next())
        {
            assert!(makefile.contains(&format!("\n{target}:")), "{document} names make {target}");
        }
    }
    assert!(seen > 20, "only {seen} paths were found");
}

#[test]
fn links_of_the_documentation_lead_to_files_and_headings() {
    let other = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(Page::read);
    for page in pages().into_iter().chain(other) {
        let folder = page.path().parent().expect("a page is in a folder").to_owned();
        for target in page.text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { page.path() } else { folder.join(file) };
            assert!(file.exists(), "{} links to {target}, which does not exist", page.name);
            if !anchor.is_empty() {
                assert!(anchors(&file).contains(anchor), "{} links to {target}", page.name);
            }
        }
    }
}

/// Returns the anchors that a forge makes of the headings of a page.
fn anchors(file: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let titles = text.lines().filter_map(|line| line.trim_start_matches('#').strip_prefix(' '));
    let kept = |letter: &char| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter);
    titles
        .map(|title| {
            title.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
        })
        .collect()
}

#[test]
fn the_summary_lists_every_page() {
    let summary = Page::read("docs/SUMMARY.md");
    for page in pages() {
        let Some(name) = page.name.strip_prefix("docs/") else { continue };
        let listed = summary.text.contains(&format!("]({name})"));
        assert!(listed || name == "SUMMARY.md", "docs/SUMMARY.md does not list {name}");
    }
}
