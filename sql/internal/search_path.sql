-- The first statement of every script pins the search_path.
--
-- PostgreSQL runs a script with the search_path of the installer, and a trusted script with the rights
-- of a superuser. A function in one of those schemas whose arguments fit better would be called in place
-- of PostgreSQL's. The search_path includes the schema of ltree, which can be any schema. Names outside
-- of pinned functions are schema-qualified nevertheless.

DO $$
DECLARE
    home pg_catalog.name;
BEGIN
    SELECT nspname INTO STRICT home
    FROM pg_catalog.pg_extension
    JOIN pg_catalog.pg_namespace ON pg_namespace.oid OPERATOR(pg_catalog.=) extnamespace
    WHERE extname OPERATOR(pg_catalog.=) 'ltree';
    PERFORM pg_catalog.set_config('search_path',
        pg_catalog.concat('pg_catalog, ', pg_catalog.quote_ident(home), ', pg_temp'), true);
END
$$;
