//! Calls of every function of the extension with every argument, for all kinds of stores.

use passage_tests::Cluster;
use passage_tests::cluster::is_sql_edition;
use passage_tests::functions::{OrdinaryValues, functions};

/// Creates a store with embeddings, one of the embedding type binary, two of partitions, one of views, and one of four columns.
pub const STORES: &str = r#"
SELECT count(*) FROM passage.create_store('small', dimensions => 3);
SELECT count(*) FROM passage.ingest('guide.md', E'# Guide\n\nHidden steps of editors.\n\n## Part\n\nMore words, and steps.\n', collection => 'docs', version => '1', splitting => passage.splitting(max_size => 60, preferred_size => 40, min_size => 10), store => 'small');
INSERT INTO small.documents (id, uri, media_type, chunk_count) VALUES
    ('aaaaaaaa-0000-0000-8000-000000000000', 'a.json', 'application/json', 2), ('bbbbbbbb-0000-0000-8000-000000000000', 'a.py', 'text/x-python', 4);
INSERT INTO small.chunks (id, document_id, ordinal, level, section, kind, unit, content, start_byte, end_byte, first_line, last_line, metadata) VALUES
    ('aaaaaaaa-0000-0000-0000-000000000001', 'aaaaaaaa-0000-0000-8000-000000000000', 0, 2, '{root,a}', 'data', 'container', '{"a": [1, 2], ', 0, 14, 1, 1, '{}'),
    ('aaaaaaaa-0000-0000-0000-000000000002', 'aaaaaaaa-0000-0000-8000-000000000000', 1, 2, '{root,b}', 'data', 'container', '"b": {"c": "steps"}}', 14, 34, 1, 1, '{}'),
    ('bbbbbbbb-0000-0000-0000-000000000001', 'bbbbbbbb-0000-0000-8000-000000000000', 0, 0, '{}', 'code', 'module', E'import os\n', 0, 10, 1, 1, '{"imports": ["os"]}'),
    ('bbbbbbbb-0000-0000-0000-000000000002', 'bbbbbbbb-0000-0000-8000-000000000000', 1, 1, '{A}', 'code', 'container', E'class A:\n', 10, 19, 2, 2, '{}'),
    ('bbbbbbbb-0000-0000-0000-000000000003', 'bbbbbbbb-0000-0000-8000-000000000000', 2, 2, '{A,f}', 'code', 'member', E'    def f(steps):\n        os.x()\n', 19, 52, 3, 4, '{}'),
    ('bbbbbbbb-0000-0000-0000-000000000004', 'bbbbbbbb-0000-0000-8000-000000000000', 3, 2, '{A,g}', 'code', 'member', E'    def g(steps):\n        pass\n', 52, 83, 5, 6, '{}');
SELECT count(*) FROM passage.ingest('removed.txt', 'Steps that are removed.', store => 'small');
UPDATE small.documents SET orphaned_at = now() WHERE uri = 'removed.txt';
INSERT INTO small.embeddings (chunk_id, document_id, embedding) SELECT id, document_id, ARRAY[ordinal + 1, 1, 0]::real[]::vector FROM small.chunks;
INSERT INTO small.strategies (name, base, children, default_for) VALUES ('mine', 'reassembly', 2, '{application/json}');

SELECT count(*) FROM passage.create_store('bits', dimensions => 3, embedding_type => 'binary');
INSERT INTO bits.documents SELECT * FROM small.documents;
INSERT INTO bits.chunks (id, document_id, ordinal, level, section, content, preamble, kind, unit, tokens, metadata)
    SELECT id, document_id, ordinal, level, section, content, preamble, kind, unit, tokens, metadata FROM small.chunks;
INSERT INTO bits.embeddings SELECT * FROM small.embeddings;

CREATE SCHEMA parted;
CREATE TABLE parted.chunks (LIKE small.chunks INCLUDING GENERATED INCLUDING DEFAULTS) PARTITION BY HASH (document_id);
CREATE TABLE parted.chunks_0 PARTITION OF parted.chunks FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted.chunks_1 PARTITION OF parted.chunks FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE parted.documents (LIKE small.documents INCLUDING DEFAULTS INCLUDING INDEXES);
INSERT INTO parted.documents SELECT * FROM small.documents;
INSERT INTO parted.chunks (id, document_id, ordinal, level, section, content, preamble, kind, unit, tokens, metadata)
    SELECT id, document_id, ordinal, level, section, content, preamble, kind, unit, tokens, metadata FROM small.chunks;
CREATE INDEX ON parted.chunks USING gin (tsv);

CREATE INDEX ON parted.documents ((metadata -> 'a'));
CREATE INDEX ON parted.chunks USING gin (metadata);

SELECT count(*) FROM passage.create_store('spread', dimensions => 3, partitions => 2);
INSERT INTO spread.documents SELECT * FROM small.documents;
INSERT INTO spread.chunks (id, document_id, ordinal, level, section, content, preamble, kind, unit, tokens, metadata)
    SELECT id, document_id, ordinal, level, section, content, preamble, kind, unit, tokens, metadata FROM small.chunks;
INSERT INTO spread.embeddings SELECT * FROM small.embeddings;

CREATE SCHEMA adopted;
CREATE VIEW adopted.chunks WITH (security_invoker = true) AS SELECT * FROM small.chunks;
CREATE VIEW adopted.documents WITH (security_invoker = true) AS SELECT * FROM small.documents;
CREATE VIEW adopted.embeddings WITH (security_invoker = true) AS SELECT * FROM small.embeddings;

CREATE SCHEMA bare;
CREATE TABLE bare.chunks AS SELECT id, document_id, ordinal, content FROM small.chunks;

CREATE TABLE small.notes (id integer PRIMARY KEY, body text);
ANALYZE"#;

/// The names of the stores.
const NAMES: [&str; 6] = ["small", "bits", "parted", "spread", "adopted", "bare"];

/// Calls without some arguments; [`all`] adds calls with all of them.
const CALLS: &[&str] = &[
    "SELECT * FROM passage.search('steps', store => STORE)",
    "SELECT * FROM passage.search('\"hidden steps\" -nonsense editors', filter => passage.filter(include_orphaned => true), store => STORE)",
    "SELECT * FROM passage.search_hits('steps', ranking => passage.ranking(candidates => 1000), store => STORE)",
    "SELECT * FROM passage.search_hits('steps', '{1,0,0}', filter => passage.filter(include_orphaned => true), store => STORE)",
    "SELECT * FROM passage.search_hits('steps', '{1,0,0}', filter => passage.filter(min_similarity => 0.1), store => STORE)",
    "SELECT * FROM passage.search_hits('steps', '{1,0,0}', ranking => passage.ranking(mode => 'text'), filter => passage.filter(min_similarity => 0.1), store => STORE)",
    "SELECT * FROM passage.search_hits(embedding => '{1,0,0}', collection => 'docs', filter => passage.filter(version => '1'), store => STORE)",
    "SELECT * FROM passage.search_hits(embedding => '{1,0,0}', filter => passage.filter(kind => 'prose', metadata => '{}', path => '*', uri_pattern => '%', media_type => 'text/*'), store => STORE)",
    "SELECT * FROM passage.search_hits('steps', '{1,0,0}', filter => '{\"version\": [\"latest\", \"1\", \"2*\"], \"collection\": [\"docs\", \"\"], \"uri\": [\"guide.md\", \"a.json\"], \"kind\": [\"prose\", \"data\"]}', store => STORE)",
    "SELECT * FROM passage.search_hits('steps', '{1,0,0}', filter => '{\"metadata\": {\"$or\": [{\"a\": {\"b\": {\"$gte\": 1, \"$lt\": \"2024-01-01\", \"$like\": \"a%\"}}, \"c\": [1]}, {\"$not\": {\"a\": {\"$in\": [1, \"2024-01-01\"], \"$ilike\": \"b\", \"$exists\": true, \"$gt\": \"a\", \"$lte\": 5, \"$between\": [\"2024-01-01\", \"2025-01-01\"]}, \"d\": {\"e\": 1}}}, {\"f\": {\"$exists\": false}}]}}', store => STORE)",
    "SELECT * FROM passage.search('steps', filter => '{\"metadata\": {\"a\": 1}, \"collection\": \"nowhere\", \"version\": \"7\", \"uri\": \"none.md\"}', store => STORE)",
    "SELECT * FROM passage.fragments('hidden stepz', store => STORE)",
    "SELECT * FROM passage.fragments('hidden steps', '{1,0,0}', store => STORE)",
    "SELECT * FROM passage.fragments('steps', '{1,0,0}', collection => 'docs', store => STORE)",
    "SELECT * FROM passage.fragments('steps', '{1,0,0}', document_id => DOCUMENT, store => STORE)",
    "SELECT * FROM passage.fragments('steps', '{1,0,0}', strategy => 'semantic', document_id => DOCUMENT, store => STORE)",
    "SELECT * FROM passage.fragments(document_id => DOCUMENT, return_full => true, store => STORE)",
    "SELECT * FROM passage.fragments('hidden', uri => 'guide.md', return_full => true, store => STORE)",
    "SELECT * FROM passage.expand_context(CHUNK, 'auto', store => STORE)",
    "SELECT * FROM passage.expand_context(CHUNK, 'none', store => STORE)",
    "SELECT * FROM passage.expand_context(CHUNK, 'adjacent', store => STORE)",
    "SELECT * FROM passage.expand_context(CHUNK, 'hierarchical', limits => passage.limits(parents => 9, children => 9), store => STORE)",
    "SELECT * FROM passage.expand_context(CHUNK, 'section', store => STORE)",
    "SELECT * FROM passage.expand_context(CHUNK, 'merge', store => STORE)",
    "SELECT * FROM passage.expand_context(CHUNK, 'document', store => STORE)",
    "SELECT * FROM passage.expand_context(CHUNK, 'mine', store => STORE)",
    "SELECT * FROM passage.expand_contexts(ALL_CHUNKS, strategy => 'auto', store => STORE)",
    "SELECT * FROM passage.expand_contexts(ALL_CHUNKS, strategy => 'broad', store => STORE)",
    "SELECT * FROM passage.expand_contexts(ALL_CHUNKS, strategy => 'section', store => STORE)",
    "SELECT * FROM passage.expand_contexts(ALL_CHUNKS, strategy => 'merge', store => STORE)",
    "SELECT * FROM passage.expand_contexts(ALL_CHUNKS, strategy => 'mine', store => STORE)",
    "SELECT * FROM passage.reassemble(ALL_CHUNKS, strategy => 'document', output => passage.output(imports => true), store => STORE)",
    "SELECT * FROM passage.outline(uri => 'guide.md', store => STORE)",
    "SELECT * FROM passage.similar(CHUNK, store => STORE)",
    "SELECT * FROM passage.similar(document_id => DOCUMENT, by => 'links', filter => passage.filter(kind => 'prose'), store => STORE)",
    "SELECT * FROM passage.similar(document_id => DOCUMENT, filter => passage.filter(min_similarity => 0.1), store => STORE)",
    "SELECT p.* FROM passage.prompt((SELECT pg_catalog.jsonb_agg(s ORDER BY s.rank) FROM passage.search('steps', store => STORE) AS s), 'both_ends') AS p",
    r#"SELECT * FROM passage.prompt('[{"content": "Steps", "uri": "a.pdf", "section": ["A"], "citations": [{"page": 1, "last_page": 2}]}]')"#,
    r#"SELECT * FROM passage.check_citations('Steps [1-2], `[1]` and [3](a.md).', '[{"number": 1}, {"number": 4}]')"#,
    "SELECT * FROM passage.outline(DOCUMENT, store => STORE)",
    "SELECT passage.rate('hidden steps', CHUNK, 1, store => STORE)",
    "SELECT passage.rate('hidden steps', CHUNK, 1, '{1,0,0}', 'somebody', store => STORE); SELECT * FROM passage.search_hits('hidden steps', '{1,0,0}', filter => passage.filter(min_similarity => 0.1), ranking => passage.ranking(feedback => 1), store => STORE)",
    "SELECT * FROM passage.search('steps', ranking => passage.ranking(feedback => 1), store => STORE)",
    "SELECT * FROM passage.links(document_id => DOCUMENT, store => STORE)",
    "SELECT * FROM passage.links(CHUNK, uri => 'guide.md', store => STORE)",
    "SELECT * FROM passage.backlinks(uri => 'guide.md', store => STORE)",
    "SELECT * FROM passage.ingest('guide.md', E'# Guide\\n\\n[s](#guide) [[new]] [n](new.md#new)', collection => 'docs', version => '1', store => STORE)",
    "SELECT * FROM passage.ingest('guide.md', 'Hidden steps.', collection => 'docs', version => '1', store => STORE)",
    "SELECT * FROM passage.ingest('guide.md', E'# Guide\\n\\nHidden steps of editors.\\n\\n## New\\n\\nOthers.\\n', 'text/markdown', 'Other', 'docs', '1', splitting => passage.splitting(max_size => 60, preferred_size => 40, min_size => 10), store => STORE)",
    "SELECT * FROM passage.ingest('new.md', E'# New\\n\\nWords.', store => STORE)",
    WRITE_DOCUMENTS,
    "SELECT * FROM passage.remove(uri => 'guide.md', store => STORE)",
    "SELECT * FROM passage.remove(collection => 'docs', store => STORE)",
    "SELECT * FROM passage.check_store(STORE)",
    "SELECT * FROM passage.check_store(STORE, true)",
    "SELECT passage.create_store('later', 3)",
    "SELECT passage.create_store('later', 3, partitions => 2)",
    "CREATE TRIGGER t AFTER INSERT OR UPDATE OR DELETE ON small.notes FOR EACH ROW EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}', 'metadata={\"{body}\": {id}, \"b\": [\"{body} {id}\", {\"c\": {body}}]}', 'store=small');
     INSERT INTO small.notes VALUES (1, 'one'), (2, 'two');
     UPDATE small.notes SET body = 'other', id = 7 WHERE id OPERATOR(pg_catalog.=) 1;
     DELETE FROM small.notes",
    "CREATE TRIGGER t AFTER TRUNCATE ON small.notes FOR EACH STATEMENT EXECUTE FUNCTION passage.keep_in_step('text={body}', 'uri=notes/{id}', 'store=small');
     TRUNCATE small.notes",
];

/// Writes a stored document, some chunks of which stay, and a new one, as the client does.
const WRITE_DOCUMENTS: &str = r#"SELECT w.* FROM _passage.write_documents(STORE,
    pg_catalog.concat('[{"id": "', DOCUMENT, '", "is_stored": true, "uri": "guide.md", "collection": "docs", "version": "1",
        "content_hash": "\\x61", "chunks": 2, "metadata": {}},
        {"id": "dddddddd-0000-0000-8000-000000000000", "uri": "b", "collection": "", "version": "", "content_hash": "\\x62", "chunks": 1,
        "metadata": {}}]')::pg_catalog.jsonb,
    '{1,1,2}', ARRAY[(ALL_CHUNKS::pg_catalog.uuid[])[1], 'aaaaaaaa-0000-0000-0000-000000000000', 'dddddddd-0000-0000-0000-000000000000'],
    '{1,0,0}', '{0,0,0}', '{"{}","{A}","{B}"}', '{prose,prose,prose}', '{text,text,text}', '{NULL,Hidden,Steps}', '{P,"",""}',
    '{1,1,1}', '{0,6,0}', '{6,9,5}', '{1,2,1}', '{1,2,1}', '{"{}","{}","{}"}', '{1,2}', '{"[1,0,0]","[0,1,0]"}'::pg_catalog.text[]) AS w"#;

/// Returns the calls, in which every operator and function is schema-qualified.
///
/// # Panics
///
/// Panics if an argument of a function has no ordinary value, or if no call uses a trigger function.
pub async fn all(cluster: &Cluster) -> Vec<String> {
    let ordinary = OrdinaryValues::of(cluster, "small").await;
    let triggers = "SELECT proname FROM pg_proc WHERE pronamespace = 'passage'::regnamespace AND prorettype = 'trigger'::regtype";
    for trigger in cluster.query_lines(triggers).await {
        let name = format!("passage.{trigger}(");
        assert!(CALLS.iter().any(|call| call.contains(&name)), "{trigger} is not called");
    }
    let mut calls: Vec<_> = CALLS.iter().map(|call| (*call).to_owned()).collect();
    for function in functions(cluster).await {
        // Functions that only bodies of the SQL edition call take rows of its own types.
        if is_sql_edition() && !function.arguments.iter().all(OrdinaryValues::knows) {
            continue;
        }
        let value = |argument| Some(ordinary.get(argument).to_owned());
        let values: Vec<_> = function.arguments.iter().map(value).collect();
        calls.push(function.call("*", &values));
    }
    let mut filled: Vec<_> = NAMES
        .iter()
        .flat_map(|store| calls.iter().map(|call| ordinary.fill(call, store)))
        .collect();
    filled.dedup();
    filled
}
