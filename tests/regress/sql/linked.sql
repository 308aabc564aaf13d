-- Linked sections: context that the links of hits lead to.
SET client_min_messages = warning;
\set SHOW_CONTEXT never
\pset null -
SELECT count(*) > 0 AS made FROM passage.create_store('linked');
SET passage.store = 'linked';
CREATE FUNCTION linked.load(uri text, text text, size integer) RETURNS text LANGUAGE sql AS $$ SELECT outcome FROM passage.ingest(uri, text, splitting => passage.splitting(max_size => size, preferred_size => size / 2, min_size => 1)) $$;
SELECT linked.load('guide.md', E'# Guide\n\nBegin here.\n\n## Setup\n\nSee [rotation](logs.md#rotation), [again](logs.md#rotation), [up](#guide),\n[here](#setup), [none](nowhere.md) and [backup](backup.md).\n\n## Next\n\nRead [rotation](logs.md#rotation) or [lost](logs.md#lost).\n', 200);
SELECT linked.load('logs.md', E'# Logs\n\nAbout logs.\n\n## Rotation\n\nFiles rotate every night at two, when few people read them.\n\nOld files stay for a week, and then they are removed by a job.\n\n### Size\n\nTen megabytes.\n\n## Other\n\nBack to [setup](guide.md#setup).\n', 60);
SELECT linked.load('backup.md', E'# Backup\n\nCopy the folder.\n', 40);

CREATE FUNCTION linked.chunk_of(wanted text[]) RETURNS uuid LANGUAGE sql STABLE AS $$ SELECT id FROM linked.chunks WHERE section = wanted ORDER BY ordinal LIMIT 1 $$;
CREATE FUNCTION linked.name_of(chunk uuid) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT uri || ' ' || array_to_string(section, '/') || ' ' || ordinal FROM linked.chunks AS c JOIN linked.documents AS d ON d.id = document_id WHERE c.id = chunk
$$;

-- the links in their order, each section once; not the section of the hit, and nothing without the limit
SELECT linked.name_of(chunk_id), role, distance, uri FROM passage.expand_context(linked.chunk_of('{Guide,Setup}'), 'none', limits => '{"links": 5}') JOIN linked.documents AS d ON d.id = document_id ORDER BY role, distance;
SELECT linked.name_of(chunk_id), role, distance FROM passage.expand_context(linked.chunk_of('{Guide,Setup}'), 'none', limits => passage.limits(links => 1));
SELECT linked.name_of(chunk_id), role FROM passage.expand_context(linked.chunk_of('{Guide,Setup}'), 'none');
SELECT count(*) FROM passage.expand_context(linked.chunk_of('{Guide,Setup}'), 'none', limits => '{"links": 0}');
-- a section that is context for another reason comes once, and counts
SELECT linked.name_of(chunk_id), role, distance FROM passage.expand_context(linked.chunk_of('{Guide,Setup}'), 'broad', limits => '{"links": 2}');
-- a document whose section is missing: its beginning
SELECT linked.name_of(chunk_id), role, distance FROM passage.expand_context(linked.chunk_of('{Guide,Next}'), 'none', limits => '{"links": 5}');
-- several hits: a section comes for the best one
SELECT linked.name_of(hit_id), linked.name_of(chunk_id), role, score, decayed_score
FROM passage.expand_contexts(ARRAY[linked.chunk_of('{Guide,Setup}'), linked.chunk_of('{Guide,Next}')], '{0.5,0.8}', 'none', limits => '{"links": 2}');
-- sections of hits do not come as context
SELECT linked.name_of(chunk_id), role FROM passage.expand_contexts(ARRAY[linked.chunk_of('{Guide,Setup}'), linked.chunk_of('{Logs,Rotation}')], NULL, 'none', limits => '{"links": 1}');
SELECT linked.name_of(hit_id), linked.name_of(chunk_id), role FROM passage.expand_contexts(ARRAY[linked.chunk_of('{Guide,Setup}'), linked.chunk_of('{Logs,Other}')], '{1,0.1}', 'none', limits => '{"links": 1, "min_score": 0.5}');

-- budgets: what was cut, and why
SELECT linked.name_of(chunk_id), kept, role, rule, cut_by FROM passage.explain_context(ARRAY[linked.chunk_of('{Guide,Setup}')], strategy => 'none', limits => '{"links": 5, "max_chunks": 2}');
SELECT linked.name_of(chunk_id), role, cut > 0 AS is_cut FROM passage.expand_context(linked.chunk_of('{Guide,Setup}'), 'none', limits => '{"links": 5, "max_passage_tokens": 20}');

-- passages: the section follows the passage of its hit
SELECT rank, score, uri, section, cardinality(chunk_ids) AS chunks, cardinality(hit_ids) AS hits, truncated, complete, first_line, last_line, citations -> 0 ->> 'role' AS role, content
FROM passage.reassemble(ARRAY[linked.chunk_of('{Guide,Next}'), linked.chunk_of('{Backup}'), linked.chunk_of('{Guide,Setup}')], '{0.9,0.8,0.7}', 'none', limits => '{"links": 2}', output => '{"max_distance": 0}');
SELECT rank, uri, section FROM passage.reassemble(ARRAY[linked.chunk_of('{Guide,Next}'), linked.chunk_of('{Backup}'), linked.chunk_of('{Guide,Setup}')], '{0.7,0.8,0.9}', 'none', 2,
    limits => '{"links": 2}', output => '{"max_distance": 0, "order_by": "document"}');
SELECT rank, uri, truncated, complete FROM passage.reassemble(ARRAY[linked.chunk_of('{Guide,Setup}')], NULL, 'none', limits => '{"links": 2, "max_chunks": 2}');
-- a chunk that was shown does not come again
SELECT rank, uri, cardinality(chunk_ids) AS chunks FROM passage.reassemble(ARRAY[linked.chunk_of('{Guide,Setup}')], NULL, 'none', limits => '{"links": 2}', skip => ARRAY[linked.chunk_of('{Logs,Rotation}')]);
SELECT jsonb_path_query_array(explanation, '$[*].role') AS roles FROM passage.reassemble(ARRAY[linked.chunk_of('{Guide,Setup}')], NULL, 'none', limits => '{"links": 1}', output => '{"explain": true}');

-- search: linked sections are not passages of the number that the call asks for
SELECT rank, uri, section, cardinality(hit_ids) AS hits FROM passage.search('nowhere', max_passages => 1, strategy => 'none', limits => '{"links": 2}');

-- the definition of an imported name that a hit uses
INSERT INTO linked.documents (uri, media_type) SELECT 'app/' || name || '.py', 'text/x-python' FROM unnest('{config,main,tool}'::text[]) AS name;
INSERT INTO linked.chunks (document_id, ordinal, kind, unit, section, content, tokens)
SELECT d.id, c.ordinal, 'code', c.unit, c.section::text[], c.content, 10 FROM (VALUES
    ('config', 0, 'module', '{}', E'import os\n\n'), ('config', 1, 'member', '{load_config}', E'def load_config(path):\n    return open(path)\n\n'), ('config', 2, 'member', '{other}', E'def other():\n    return os.name\n'),
    ('main', 0, 'module', '{}', E'from app.config import load_config, other\n\n'), ('main', 1, 'member', '{main}', E'def main():\n    print(load_config("x"))\n'),
    ('tool', 0, 'module', '{}', E'from app import config\n')) AS c (name, ordinal, unit, section, content) JOIN linked.documents AS d ON d.uri = 'app/' || name || '.py';
INSERT INTO linked.links (document_id, position, from_chunk, kind, to_uri, to_section, to_name)
SELECT d.id, l.position, c.id, 'import', l.target, l.name, passage.link_name(l.target)
FROM (VALUES ('main', 0, 'app/config', 'other'), ('main', 1, 'app/config', 'load_config'), ('tool', 0, 'app', 'config')) AS l (document, position, target, name)
JOIN linked.documents AS d ON d.uri = 'app/' || document || '.py' JOIN linked.chunks AS c ON c.document_id = d.id AND c.ordinal = 0;
SELECT rank, uri, section, cardinality(hit_ids) AS hits
FROM unnest('{false,true}'::boolean[]) AS imports, passage.reassemble(ARRAY[linked.chunk_of('{main}')], NULL, 'none', limits => '{"links": 2}', output => passage.output(imports => imports))
ORDER BY imports, rank;
-- an imported module
SELECT from_uri, to_section FROM passage.backlinks(uri => 'app/config.py') ORDER BY from_uri COLLATE "C", to_section COLLATE "C";

-- policies hide targets and links
CREATE ROLE regress_linked;
GRANT USAGE ON SCHEMA linked TO regress_linked;
GRANT SELECT ON ALL TABLES IN SCHEMA linked TO regress_linked;
ALTER TABLE linked.documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE linked.chunks ENABLE ROW LEVEL SECURITY;
CREATE POLICY visible ON linked.documents USING (uri <> 'logs.md');
CREATE POLICY visible ON linked.chunks USING (EXISTS (SELECT FROM linked.documents AS d WHERE d.id = document_id));
SET ROLE regress_linked;
SELECT linked.name_of(chunk_id), role FROM passage.expand_context(linked.chunk_of('{Guide,Setup}'), 'none', limits => '{"links": 3}');
RESET ROLE;
REVOKE SELECT ON linked.links FROM regress_linked;
SET ROLE regress_linked;
SELECT linked.name_of(chunk_id), role FROM passage.expand_context(linked.chunk_of('{Guide,Setup}'), 'none', limits => '{"links": 3}');
RESET ROLE;

-- a store without the table has no links
DROP TABLE linked.links;
SELECT linked.name_of(chunk_id), role FROM passage.expand_context(linked.chunk_of('{Guide,Setup}'), 'none', limits => '{"links": 3}');

-- errors
SELECT * FROM passage.expand_context(NULL, limits => '{"links": -1}');
SELECT * FROM passage.expand_context(NULL, limits => '{"links": 1.5}');
SELECT * FROM passage.search('x', limits => '{"links": 1000001}');

DROP OWNED BY regress_linked;
DROP ROLE regress_linked;
DROP SCHEMA linked CASCADE;
