-- Labels: references by a label that any document may define, and packages of Go, which are folders.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
\pset format unaligned
\pset tuples_only on
SELECT count(*) > 0 AS made FROM passage.create_store('labelled');
SET passage.store = 'labelled';

-- Writes a document of two sections as a splitter of its syntax would: with labels and references of these sections, 0 and 1.
CREATE FUNCTION labelled.write(new_uri text, links jsonb, version text DEFAULT '') RETURNS text LANGUAGE sql AS $$
    SELECT passage.ingest(new_uri, E'# One\n\nText, `no-label`.\n\n# Two\n\nText.\n', version => version, media_type => 'text/markdown', splitting => passage.splitting(min_size => 1, preferred_size => 20, max_size => 40));
    SELECT string_agg(_passage.write_links('labelled', false, id, uri, $2, ids, ordinals)::text, '')
    FROM (
        SELECT d.id, d.uri, array_agg(c.id) AS ids, array_agg(c.ordinal) AS ordinals
        FROM labelled.documents AS d JOIN labelled.chunks AS c ON c.document_id = d.id WHERE d.uri = new_uri AND d.version = $3 GROUP BY d.id
    ) AS written $$;
CREATE FUNCTION labelled.place(chunk uuid) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', d.uri, nullif(d.version, ''), c.section[1]) FROM labelled.chunks AS c JOIN labelled.documents AS d ON d.id = c.document_id WHERE c.id = $1 $$;

SELECT labelled.write('a/one.md', '[[0, "reference", "", "setup", "nearest"], [0, "reference", "", "own", "own"], [0, "reference", "", "two", "heading"],
    [0, "reference", "", "no-label", "lost"], [0, "reference", "", "other:x", "other project"], [0, "label", "", "own", ""], [1, "reference", "", "tie", "tie"],
    [1, "reference", "", "far", "far"], [1, "reference", "", "new", "version"]]');
SELECT labelled.write('a/two.md', '[[1, "label", "", "setup", ""], [1, "label", "", "own", ""]]');
SELECT labelled.write('b/three.md', '[[0, "label", "", "setup", ""], [0, "label", "", "far", ""], [0, "reference", "", "far", "of itself"], [0, "link", "far", "", "no label"]]');
SELECT labelled.write('c/tie.md', '[[0, "label", "", "tie", ""]]');
SELECT labelled.write('b/tie.md', '[[0, "label", "", "tie", ""]]');
SELECT labelled.write('a/new.md', '[[0, "label", "", "new", ""]]', version => '2');

-- the targets
SELECT text, to_uri, to_section, to_document IS NOT NULL, labelled.place(to_chunk) FROM passage.links(uri => 'a/one.md');
SELECT text, to_uri, labelled.place(to_chunk) FROM passage.links(uri => 'b/three.md');
SELECT count(*) FROM passage.links(uri => 'a/two.md');
-- what leads to a document, and to a chunk of it
SELECT from_uri, text FROM passage.backlinks(uri => 'a/two.md');
SELECT from_uri, text FROM passage.backlinks(uri => 'b/three.md');
SELECT c.section[1], from_uri, text FROM labelled.chunks AS c, passage.backlinks(chunk_id => c.id)
WHERE c.document_id IN (SELECT id FROM labelled.documents WHERE uri IN ('a/two.md', 'c/tie.md', 'b/tie.md')) ORDER BY 1, 2, 3;
-- dead ones
SELECT problem FROM passage.check_store(data => true);

-- labels are compared whole, although names are short
SELECT labelled.write('long.md', jsonb_build_array(jsonb_build_array(0, 'label', '', repeat('é', 600) || 'a', ''), jsonb_build_array(0, 'reference', '', repeat('é', 600) || 'b', 'another'),
    jsonb_build_array(0, 'reference', '', repeat('é', 600) || 'a', 'equal')));
SELECT text, labelled.place(to_chunk) FROM passage.links(uri => 'long.md');
SELECT length(to_name), length(to_section), kind FROM labelled.links WHERE document_id = (SELECT id FROM labelled.documents WHERE uri = 'long.md') ORDER BY position;

-- packages: the file doc.go, else that with the name of the folder, else the first one without tests
SELECT labelled.write('m/cmd/main.go', '[[0, "import", "x.org/o/r/pkg/a/", "", "a"], [0, "import", "x.org/o/r/pkg/b/", "", "b"], [0, "import", "x.org/o/r/pkg/c/", "", "c"],
    [0, "import", "x.org/o/r/d/", "", "d"], [0, "import", "x.org/o/crypto/ssh/", "", "other module"], [0, "import", "y.org/v/w/pkg/e/", "", "vendor"], [0, "import", "x.org/o/r/none/", "", "none"]]');
SELECT string_agg(labelled.write(name, '[[0, "label", "./", "", ""]]'), '') FROM unnest(ARRAY[
    'm/pkg/a/a.go', 'm/pkg/a/doc.go', 'm/pkg/a/b.go', 'm/pkg/b/a.go', 'm/pkg/b/b.go', 'm/pkg/c/a_test.go', 'm/pkg/c/z.go', 'm/pkg/c/y.go',
    'm/d/doc.go', 'n/d/doc.go', 'm/pkg/d/doc.go', 'm/lib/ssh/ssh.go', 'm/vendor/y.org/v/w/pkg/e/e.go']) AS name;
SELECT text, to_uri, labelled.place(to_chunk) FROM passage.links(uri => 'm/cmd/main.go');
SELECT count(*) FROM passage.links(uri => 'm/pkg/a/a.go');
SELECT from_uri, text FROM passage.backlinks(uri => 'm/pkg/b/b.go');
SELECT count(*) FROM passage.backlinks(uri => 'm/pkg/b/a.go');

-- pages of Antora name others from the folder of pages
SELECT labelled.write('docs/modules/ops/pages/sub/one.adoc', '[[0, "link", "two.adoc", "", "page"], [0, "link", "./three.adoc", "", "beside"], [0, "link", "/modules/other/pages/four.adoc", "two", "module"]]');
SELECT string_agg(labelled.write(name, '[]'), '') FROM unnest(ARRAY[
    'docs/modules/ops/pages/two.adoc', 'docs/modules/ops/pages/sub/three.adoc', 'docs/modules/other/pages/four.adoc', 'more/modules/other/pages/four.adoc']) AS name;
SELECT text, labelled.place(to_chunk) FROM passage.links(uri => 'docs/modules/ops/pages/sub/one.adoc');
SELECT string_agg(labelled.write(name, '[[0, "link", "two.adoc", "", "page"]]'), '') FROM unnest(ARRAY['docs/modules/ops/main-nav.adoc', 'docs/modules/ops/partials/a/b.adoc', 'modules/ops/lib.adoc']) AS name;
SELECT from_uri FROM passage.backlinks(uri => 'docs/modules/ops/pages/two.adoc');

-- labels of orphaned and of hidden documents and chunks lead nowhere
UPDATE labelled.documents SET orphaned_at = now() WHERE uri = 'a/two.md';
SELECT text, labelled.place(to_chunk) FROM passage.links(uri => 'a/one.md') LIMIT 1;
CREATE ROLE regress_labels;
GRANT USAGE ON SCHEMA labelled TO regress_labels;
GRANT SELECT ON ALL TABLES IN SCHEMA labelled TO regress_labels;
CREATE POLICY shown ON labelled.documents USING (uri <> 'b/tie.md');
ALTER TABLE labelled.documents ENABLE ROW LEVEL SECURITY;
CREATE POLICY shown ON labelled.chunks USING (content NOT LIKE '# One%' OR document_id <> (SELECT id FROM labelled.documents WHERE uri = 'b/three.md'));
ALTER TABLE labelled.chunks ENABLE ROW LEVEL SECURITY;
SET ROLE regress_labels;
SELECT text, labelled.place(to_chunk) FROM passage.links(uri => 'a/one.md');
SELECT count(*) FROM passage.backlinks(uri => 'b/three.md');
RESET ROLE;
DROP SCHEMA labelled CASCADE;
DROP ROLE regress_labels;
