-- Reading claims: the best claim of each chunk, as in core/passages/src/expand/claim.rs.
--
-- If several hits claim a chunk, the hit with the best score gets it; of equal scores the nearest. A hit whose container
-- includes the chunk comes before all others.

-- The best claim of each chunk that is not a hit, in the order in which a budget is spent on single chunks. `others` are
-- the claims that do not come from an index.

CREATE FUNCTION _passage.read_claims(store name, hits _passage.expanded_hit[], skip uuid[], bridges boolean, imports boolean, others _passage.claim[])
RETURNS _passage.claim[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hit _passage.expanded_hit;
    ids uuid[] := skip;
    ranks integer[] := '{}';
    has_relatives boolean := false;
    has_windows boolean := false;
    has_scopes boolean := false;
    has_documents boolean := false;
    has_links boolean := false;
    bridged _passage.claim[];
    bridge_ids uuid[];
BEGIN
    FOREACH hit IN ARRAY hits LOOP
        ids := ids || hit.id;
        ranks := ranks || hit.score_rank;
        has_relatives := has_relatives OR 0 < ANY (hit.relatives);
        has_windows := has_windows OR greatest(hit.before, hit.after) > 0;
        has_scopes := has_scopes OR hit.scope_group IS NOT NULL;
        has_documents := has_documents OR (hit.strategy).scope = 'document';
        has_links := has_links OR (hit.strategy).links > 0;
    END LOOP;
    IF has_relatives THEN
        others := others || _passage.relative_claims(store, hits, skip);
    END IF;
    IF has_windows THEN
        others := others || _passage.window_claims(store, hits);
    END IF;
    IF has_scopes THEN
        others := others || _passage.scope_claims(store, hits);
    END IF;
    IF has_documents THEN
        others := others || _passage.document_claims(store, hits);
    END IF;
    IF bridges AND cardinality(hits) > 1 THEN
        bridged := _passage.bridge_claims(store, hits);
        bridge_ids := ARRAY(SELECT id FROM unnest(bridged));
        others := others || bridged;
    END IF;
    IF has_links THEN
        others := others || _passage.link_claims(store, hits, imports, skip);
    END IF;
    IF cardinality(others) = 0 THEN
        RETURN others;
    END IF;
    -- For many hits a hash table takes less than comparing each claim with all of them.
    IF cardinality(ids) > 50 THEN
        others := ARRAY(SELECT c FROM unnest(others) AS c WHERE NOT c.id IN (SELECT unnest(ids)));
        ids := '{}';
    END IF;
    RETURN coalesce((
        SELECT array_agg((best.hit, best.id, best.ordinal, best.tokens, best.section, best.unit, best.level, best.rule, best.role, best.distance, best.is_bridge)::_passage.claim
            ORDER BY best.score_rank * 9::bigint + best.role - CASE WHEN best.is_bridge THEN 100000000000 ELSE 0 END, abs(best.distance::bigint), best.hit, best.ordinal)
        FROM (
            SELECT DISTINCT ON (c.id) c.hit, c.id, c.ordinal, c.tokens, c.section, c.unit, c.level, c.rule, c.role, c.distance, ranks[c.hit] AS score_rank, coalesce(c.id = ANY (bridge_ids), false) AS is_bridge
            FROM unnest(others) AS c WHERE c.id <> ALL (ids)
            -- A chunk of a linked section that is context for another reason keeps this reason.
            ORDER BY c.id, c.role = 8, CASE WHEN c.rule <> 'container' THEN 2 WHEN _passage.is_inside(hits[c.hit], c.section) THEN 0 ELSE 1 END, ranks[c.hit], abs(c.distance::bigint) * 9 + c.role, c.hit,
                -- No other rules of a hit have one role.
                c.rule = 'gap'
        ) AS best), '{}');
END
$$;

COMMENT ON FUNCTION _passage.read_claims(name, _passage.expanded_hit[], uuid[], boolean, boolean, _passage.claim[]) IS 'best claim of each chunk that is not a hit';

-- Whether a hit in a container has a section of its own with a chunk in it.

CREATE FUNCTION _passage.is_inside(hit _passage.expanded_hit, section text[]) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN hit.scope_first IS NOT NULL AND hit.section <> hit.scope_section AND section[:cardinality(hit.section)] = hit.section;
END
$$;

COMMENT ON FUNCTION _passage.is_inside(_passage.expanded_hit, text[]) IS 'whether a chunk is in the own section of a hit';
