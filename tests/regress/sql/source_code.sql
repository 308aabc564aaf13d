-- A library with grammars splits source code by its syntax: source_code.out. A library without them, which
-- GRAMMARS=no builds, splits it as text, with one notice for a statement and a mark: source_code_1.out.
SELECT count(*) > 0 AS created FROM passage.create_store('sources', language => 'simple');
SET passage.store = 'sources';

SELECT section, kind, unit FROM passage.split(E'use std::fs;\n\nfn main() {}\n', 'text/x-rust', splitting => passage.splitting(max_size => 20))
UNION ALL
SELECT section, kind, unit FROM passage.split(E'class A:\n    pass\n', uri => 'a.py');

SELECT uri, outcome FROM (VALUES
    ('a.rs', E'fn main() {}\n'), ('b.py', E'pass\n'), ('c.css', E'a { b: c }\n'), ('d.md', E'text\n')
) AS listed (uri, text), passage.ingest(uri, text, metadata => '{"a": 1.10}', splitting => passage.splitting(max_size => 500)) ORDER BY uri;
SELECT uri, metadata #- '{split_as_text,content_hash}' AS metadata, section, kind, unit
FROM (SELECT document_id, section, kind, unit FROM sources.chunks) AS chunks
JOIN sources.documents ON document_id = documents.id ORDER BY uri;

-- the mark has the hash of a document that is split by its syntax, so such a document is unchanged
SELECT uri, length(metadata #>> '{split_as_text,content_hash}') AS digits, octet_length(content_hash) AS bytes,
    encode(content_hash, 'hex') = metadata #>> '{split_as_text,content_hash}' AS same
FROM sources.documents ORDER BY uri;
UPDATE sources.documents SET content_hash = decode(metadata #>> '{split_as_text,content_hash}', 'hex'),
    metadata = metadata - 'split_as_text'
WHERE metadata ? 'split_as_text';
SELECT outcome FROM passage.ingest('a.rs', E'fn main() {}\n', metadata => '{"a": 1.10}', splitting => passage.splitting(max_size => 500));
SELECT outcome FROM passage.ingest('a.rs', E'fn main() {}\n', metadata => '{"a": 1.10}', splitting => passage.splitting(max_size => 501));

-- the metadata of the caller win
SELECT outcome FROM passage.ingest('b.py', E'pass\n', metadata => '{"split_as_text": false}');
SELECT metadata FROM sources.documents WHERE uri = 'b.py';

SET client_min_messages = warning;
DROP SCHEMA sources CASCADE;
