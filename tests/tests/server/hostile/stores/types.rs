//! Types that a column may have instead of its own, each with values that would be a wild pointer, length
//! or number to a reader that expects another type.

/// A type, and expressions of its values.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    pub name: &'static str,
    pub values: &'static [&'static str],
    pub reach: Reach,
}

/// The kinds of stores in which a type is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// In plain tables, by the functions that read values themselves.
    Tables,
    /// Also in views, temporary, partitioned and foreign tables.
    Kinds,
    /// Also by the functions of administration, which are SQL over the catalogs.
    Everywhere,
}

/// Words in all values of text-like types, which messages must not show.
pub const MARKERS: [&str; 3] = ["quokka", "wombat", "numbat"];

const fn plain(name: &'static str, values: &'static [&'static str]) -> Type {
    Type { name, values, reach: Reach::Tables }
}

const fn dangerous(name: &'static str, values: &'static [&'static str]) -> Type {
    Type { name, values, reach: Reach::Kinds }
}

const fn everywhere(name: &'static str, values: &'static [&'static str]) -> Type {
    Type { name, values, reach: Reach::Everywhere }
}

/// As bigint: an unmapped address, an address with all bits, and `AAAAAAAA`.
const ADDRESSES: &[&str] = &["12345", "-1", "4702111234474983745"];
const TEXTS: &[&str] = &["'quokka'", "''"];
const LISTS: &[&str] = &["'{quokka,NULL}'", "'{{quokka,a},{b,c}}'", "'[5:6]={quokka,b}'"];
const VECTORS: &[&str] = &["'[1,2,3]'", "'[1e-30,0,0]'"];
const IDS: &[&str] =
    &["'aaaaaaaa-0000-0000-0000-000000000001'", "'aaaaaaaa-0000-0000-8000-000000000000'"];
const OBJECTS: &[&str] =
    &[r#"'{"quokka":1}'"#, r#"'[1,"quokka"]'"#, r#"'"quokka"'"#, "'1'", "'null'"];
const ROW: &[&str] = &["ROW(12345,'quokka')", "ROW(-1,NULL)"];

/// The types of every PostgreSQL, and those of [`SETUP`].
pub const TYPES: &[Type] = &[
    plain("smallint", &["12345", "-1"]),
    plain("integer", &["12345", "-1", "1094795585", "2147483647"]),
    everywhere("bigint", ADDRESSES),
    plain("numeric", &["12345", "-1", "'NaN'"]),
    plain("real", &["12345", "'-Infinity'", "'NaN'"]),
    plain("double precision", &["2261634.5098039214", "6.0e-320", "'Infinity'", "'NaN'"]),
    plain("boolean", &["true", "false"]),
    dangerous("text", TEXTS),
    plain("varchar(9)", TEXTS),
    plain("character(9)", TEXTS),
    plain("name", TEXTS),
    plain("\"char\"", &["'q'", "''"]),
    plain("bytea", &[r"'\x4141414141414141'", r"'\x'", r"'\xff00'"]),
    plain("uuid", IDS),
    plain("date", &["'2000-01-02'", "'infinity'"]),
    plain("timestamptz", &["'2000-01-01 00:00:00.012345'", "'infinity'"]),
    plain("interval", &["'12345 microseconds'", "'-1 month'"]),
    plain("json", OBJECTS),
    plain("jsonb", OBJECTS),
    plain("jsonpath", &["'$.quokka'"]),
    plain("inet", &["'10.1.2.3/8'"]),
    plain("point", &["'(1,2)'", "'(NaN,Infinity)'"]),
    plain("tsvector", &["'quokka:1A wombat:2'", "''"]),
    plain("tsquery", &["'quokka & wombat'"]),
    plain("regclass", &["'pg_class'", "12345"]),
    plain("int4range", &["'[1,12345)'", "'empty'"]),
    plain("text[]", LISTS),
    plain("varchar(9)[]", LISTS),
    plain("uuid[]", &["'{aaaaaaaa-0000-0000-0000-000000000001}'", "'{}'"]),
    plain("integer[]", &["'{12345,-1}'", "'{}'", "'{{1,2},{3,4}}'"]),
    plain("oidvector", &["'12345 1'"]),
    plain("bit(8)", &["B'01000001'"]),
    plain("money", &["12345", "-1"]),
    plain("tid", &["'(12345,1)'"]),
    plain("refcursor", TEXTS),
    // Domains over a number with the names of types that are read through a pointer.
    dangerous("attacker.ltree", ADDRESSES),
    plain("attacker.text", ADDRESSES),
    plain("attacker.vector", ADDRESSES),
    plain("attacker.halfvec", ADDRESSES),
    // Other types with these names, and with operators and casts of the attacker.
    dangerous("forged.ltree", ROW),
    dangerous("forged.vector", ROW),
    plain("forged.halfvec", &["'quokka'", "'wombat'"]),
    plain("forged.text", ROW),
    // Domains over types that the extension reads.
    plain("attacker.own_text", TEXTS),
    plain("attacker.own_uuid", IDS),
    plain("attacker.own_integer", &["12345", "-1"]),
    plain("attacker.own_bigint", ADDRESSES),
    plain("attacker.own_jsonb", OBJECTS),
    plain("attacker.own_texts", LISTS),
    plain("attacker.own_tsvector", &["'quokka:1A'"]),
    plain("attacker.pair", ROW),
    dangerous("attacker.pair[]", &["ARRAY[ROW(12345,'quokka')::attacker.pair]"]),
    plain("attacker.mood", &["'quokka'", "'wombat'"]),
    plain("attacker.mood[]", &["'{quokka,wombat}'"]),
    plain("attacker.span", &["'[12345,4702111234474983745)'", "'empty'"]),
];

/// The types of extensions, with their schema.
pub const LTREE: Type = plain("public.ltree", &["'quokka.wombat'", "''"]);
pub const OF_PGVECTOR: &[Type] = &[
    plain("public.vector", VECTORS),
    plain("public.vector(3)", VECTORS),
    plain("public.halfvec(3)", VECTORS),
    plain("public.sparsevec", &["'{1:1,2:2}/3'"]),
    plain("attacker.own_vector", VECTORS),
];

/// XML, which many builds of PostgreSQL do not have.
pub const XML: Type = plain("xml", &["'<quokka/>'"]);

/// Creates the types of the attacker, as the attacker.
///
/// `forged` has composites and an enum with the names of extensions' types, and the casts and operators that a
/// reader would use if it trusted the names.
pub const SETUP: &str = r"
CREATE DOMAIN attacker.ltree AS pg_catalog.int8;
CREATE DOMAIN attacker.text AS pg_catalog.int8;
CREATE DOMAIN attacker.vector AS pg_catalog.int8;
CREATE DOMAIN attacker.halfvec AS pg_catalog.int8;
CREATE DOMAIN attacker.own_text AS pg_catalog.text;
CREATE DOMAIN attacker.own_uuid AS pg_catalog.uuid;
CREATE DOMAIN attacker.own_integer AS pg_catalog.int4;
CREATE DOMAIN attacker.own_bigint AS pg_catalog.int8;
CREATE DOMAIN attacker.own_jsonb AS pg_catalog.jsonb;
CREATE DOMAIN attacker.own_texts AS pg_catalog.text[];
CREATE DOMAIN attacker.own_tsvector AS pg_catalog.tsvector;
CREATE TYPE attacker.pair AS (a pg_catalog.int8, b pg_catalog.text);
CREATE TYPE attacker.mood AS ENUM ('quokka', 'wombat');
CREATE TYPE attacker.span AS RANGE (subtype = pg_catalog.int8);
CREATE TYPE forged.ltree AS (a pg_catalog.int8, b pg_catalog.text);
CREATE TYPE forged.vector AS (a pg_catalog.int8, b pg_catalog.text);
CREATE TYPE forged.halfvec AS ENUM ('quokka', 'wombat');
CREATE TYPE forged.text AS (a pg_catalog.int8, b pg_catalog.text);

CREATE FUNCTION forged.of(pg_catalog.float4[]) RETURNS forged.vector LANGUAGE sql IMMUTABLE
    AS $$ SELECT ROW(12345, 'quokka')::forged.vector $$;
CREATE FUNCTION forged.half(pg_catalog.float4[]) RETURNS forged.halfvec LANGUAGE sql IMMUTABLE
    AS $$ SELECT 'quokka'::forged.halfvec $$;
CREATE FUNCTION forged.distance(forged.vector, forged.vector) RETURNS pg_catalog.text
    LANGUAGE sql IMMUTABLE AS $$ SELECT 'quokka'::pg_catalog.text $$;
CREATE FUNCTION forged.distance(forged.halfvec, forged.halfvec) RETURNS pg_catalog.numeric
    LANGUAGE sql IMMUTABLE AS $$ SELECT 12345::pg_catalog.numeric $$;
CREATE CAST (pg_catalog.float4[] AS forged.vector) WITH FUNCTION forged.of(pg_catalog.float4[]) AS IMPLICIT;
CREATE CAST (pg_catalog.float4[] AS forged.halfvec) WITH FUNCTION forged.half(pg_catalog.float4[]) AS IMPLICIT;
CREATE OPERATOR forged.<=> (LEFTARG = forged.vector, RIGHTARG = forged.vector, FUNCTION = forged.distance);
CREATE OPERATOR forged.<=> (LEFTARG = forged.halfvec, RIGHTARG = forged.halfvec, FUNCTION = forged.distance);

CREATE FUNCTION attacker.as_text(attacker.pair) RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE
    AS $$ SELECT ($1).b $$;
CREATE FUNCTION attacker.as_uuid(attacker.pair) RETURNS pg_catalog.uuid LANGUAGE sql IMMUTABLE
    AS $$ SELECT 'aaaaaaaa-0000-0000-0000-000000000001'::pg_catalog.uuid $$;
CREATE FUNCTION attacker.as_integer(attacker.mood) RETURNS pg_catalog.int4 LANGUAGE sql IMMUTABLE
    AS $$ SELECT 12345 $$;
CREATE CAST (attacker.pair AS pg_catalog.text) WITH FUNCTION attacker.as_text(attacker.pair) AS IMPLICIT;
CREATE CAST (attacker.pair AS pg_catalog.uuid) WITH FUNCTION attacker.as_uuid(attacker.pair) AS IMPLICIT;
CREATE CAST (attacker.mood AS pg_catalog.int4) WITH FUNCTION attacker.as_integer(attacker.mood) AS IMPLICIT;

-- A column as an expression that is not inlined.
CREATE FUNCTION attacker.same(value anyelement) RETURNS anyelement LANGUAGE plpgsql VOLATILE
    AS $$ BEGIN RETURN value; END $$;
";

/// Returns SQL for comparisons between the right types of ids and keys and wrong ones. All of them return
/// true to a reader that looks operators up on the caller's `search_path`.
pub fn operators() -> String {
    let mut sql = String::new();
    let right = ["uuid", "int8", "int4", "text"];
    for own in
        ["int8", "int4", "text", "bytea", "bool", "jsonb", "float8", "_text", "tsvector", "name"]
    {
        for other in right {
            if own == other {
                continue;
            }
            for (a, b) in [(own, other), (other, own)] {
                let operator = format!(
                    "DO $do$ BEGIN
                    CREATE FUNCTION attacker.equal(pg_catalog.{a}, pg_catalog.{b}) RETURNS pg_catalog.bool
                        LANGUAGE sql IMMUTABLE AS 'SELECT true';
                    CREATE OPERATOR attacker.= (LEFTARG = pg_catalog.{a}, RIGHTARG = pg_catalog.{b}, FUNCTION = attacker.equal);
                    EXCEPTION WHEN duplicate_function THEN NULL; END $do$;\n"
                );
                sql.push_str(&operator);
            }
        }
    }
    sql
}
