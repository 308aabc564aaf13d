-- passage.max_cached_stores: a session keeps the plans of the stores that it used last, and a change of one store drops
-- only its own.
SET client_min_messages = warning;
DO $$
BEGIN
    FOR n IN 1..200 LOOP
        EXECUTE format('CREATE SCHEMA tenant%s', n);
        EXECUTE format('CREATE TABLE tenant%s.chunks (id uuid PRIMARY KEY, document_id uuid, ordinal int NOT NULL, content text, UNIQUE (document_id, ordinal))', n);
        EXECUTE format('INSERT INTO tenant%s.chunks SELECT overlay(gen_random_uuid()::text PLACING ''00'' FROM 1)::uuid, %L, n, ''chunk '' || n FROM generate_series(0, 4) AS n',
            n, gen_random_uuid());
    END LOOP;
END
$$;

-- Calls a function for one store after the other, and returns the number of rows.
CREATE FUNCTION pg_temp.turn(first integer, last integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    total bigint := 0;
    found bigint;
BEGIN
    FOR n IN first..last LOOP
        EXECUTE format('SELECT count(*) FROM tenant%1$s.chunks AS c, passage.expand_context(c.id, ''adjacent'', store => ''tenant%1$s'') WHERE c.ordinal = 2', n) INTO found;
        total := total + found;
    END LOOP;
    RETURN total;
END
$$;

-- The stores whose plans the session has.
CREATE FUNCTION pg_temp.cached() RETURNS TABLE (stores bigint, oldest integer, newest integer)
LANGUAGE sql AS $$
    SELECT count(DISTINCT tenant), min(tenant), max(tenant)
    FROM (SELECT substring(ident FROM '"tenant(\d+)"."chunks"')::integer AS tenant FROM pg_backend_memory_contexts WHERE name = 'CachedPlanSource') AS plans
    WHERE tenant IS NOT NULL
$$;

SELECT pg_temp.turn(1, 50);
SELECT * FROM pg_temp.cached();
SELECT pg_temp.turn(1, 80);
SELECT * FROM pg_temp.cached();
SELECT pg_temp.turn(1, 200);
SELECT * FROM pg_temp.cached();

-- A change of a store drops its own plans at the next call.
ALTER TABLE tenant7.chunks ADD COLUMN tokens integer;
SELECT pg_temp.turn(1, 1);
SELECT * FROM pg_temp.cached();
SELECT pg_temp.turn(7, 7);
SELECT * FROM pg_temp.cached();

-- With a lower number the least recently used are dropped when another one is added.
SET passage.max_cached_stores = 3;
SELECT pg_temp.turn(1, 10);
CREATE SCHEMA tenant201;
CREATE TABLE tenant201.chunks AS SELECT * FROM tenant1.chunks;
SELECT pg_temp.turn(201, 201);
SELECT * FROM pg_temp.cached();
SELECT pg_temp.turn(1, 2);
SELECT * FROM pg_temp.cached();

SET passage.max_cached_stores = 0;
