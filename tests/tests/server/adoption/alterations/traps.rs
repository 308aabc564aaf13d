//! The traps of the hostile role, and what it does after an alteration.

use super::forms::Case;

pub const THIEF: &str = "thief";

/// Functions that tell in the log who runs them, and types and operators that call them. Everybody may use all of it.
pub const TRAPS: &str = "
    CREATE SCHEMA thief;
    GRANT USAGE ON SCHEMA thief TO PUBLIC;
    CREATE FUNCTION thief.spring(what text) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
        RAISE LOG 'trap \"%\" ran as % in %', what, current_user, current_database();
        RETURN true;
    END $$;
    CREATE TYPE thief.mood AS ENUM ('calm');
    CREATE TYPE thief.record AS (one integer);
    CREATE DOMAIN thief.positive AS integer CHECK (thief.spring('check of a domain'));
    CREATE COLLATION thief.own FROM \"C\";
    CREATE FUNCTION thief.text_of(thief.mood) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM thief.spring('cast of an enum'); RETURN 'x'; END $$;
    CREATE FUNCTION thief.json_of(thief.mood) RETURNS json LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM thief.spring('cast to json'); RETURN '1'; END $$;
    CREATE CAST (thief.mood AS text) WITH FUNCTION thief.text_of AS IMPLICIT;
    CREATE CAST (thief.mood AS json) WITH FUNCTION thief.json_of AS IMPLICIT;
    CREATE FUNCTION thief.is_equal(bigint, bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM thief.spring('operator'); RETURN true; END $$;
    CREATE FUNCTION thief.is_equal(text, text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM thief.spring('operator'); RETURN true; END $$;
    CREATE OPERATOR thief.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = thief.is_equal);
    CREATE OPERATOR thief.= (LEFTARG = text, RIGHTARG = text, FUNCTION = thief.is_equal);
    CREATE FUNCTION thief.act() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM thief.spring('trigger'); RETURN coalesce(NEW, OLD); END $$;
    CREATE FUNCTION thief.fake(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM thief.spring('function'); RETURN $1; END $$;
    CREATE FUNCTION thief.fake_oid(oid) RETURNS SETOF app.parts LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM thief.spring('function of rows'); END $$;";

/// Statements by which the thief takes names that are free.
const TAKES: &[&str] = &[
    "CREATE SCHEMA SCHEMA; GRANT ALL ON SCHEMA SCHEMA TO PUBLIC",
    "CREATE TABLE SCHEMA.adopted_chunks (id uuid PRIMARY KEY, key_1 bigint UNIQUE, document_id uuid, ordinal integer, arrival bigint, place integer, start_char bigint, bytes integer,
        content text, after_id uuid, advance integer, start_byte integer, end_byte integer, section text[], tsv tsvector); GRANT ALL ON SCHEMA.adopted_chunks TO PUBLIC;
     CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON SCHEMA.adopted_chunks FOR EACH ROW EXECUTE FUNCTION thief.act();
     CREATE TRIGGER s AFTER TRUNCATE ON SCHEMA.adopted_chunks FOR EACH STATEMENT EXECUTE FUNCTION thief.act()",
    "CREATE TABLE SCHEMA.adopted_documents (id uuid PRIMARY KEY, collection text, version text, uri text, title text, media_type text, ingested_at timestamptz); GRANT ALL ON SCHEMA.adopted_documents TO PUBLIC;
     CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON SCHEMA.adopted_documents FOR EACH ROW EXECUTE FUNCTION thief.act()",
    "CREATE FUNCTION SCHEMA.adopted_source(oid) RETURNS SETOF app.parts LANGUAGE plpgsql AS $$ BEGIN PERFORM thief.spring('adopted_source'); END $$",
    "CREATE FUNCTION SCHEMA.update_adopted(bigint[], boolean) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM thief.spring('update_adopted'); END $$",
    "CREATE FUNCTION SCHEMA.refresh_adopted() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM thief.spring('refresh_adopted'); END $$",
    "CREATE FUNCTION SCHEMA.clean(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM thief.spring('clean'); RETURN $1; END $$",
    "CREATE FUNCTION SCHEMA.clean(varchar) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM thief.spring('overloaded clean'); RETURN $1; END $$",
    "CREATE FUNCTION SCHEMA.clean(anyelement) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM thief.spring('polymorphic clean'); RETURN $1; END $$",
    "CREATE TYPE SCHEMA.mood AS ENUM ('calm', 'keen')",
    "CREATE VIEW SCHEMA.names AS SELECT thief.fake('tea') AS page, thief.fake('About tea') AS name WHERE thief.spring('view of names'); GRANT ALL ON SCHEMA.names TO PUBLIC",
    "CREATE VIEW SCHEMA.parts AS SELECT 1::bigint AS id, thief.fake('tea') AS page, 1 AS position, '{}'::text[] AS headings, thief.fake('x') AS body, 0 AS first_character,
        'calm'::text AS mood WHERE thief.spring('view of parts'); GRANT ALL ON SCHEMA.parts TO PUBLIC",
    "CREATE VIEW SCHEMA.chunks AS SELECT thief.spring('view of chunks'); GRANT ALL ON SCHEMA.chunks TO PUBLIC",
];

/// Statements that need the object in the names of the thief.
const OWNS: &[&str] = &[
    // The table.
    "ALTER TABLE app.parts ALTER mood DROP DEFAULT, ALTER mood TYPE thief.mood USING 'calm'",
    "ALTER TABLE app.parts ALTER position TYPE thief.positive",
    "ALTER TABLE app.parts ADD COLUMN seized thief.mood",
    "CREATE TRIGGER a AFTER INSERT OR UPDATE OR DELETE ON app.parts FOR EACH ROW EXECUTE FUNCTION thief.act()",
    "ALTER TABLE app.parts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY p ON app.parts USING (thief.spring('policy'))",
    "CREATE INDEX ON app.parts (thief.fake(page))",
    // The table that an expression reads.
    "ALTER TABLE app.names ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY p ON app.names USING (thief.spring('policy of names'))",
    "ALTER TABLE app.names RENAME TO former; CREATE VIEW app.names AS SELECT page, thief.fake(name) AS name FROM app.former WHERE thief.spring('view of names'); GRANT SELECT ON app.names TO PUBLIC",
    // The side tables.
    "CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON kept.adopted_chunks FOR EACH ROW EXECUTE FUNCTION thief.act(); GRANT ALL ON kept.adopted_chunks TO PUBLIC",
    "CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON kept.adopted_documents FOR EACH ROW EXECUTE FUNCTION thief.act(); GRANT ALL ON kept.adopted_documents TO PUBLIC",
    "DO $$ BEGIN EXECUTE format('COMMENT ON TABLE kept.adopted_chunks IS %L', replace(obj_description('kept.adopted_chunks'::regclass), 'app.clean(body)', 'thief.fake(body)')); END $$",
    "ALTER TABLE kept.adopted_chunks ALTER content TYPE thief.mood USING 'calm'",
    // The views, the functions and the types.
    "CREATE OR REPLACE VIEW kept.documents AS SELECT * FROM kept.adopted_documents WHERE thief.spring('view of documents')",
    "CREATE OR REPLACE FUNCTION app.clean(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM thief.spring('own clean'); RETURN $1; END $$",
    "CREATE OR REPLACE FUNCTION kept.adopted_source(checked oid) RETURNS SETOF kept.adopted_row LANGUAGE plpgsql AS $$ BEGIN PERFORM thief.spring('own adopted_source'); END $$",
    "CREATE FUNCTION thief.text_of(app.mood) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM thief.spring('cast of mood'); RETURN 'x'; END $$;
     CREATE CAST (app.mood AS text) WITH FUNCTION thief.text_of(app.mood) AS IMPLICIT",
    "CREATE FUNCTION thief.json_of(app.mood) RETURNS json LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM thief.spring('cast of mood to json'); RETURN '1'; END $$;
     CREATE CAST (app.mood AS json) WITH FUNCTION thief.json_of(app.mood) AS IMPLICIT",
    // The schemas.
    "ALTER SCHEMA kept RENAME TO former; CREATE SCHEMA kept; GRANT ALL ON SCHEMA kept TO PUBLIC",
    "ALTER SCHEMA app RENAME TO former",
];

/// Returns what the thief tries after an alteration.
pub fn after(case: &Case) -> Vec<String> {
    let mut statements: Vec<_> = OWNS.iter().map(|sql| (*sql).to_owned()).collect();
    // A schema that the thief renames changes what the case names.
    if case.table_owner == case.store_owner {
        statements
            .retain(|sql| !sql.contains("TO former; CREATE SCHEMA") && !sql.ends_with("TO former"));
    }
    for schema in ["kept", "app", "elsewhere", "other", "public"] {
        statements.extend(TAKES.iter().map(|sql| {
            sql.replace("SCHEMA.", &format!("{schema}."))
                .replace("SCHEMA SCHEMA", &format!("SCHEMA {schema}"))
        }));
    }
    statements
}

/// Returns the traps in a log that ran with the rights of a role that they must not have, in the databases of the cases.
pub fn sprung(log: &str, cases: &[Case]) -> Vec<String> {
    let mut sprung: Vec<_> = log
        .lines()
        .filter_map(|line| {
            let (_, rest) = line.split_once("trap \"")?;
            let (what, rest) = rest.split_once("\" ran as ")?;
            let (role, database) = rest.split_once(" in case_")?;
            let case = &cases[database.trim().parse::<usize>().ok()?];
            let is_exempt =
                role == THIEF || case.uses_object_of_thief && ["writer", "reader"].contains(&role);
            (!is_exempt).then(|| format!("{what} ran as {role}: {}", case.sql))
        })
        .collect();
    sprung.sort();
    sprung.dedup();
    sprung
}
