-- Links: what the writer keeps of them, the documents and sections that they lead to, and what leads to a document.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SELECT count(*) > 0 AS made FROM passage.create_store('linked');
SET passage.store = 'linked';
SELECT outcome FROM passage.ingest('guide/setup.md',
    E'# Setup\n\nSee [the `logs`](logging.md#by-hand), [other][o], [[Logging#Rotation|r]] and [none](nowhere.md).\n\n```\n[code](other.md)\n```\n\n## Next\n\n'
    '[Up](#setup), [lost](#lost), [call](/docs/api/call), <https://example.org/x>, [mail](mailto:a@b.c), ![image](i.png).\n\n[o]: ../other.md "Other"\n');
SELECT outcome FROM passage.ingest('guide/logging.md',
    E'# Logging\n\nText.\n\n## Rotation {#turn}\n\nText.\n\n### By hand\n\nText.\n\n## Example\n\nOne.\n\n## Example\n\nTwo. <a id="own-anchor"></a>\n', splitting => passage.splitting(max_size => 40, preferred_size => 20, min_size => 1));
SELECT outcome FROM passage.ingest('other.md', E'# Other\n\n[2](guide/logging#example-1) [t](guide/logging.html#turn) [a](guide/logging.md#own-anchor) [g](guide/)\n');
SELECT outcome FROM passage.ingest('content/docs/03-api/01-call.mdx', E'# Call\n\n[[setup]]\n');
SELECT outcome FROM passage.ingest('guide/index.md', E'# Guide\n');
SELECT outcome FROM passage.ingest('guide/logging.md', E'# Another version\n', version => '2');
SELECT outcome FROM passage.ingest('https://example.org/docs/a.html', E'[b](b.html) [c](https://example.org/docs/c#d) [e](/docs/b.html) [f](https://example.org/docs/b.html#b)\n', media_type => 'text/markdown');
SELECT outcome FROM passage.ingest('https://example.org/docs/b.html', E'# B\n', media_type => 'text/markdown');

-- the rows
SELECT uri, position, kind, to_uri, to_section, to_name, text FROM linked.links JOIN linked.documents ON id = document_id ORDER BY uri COLLATE "C", position;

-- the targets
CREATE FUNCTION linked.section_of(chunk uuid) RETURNS text LANGUAGE sql AS $$ SELECT coalesce(array_to_string(section, ' > '), '') FROM linked.chunks WHERE id = $1 $$;
SELECT from_uri, text, to_uri, to_document IS NOT NULL AS is_document, linked.section_of(to_chunk), to_title
FROM (SELECT DISTINCT uri FROM linked.documents) AS d, passage.links(uri => d.uri) ORDER BY from_uri COLLATE "C", from_title COLLATE "C", text COLLATE "C";
-- those of a chunk
SELECT string_agg(text, ' ') FROM linked.chunks AS c, passage.links(chunk_id => c.id) WHERE c.section = '{Setup,Next}';
SELECT count(*) FROM passage.links(document_id => (SELECT id FROM linked.documents WHERE uri = 'other.md'), uri => 'guide/index.md');

-- what leads to a document, and to a chunk of it
SELECT from_uri, text, linked.section_of(to_chunk) FROM passage.backlinks(uri => 'guide/logging.md') ORDER BY from_uri COLLATE "C", text COLLATE "C";
SELECT from_uri, text FROM linked.chunks AS c, passage.backlinks(chunk_id => c.id) WHERE section = '{Logging,Example (2)}' ORDER BY text;
SELECT from_uri, text FROM passage.backlinks(uri => 'guide/index.md');

-- an edit keeps the links of the document right, and a removed document has none
SELECT outcome, kept FROM passage.ingest('other.md', E'# Other\n\n[g](guide/)\n');
SELECT text, to_uri FROM passage.links(uri => 'other.md');
SELECT text FROM passage.backlinks(uri => 'other.md');
SELECT count(*) FROM passage.remove(uri => 'guide/setup.md');
SELECT count(*) FROM linked.links JOIN linked.documents ON id = document_id WHERE uri = 'guide/setup.md';

-- dead links
SELECT problem, remedy LIKE 'SELECT * FROM passage.links(%' FROM passage.check_store(data => true);

-- a store of an earlier layout
DROP TABLE linked.links;
DROP INDEX linked.documents_link_name_idx;
SELECT outcome FROM passage.ingest('other.md', E'# Other\n\n[x](guide/)\n');
SELECT count(*) FROM passage.links(uri => 'other.md');
SELECT count(*) FROM passage.backlinks(uri => 'other.md');
SELECT object, problem FROM passage.check_store() ORDER BY object COLLATE "C";
SELECT count(*) > 0 FROM passage.upgrade_store();
SELECT outcome FROM passage.ingest('other.md', E'# Other\n\n[y](guide/)\n');
SELECT text, to_uri FROM passage.links(uri => 'other.md');

-- a role that may not write links writes documents without them
CREATE ROLE regress_links;
GRANT USAGE ON SCHEMA linked TO regress_links;
GRANT SELECT ON ALL TABLES IN SCHEMA linked TO regress_links;
GRANT INSERT, UPDATE, DELETE ON linked.documents, linked.chunks TO regress_links;
SET ROLE regress_links;
SELECT outcome FROM passage.ingest('role.md', E'# Role\n\n[z](guide/)\n');
SELECT count(*) FROM passage.links(uri => 'role.md');
RESET ROLE;
-- policies hide the links of hidden documents, and hidden targets
CREATE POLICY shown ON linked.documents USING (uri <> 'guide/index.md');
ALTER TABLE linked.documents ENABLE ROW LEVEL SECURITY;
SET ROLE regress_links;
SELECT text, to_uri, to_document FROM passage.links(uri => 'other.md');
SELECT count(*) FROM passage.backlinks(uri => 'guide/index.md');
RESET ROLE;

-- errors
\pset tuples_only off
SELECT * FROM passage.links();
SELECT * FROM passage.backlinks(uri => NULL);
SELECT * FROM passage.links(uri => 'a.md', store => 'no_such_store');
SELECT text FROM passage.links(uri => 'no such document');
DROP SCHEMA linked CASCADE;
DROP ROLE regress_links;
