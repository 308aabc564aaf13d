-- What holds for every function, whatever it does.
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pg_passage CASCADE;
RESET client_min_messages;

CREATE TEMP VIEW functions AS
    SELECT pg_proc.*, pg_proc.oid::regprocedure AS signature FROM pg_proc
    JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e'
    JOIN pg_extension ON refclassid = 'pg_extension'::regclass AND refobjid = pg_extension.oid AND extname = 'pg_passage';

-- it is explained, in the voice of pg_catalog
SELECT signature, obj_description(oid, 'pg_proc') AS comment FROM functions
WHERE obj_description(oid, 'pg_proc') IS NULL OR obj_description(oid, 'pg_proc') ~ '^[A-Z]|\.$';

-- it runs with the rights of its caller, and everybody may call it
SELECT signature FROM functions WHERE prosecdef OR proacl IS NOT NULL;
SELECT has_schema_privilege('pg_monitor', 'passage', 'USAGE') AS may_use;

-- it says how many rows it gives
SELECT signature, prorows FROM functions WHERE proretset AND prorows = 1000;

-- it writes nothing, but for these
SELECT proname FROM functions WHERE provolatile = 'v' ORDER BY proname;

-- it can take part in a parallel query, but for these
SELECT proname FROM functions WHERE proparallel = 'u' ORDER BY proname;

-- it finds nothing by a search_path that its caller could bend
SELECT signature FROM functions JOIN pg_language ON pg_language.oid = prolang
WHERE lanname IN ('sql', 'plpgsql') AND prosqlbody IS NULL AND proconfig IS NULL;

-- the extension brings no tables
SELECT pg_describe_object(classid, objid, objsubid) AS member
FROM pg_depend JOIN pg_extension ON refclassid = 'pg_extension'::regclass AND refobjid = pg_extension.oid
WHERE extname = 'pg_passage' AND deptype = 'e' AND classid NOT IN ('pg_proc'::regclass, 'pg_type'::regclass);
