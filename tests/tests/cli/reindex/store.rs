//! `passage reindex` of a whole store: a shadow store is filled and replaces it, while others read and
//! write.

use crate::embedding_service::Service;
use crate::reindex::collection::{CHUNKS, DOCUMENTS, MERGE, MISSING, book, embedded, with};
use crate::{RunOutput, Sources, assert_sound, ingest_text, run_client, text_cluster};
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::SUPERUSER;
use passage_tests::wait::{until, within};
use std::process::Stdio;

/// Customizations of a store, one of each kind.
const GIVEN: &str = "
    GRANT USAGE ON SCHEMA rag TO reader, loader WITH GRANT OPTION;
    GRANT SELECT ON ALL TABLES IN SCHEMA rag TO reader;
    GRANT SELECT (id, content), UPDATE (metadata) ON rag.chunks TO loader;
    GRANT INSERT ON rag.documents TO loader WITH GRANT OPTION;
    GRANT SELECT ON rag.strategies TO PUBLIC;
    ALTER DEFAULT PRIVILEGES IN SCHEMA rag GRANT SELECT ON TABLES TO reader;
    ALTER TABLE rag.documents ENABLE ROW LEVEL SECURITY;
    ALTER TABLE rag.chunks ENABLE ROW LEVEL SECURITY;
    CREATE POLICY readers ON rag.documents FOR SELECT TO reader USING (collection = 'open');
    CREATE POLICY \"their own\" ON rag.chunks AS PERMISSIVE TO reader, loader
        USING (EXISTS (SELECT FROM rag.documents WHERE documents.id = chunks.document_id)) WITH CHECK (ordinal >= 0);
    CREATE POLICY never ON rag.chunks AS RESTRICTIVE FOR DELETE USING (false);
    CREATE INDEX ON rag.documents USING gin (metadata jsonb_path_ops) WHERE orphaned_at IS NULL;
    DROP INDEX rag.chunks_tsv_idx; CREATE INDEX chunks_tsv_idx ON rag.chunks USING gin (tsv) WITH (fastupdate = off);
    ALTER TABLE rag.chunks SET (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_enabled = false);
    ALTER TABLE rag.chunks ALTER COLUMN tsv SET STATISTICS 500, ALTER COLUMN content SET STORAGE EXTERNAL;
    COMMENT ON SCHEMA rag IS 'what we know'; COMMENT ON TABLE rag.chunks IS 'it''s ours';
    INSERT INTO rag.strategies (name, base, max_tokens) VALUES ('short', 'broad', 100);
    INSERT INTO rag.settings VALUES ('ours', '{\"a\": 1}')";

/// The same customizations as the catalogs show them.
const GIFTS: &str = "
    SELECT 'schema', nspname, {nspacl}::text, obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 'rag'
    UNION ALL SELECT 'table', relname, concat_ws(' ', {relacl}, relrowsecurity, reloptions,
        (SELECT reloptions FROM pg_class AS toast WHERE toast.oid = pg_class.reltoastrelid)), obj_description(oid, 'pg_class')
        FROM pg_class WHERE relnamespace = 'rag'::regnamespace AND relkind IN ('r', 'v')
    UNION ALL SELECT 'column', attrelid::regclass || '.' || attname, concat_ws(' ', {attacl}, attstattarget, attstorage),
        col_description(attrelid, attnum) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE relnamespace = 'rag'::regnamespace AND relkind IN ('r', 'v') AND attnum > 0
    UNION ALL SELECT 'index', indexname, indexdef, NULL FROM pg_indexes WHERE schemaname = 'rag'
    UNION ALL SELECT 'policy', policyname, concat_ws(' ', tablename, permissive, roles, cmd), concat_ws(' ', qual, with_check)
        FROM pg_policies WHERE schemaname = 'rag'
    UNION ALL SELECT 'default', defaclobjtype::text, {defaclacl}::text, NULL FROM pg_default_acl WHERE defaclnamespace = 'rag'::regnamespace
    UNION ALL SELECT 'strategy', name, base, max_tokens::text FROM rag.strategies
    UNION ALL SELECT 'setting', key, value::text, NULL FROM rag.settings
    ORDER BY 1, 2, 3";

pub const SCHEMAS: &str =
    "SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname LIKE 'rag%'";

#[tokio::test]
async fn a_store_with_keep_in_step_triggers_stays_in_step_after_its_replacement() {
    let cluster = text_cluster().await;
    let session = cluster.client().await;
    let trigger = "EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}')";
    session
        .batch_execute(&format!(
            "CREATE TABLE notes (id integer PRIMARY KEY, body text);
             CREATE TRIGGER in_step AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW {trigger};
             CREATE TRIGGER emptied AFTER TRUNCATE ON notes {trigger};
             INSERT INTO notes SELECT n, 'Note ' || n || '.' FROM generate_series(1, 5) AS n;
             SELECT FROM passage.ingest('notes/other', 'Not of a row.')"
        ))
        .await
        .unwrap();
    let rows = "SELECT uri, source_row FROM rag.documents ORDER BY uri";
    let recorded = cluster.query_lines(rows).await;
    assert!(recorded.len() == 6 && recorded[0].contains("public.notes"), "{recorded:?}");
    let done = run_client(&cluster, ["reindex", "--language", "german"]).await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(cluster.query_text(SCHEMAS).await, "rag rag_before");
    assert_eq!(cluster.query_lines(rows).await, recorded);

    // Also in a session that has written to the replaced tables.
    session
        .batch_execute(
            "UPDATE notes SET body = 'Same key.' WHERE id = 1; UPDATE notes SET id = 7 WHERE id = 2;
             DELETE FROM notes WHERE id = 3; INSERT INTO notes VALUES (8, 'New.')",
        )
        .await
        .unwrap();
    let uris = "SELECT string_agg(uri, ' ' ORDER BY uri) FROM rag.documents";
    assert_eq!(
        cluster.query_text(uris).await,
        "notes/1 notes/4 notes/5 notes/7 notes/8 notes/other"
    );
    session.batch_execute("TRUNCATE notes").await.unwrap();
    assert_eq!(cluster.query_text(uris).await, "notes/other");
    let before = "SELECT count(*) FROM rag_before.documents";
    assert_eq!(cluster.query_text(before).await, "6");
}

#[tokio::test]
async fn a_replaced_store_keeps_its_customizations() {
    let cluster = text_cluster().await;
    let sources = Sources::with([("a.md", book(10)), ("empty.md", String::new())]);
    assert_eq!(ingest_text(&cluster, &[&sources.book()]).await.code, Some(0));
    cluster.execute_as(SUPERUSER, "CREATE ROLE reader LOGIN; CREATE ROLE loader").await;
    cluster.execute(GIVEN).await;
    cluster
        .execute(
            "UPDATE rag.documents SET orphaned_at = now(), ingested_at = '2020-02-02' WHERE uri = 'book/a.md'; \
             UPDATE rag.chunks SET metadata = metadata || '{\"seen\": true}' WHERE ordinal = 3; \
             INSERT INTO rag.documents (uri, collection) VALUES ('sql', 'mine'); \
             INSERT INTO rag.chunks (document_id, ordinal, content, metadata) \
             SELECT id, n, 'chunk ' || n, '{\"n\": 1}' FROM rag.documents, generate_series(0, 4) AS n WHERE uri = 'sql'",
        )
        .await;
    let [chunks, documents, gifts] = all(&cluster).await;
    let dry = run_client(&cluster, ["reindex", "--dry-run"]).await;
    assert_eq!(dry.code, Some(0), "{}", dry.stderr);
    assert!(
        dry.stdout
            .starts_with("dry run, nothing written: 0 documents rewritten, 2 unchanged, 1 left"),
        "{}",
        dry.stdout
    );
    assert_eq!(cluster.query_text(SCHEMAS).await, "rag");

    // A session that has read the former store continues with the new one.
    let session = cluster.client().await;
    let search = "SELECT string_agg(content, '|') FROM passage.search('section number', filter => passage.filter(include_orphaned => true))";
    let content: Option<String> = session.query_one(search, &[]).await.unwrap().get(0);
    let done = run_client(&cluster, ["reindex"]).await;
    assert!(
        done.stdout.starts_with("0 documents rewritten, 2 unchanged, 1 left; "),
        "{}",
        done.stdout
    );
    assert!(done.stderr.contains("DROP SCHEMA \"rag_before\" CASCADE"), "{}", done.stderr);
    for (is, was) in all(&cluster).await.into_iter().zip([chunks, documents, gifts]) {
        let differs: Vec<_> = is.iter().zip(&was).filter(|(is, was)| is != was).collect();
        assert!(is.len() == was.len() && differs.is_empty(), "{differs:?}");
    }
    assert_eq!(cluster.query_text(SCHEMAS).await, "rag rag_before");
    assert_eq!(session.query_one(search, &[]).await.unwrap().get::<_, Option<String>>(0), content);
    let problems = cluster.query_lines("SELECT * FROM passage.check_store()").await;
    assert!(
        problems.iter().all(|problem| problem.contains("row-level security is off")),
        "{problems:?}"
    );
    // A policy names the new tables.
    let seen = "SELECT count(*) FROM rag.chunks";
    assert_eq!(cluster.query_text_as("reader", seen).await, "0");
    cluster.execute("UPDATE rag.documents SET collection = 'open' WHERE uri = 'sql'").await;
    assert_eq!(cluster.query_text_as("reader", seen).await, "5");
    // The content hashes of unchanged documents stay.
    let ingest = ingest_text(&cluster, &[&sources.book()]).await;
    assert!(
        ingest.stdout.starts_with("0 documents added, 1 unchanged, 1 restored"),
        "{}",
        ingest.stdout
    );

    // Documents whose chunks differ get the chunks that ingest would make.
    cluster.execute("DELETE FROM rag.documents WHERE uri = 'sql'").await;
    cluster.execute("UPDATE rag.chunks SET metadata = metadata - 'seen'; ALTER TABLE rag.chunks DISABLE ROW LEVEL SECURITY").await;
    let chunks = cluster.query_lines(CHUNKS).await;
    cluster.execute(MERGE).await;
    run_client(&cluster, ["reindex"]).await.assert_refusal(
        "schema \"rag_before\" already exists",
        "DROP SCHEMA \"rag_before\" CASCADE",
    );
    cluster.execute("DROP SCHEMA rag_before CASCADE").await;
    let done = run_client(&cluster, ["reindex", "--drop-former", "--quiet"]).await;
    assert_eq!((done.code, &*done.stderr), (Some(0), ""));
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    assert_eq!(cluster.query_text(SCHEMAS).await, "rag");
    let ingest = ingest_text(&cluster, &[&sources.book()]).await;
    assert!(ingest.stdout.starts_with("0 documents added, 2 unchanged"), "{}", ingest.stdout);
}

/// Returns the chunks, the documents and the customizations.
async fn all(cluster: &Cluster) -> [Vec<String>; 3] {
    // The order of grants does not matter.
    let mut gifts = GIFTS.to_owned();
    for rights in ["nspacl", "relacl", "attacl", "defaclacl"] {
        let sorted = format!("ARRAY(SELECT given::text FROM unnest({rights}) AS given ORDER BY 1)");
        gifts = gifts.replace(&format!("{{{rights}}}"), &sorted);
    }
    [
        cluster.query_lines(CHUNKS).await,
        cluster.query_lines(DOCUMENTS).await,
        cluster.query_lines(&gifts).await,
    ]
}

/// An object that a replaced store cannot keep: its SQL, its name in the refusal, and the SQL that drops it.
const OBSTACLES: [(&str, &str, &str); 15] = [
    (
        "CREATE VIEW public.titles AS SELECT title FROM rag.documents",
        "view public.titles",
        "DROP VIEW public.titles",
    ),
    ("CREATE TABLE rag.notes ()", "table rag.notes", "DROP TABLE rag.notes"),
    (
        "CREATE FUNCTION rag.one() RETURNS int LANGUAGE sql RETURN 1",
        "function rag.one()",
        "DROP FUNCTION rag.one",
    ),
    (
        "CREATE FUNCTION public.size(rag.chunks) RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "function public.size(rag.chunks)",
        "DROP FUNCTION public.size",
    ),
    (
        "CREATE TRIGGER heard AFTER INSERT ON rag.chunks EXECUTE FUNCTION public.nothing()",
        "trigger heard on table rag.chunks",
        "DROP TRIGGER heard ON rag.chunks",
    ),
    (
        "CREATE TABLE public.votes (chunk uuid REFERENCES rag.chunks)",
        "constraint votes_chunk_fkey on table public.votes",
        "DROP TABLE public.votes",
    ),
    (
        "ALTER TABLE rag.documents ADD tenant text",
        "column tenant of table rag.documents",
        "ALTER TABLE rag.documents DROP tenant",
    ),
    (
        "ALTER TABLE rag.documents ADD CONSTRAINT named CHECK (title <> '')",
        "constraint named on table rag.documents",
        "ALTER TABLE rag.documents DROP CONSTRAINT named",
    ),
    (
        "ALTER TABLE rag.documents ALTER title SET NOT NULL",
        "column title of table rag.documents",
        "ALTER TABLE rag.documents ALTER title DROP NOT NULL",
    ),
    (
        "CREATE STATISTICS public.pair ON level, kind FROM rag.chunks",
        "statistics object public.pair",
        "DROP STATISTICS public.pair",
    ),
    (
        "CREATE RULE quiet AS ON DELETE TO rag.chunks DO ALSO NOTHING",
        "rule quiet on table rag.chunks",
        "DROP RULE quiet ON rag.chunks",
    ),
    (
        "CREATE PUBLICATION news FOR TABLE rag.chunks",
        "publication of table rag.chunks in publication news",
        "DROP PUBLICATION news",
    ),
    (
        "CREATE PUBLICATION news FOR TABLES IN SCHEMA rag",
        "publication of schema rag in publication news",
        "DROP PUBLICATION news",
    ),
    ("CREATE PUBLICATION news FOR ALL TABLES", "publication news", "DROP PUBLICATION news"),
    (
        "CREATE TABLE public.more () INHERITS (rag.strategies); ALTER TABLE public.more OWNER TO owner",
        "table public.more",
        "DROP TABLE public.more",
    ),
];

#[tokio::test]
async fn a_store_with_unsupported_objects_is_refused_and_stays_unchanged() {
    let cluster = text_cluster().await;
    cluster.execute_as(SUPERUSER, "CREATE FUNCTION public.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'").await;
    for (make, what, remove) in cases(OBSTACLES) {
        cluster.execute_as(SUPERUSER, make).await;
        for arguments in cases([&["reindex"][..], &["reindex", "--dry-run"]]) {
            let refused = run_client(&cluster, arguments).await;
            refused.assert_refusal(
                &format!("\"rag\" cannot be replaced while it has {what}"),
                "Drop the objects",
            );
        }
        assert_eq!(cluster.query_text(SCHEMAS).await, "rag", "{what}");
        cluster.execute_as(SUPERUSER, remove).await;
    }
}

#[tokio::test]
async fn only_the_owner_may_replace_a_store() {
    let cluster = text_cluster().await;
    cluster
        .execute("CREATE SCHEMA rag2; CREATE VIEW rag2.chunks AS SELECT * FROM rag.chunks")
        .await;
    run_client(&cluster, ["reindex", "--store", "rag2"])
        .await
        .assert_refusal("store \"rag2\" is read-only: it shows views", "Write to the tables");
    cluster.execute("DROP SCHEMA rag2 CASCADE; CREATE SCHEMA rag_reindex").await;
    run_client(&cluster, ["reindex"])
        .await
        .assert_refusal("schema \"rag_reindex\" already exists", "DROP SCHEMA");
    cluster.execute("DROP SCHEMA rag_reindex").await;
    run_client(&cluster, ["reindex", "--store", "none"])
        .await
        .assert_refusal("\"none\"", "passage init --store none");
    let long = "x".repeat(56);
    cluster.execute(&format!("SELECT passage.create_store('{long}')")).await;
    run_client(&cluster, ["reindex", "--store", &long])
        .await
        .assert_refusal("is too long for a shadow store", "55 bytes");

    run_client(&cluster, ["reindex", "--language", "klingon"]).await.assert_refusal(
        "text search configuration \"klingon\" does not exist",
        "SELECT cfgname FROM pg_ts_config",
    );
    assert!(!cluster.query_text(SCHEMAS).await.contains("rag_"));

    // A role that may read all of it and owns nothing.
    cluster.execute_as(SUPERUSER, "CREATE ROLE guest LOGIN").await;
    cluster
        .execute(
            "GRANT USAGE ON SCHEMA rag TO guest; GRANT ALL ON ALL TABLES IN SCHEMA rag TO guest",
        )
        .await;
    let mut program = cluster.client_program();
    program.args(["reindex", "--database-url", &cluster.url_as("guest")]);
    let refused = RunOutput::of(&mut program).await;
    refused.assert_refusal(
        "schema rag belongs to the role \"owner\", not to \"guest\"",
        "Connect as \"owner\"",
    );
    assert!(!cluster.query_text(SCHEMAS).await.contains("rag_"));
}

#[tokio::test]
async fn a_new_model_needs_a_shadow_store() {
    let sources = Sources::with([("a.md", book(10))]);
    let Some(cluster) = embedded("another model comes with a second store", &sources).await else {
        return;
    };
    let embeddings = "SELECT chunk_id, embedding FROM rag.embeddings ORDER BY chunk_id";
    let (chunks, before) =
        (cluster.query_lines(CHUNKS).await, cluster.query_lines(embeddings).await);

    // With the same model only chunks without an embedding are embedded.
    cluster.execute("DELETE FROM rag.embeddings WHERE chunk_id = (SELECT id FROM rag.chunks WHERE ordinal = 7)").await;
    let service = Service::good(64).await;
    let done = RunOutput::of(&mut with(&cluster, &service, &["reindex", "--drop-former"])).await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(service.texts().len(), 1, "{:?}", service.texts());
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    assert_eq!(cluster.query_lines(embeddings).await, before);

    // halfvec needs half the memory for the same numbers.
    let arguments = [
        "reindex",
        "--embedding-type",
        "halfvec",
        "--language",
        "simple",
        "--drop-former",
        "--no-embed",
    ];
    let done = RunOutput::of(&mut with(&cluster, &service, &arguments)).await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(service.texts().len(), 1);
    let facts =
        "SELECT dimensions, embedding_type, distance, language FROM _passage.store_facts('rag')";
    assert_eq!(cluster.query_lines(facts).await, ["64|halfvec|cosine|simple"]);
    assert_eq!(cluster.query_text(MISSING).await, "0");

    // A new model, while a worker with the former one waits for chunks.
    let old = Service::good(64).await;
    let mut worker = with(&cluster, &old, &["embed", "--follow", "--interval", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the worker asks its service", async || !old.seen().is_empty()).await;
    // The embeddings have the same length, so only the settings of the store stop the worker.
    let other = Service::good(64).await;
    let mut program = with(&cluster, &other, &["reindex", "--drop-former"]);
    let done = RunOutput::of(program.env("PASSAGE_EMBED_MODEL", "other")).await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(other.texts().len(), chunks.len());
    assert_eq!(cluster.query_lines(facts).await, ["64|halfvec|cosine|simple"]);
    let model = "SELECT value #>> '{}' FROM rag.settings WHERE key = 'model'";
    assert_eq!(cluster.query_text(model).await, "other");
    assert_eq!(cluster.query_lines(CHUNKS).await, chunks);
    assert_eq!(cluster.query_text(MISSING).await, "0");
    let valid = "SELECT bool_and(indisvalid) FROM pg_index JOIN pg_class ON oid = indexrelid \
                 WHERE indrelid = 'rag.embeddings'::regclass AND relname = 'embeddings_embedding_idx'";
    assert_eq!(cluster.query_text(valid).await, "t");
    cluster.execute("INSERT INTO rag.documents (uri) VALUES ('new'); \
        INSERT INTO rag.chunks (document_id, ordinal, content) SELECT id, 0, 'new' FROM rag.documents WHERE uri = 'new'").await;
    // The worker notices that the store was replaced, checks its settings, and ends.
    let ended = within("the worker ends", worker.wait()).await;
    assert_eq!(ended.unwrap().code(), Some(1));
    assert_eq!(cluster.query_text(MISSING).await, "1");
    cluster.execute("DELETE FROM rag.documents WHERE uri = 'new'").await;
    assert_sound(&cluster).await;
}

#[tokio::test]
async fn ratings_are_carried_over_to_the_new_store() {
    let cluster = text_cluster().await;
    let files = Sources::with([(
        "a.md",
        "# A\n\nFiles rotate at night.\n\n## B\n\nOther words, and more of them.\n",
    )]);
    let run = ingest_text(&cluster, &[&*files.book()]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    cluster
        .execute(
            "SELECT passage.rate('when do files rotate', id, 1, rated_by => 'user ' || n)
            FROM rag.chunks, generate_series(1, 3) AS n;
            GRANT SELECT ON rag.ratings TO PUBLIC",
        )
        .await;
    let rows = "SELECT r.*, relacl FROM rag.ratings AS r JOIN pg_class ON pg_class.oid = 'rag.ratings'::regclass ORDER BY 1, 2";
    let before = cluster.query_lines(rows).await;
    assert!(before.len() >= 3, "{before:?}");
    let done = run_client(&cluster, ["reindex", "--language", "german"]).await;
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_eq!(cluster.query_lines(rows).await, before);
    assert_sound(&cluster).await;
}
