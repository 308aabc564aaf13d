-- The steps that answer a call of fragments, as in extension/src/fragments/query.rs. They read at most three times as many chunks as
-- fragments are asked for, and 200.

-- The document that a call names, NULL with a notice if none passes the filters.

CREATE FUNCTION _passage.named_document(store name, id uuid, filter jsonb) RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ids uuid[];
    places text[];
BEGIN
    EXECUTE format($sql$
        SELECT array_agg(d.id), array_agg(format(CASE d.version WHEN '' THEN 'collection %%L' ELSE 'collection %%L version %%L' END, d.collection, d.version))
        FROM (SELECT * FROM %I.documents AS d WHERE ($1 IS NULL OR d.id = $1) AND %s ORDER BY d.collection, d.version, d.id LIMIT 20) AS d$sql$, store, _passage.document_condition(store, filter)) INTO ids, places USING id;
    IF cardinality(ids) > 1 THEN
        PERFORM _passage.refuse_argument(format('uri "%s" is in several collections or versions', left((_passage.filter_values(filter, 'uri'))[1], 100)),
            format('Add collection, version or document_id. The uri is in %s.', array_to_string(places, ', ')));
    ELSIF ids IS NULL AND NOT _passage.report_missing_names(store, filter) THEN
        PERFORM _passage.report('no document has this uri or document_id', 'SELECT uri, collection, version, orphaned_at FROM documents of the store lists them. Orphaned documents need filter => ''{"include_orphaned": true}''.');
    END IF;
    RETURN ids[1];
END
$$;

COMMENT ON FUNCTION _passage.named_document(name, uuid, jsonb) IS 'document that a call names';

-- The chunks that lines are selected for, best first. With fused ranks, each gets a share of the score of the better one of its
-- neighbors in the section, because an answer may span two chunks.

CREATE FUNCTION _passage.best_chunks(chunks _passage.source_chunk[], ranked _passage.ranked_fragment[], ids uuid[], strategy text, max_chunks integer) RETURNS _passage.best_chunk[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(
        SELECT (place, total, number)::_passage.best_chunk
        FROM (
            SELECT place::integer, number, CASE strategy WHEN 'auto' THEN CASE WHEN score IS NOT NULL OR near > 0 THEN coalesce(score, 0) + 0.2::double precision * near END ELSE score END AS total
            FROM (
                SELECT *, greatest(0, CASE WHEN lag(ordinal) OVER listed = ordinal::bigint - 1 AND lag(document) OVER listed = document AND lag(section) OVER listed IS NOT DISTINCT FROM section THEN lag(score) OVER listed END,
                    CASE WHEN lead(ordinal) OVER listed = ordinal::bigint + 1 AND lead(document) OVER listed = document AND lead(section) OVER listed IS NOT DISTINCT FROM section THEN lead(score) OVER listed END) AS near
                FROM (
                    SELECT c.document, c.ordinal, c.section, c.place, r.score, r.number
                    FROM unnest(chunks) WITH ORDINALITY AS c (id, document, ordinal, content, tokens, start_byte, end_byte, first_line, section, has_unread_before, has_unread_after, run, run_start, run_end, first_at, end_at, place)
                    LEFT JOIN (SELECT ids[candidate] AS id, score, number::integer
                        FROM unnest(ranked) WITH ORDINALITY AS listed (candidate, score, lexical_rank, lexical_score, near_rank, near_score, coverage, distance, vector_rank, vector_score, matched, number)) AS r ON r.id = c.id
                ) AS scored
                WINDOW listed AS (ORDER BY place)
            ) AS with_neighbors
        ) AS best
        WHERE total IS NOT NULL
        ORDER BY CASE WHEN strategy = 'auto' THEN total END DESC, CASE WHEN strategy <> 'auto' THEN number END, place LIMIT max_chunks)
$$;

COMMENT ON FUNCTION _passage.best_chunks(_passage.source_chunk[], _passage.ranked_fragment[], uuid[], text, integer) IS 'chunks that lines are selected for';

CREATE FUNCTION _passage.answered_fragments(
    query text, embedding real[], uri text, document_id uuid, strategy text, collection text, max_fragments integer, max_tokens integer, fuzzy_threshold double precision, return_full boolean, filter jsonb, store name
) RETURNS SETOF _passage.fragment_row
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED ROWS 5
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    named_strategy CONSTANT text := coalesce(strategy, 'auto');
    filtered jsonb;
    is_named boolean;
    fragment_limit integer;
    token_limit integer;
    threshold CONSTANT double precision := coalesce(fuzzy_threshold, 0.8);
    schema name;
    info _passage.document_info;
    words CONSTANT text := nullif(btrim(query, E' \t\n\f\r\x0b\u00a0\u2003\u3000'), '');
    asked text;
    resolved text;
    candidates _passage.fragment_candidates;
    ranking record;
    best _passage.best_chunk[];
    ids uuid[];
    all_ids uuid[];
    chunk_limit integer;
    chunks _passage.source_chunk[];
    infos _passage.document_info[];
    text_runs _passage.text_runs;
    hint text;
BEGIN
    IF named_strategy <> ALL ('{auto,adaptive,proximity,semantic,seed}') THEN
        PERFORM _passage.refuse_argument(format('unrecognized value for "strategy": "%s"', left(named_strategy, 100)), 'Valid values are "auto", "adaptive", "proximity", "semantic" and "seed".');
    END IF;
    filtered := _passage.read_filter(collection, filter, uri, '{min_similarity}');
    -- Of several uris, the documents are searched.
    is_named := cardinality(_passage.filter_values(filtered, 'uri')) = 1 OR document_id IS NOT NULL;
    is_named := coalesce(is_named, false);
    IF is_named AND filtered ?| '{kind,path,metadata}' THEN
        PERFORM _passage.refuse_argument('fragments of one document cannot be filtered by chunks', 'Omit "kind", "path" and "metadata", or the uri and the document_id.');
    ELSIF return_full AND NOT is_named THEN
        PERFORM _passage.refuse_argument('"return_full" requires a uri or a document_id', 'Pass uri => ... or document_id => ..., or omit "return_full".');
    END IF;
    fragment_limit := _passage.check_limit('max_fragments', coalesce(max_fragments, 5));
    token_limit := _passage.check_limit('max_tokens', coalesce(max_tokens, CASE WHEN return_full THEN 100000 ELSE 700 END));
    IF NOT threshold BETWEEN 0 AND 1 THEN
        PERFORM _passage.refuse_argument(format('"fuzzy_threshold" is out of range: %s', threshold), 'Use a number from 0 to 1.');
    END IF;
    schema := _passage.store_name(store);
    PERFORM _passage.store_must_be_readable(schema);
    IF is_named THEN
        info := (_passage.document_infos(schema, ARRAY[_passage.named_document(schema, document_id, filtered)]))[1];
        IF info.id IS NULL THEN
            RETURN;
        ELSIF return_full THEN
            RETURN QUERY SELECT * FROM _passage.first_lines(schema, info, fragment_limit, token_limit, token_limit / 8 + 1, 'full', NULL, false);
            RETURN;
        END IF;
    END IF;
    asked := coalesce(words, _passage.uri_words(info.uri), '');
    resolved := named_strategy;
    IF resolved = 'seed' THEN
        resolved := CASE WHEN asked ~ '^\s*(?:\S+\s*){0,2}$' THEN 'adaptive' WHEN asked ~ '^\s*(?:\S+\s+){0,4}\S*\s*$' THEN 'proximity' ELSE 'semantic' END;
    END IF;
    IF embedding IS NOT NULL THEN
        PERFORM _passage.distance_expression(schema, embedding, NULL);
    END IF;
    candidates := _passage.find_candidates(schema, info.id, filtered, asked, embedding, resolved, threshold);
    ranking := _passage.rank_fragments(resolved, candidates.terms, candidates.list);
    IF cardinality(ranking.ranked) = 0 THEN
        IF info.id IS NULL THEN
            PERFORM _passage.explain_nothing(schema, filtered, words, embedding IS NOT NULL);
        ELSIF words IS NULL AND embedding IS NULL THEN
            RETURN QUERY SELECT * FROM _passage.first_lines(schema, info, fragment_limit, token_limit, 16, 'beginning', 'there is no query, and no chunk has the words of the uri, so this is the beginning of the document', false);
        ELSE
            PERFORM _passage.report('the document has no chunk that matches the query', CASE WHEN embedding IS NULL
                THEN 'Use other words, pass an embedding of the query, or use return_full => true for the text of the document.'
                ELSE 'The document has no embeddings. Use other words, or return_full => true for its text.' END);
        END IF;
        RETURN;
    END IF;
    hint := _passage.fragment_hint(candidates, ranking.used, ranking.ranked[1], embedding IS NOT NULL);
    -- A caller that names a strategy expects lines that it ranked.
    IF info.id IS NOT NULL AND return_full IS NULL AND named_strategy = 'auto' AND info.chunks <= token_limit / 8 + 1 AND coalesce(info.bytes <= token_limit::bigint * 16, true) THEN
        RETURN QUERY SELECT * FROM _passage.first_lines(schema, info, fragment_limit, token_limit, token_limit / 8 + 1, 'full',
            coalesce(hint, 'the whole document fits into max_tokens; return_full => false returns only the lines that answer'), true);
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    chunk_limit := least(greatest(3 * fragment_limit, 1), 200);
    all_ids := ARRAY(SELECT one.id FROM unnest(candidates.list) WITH ORDINALITY AS one (id, document, ordinal, section, length, occurrences, similarity, place) ORDER BY place);
    ids := ARRAY(SELECT all_ids[one.candidate] FROM unnest(ranking.ranked[:chunk_limit]) AS one);
    chunks := _passage.source_chunks(schema, ids);
    infos := CASE WHEN info.id IS NULL THEN _passage.document_infos(schema, ARRAY(SELECT DISTINCT one.document FROM unnest(chunks) AS one)) ELSE ARRAY[info] END;
    text_runs := _passage.text_runs(chunks, ARRAY(SELECT one.id FROM unnest(infos) AS one WHERE _passage.is_markdown(one.media_type)));
    best := _passage.best_chunks(chunks, ranking.ranked, all_ids, resolved, chunk_limit);
    RETURN QUERY SELECT * FROM _passage.fragment_rows(schema, text_runs, _passage.select_fragments(schema, candidates.terms, text_runs, ARRAY(SELECT place FROM unnest(best) AS one), fragment_limit, token_limit),
        best, ranking.ranked, infos, ids, ranking.used, hint);
EXCEPTION WHEN @incomplete_errors@ THEN
    PERFORM _passage.refuse_incomplete_store(schema);
    RAISE;
END
$$;

COMMENT ON FUNCTION _passage.answered_fragments(text, real[], text, uuid, text, text, integer, integer, double precision, boolean, jsonb, name) IS 'rows of a call of fragments';

-- twin: fragments_wrapper
LANGUAGE sql
BEGIN ATOMIC
    SELECT * FROM _passage.answered_fragments(fragments.query, fragments.embedding, fragments.uri, fragments.document_id, fragments.strategy, fragments.collection, fragments.max_fragments,
        fragments.max_tokens, fragments.fuzzy_threshold, fragments.return_full, fragments.filter, fragments.store);
END;
