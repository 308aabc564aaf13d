-- Labels: the names by which links find a place in any document.
--
-- A label is a row of the table links with the kind "label", which is not a link: the document gives this name to its chunk. Its
-- to_name is the label instead of a name of a document. A file of Go has a label without a section, whose target is its folder.

CREATE FUNCTION _passage.uri_folders(uri text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT array_agg(array_to_string(parts[:depth], '/') ORDER BY depth) || uri
    FROM string_to_array(uri, '/') AS parts CROSS JOIN generate_series(0, least(cardinality(parts) - 1, 32)) AS depth
$$;

COMMENT ON FUNCTION _passage.uri_folders(text) IS 'folders that a uri is in, from the root on, and the uri';

-- The subqueries of _passage.resolved_links for links that name a label: `labelled` has the one that each row of `link` leads to. They
-- take a millisecond to plan, so a statement without such links lacks them.

CREATE FUNCTION _passage.label_subqueries(store name, has_labels boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN has_labels THEN format($sql$
        label AS MATERIALIZED (
            SELECT l.to_section, _passage.link_path(l.to_uri) AS path, l.from_chunk, d.id, d.uri::text, d.title::text, d.collection::text, d.version::text,
                CASE passage.link_name(d.uri::text) WHEN 'doc' THEN 0 WHEN l.to_name THEN 1 ELSE 2 END AS file
            FROM %1$I.links AS l JOIN %1$I.documents AS d ON d.id = l.document_id
            CROSS JOIN LATERAL (SELECT FROM %1$I.chunks AS c WHERE c.document_id = l.document_id AND c.id = l.from_chunk OFFSET 0) AS visible
            WHERE d.orphaned_at IS NULL AND l.kind = 'label' AND l.to_name = ANY (ARRAY(
                SELECT to_name FROM link WHERE link.kind = 'reference' OR link.kind = 'import' AND right(link.to_uri, 1) = '/'))
        ),
        -- A label with each folder that has it, and a package, which is a folder. Many documents may have the same label, so a reference
        -- is compared with folders instead of documents: each has one that is the best.
        label_key AS (
            SELECT DISTINCT ON (collection, version, key) collection, version, key, id, from_chunk, uri, title
            FROM label CROSS JOIN LATERAL (
                SELECT to_section || E'\n' || folder FROM unnest(_passage.uri_folders(uri)) AS folder WHERE path = '' UNION ALL SELECT path WHERE path <> ''
            ) AS keys (key)
            ORDER BY collection, version, key, CASE WHEN path <> '' THEN file + (uri ~ '_test\.go$')::integer END, length(uri), uri COLLATE "C"
        ),
        -- A package is in the module of the import or vendored: below a folder of the import, or its folder "vendor" (0), is the whole
        -- path of the package (1), or that without host (2), owner (3) and repository (4).
        link_key AS (
            SELECT n, collection, version, to_section || E'\n' || folder AS key, depth AS rank
            FROM link CROSS JOIN LATERAL unnest(_passage.uri_folders(uri)) WITH ORDINALITY AS folders (folder, depth)
            WHERE kind = 'reference'
            UNION ALL
            SELECT n, collection, version,
                concat_ws('/', nullif(folder, ''), CASE first WHEN 0 THEN 'vendor' END, array_to_string(parts[greatest(first, 1):], '/')), depth - 100 * first
            FROM link CROSS JOIN LATERAL unnest(_passage.uri_folders(_passage.link_path(uri))) WITH ORDINALITY AS folders (folder, depth)
            CROSS JOIN LATERAL string_to_array(path, '/') AS parts CROSS JOIN generate_series(0, 4) AS first
            WHERE kind = 'import' AND right(to_uri, 1) = '/' AND cardinality(parts) >= first
        ),
        labelled AS (
            SELECT DISTINCT ON (n) n, id, from_chunk, uri, title
            FROM link_key FULL JOIN label_key ON label_key.key = link_key.key AND label_key.collection = link_key.collection AND label_key.version = link_key.version
            WHERE n IS NOT NULL AND id IS NOT NULL
            ORDER BY n, rank DESC
        )
        $sql$, store)
    ELSE 'labelled AS (SELECT NULL::bigint AS n, NULL::uuid AS id, NULL::uuid AS from_chunk, NULL::text AS uri, NULL::text AS title WHERE false)' END
$$;

COMMENT ON FUNCTION _passage.label_subqueries(name, boolean) IS 'subqueries that find the labels of links';
