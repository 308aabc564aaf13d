-- Rules for every function of the extension.
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pg_passage CASCADE;
RESET client_min_messages;

CREATE TEMP VIEW functions AS
    SELECT pg_proc.*, pg_proc.oid::regprocedure AS signature, nspname AS schema FROM pg_proc
    JOIN pg_namespace ON pg_namespace.oid = pronamespace WHERE nspname IN ('passage', '_passage');

-- schema passage holds the public functions alone
SELECT proname, pronargs AS arguments FROM functions WHERE schema = 'passage' ORDER BY proname, pronargs;

-- the extension has functions in these schemas alone
SELECT objid::regprocedure AS signature FROM pg_depend JOIN pg_extension ON refobjid = pg_extension.oid AND extname = 'pg_passage'
JOIN pg_proc ON pg_proc.oid = objid WHERE classid = 'pg_proc'::regclass AND deptype = 'e'
    AND pronamespace NOT IN ('passage'::regnamespace, '_passage'::regnamespace);

-- both schemas hold members of extensions alone; a role named passage may have others in its schema
SELECT pronamespace::regnamespace AS schema, proname FROM pg_proc
WHERE pronamespace IN ('passage'::regnamespace, '_passage'::regnamespace) AND NOT EXISTS (
    SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e');

-- a role with passage in its search_path calls the built-in functions: none has a name of pg_catalog
SELECT DISTINCT proname FROM functions WHERE schema = 'passage' AND EXISTS (
    SELECT FROM pg_proc AS built_in WHERE built_in.pronamespace = 'pg_catalog'::regnamespace AND built_in.proname = functions.proname);

-- each has a comment, which starts with a lower-case phrase and has no full stop at its end
SELECT signature, obj_description(oid, 'pg_proc') AS comment FROM functions
WHERE obj_description(oid, 'pg_proc') IS NULL OR obj_description(oid, 'pg_proc') ~ '^[A-Z]|\.$';

-- the comment of a public function names each argument, and the purpose comes first
SELECT proname, argument FROM functions, unnest(proargnames[:pronargs]) AS argument
WHERE schema = 'passage' AND obj_description(oid, 'pg_proc') !~ ('[\n ]' || argument || '[,:]');
SELECT proname, split_part(obj_description(oid, 'pg_proc'), E'\n', 1) AS purpose FROM functions
WHERE schema = 'passage' ORDER BY proname;

-- the comment of a public function tells each default that is a value
SELECT proname, value FROM functions,
    regexp_matches(pg_get_function_arguments(oid), 'DEFAULT ''?([^'',]+)', 'g') AS matched, unnest(matched) AS value
WHERE schema = 'passage' AND value NOT LIKE 'NULL%'
    AND strpos(obj_description(oid, 'pg_proc'), value) = 0;

-- each runs with the rights of its caller, and every role may call it
SELECT signature FROM functions WHERE prosecdef OR proacl IS NOT NULL;
SELECT nspname, has_schema_privilege('pg_monitor', nspname, 'USAGE') AS usage, has_schema_privilege('pg_monitor', nspname, 'CREATE') AS create
FROM pg_namespace WHERE nspname IN ('passage', '_passage') ORDER BY nspname;

-- each declares how many rows it returns
SELECT signature, prorows FROM functions WHERE proretset AND prorows = 1000;

-- only these are volatile
SELECT schema, proname FROM functions WHERE provolatile = 'v' ORDER BY schema DESC, proname;

-- only these are parallel unsafe
SELECT schema, proname FROM functions WHERE proparallel = 'u' ORDER BY schema DESC, proname;

-- none resolves a name by the search_path of its caller
SELECT signature FROM functions JOIN pg_language ON pg_language.oid = prolang
WHERE lanname IN ('sql', 'plpgsql') AND prosqlbody IS NULL AND proconfig IS NULL;

-- triggers, and what does the same for all rows, write values with the same settings
SELECT proname, count(*) AS settings FROM functions CROSS JOIN unnest(proconfig) AS setting
JOIN _passage.text_settings() ON setting ILIKE name || '=%' AND replace(setting, '"', '') ILIKE name || '=' || trim(value, '''')
GROUP BY proname HAVING count(*) > 1 ORDER BY proname;

-- psql shows the functions for users with \df passage.*, and no type, view, aggregate or operator
SELECT count(*) FROM pg_type WHERE typnamespace IN ('passage'::regnamespace, '_passage'::regnamespace);
SELECT count(*) FROM pg_class WHERE relnamespace IN ('passage'::regnamespace, '_passage'::regnamespace);
SELECT count(*) FROM pg_operator WHERE oprnamespace IN ('passage'::regnamespace, '_passage'::regnamespace);
SELECT proname, prokind FROM functions WHERE prokind <> 'f';

-- JavaScript drivers return bigint as text: only counts of whole stores and keys are bigint
SELECT proname, string_agg(coalesce(name, 'value'), ', ' ORDER BY place) AS bigints FROM (
    SELECT proname, unnest(proallargtypes) AS type, unnest(proargmodes) AS mode, unnest(proargnames) AS name, generate_subscripts(proallargtypes, 1) AS place
    FROM functions WHERE schema = 'passage' AND proallargtypes IS NOT NULL
    UNION ALL
    SELECT proname, prorettype, 'o', NULL, 1 FROM functions WHERE schema = 'passage' AND proallargtypes IS NULL
) AS result WHERE type = 'bigint'::regtype AND mode <> 'i'
GROUP BY proname ORDER BY proname;

-- the extension has no tables
SELECT pg_describe_object(classid, objid, objsubid) AS member
FROM pg_depend JOIN pg_extension ON refclassid = 'pg_extension'::regclass AND refobjid = pg_extension.oid
WHERE extname = 'pg_passage' AND deptype = 'e' AND classid NOT IN ('pg_proc'::regclass, 'pg_type'::regclass)
ORDER BY 1;
