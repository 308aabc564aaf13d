-- The first statement of every script: it pins the search_path.
--
-- PostgreSQL runs a script with a search_path that the installer chose, and a trusted one with the
-- rights of a superuser: a function in one of those schemas, with better fitting arguments, would be
-- called in place of PostgreSQL's. Of the types and functions of ltree the script names the schema
-- here, since that may be any. Whatever a script resolves outside of pinned functions is written with
-- its schema even so.

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
