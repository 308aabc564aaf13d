-- Frameworks: the places of what a store needs in their tables, as SQL expressions over a row.
--
-- A framework is recognised by the names of its columns. An expression reads a row by the alias "source".
-- The functions for metadata never raise an error, because a trigger calls them for each row that the
-- framework writes.

CREATE FUNCTION _passage.metadata_text(metadata jsonb, VARIADIC keys text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key text;
    found text;
BEGIN
    IF jsonb_typeof(metadata) = 'object' THEN
        FOREACH key IN ARRAY keys LOOP
            found := metadata ->> key;
            -- LlamaIndex writes None as a text.
            IF found <> '' AND found <> 'None' AND jsonb_typeof(metadata -> key) IN ('string', 'number') THEN
                RETURN found;
            END IF;
        END LOOP;
    END IF;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.metadata_text(jsonb, text[]) IS 'the first of some keys of metadata that has a text or a number';

CREATE FUNCTION _passage.metadata_integer(metadata jsonb, VARIADIC keys text[]) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key text;
    found text;
BEGIN
    FOREACH key IN ARRAY keys LOOP
        found := metadata ->> key;
        IF found IS NOT NULL THEN
            RETURN CASE WHEN found ~ '^[0-9]{1,15}$' THEN found::bigint END;
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.metadata_integer(jsonb, text[]) IS 'the first of some keys of metadata, if it is a whole number from 0';

CREATE FUNCTION _passage.metadata_json(metadata jsonb, key text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN CASE jsonb_typeof(metadata -> key) WHEN 'string' THEN (metadata ->> key)::jsonb ELSE metadata -> key END;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION _passage.metadata_json(jsonb, text) IS 'a key of metadata that has JSON, also as a text; NULL if it does not parse';

-- The titles that the splitters for Markdown, HTML and documents of Docling record.

CREATE FUNCTION _passage.metadata_section(metadata jsonb) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    titles text[];
    list jsonb;
BEGIN
    IF jsonb_typeof(metadata) IS DISTINCT FROM 'object' THEN
        RETURN '{}';
    END IF;
    IF NOT metadata ?| '{Header 1,Header 2,Header 3,header_1,header_2,header_3,h1,h2,h3,header_path,headings,dl_meta,parent_headers,header}' THEN
        RETURN '{}';
    END IF;
    -- LangChain: MarkdownHeaderTextSplitter and HTMLHeaderTextSplitter, with the keys of their documentation.
    IF metadata ?| '{Header 1,Header 2,Header 3,header_1,header_2,header_3,h1,h2,h3}' THEN
        FOR level IN 1..6 LOOP
            titles := array_append(titles, coalesce(metadata ->> ('Header ' || level), metadata ->> ('header_' || level), metadata ->> ('h' || level)));
        END LOOP;
        RETURN array_remove(array_remove(titles, NULL), '');
    END IF;
    -- LlamaIndex: MarkdownNodeParser writes "/Title/Subtitle/", without the title of the node.
    IF metadata ->> 'header_path' <> '' THEN
        RETURN array_remove(string_to_array(metadata ->> 'header_path', '/'), '');
    END IF;
    -- Docling has a list; Haystack's MarkdownHeaderSplitter a list and the nearest title.
    list := coalesce(metadata -> 'headings', metadata #> '{dl_meta,headings}', metadata -> 'parent_headers');
    IF jsonb_typeof(list) = 'array' THEN
        titles := ARRAY(SELECT title FROM jsonb_array_elements_text(list) AS title WHERE title <> '');
    END IF;
    IF jsonb_typeof(metadata -> 'header') = 'string' AND metadata ->> 'header' <> '' THEN
        titles := titles || (metadata ->> 'header');
    END IF;
    RETURN coalesce(titles, '{}');
END
$$;

COMMENT ON FUNCTION _passage.metadata_section(jsonb) IS 'titles from the root down to a chunk, from the metadata of a framework';

-- The framework whose layout a table has, NULL if none or several fit.

CREATE FUNCTION _passage.adopted_framework(source oid) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN columns @> '{collection_id,document,cmetadata,embedding}' THEN 'langchain_pgvector'
        WHEN columns @> '{content,embedding}' AND columns && '{langchain_id,langchain_metadata}' THEN 'langchain'
        WHEN columns @> '{text,metadata_,node_id,embedding}' THEN 'llamaindex'
        WHEN columns @> '{content,embedding,meta,blob_data,blob_meta,blob_mime_type}' THEN 'haystack'
        WHEN columns @> '{embedding_uuid,chunk_seq,chunk,embedding}' THEN 'pgai'
        WHEN columns @> '{source_id,chunk_index,content,embedding,token_count}' THEN 'pgedge'
        WHEN columns @> '{id,content,metadata,embedding}' AND id_type = 'uuid'::regtype THEN 'spring_ai'
        WHEN columns @> '{id,content,metadata,embedding}' THEN 'supabase'
    END
    FROM (
        SELECT array_agg(attname::text), max(atttypid) FILTER (WHERE attname = 'id') FROM pg_attribute
        WHERE attrelid = source AND attnum > 0 AND NOT attisdropped
    ) AS present (columns, id_type)
$$;

COMMENT ON FUNCTION _passage.adopted_framework(oid) IS 'framework that a table belongs to, by the names of its columns';

-- LangChain, Spring AI and Supabase keep everything about a chunk in one JSON column.

CREATE FUNCTION _passage.metadata_expressions(metadata text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_build_object(
        'metadata', metadata,
        'described', metadata,
        'document', format('_passage.metadata_text(%s, ''parent_document_id'', ''document_id'', ''doc_id'', ''source_id'', ''source'', ''file_path'', ''url'', ''uri'', ''file_name'', ''filename'')', metadata),
        'uri', format('_passage.metadata_text(%s, ''source'', ''file_path'', ''url'', ''uri'', ''file_name'', ''filename'')', metadata),
        'title', format('_passage.metadata_text(%s, ''title'')', metadata),
        'media_type', format('_passage.metadata_text(%s, ''media_type'', ''mime_type'', ''content_type'')', metadata),
        'section', format('_passage.metadata_section(%s)', metadata),
        -- A loader of pages makes a document of each, and the offset counts from its beginning.
        'ordinal', format('ARRAY[_passage.metadata_integer(%1$s, ''page'', ''page_number''), '
            '_passage.metadata_integer(%1$s, ''chunk_index'', ''chunk_seq'', ''split_id''), '
            '_passage.metadata_integer(%1$s, ''start_index''), '
            '_passage.metadata_integer(_passage.metadata_json(_passage.metadata_json(%1$s, ''loc''), ''lines''), ''from'')]', metadata),
        'start_char', format('CASE WHEN _passage.metadata_integer(%1$s, ''page'', ''page_number'') IS NULL '
            'THEN _passage.metadata_integer(%1$s, ''start_index'') END', metadata),
        'first_line', format('_passage.metadata_integer(_passage.metadata_json(_passage.metadata_json(%s, ''loc''), ''lines''), ''from'')', metadata),
        'last_line', format('_passage.metadata_integer(_passage.metadata_json(_passage.metadata_json(%s, ''loc''), ''lines''), ''to'')', metadata))
$$;

COMMENT ON FUNCTION _passage.metadata_expressions(text) IS 'expressions for a table whose JSON column describes each chunk';

CREATE FUNCTION _passage.framework_expressions(source oid, framework text) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    metadata text;
    others text;
    collections record;
BEGIN
    IF framework = 'langchain' THEN
        -- Own metadata columns of the table count as keys.
        SELECT string_agg(format('%L, source.%I', attname, attname), ', ' ORDER BY attnum) INTO others
        FROM pg_attribute
        WHERE attrelid = source AND attnum > 0 AND NOT attisdropped
            AND attname NOT IN ('langchain_id', 'content', 'embedding', 'langchain_metadata')
            AND atttypid <> 'tsvector'::regtype;
        metadata := concat('(coalesce(', CASE WHEN EXISTS (
                SELECT FROM pg_attribute WHERE attrelid = source AND attname = 'langchain_metadata' AND NOT attisdropped)
            THEN 'source.langchain_metadata::jsonb' ELSE 'NULL' END, ', ''{}'')',
            ' || jsonb_strip_nulls(jsonb_build_object(' || others || '))', ')');
        -- Only LangChain for JavaScript records lines.
        RETURN (_passage.metadata_expressions(metadata) || '{"content": "source.content", "embedding": "source.embedding"}'::jsonb) - '{first_line,last_line}'::text[];
    ELSIF framework = 'langchain_pgvector' THEN
        SELECT format('%I.%I', nspname, relname) AS relation, quote_ident(pg_attribute.attname) AS key INTO collections
        FROM pg_constraint
        JOIN pg_class ON pg_class.oid = confrelid
        JOIN pg_namespace ON pg_namespace.oid = relnamespace
        JOIN pg_attribute AS own ON own.attrelid = conrelid AND own.attnum = conkey[1] AND own.attname = 'collection_id'
        JOIN pg_attribute ON pg_attribute.attrelid = confrelid AND pg_attribute.attnum = confkey[1]
        WHERE conrelid = source AND contype = 'f' AND cardinality(conkey) = 1 AND EXISTS (
            SELECT FROM pg_attribute AS named WHERE named.attrelid = confrelid AND named.attname = 'name')
        LIMIT 1;
        RETURN (_passage.metadata_expressions('coalesce(source.cmetadata::jsonb, ''{}'')')
            || jsonb_build_object('content', 'source.document', 'embedding', 'source.embedding', 'collection', coalesce(
                format('(SELECT collections.name FROM %s AS collections WHERE collections.%s = source.collection_id)', collections.relation, collections.key),
                'source.collection_id::text'))) - '{first_line,last_line}'::text[];
    ELSIF framework IN ('spring_ai', 'supabase') THEN
        RETURN (_passage.metadata_expressions('coalesce(source.metadata::jsonb, ''{}'')')
            || '{"content": "source.content", "embedding": "source.embedding"}'::jsonb)
            - CASE framework WHEN 'spring_ai' THEN '{first_line,last_line}'::text[] ELSE '{}' END;
    ELSIF framework = 'llamaindex' THEN
        metadata := 'source.metadata_::jsonb';
        RETURN (_passage.metadata_expressions(metadata) || jsonb_build_object(
            'id', 'source.node_id', 'content', 'source.text', 'embedding', 'source.embedding',
            'metadata', '(coalesce(source.metadata_::jsonb, ''{}'') - ''_node_content'')',
            'described', metadata,
            'document', format('_passage.metadata_text(%s, ''ref_doc_id'', ''document_id'', ''doc_id'')', metadata),
            'uri', format('_passage.metadata_text(%s, ''file_path'', ''url'', ''source'', ''file_name'')', metadata),
            'title', format('_passage.metadata_text(%s, ''title'', ''file_name'')', metadata),
            'media_type', format('_passage.metadata_text(%s, ''file_type'', ''media_type'', ''mime_type'')', metadata),
            'ordinal', format('_passage.metadata_integer(_passage.metadata_json(%s, ''_node_content''), ''start_char_idx'')', metadata),
            'start_char', format('_passage.metadata_integer(_passage.metadata_json(%s, ''_node_content''), ''start_char_idx'')', metadata),
            'previous', format('_passage.metadata_json(%s, ''_node_content'') #>> ''{relationships,2,node_id}''', metadata)))
            - '{first_line,last_line}'::text[];
    ELSIF framework = 'haystack' THEN
        metadata := 'coalesce(source.meta, ''{}'')';
        RETURN (_passage.metadata_expressions(metadata) || jsonb_build_object(
            'content', 'source.content', 'embedding', 'source.embedding',
            'document', format('_passage.metadata_text(%s, ''source_id'')', metadata),
            'uri', format('_passage.metadata_text(%s, ''file_path'', ''url'', ''source'', ''name'', ''file_name'')', metadata),
            'ordinal', format('ARRAY[_passage.metadata_integer(%1$s, ''split_id''), _passage.metadata_integer(%1$s, ''split_idx_start'')]', metadata),
            'start_char', format('_passage.metadata_integer(%s, ''split_idx_start'')', metadata)))
            - '{first_line,last_line}'::text[];
    ELSIF framework = 'pgai' THEN
        SELECT string_agg(format('source.%I', attname), ', ' ORDER BY attnum) INTO others FROM pg_attribute
        WHERE attrelid = source AND attnum > 0 AND NOT attisdropped
            AND attname NOT IN ('embedding_uuid', 'chunk_seq', 'chunk', 'embedding');
        RETURN jsonb_strip_nulls(jsonb_build_object('content', 'source.chunk', 'embedding', 'source.embedding',
            'ordinal', 'source.chunk_seq', 'document',
            CASE WHEN others LIKE '%, %' THEN format('jsonb_build_array(%s)::text', others) ELSE others || '::text' END));
    ELSIF framework = 'pgedge' THEN
        RETURN '{"content": "source.content", "embedding": "source.embedding", "document": "source.source_id::text",
            "ordinal": "source.chunk_index", "tokens": "source.token_count"}';
    ELSIF framework IS NULL THEN
        RETURN '{}';
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
        MESSAGE = format('unrecognized framework "%s"', framework),
        HINT = 'Valid frameworks are langchain, langchain_pgvector, llamaindex, haystack, pgai, pgedge, spring_ai and supabase. '
            'For another table pass NULL and the expressions.';
END
$$;

COMMENT ON FUNCTION _passage.framework_expressions(oid, text) IS 'expressions for the table of a framework, by argument of adopt';
