//! The names and the numbers of the FAQ and the figures of the README against their sources: the server, the
//! program, examples, the benchmarks and lines of code.

use passage_tests::Cluster;
use passage_tests::claims::{Claims, numbers};
use passage_tests::markdown::{Page, tables};
use std::collections::BTreeSet;

/// Every name that SQL can use: of the extension, of a store, and of the server. An argument also has its arrow.
const CATALOG: &str = "
    SELECT name FROM pg_proc, unnest(ARRAY[proname::text, 'passage.' || proname]) AS name
    WHERE pronamespace = 'passage'::regnamespace
    UNION SELECT unnest(ARRAY[name, name || ' =>']) FROM pg_proc, unnest(proargnames) AS name
    WHERE pronamespace = 'passage'::regnamespace
    UNION SELECT unnest(ARRAY[relname, attname]) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relnamespace = 'rag'::regnamespace
    UNION SELECT key FROM rag.settings
    UNION SELECT name FROM passage.strategies()
    UNION SELECT typname FROM pg_type WHERE typtype = 'b'
    UNION SELECT cfgname FROM pg_ts_config
    UNION SELECT name FROM pg_available_extensions
    UNION SELECT name FROM pg_settings
    UNION SELECT upper(word) FROM pg_get_keywords()";

/// Returns the questions of the FAQ with the claims of their answers.
fn answers() -> Vec<(String, Claims)> {
    let page = Page::read("docs/faq.md");
    let claims = |question: String| match Claims::of(page.section(&format!("### {question}"))) {
        Ok(claims) => (question, claims),
        Err(error) => panic!("{question} {error}"),
    };
    let answers: Vec<_> = page.headings(3).into_iter().map(claims).collect();
    assert!(answers.len() > 10, "{}", answers.len());
    answers
}

#[test]
fn numbers_of_the_faq_have_evidence() {
    for (question, claims) in answers() {
        let unknown = claims.unknown_numbers();
        assert!(unknown.is_empty(), "{question} {unknown:?}");
    }
}

#[tokio::test]
async fn names_of_the_faq_exist() {
    let cluster = Cluster::start().await;
    if cluster.lacks_vector("the names of the FAQ") {
        return;
    }
    // The library defines its settings when the session calls it first.
    let catalog = format!("SELECT FROM passage.section_key('{{}}'); {CATALOG}");
    let catalog: BTreeSet<_> = cluster.query_lines(&catalog).await.into_iter().collect();
    let program = Page::read("docs/reference/client.md");
    let mut count = 0;
    for (question, claims) in answers() {
        for name in &claims.names {
            let exists = match name.strip_prefix("passage ") {
                Some(command) => is_command(command, &program),
                None => is_sql(name, &catalog),
            };
            assert!(exists || claims.evidence.contains(name), "{question} `{name}` does not exist");
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

/// Returns whether the help of the program has a command with its options, such as `ingest --jsonl chunks`.
fn is_command(command: &str, program: &Page) -> bool {
    let (command, options) = command.split_once(' ').unwrap_or((command, ""));
    let help = program.section(&format!("## passage {command}"));
    let inside = |character: char| character.is_alphanumeric() || "-_".contains(character);
    let help: BTreeSet<_> = help.split(|character| !inside(character)).collect();
    options.split_whitespace().all(|word| help.contains(word))
}

/// Returns whether the catalog has each name of a piece of SQL, such as `strategy => 'none'`.
fn is_sql(sql: &str, catalog: &BTreeSet<String>) -> bool {
    let argument = sql.split_once(" =>").map(|(argument, _)| format!("{argument} =>"));
    let inside = |character: char| character.is_alphanumeric() || "_.".contains(character);
    let mut words = sql.split(|character| !inside(character)).filter(|word| !word.is_empty());
    argument.is_none_or(|argument| catalog.contains(&argument))
        && words.all(|word| catalog.contains(word))
}

/// The first cell of a row describes what was measured; the others are figures.
#[test]
fn figures_that_a_row_of_the_readme_compares_are_of_one_table_of_the_benchmarks() {
    let figures = |cells: &[String]| numbers(&cells.join(" "));
    let measured = tables(&Page::read("docs/benchmarks.md").text);
    let measured: Vec<_> = measured.iter().map(|table| figures(&table.rows.concat())).collect();
    let readme = Page::read("README.md");
    let mut count = 0;
    for heading in readme.headings(2) {
        let section = readme.section(&format!("## {heading}"));
        if !section.contains("](docs/benchmarks.md") {
            continue;
        }
        for row in tables(section).iter().flat_map(|table| &table.rows) {
            let row_figures = figures(&row[1..]);
            let is_measured = measured.iter().any(|table| row_figures.is_subset(table));
            assert!(is_measured, "{heading}: no table of the benchmarks has {row:?}");
            count += row_figures.len();
        }
    }
    assert!(count > 5, "{count}");
}
