-- Links: the rows that the writer keeps of a document, and the documents and chunks that they lead to.
--
-- A link is stored as it is written, with a name: the last part of its target. It is resolved when it is read, because its target
-- may be written later. A document has the name of a link if the last parts of their paths are equal without order, extension and
-- index, so an index finds the few candidates. Then the whole paths decide:
--
--     written in guide/setup.md    stored                  leads to
--     logging.md#rotation          guide/logging.md        guide/logging.md, guide/02-logging.mdx, guide/logging/index.md
--     /docs/guide/logging          /docs/guide/logging     the same, and content/docs/guide/logging.md
--     [[logging]]                  logging                 any logging.md, the nearest one first
--     import a.b                   a/b                     any a/b.py or a/b/__init__.py, the nearest one first
--     :ref:`setup`                 section setup           the place of a label "setup" of any document, the nearest one first
--     import "x.org/o/r/pkg"       x.org/o/r/pkg/          a file of the folder pkg: doc.go, else pkg.go, else the first one
--
-- References and packages are found by labels, as labels.sql describes.

-- The path of a document or a target, as paths are compared. An index of each store computes names with it, so it is frozen.

CREATE FUNCTION _passage.link_path(uri text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(
    pg_catalog.lower(pg_catalog.replace(uri, '%20', ' ') COLLATE pg_catalog."C"), '^/+|[?#].*$', '', 'g'),
    '(/(index|readme|_index|__init__|mod)(\.[^/]*)?)?/*$', ''),
    -- The number that orders files: 03-agents/02-building-agents.mdx.
    '(^|/)[0-9]+[-_ ]+(?=[^/])', '\1', 'g'),
    '([^/])\.[^/]*$', '\1');

COMMENT ON FUNCTION _passage.link_path(text) IS 'path of a uri without order, extension and index';

CREATE FUNCTION passage.link_name(uri text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN pg_catalog.left(pg_catalog."substring"(_passage.link_path(uri), '[^/]*$'), 500);

COMMENT ON FUNCTION passage.link_name(text) IS 'returns the name by which links find a document: the last part of its uri, without order, extension and index, in lower case
uri: of a document, or the target of a link';

-- An anchor and the heading that it names have the same letters, by the rules of GitHub, MkDocs, mdBook and Docusaurus.

CREATE FUNCTION _passage.anchor_letters(heading text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN pg_catalog.regexp_replace(pg_catalog.lower(heading) COLLATE pg_catalog."C", '[\u0001-\u002F:-@[-`{-\u00BF\u2000-\u206F\u3000-\u303F\uFF00-\uFF0F]', '', 'g');

COMMENT ON FUNCTION _passage.anchor_letters(text) IS 'letters and digits of a heading or of an anchor';

-- The stored target of a link: relative paths are joined with the uri of the document. NULL for an address elsewhere, unless the
-- document comes from the web.

CREATE FUNCTION _passage.link_target(uri text, kind text, target text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    origin CONSTANT text := coalesce(substring(uri FROM '^[A-Za-z][A-Za-z0-9+.-]+://[^/?#]*'), '');
    path text;
    parts text[] := '{}';
    part text;
BEGIN
    IF target ~* '^https?://' THEN
        RETURN CASE WHEN origin <> '' THEN target END;
    ELSIF target = '' OR kind = 'wiki' OR kind <> 'link' AND target !~ '^\.\.?/' THEN
        RETURN target;
    ELSIF starts_with(target, '//') THEN
        RETURN CASE WHEN origin <> '' THEN split_part(origin, '//', 1) || target END;
    ELSIF starts_with(target, '/') THEN
        RETURN origin || target;
    END IF;
    path := regexp_replace(substr(uri, length(origin) + 1), '[?#].*$', '');
    -- Pages, partials and navigation of Antora name pages from the folder of all pages of their module.
    path := CASE WHEN target ~ '^\.' OR path !~ '(^|/)modules/[^/]+/((pages|partials)/.*|[^/]*nav[^/]*)\.adoc$' THEN regexp_replace(path, '[^/]*$', '')
        ELSE substring(path FROM '^(?:.*/)?modules/[^/]+/') || 'pages/' END;
    FOREACH part IN ARRAY string_to_array(path || target, '/') LOOP
        IF part = '..' THEN
            parts := parts[:cardinality(parts) - 1];
        ELSIF part <> '' AND part <> '.' THEN
            parts := parts || part;
        END IF;
    END LOOP;
    RETURN concat(origin || CASE WHEN origin <> '' OR starts_with(uri, '/') THEN '/' END, array_to_string(parts, '/'));
END
$$;

COMMENT ON FUNCTION _passage.link_target(text, text, text) IS 'target of a link, joined with the uri of its document';

CREATE FUNCTION _passage.common_folders(one text, other text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT count(*) FILTER (WHERE is_shared)
    FROM (
        SELECT bool_and(folders.one = folders.other) OVER (ORDER BY folders.place) AS is_shared
        FROM unnest(string_to_array(one, '/'), string_to_array(other, '/')) WITH ORDINALITY AS folders (one, other, place)
    ) AS compared
$$;

COMMENT ON FUNCTION _passage.common_folders(text, text) IS 'number of folders that two uris share';

-- A store of an earlier layout has no links, another program may have a table of this name, and documents may lack columns.

CREATE FUNCTION _passage.has_links(store name, is_written boolean) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT bool_and(attrelid IS NOT NULL AND (relname <> 'links' OR has_table_privilege(attrelid, 'SELECT')
        AND (NOT is_written OR has_table_privilege(attrelid, 'INSERT') AND has_table_privilege(attrelid, 'DELETE'))))
    FROM (VALUES
        ('links', 'document_id', 'uuid'::regtype), ('links', 'position', 'integer'), ('links', 'from_chunk', 'uuid'), ('links', 'to_uri', 'text'), ('links', 'to_section', 'text'),
        ('links', 'kind', 'text'), ('links', 'text', 'text'), ('links', 'to_name', 'text'),
        ('documents', 'id', 'uuid'), ('documents', 'uri', 'text'), ('documents', 'title', 'text'), ('documents', 'collection', 'text'), ('documents', 'version', 'text'),
        ('documents', 'orphaned_at', 'timestamptz'),
        ('chunks', 'id', 'uuid'), ('chunks', 'document_id', 'uuid'), ('chunks', 'ordinal', 'integer'), ('chunks', 'section', 'text[]'), ('chunks', 'content', 'text')
    ) AS needed (relation, col, type)
    LEFT JOIN (
        SELECT relname, attname, atttypid, attrelid FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = store) AND NOT attisdropped AND (relname <> 'links' OR relkind IN ('r', 'p'))
    ) AS present ON relname = relation AND attname = col AND atttypid = type
$$;

COMMENT ON FUNCTION _passage.has_links(name, boolean) IS 'whether a store has links that the caller may read, or else write too';

-- Rows as the table has them. A link is an array: the ordinal of its chunk, kind, target, section and text.

CREATE FUNCTION _passage.given_links(uri text, links jsonb)
RETURNS TABLE (place integer, ordinal integer, kind text, to_uri text, to_section text, text text, to_name text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT (row_number() OVER (ORDER BY listed.place) - 1)::integer, (link ->> 0)::integer, link ->> 1, target, link ->> 3, link ->> 4,
        CASE WHEN link ->> 1 IN ('reference', 'label') AND target = '' THEN left(link ->> 3, 500) ELSE passage.link_name(target) END
    FROM jsonb_array_elements(CASE jsonb_typeof(links) WHEN 'array' THEN links ELSE '[]' END) WITH ORDINALITY AS listed (link, place)
    CROSS JOIN LATERAL _passage.link_target(uri, link ->> 1, link ->> 2) AS target
    WHERE target IS NOT NULL
$$;

COMMENT ON FUNCTION _passage.given_links(text, jsonb) IS 'rows of the links that a writer gives';

CREATE FUNCTION _passage.has_same_links(store name, is_distributed boolean, id uuid, uri text, links jsonb, ids uuid[], ordinals integer[]) RETURNS boolean
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = auto
SET jit = off
AS $$
BEGIN
    PERFORM _passage.use_store(store, is_distributed);
    RETURN (
        SELECT coalesce(pg_catalog.bool_and(compared.is_equal), true) FROM (
            SELECT (ROW (l.from_chunk, l.to_uri, l.to_section, l.kind, l.text, l.to_name)
                OPERATOR(pg_catalog.=) ROW (c.id, n.to_uri, n.to_section, n.kind, n.text, n.to_name)) IS TRUE
            FROM (SELECT stored.* FROM links AS stored WHERE stored.document_id OPERATOR(pg_catalog.=) has_same_links.id) AS l
            FULL JOIN _passage.given_links(has_same_links.uri, has_same_links.links) AS n ON n.place OPERATOR(pg_catalog.=) l.position
            LEFT JOIN unnest(has_same_links.ids, has_same_links.ordinals) AS c (id, ordinal) ON c.ordinal OPERATOR(pg_catalog.=) n.ordinal
        ) AS compared (is_equal));
END
$$;

COMMENT ON FUNCTION _passage.has_same_links(name, boolean, uuid, text, jsonb, uuid[], integer[]) IS 'whether a document has exactly these links';

-- Writes the links of a document whose chunks are written, if they differ.

CREATE FUNCTION _passage.write_links(store name, is_distributed boolean, id uuid, uri text, links jsonb, ids uuid[], ordinals integer[]) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = auto
SET jit = off
AS $$
BEGIN
    IF _passage.has_same_links(store, is_distributed, id, uri, links, ids, ordinals) THEN
        RETURN;
    END IF;
    PERFORM _passage.use_store(store, is_distributed);
    DELETE FROM links AS l WHERE l.document_id OPERATOR(pg_catalog.=) write_links.id;
    -- In a store that is spread by document, the rows come from the shard of the document.
    INSERT INTO links (document_id, position, from_chunk, to_uri, to_section, kind, text, to_name)
    SELECT d.id, n.place, c.id, n.to_uri, n.to_section, n.kind, n.text, n.to_name
    FROM documents AS d, _passage.given_links(write_links.uri, write_links.links) AS n
    JOIN unnest(write_links.ids, write_links.ordinals) AS c (id, ordinal) ON c.ordinal OPERATOR(pg_catalog.=) n.ordinal
    WHERE d.id OPERATOR(pg_catalog.=) write_links.id;
END
$$;

COMMENT ON FUNCTION _passage.write_links(name, boolean, uuid, text, jsonb, uuid[], integer[]) IS 'writes the links of a document';

-- The links from some chunks, from some documents, or with some names, else all of a store, with what they lead to. Links of hidden or
-- orphaned documents are left out, and hidden targets are not found. A reference that no label answers leads to a heading of its document.

CREATE FUNCTION _passage.resolved_links(store name, from_chunks uuid[], from_documents uuid[], to_names text[]) RETURNS TABLE (
    kind text, text text, from_chunk uuid, from_document uuid, from_uri text, from_title text,
    to_chunk uuid, to_document uuid, to_uri text, to_title text, to_section text
)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 20
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    selected CONSTANT text := CASE WHEN from_chunks IS NOT NULL THEN 'l.from_chunk = ANY ($1)' WHEN from_documents IS NOT NULL THEN 'l.document_id = ANY ($2)'
        WHEN to_names IS NOT NULL THEN 'l.to_name = ANY ($3)' ELSE 'true' END;
    has_labels boolean;
BEGIN
    IF NOT _passage.has_links(store, false) THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.links AS l WHERE (l.kind = ''reference'' OR l.kind = ''import'' AND right(l.to_uri, 1) = ''/'') AND %s)', store, selected)
        INTO has_labels USING from_chunks, from_documents, to_names;
    RETURN QUERY EXECUTE format($sql$
        WITH link AS MATERIALIZED (
            SELECT row_number() OVER () AS n, l.position, l.kind, l.text, l.from_chunk, l.document_id, d.uri::text, d.title::text, d.collection::text,
                d.version::text, l.to_uri, l.to_section, l.to_name, _passage.link_path(l.to_uri) AS path,
                -- The whole path of a relative link is known.
                l.kind <> 'link' OR starts_with(l.to_uri, '/') AS is_loose
            -- OFFSET keeps the planner from reading the links of a document for each of its chunks.
            FROM %1$I.links AS l JOIN %1$I.documents AS d ON d.id = l.document_id
            CROSS JOIN LATERAL (SELECT FROM %1$I.chunks AS c WHERE c.document_id = l.document_id AND c.id = l.from_chunk OFFSET 0) AS visible
            WHERE d.orphaned_at IS NULL AND l.kind <> 'label' AND %2$s
        ),
        document AS MATERIALIZED (
            SELECT d.id, d.uri::text, d.title::text, d.collection::text, d.version::text, passage.link_name(d.uri::text) AS name, _passage.link_path(d.uri::text) AS path
            FROM %1$I.documents AS d
            WHERE d.orphaned_at IS NULL AND passage.link_name(d.uri::text) = ANY (ARRAY(
                SELECT to_name FROM link WHERE to_uri <> '' UNION SELECT lower(to_section) FROM link WHERE link.kind = 'import'))
        ),
        -- As inner joins these would be loops, because the planner expects few links: 26 s for 10,000.
        candidate AS (
            SELECT * FROM (
                SELECT link.n, link.kind, link.to_uri, link.to_section, link.path AS to_path, link.is_loose, link.uri AS from_uri,
                    document.id, document.uri, document.title, document.path, false AS is_module
                FROM link FULL JOIN document ON document.name = link.to_name AND document.collection = link.collection AND document.version = link.version OFFSET 0
            ) AS named
            WHERE n IS NOT NULL AND id IS NOT NULL AND to_uri <> '' AND (path = to_path
                OR is_loose AND right('/' || path, length(to_path) + 1) = '/' || to_path
                OR starts_with(to_uri, '/') AND right('/' || to_path, length(path) + 1) = '/' || path)
            UNION ALL
            -- An imported name can be a module.
            SELECT * FROM (
                SELECT link.n, link.kind, link.to_uri, link.to_section, link.path AS to_path, link.is_loose, link.uri AS from_uri,
                    document.id, document.uri, document.title, document.path, true AS is_module
                FROM link FULL JOIN document ON document.name = lower(link.to_section) AND document.collection = link.collection AND document.version = link.version OFFSET 0
            ) AS imported
            WHERE id IS NOT NULL AND kind = 'import' AND right('/' || path, length(to_path || to_section) + 2) = '/' || to_path || '/' || lower(to_section)
        ),
        target AS (
            SELECT DISTINCT ON (n) n, id, uri, title, is_module
            FROM candidate
            ORDER BY n, uri = to_uri DESC, right(uri, length(to_uri)) = to_uri DESC, path = to_path DESC,
                _passage.common_folders(uri, from_uri) DESC, length(uri), uri COLLATE "C"
        ),
        %3$s,
        found AS MATERIALIZED (
            SELECT link.*, coalesce(labelled.id, target.id, CASE link.to_uri WHEN '' THEN link.document_id END) AS target_id,
                coalesce(labelled.uri, target.uri, CASE link.to_uri WHEN '' THEN link.uri ELSE link.to_uri END) AS target_uri,
                CASE WHEN labelled.n IS NOT NULL THEN labelled.title WHEN target.n IS NOT NULL THEN target.title WHEN link.to_uri = '' THEN link.title END AS target_title,
                labelled.from_chunk AS to_chunk, CASE WHEN is_module OR labelled.n IS NOT NULL THEN '' ELSE link.to_section END AS heading
            FROM link FULL JOIN target ON target.n = link.n FULL JOIN labelled ON labelled.n = link.n
        ),
        chunk AS MATERIALIZED (
            SELECT c.document_id, c.id, c.ordinal, c.section::text[] AS section
            FROM %1$I.chunks AS c WHERE c.document_id = ANY (ARRAY(SELECT target_id FROM found WHERE target_id IS NOT NULL AND found.to_chunk IS NULL))
        ),
        beginning AS (
            SELECT DISTINCT ON (document_id) document_id, id FROM chunk ORDER BY document_id, ordinal
        ),
        -- The first chunk of a section, which is in one of its sections if it is short.
        section AS (
            SELECT DISTINCT ON (document_id, section[:depth]) document_id, id, ordinal, section[depth] AS title
            FROM chunk CROSS JOIN LATERAL generate_series(1, least(cardinality(section), 32)) AS depth
            ORDER BY document_id, section[:depth], ordinal
        ),
        heading AS MATERIALIZED (
            SELECT document_id, id, ordinal, substring(title FROM '\{#([^} ]*).*\}$') AS anchor,
                _passage.anchor_letters(regexp_replace(title, ' *\{#.*\}$', '')) AS letters,
                -- A repeated title has a number in its section.
                _passage.anchor_letters(regexp_replace(title, '( \([0-9]+\))? *(\{#.*\})?$', '')) AS base
            FROM section WHERE title IS NOT NULL
        ),
        -- The keys of a heading and of an anchor, the best first: its own name, its letters, and its letters with the number of a repetition.
        section_key AS (
            SELECT DISTINCT ON (document_id, rank, key) document_id, rank, key, id
            FROM (SELECT *, row_number() OVER (PARTITION BY document_id, base ORDER BY ordinal) - 1 AS repetition FROM heading) AS counted
            CROSS JOIN LATERAL (VALUES (1, anchor), (2, letters), (3, base || ' ' || repetition)) AS keys (rank, key)
            WHERE key <> ''
            ORDER BY document_id, rank, key, ordinal
        ),
        wanted AS MATERIALIZED (
            SELECT n, target_id, rank, key
            FROM found CROSS JOIN LATERAL (SELECT _passage.anchor_letters(regexp_replace(heading, '^.*#', '')), _passage.anchor_letters(regexp_replace(heading, '[-_][0-9]+$', ''))) AS written (letters, base)
            CROSS JOIN LATERAL (VALUES (1, heading), (2, letters), (3, base || ' ' || substring(heading FROM '[-_]0*([0-9]+)$')), (4, letters)) AS keys (rank, key)
            -- The name in quotes could be that of the reference.
            WHERE target_id IS NOT NULL AND heading <> '' AND key <> '' AND (rank < 4 OR kind <> 'reference')
        ),
        named AS MATERIALIZED (
            SELECT DISTINCT ON (n) n, id FROM wanted JOIN section_key ON document_id = target_id AND section_key.rank = wanted.rank AND section_key.key = wanted.key
            ORDER BY n, wanted.rank
        ),
        unnamed AS MATERIALIZED (
            SELECT c.document_id, c.id, c.ordinal, c.content::text AS content FROM %1$I.chunks AS c
            WHERE c.document_id = ANY (ARRAY(SELECT target_id FROM wanted WHERE n NOT IN (SELECT n FROM named)))
        ),
        -- The headings in the text of chunks with several short sections, and those in quotations.
        line AS (
            SELECT document_id, id, ordinal, letters, row_number() OVER (PARTITION BY document_id, letters ORDER BY ordinal, place) - 1 AS repetition
            FROM unnamed
            CROSS JOIN LATERAL regexp_matches(content, '^[ >]*(?:#{1,6}|={1,6})[ \t]+([^\n]*)', 'gn') WITH ORDINALITY AS matched (found, place)
            CROSS JOIN LATERAL (SELECT _passage.anchor_letters(regexp_replace(matched.found[1], '\]\([^)]*\)| *\{#.*\}\s*$', '', 'g'))) AS heading (letters)
        ),
        -- Beside them: anchors of their own, and last names in quotes of which a component makes an anchor, as on-finish of { name: 'onFinish' }.
        text_key AS (
            SELECT DISTINCT ON (document_id, rank, key) document_id, rank, key, id
            FROM (
                SELECT document_id, id, ordinal, rank, key FROM line CROSS JOIN LATERAL (VALUES (2, letters), (3, letters || ' ' || repetition)) AS keys (rank, key)
                UNION ALL
                SELECT document_id, id, ordinal, 1, concat(VARIADIC found)
                FROM unnamed CROSS JOIN LATERAL regexp_matches(content, '\y(?:id|name)=["'']([^"''\s]+)["'']|\{#([^}\s]+)|\[\[([^\],\s]+)|\[[\w-]*#([^\],\s.%%]+)|\[id=([^\],\s"'']+)|\yanchor:([^\[\s]+)\[|^\.\. _([^:\n]+):', 'gn') AS found
                UNION ALL
                SELECT document_id, id, ordinal, 4, _passage.anchor_letters(found[1])
                FROM unnamed CROSS JOIN LATERAL regexp_matches(content, '["''`]([A-Za-z][A-Za-z0-9_.$-]{0,100})["''`]', 'g') AS found
            ) AS keys
            ORDER BY document_id, rank, key, ordinal
        ),
        lined AS MATERIALIZED (
            SELECT DISTINCT ON (n) n, id FROM wanted JOIN text_key ON document_id = target_id AND text_key.rank = wanted.rank AND text_key.key = wanted.key
            ORDER BY n, wanted.rank
        )
        SELECT found.kind, found.text, found.from_chunk, found.document_id, found.uri, found.title, place.chunk,
            CASE WHEN is_found THEN found.target_id END, CASE WHEN is_found THEN found.target_uri ELSE '' END, CASE WHEN is_found THEN found.target_title END, found.to_section
        -- For the same reason no left joins. Each row has one of found.
        FROM found FULL JOIN beginning ON beginning.document_id = found.target_id FULL JOIN named ON named.n = found.n FULL JOIN lined ON lined.n = found.n
        CROSS JOIN LATERAL (
            SELECT coalesce(found.to_chunk, CASE found.heading WHEN '' THEN beginning.id ELSE coalesce(named.id, lined.id) END)
        ) AS place (chunk)
        CROSS JOIN LATERAL (SELECT found.kind <> 'reference' OR place.chunk IS NOT NULL) AS known (is_found)
        ORDER BY found.uri COLLATE "C", found.collection COLLATE "C", found.version COLLATE "C", found.position$sql$, store, selected, _passage.label_subqueries(store, has_labels))
    USING from_chunks, from_documents, to_names;
END
$$;

COMMENT ON FUNCTION _passage.resolved_links(name, uuid[], uuid[], text[]) IS 'links with the documents and chunks that they lead to';
