//! The recipe "Back up and move stores": the test runs its commands with its settings.

use passage_tests::cluster::{DATABASE, SUPERUSER};
use passage_tests::markdown::Page;
use passage_tests::read_calls::{ReadCalls, dimensions, embed, load};
use passage_tests::wait::until;
use passage_tests::{Cluster, fixture};

/// Returns the blocks of a section in a language, with the names of the test.
fn blocks(section: &str, language: &str, source: &Cluster, target: &str) -> Vec<String> {
    let recipe = Page::read("docs/recipes/backup.md");
    let folder = source.folder().to_str().unwrap();
    let names = |block: &String| {
        let block = block.replace("-h target", &format!("-h {target}"));
        block.replace("library", DATABASE).replace("/backup", &format!("{folder}/backup"))
    };
    recipe.blocks_of(&format!("## {section}"), language).iter().map(names).collect()
}

/// Creates a store with documents, embeddings, a policy and grants.
async fn filled() -> Cluster {
    let cluster = Cluster::without_store().await;
    fill(&cluster).await;
    cluster
}

async fn fill(cluster: &Cluster) {
    let dimensions = dimensions(cluster);
    cluster.execute_as(SUPERUSER, "CREATE ROLE reader LOGIN").await;
    cluster
        .execute(&format!(
            "SELECT passage.create_store('rag', dimensions => {dimensions}); {}",
            load("rag")
        ))
        .await;
    if cluster.has_vector() {
        cluster.execute(&embed("rag")).await;
        let policy = "ALTER TABLE rag.embeddings ENABLE ROW LEVEL SECURITY;
            CREATE POLICY open ON rag.embeddings FOR SELECT TO reader USING (EXISTS (SELECT FROM rag.documents WHERE documents.id = document_id))";
        cluster.execute(policy).await;
    }
    cluster
        .execute(
            "ALTER TABLE rag.documents ENABLE ROW LEVEL SECURITY;
            CREATE POLICY open ON rag.documents FOR SELECT TO reader USING (collection <> 'c');
            ALTER TABLE rag.chunks ENABLE ROW LEVEL SECURITY;
            CREATE POLICY open ON rag.chunks FOR SELECT TO reader USING (EXISTS (SELECT FROM rag.documents WHERE documents.id = document_id));
            ALTER TABLE rag.links ENABLE ROW LEVEL SECURITY;
            CREATE POLICY open ON rag.links FOR SELECT TO reader USING (EXISTS (SELECT FROM rag.documents WHERE documents.id = document_id));
            ALTER TABLE rag.ratings ENABLE ROW LEVEL SECURITY;
            CREATE POLICY open ON rag.ratings FOR SELECT TO reader USING (EXISTS (SELECT FROM rag.documents WHERE documents.id = document_id));
            GRANT USAGE ON SCHEMA rag TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA rag TO reader;
            ANALYZE",
        )
        .await;
}

/// Checks that two servers give equal answers to their owner and to a role with policies.
async fn compare(source: &Cluster, target: &Cluster) {
    let calls = ReadCalls::new(source, "rag").await;
    for role in ["owner", "reader"] {
        let (there, here) = (source.client_as(role).await, target.client_as(role).await);
        let mut found = 0;
        for number in 0..150 {
            let rows = calls.compare(number, (&there, "rag"), (&here, "rag")).await;
            found += usize::from(rows > 0);
        }
        assert!(found > 60, "{role}: {found} calls with rows");
    }
    assert_eq!(rows(source).await, rows(target).await);
    let problems = "SELECT * FROM passage.check_store(data => true)";
    let problems = target.query_lines(problems).await;
    assert!(
        problems.iter().all(|problem| !source.has_vector() && problem.contains("embeddings")),
        "{problems:?}"
    );
}

/// Returns the rows of all tables of the store.
async fn rows(cluster: &Cluster) -> Vec<String> {
    let mut rows = Vec::new();
    let tables = "SELECT relname FROM pg_class WHERE relnamespace = 'rag'::regnamespace AND relkind = 'r' ORDER BY 1";
    for table in cluster.query_lines(tables).await {
        rows.extend(
            cluster.query_lines(&format!("SELECT t::text FROM rag.{table} AS t ORDER BY 1")).await,
        );
    }
    assert!(rows.len() > 300, "{}", rows.len());
    rows
}

#[tokio::test]
async fn a_database_is_dumped_and_restored() {
    let (source, target) = (filled().await, Cluster::bare().await);
    target.execute_as(SUPERUSER, "CREATE ROLE reader LOGIN").await;
    target.shell(&format!("dropdb --force {DATABASE}"), target.folder());
    let folder = target.folder().to_str().unwrap();
    for block in blocks("Dump and restore a database", "sh", &source, folder) {
        source.shell(&block, source.folder());
    }
    compare(&source, &target).await;
}

#[tokio::test]
async fn one_store_is_moved_and_the_others_stay() {
    let (source, target) = (filled().await, Cluster::bare().await);
    target.execute_as(SUPERUSER, "CREATE ROLE reader LOGIN").await;
    source.execute("SELECT passage.create_store('other'); SELECT passage.ingest('a.md', 'text', store => 'other')").await;
    let folder = target.folder().to_str().unwrap();
    let blocks = blocks("Move one store", "sh", &source, folder);
    let block = if source.has_vector() {
        blocks[0].clone()
    } else {
        blocks[0].replace("-c 'CREATE EXTENSION IF NOT EXISTS vector'", "")
    };
    let output = source.shell(&block, source.folder());
    // The last statement lists the problems of the store.
    assert!(output.contains("(0 rows)") || !source.has_vector(), "{output}");
    compare(&source, &target).await;
    assert_eq!(
        target.query_text("SELECT string_agg(store, ' ') FROM passage.stores()").await,
        "rag"
    );

    // A store of this name stays as it is.
    let before = rows(&target).await;
    target.execute("UPDATE rag.documents SET title = 'mine' WHERE uri = 'doc/1.md'").await;
    let mine = rows(&target).await;
    assert_ne!(mine, before);
    let again = std::panic::catch_unwind(|| source.shell(&block, source.folder()));
    let error = again.unwrap_err().downcast::<String>().unwrap();
    assert!(error.contains(r#"schema "rag" already exists"#), "{error}");
    assert_eq!(rows(&target).await, mine);
}

#[tokio::test]
async fn a_server_returns_to_a_point_in_time() {
    let mut primary = Cluster::without_store().await;
    primary.shell("mkdir -p backup/wal", primary.folder());
    let settings = blocks("Point-in-time recovery", "text", &primary, "");
    let [archive, recovery] = &settings[..] else { panic!("{settings:?}") };
    for line in archive.lines() {
        let (name, value) = line.split_once(" = ").unwrap();
        let value = format!("'{}'", value.trim_matches('\'').replace('\'', "''"));
        primary.execute_as(SUPERUSER, &format!("ALTER SYSTEM SET {name} = {value}")).await;
    }
    primary.restart().await;
    fill(&primary).await;
    let commands = &blocks("Point-in-time recovery", "sh", &primary, "")[0];
    let (backup, restore_point) = commands.split_once('\n').unwrap();
    primary.shell(backup, primary.folder());
    // Only the WAL has these changes, and the documents of the client, which commits asynchronously.
    primary
        .passage(["ingest", "--no-embed", "--collection", "garden", fixture!("client/garden")])
        .await;
    let changes =
        "SELECT passage.ingest('doc/1.md', E'# Changed\n\nlantern7 text', collection => 'b');
        UPDATE rag.documents SET title = 'edited' WHERE uri = 'doc/2.md'";
    primary.execute(changes).await;
    let before = rows(&primary).await;
    primary.shell(&format!("export PGDATABASE={DATABASE}\n{restore_point}"), primary.folder());

    primary.execute("SELECT passage.remove(collection => 'a'); DELETE FROM rag.documents; DROP SCHEMA rag CASCADE").await;
    let switch = "SELECT pg_walfile_name(pg_switch_wal())";
    let segment = primary.query_text_as(SUPERUSER, switch).await;
    let archived = primary.folder().join("backup/wal").join(segment);
    until("the WAL is archived", async || archived.is_file()).await;
    primary.kill();

    let recovered = primary.recovered(&primary.folder().join("backup/base"), recovery).await;
    let promoted = "SELECT NOT pg_is_in_recovery()";
    until("the server is promoted", async || recovered.query_text(promoted).await == "t").await;
    assert_eq!(rows(&recovered).await, before);
    let hits = "SELECT count(*) > 0 FROM passage.search('water seedlings', collection => 'garden')";
    assert_eq!(recovered.query_text(hits).await, "t");
    // The recovered server is written like any other.
    let again = recovered
        .passage(["ingest", "--no-embed", "--collection", "garden", fixture!("client/garden")])
        .await;
    assert!(again.contains("0 documents added, 4 unchanged"), "{again}");
    recovered.execute("SELECT passage.remove(collection => 'garden')").await;
    let problems = "SELECT * FROM passage.check_store(data => true)
        WHERE problem NOT LIKE '%without an embedding%' AND object <> 'rag.embeddings'";
    assert_eq!(recovered.query_lines(problems).await, [""; 0]);
}
