-- Ratings: whether a store has them, and what they say about the chunks for a question.
--
-- A rating counts as far as its question is like that of the search, from 0 to 1: by the share of common lexemes, or by the cosine of
-- the embeddings. Questions that share half of their lexemes, or whose embeddings have a cosine of 0.7, are not alike:
--
--     rated question              question                  common lexemes    counts
--     rotate log files            how do log files rotate   3 of 3 and 3      1
--     rotate log files            rotate log by size        2 of 3 and 3      0.33
--     rotate log files            log level                 1 of 3 and 2      0
--
-- A role or user has one vote for a chunk: that of its rating whose question is the most similar. The votes of several users add up, and
-- the sum stays between -1 and 1. One vote for the same question is 0.5, nine are 0.9.

-- A store of an earlier layout has no ratings, nor has one of views or one that Citus distributes, and another program may have a table
-- of this name. Columns of other types are never compared.

CREATE FUNCTION _passage.has_ratings(store name) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT bool_and(attrelid IS NOT NULL)
    FROM (VALUES
        ('ratings', 'rated_by', 'text'::regtype), ('ratings', 'rated_at', 'timestamptz'), ('ratings', 'query', 'text'), ('ratings', 'query_key', 'bigint'),
        ('ratings', 'lexemes', 'text[]'), ('ratings', 'document_id', 'uuid'), ('ratings', 'chunk_id', 'uuid'), ('ratings', 'rating', 'real'),
        ('chunks', 'id', 'uuid'), ('chunks', 'document_id', 'uuid')
    ) AS needed (relation, col, type)
    LEFT JOIN (
        SELECT relname, attname, atttypid, attrelid FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = store) AND NOT attisdropped AND (relname <> 'ratings' OR relkind IN ('r', 'p'))
    ) AS present ON relname = relation AND attname = col AND atttypid = type
$$;

COMMENT ON FUNCTION _passage.has_ratings(name) IS 'whether a store has ratings';

CREATE FUNCTION _passage.ratings_must_allow(store name, command text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    table_name CONSTANT text := format('%I.ratings', store);
BEGIN
    IF NOT _passage.has_ratings(store) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('store "%s" has no ratings', store),
            HINT = CASE
                WHEN to_regclass(table_name) IS NOT NULL THEN format('Run SELECT * FROM passage.check_store(%L); to see what the store lacks.', store)
                WHEN EXISTS (SELECT FROM pg_class WHERE oid = to_regclass(format('%I.chunks', store)) AND relkind NOT IN ('r', 'p'))
                    THEN 'A store of views cannot have ratings. Ingest the documents into a store of tables, or omit "feedback".'
                WHEN _passage.store_placement(store) ? 'distributed' THEN 'A store that Citus distributes cannot have ratings. Omit "feedback".'
                ELSE format('As the owner of the store, run SELECT passage.upgrade_store(%L);', store) END;
    ELSIF NOT has_any_column_privilege(table_name, command) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege',
            MESSAGE = format('role "%s" may not %s ratings of store "%s"', current_user, CASE command WHEN 'SELECT' THEN 'read' ELSE 'write' END, store),
            HINT = format('As the owner of the store, run GRANT %s ON %s TO %I;', CASE command WHEN 'SELECT' THEN command ELSE 'SELECT, INSERT, UPDATE' END, table_name, current_user);
    END IF;
END
$$;

COMMENT ON FUNCTION _passage.ratings_must_allow(name, text) IS 'raises an error if a store has no ratings, or the role lacks a right on them';

CREATE FUNCTION _passage.question_lexemes(store name, query text) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    language CONSTANT regconfig := coalesce((SELECT facts.language::regconfig FROM _passage.store_facts(store) AS facts), get_current_ts_config());
BEGIN
    RETURN coalesce((tsvector_to_array(to_tsvector(language, _passage.searchable_text(language, left(query, 16384)))))[:64], '{}');
END
$$;

COMMENT ON FUNCTION _passage.question_lexemes(name, text) IS 'the lexemes of a question, at most 64';

-- The type of the embeddings of ratings; no row if they have none of so many dimensions. Any role can create a type of that name.

CREATE FUNCTION _passage.rating_embeddings(store name, dimensions integer) RETURNS TABLE (schema name, type name)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT home.nspname, typname
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid JOIN pg_type ON pg_type.oid = atttypid JOIN pg_namespace AS home ON home.oid = typnamespace
    WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = store) AND relname = 'ratings' AND attname = 'embedding' AND NOT attisdropped
        AND typname IN ('vector', 'halfvec') AND atttypmod = dimensions AND EXISTS (
            SELECT FROM pg_depend JOIN pg_extension ON pg_extension.oid = refobjid
            WHERE refclassid = 'pg_extension'::regclass AND extname = 'vector' AND deptype = 'e'
                AND classid = 'pg_type'::regclass AND objid = atttypid)
$$;

COMMENT ON FUNCTION _passage.rating_embeddings(name, integer) IS 'type of the embeddings of ratings with its schema';

-- The newest ratings bound the cost of a search. Odd rows that somebody writes are left out: numbers outside of the range, long
-- arrays, and embeddings without a direction.

CREATE FUNCTION _passage.rated_chunks(store name, query text, embedding real[]) RETURNS TABLE (chunk_id uuid, vote double precision)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    embeddings record;
BEGIN
    PERFORM _passage.ratings_must_allow(store, 'SELECT');
    SELECT * INTO embeddings FROM _passage.rating_embeddings(store, cardinality(embedding));
    RETURN QUERY EXECUTE format($sql$
        WITH recent AS MATERIALIZED (
            SELECT r.chunk_id, r.rated_by, r.rated_at, r.rating::double precision AS rating, r.lexemes, %2$s AS distance
            FROM %1$I.ratings AS r WHERE r.rating >= -1 AND r.rating <= 1 AND cardinality(r.lexemes) <= 64
            ORDER BY r.rated_at DESC, r.chunk_id, r.rated_by, r.query_key LIMIT 10000
        ),
        -- Else the planner would compute the weight at each mention.
        alike AS MATERIALIZED (
            SELECT recent.chunk_id, recent.rated_by, recent.rated_at, recent.rating, greatest(
                CASE WHEN recent.lexemes && $1 THEN 2.0::double precision * least(1.0::double precision, (
                    SELECT count(*) FROM unnest($1) AS lexeme WHERE lexeme = ANY (recent.lexemes)
                )::double precision / sqrt(cardinality(recent.lexemes)::double precision * cardinality($1)::double precision)) - 1.0::double precision END,
                CASE WHEN recent.distance < 0.3::double precision THEN least(1.0::double precision, (0.3::double precision - recent.distance) / 0.3::double precision) END) AS weight
            FROM recent
        ),
        voted AS (
            SELECT DISTINCT ON (alike.chunk_id, alike.rated_by) alike.chunk_id, alike.rated_by, alike.weight * alike.rating AS vote
            FROM alike WHERE alike.weight > 0
            ORDER BY alike.chunk_id, alike.rated_by, alike.weight DESC, alike.rated_at DESC, alike.rating
        )
        SELECT voted.chunk_id, sum(voted.vote ORDER BY voted.rated_by) / (1.0::double precision + sum(abs(voted.vote) ORDER BY voted.rated_by))
        FROM voted WHERE voted.chunk_id IS NOT NULL GROUP BY voted.chunk_id HAVING sum(voted.vote ORDER BY voted.rated_by) <> 0 ORDER BY voted.chunk_id$sql$, store,
        CASE WHEN embeddings IS NULL THEN 'NULL::double precision'
            ELSE format('r.embedding OPERATOR(%1$I.<=>) $2::%1$I.%2$I', embeddings.schema, embeddings.type) END)
        USING _passage.question_lexemes(store, query), embedding;
END
$$;

COMMENT ON FUNCTION _passage.rated_chunks(name, text, real[]) IS 'chunks that were rated for similar questions, each with a sum of the votes from -1 to 1';

-- The statement that copies the ratings of a store to the store that replaces it, NULL if one of them has none.

CREATE FUNCTION _passage.ratings_copy(store name, shadow name, with_embeddings boolean) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('INSERT INTO %I.ratings (%s) SELECT %s FROM %I.ratings', shadow, string_agg(quote_ident(there.attname), ', ' ORDER BY there.attnum),
        string_agg(format('%I::%s', here.attname, format_type(there.atttypid, there.atttypmod)), ', ' ORDER BY there.attnum), store)
    FROM pg_attribute AS here JOIN pg_attribute AS there ON there.attname = here.attname
    WHERE here.attrelid = to_regclass(format('%I.ratings', store)) AND there.attrelid = to_regclass(format('%I.ratings', shadow))
        AND there.attnum > 0 AND NOT here.attisdropped AND NOT there.attisdropped AND there.attgenerated = '' AND (here.attname <> 'embedding' OR with_embeddings)
    HAVING _passage.has_ratings(store) AND _passage.has_ratings(shadow)
$$;

COMMENT ON FUNCTION _passage.ratings_copy(name, name, boolean) IS 'statement that copies the ratings of a store to the one that replaces it';
