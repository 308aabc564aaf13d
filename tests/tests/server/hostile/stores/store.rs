//! A small store of the attacker, in which one column may have a wrong type.

use super::types::Type;

/// A column: its relation, name and type, and an expression over a row of its relation.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub relation: &'static str,
    pub name: &'static str,
    pub sql_type: &'static str,
    expression: &'static str,
}

const fn column(
    relation: &'static str,
    name: &'static str,
    sql_type: &'static str,
    expression: &'static str,
) -> Column {
    Column { relation, name, sql_type, expression }
}

/// The kind of a store's relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Table,
    /// Tables of `pg_temp`.
    Temporary,
    /// Views, whose odd column is the result of a function of the attacker.
    View,
    Partitioned,
    Materialized,
    /// Tables of another server, which is the same one.
    Foreign,
}

impl Kind {
    pub const OTHERS: [Self; 5] =
        [Self::Temporary, Self::View, Self::Partitioned, Self::Materialized, Self::Foreign];
}

pub const RELATIONS: [&str; 5] = ["documents", "chunks", "embeddings", "strategies", "settings"];

/// Two documents of four chunks each: prose with sections, and code with a container.
const DOCUMENTS: &str = "(VALUES
    (1, 'aaaaaaaa-0000-0000-8000-000000000000', 'guide.md', 'text/markdown'),
    (2, 'bbbbbbbb-0000-0000-8000-000000000000', 'zoo.ts', 'text/x-typescript')) AS w (n, id, uri, media_type)";
const CHUNKS: &str = "(VALUES
    (1, 'a', 0, '{Guide}', 'prose', 'text', 'A guide to the quokka. '),
    (2, 'a', 1, '{Guide,Food}', 'prose', 'text', 'The quokka eats leaves. '),
    (3, 'a', 2, '{Guide,Food,Trees}', 'prose', 'text', 'The wombat eats roots. '),
    (4, 'a', 3, '{Guide,Home}', 'prose', 'text', 'The numbat has a home. '),
    (5, 'b', 0, '{}', 'code', 'module', 'import { quokka } from wombat '),
    (6, 'b', 1, '{Zoo}', 'code', 'container', 'class Zoo { '),
    (7, 'b', 2, '{Zoo,feed}', 'code', 'member', 'feed() { quokka() } '),
    (8, 'b', 3, '{Zoo}', 'code', 'container', '} ')) AS w (n, d, place, titles, kind, unit, body)";
const STRATEGIES: &str = "(VALUES (1, 'mine', 'broad'), (2, 'other', 'none')) AS w (n, name, base)";
const SETTINGS: &str =
    "(VALUES (1, 'language', '\"english\"'), (2, 'layout_version', '1')) AS w (n, key, value)";

/// All columns, in the order of the store's layout.
pub const COLUMNS: &[Column] = &[
    column("documents", "id", "uuid", "w.id"),
    column("documents", "collection", "text", "'zoo'"),
    column("documents", "version", "text", "'1'"),
    column("documents", "uri", "text", "w.uri"),
    column("documents", "title", "text", "'About the quokka'"),
    column("documents", "media_type", "text", "w.media_type"),
    column("documents", "source_media_type", "text", "NULL"),
    column("documents", "content_hash", "bytea", "NULL"),
    column("documents", "chunk_count", "integer", "4"),
    column("documents", "orphaned_at", "timestamptz", "NULL"),
    column("documents", "metadata", "jsonb", r#"'{"keeper": "quokka"}'"#),
    column("documents", "ingested_at", "timestamptz", "'2000-01-01 00:00:00+00'"),
    column("documents", "source_row", "jsonb", "NULL"),
    column("chunks", "id", "uuid", "repeat(w.d, 8) || '-0000-0000-0000-00000000000' || w.n"),
    column("chunks", "document_id", "uuid", "repeat(w.d, 8) || '-0000-0000-8000-000000000000'"),
    column("chunks", "ordinal", "integer", "w.place"),
    column("chunks", "level", "integer", "1"),
    column("chunks", "section", "text[]", "w.titles"),
    column("chunks", "kind", "text", "w.kind"),
    column("chunks", "unit", "text", "w.unit"),
    column("chunks", "content", "text", "w.body"),
    column("chunks", "preamble", "text", "'About the quokka'"),
    column("chunks", "tokens", "integer", "7"),
    column("chunks", "start_byte", "integer", "w.place * 100"),
    column("chunks", "end_byte", "integer", "w.place * 100 + length(w.body)"),
    column("chunks", "first_line", "integer", "w.place + 1"),
    column("chunks", "last_line", "integer", "w.place + 1"),
    column("chunks", "metadata", "jsonb", r#"'{"imports": ["quokka"]}'"#),
    column(
        "chunks",
        "path",
        "public.ltree",
        "_passage.encode_section(w.titles::pg_catalog.text[])",
    ),
    column("chunks", "section_key", "bigint", "passage.section_key(w.titles::pg_catalog.text[])"),
    column("chunks", "parent_key", "bigint", "passage.parent_key(w.titles::pg_catalog.text[])"),
    column(
        "chunks",
        "tsv",
        "tsvector",
        "passage.chunk_tsv('pg_catalog.english', 'About the quokka', w.titles::pg_catalog.text[], w.body)",
    ),
    column(
        "embeddings",
        "chunk_id",
        "uuid",
        "repeat(w.d, 8) || '-0000-0000-0000-00000000000' || w.n",
    ),
    column("embeddings", "document_id", "uuid", "repeat(w.d, 8) || '-0000-0000-8000-000000000000'"),
    column("embeddings", "embedding", "public.vector(3)", "'[1,2,' || w.n || ']'"),
    column("strategies", "name", "text", "w.name"),
    column("strategies", "base", "text", "w.base"),
    column("strategies", "description", "text", "'for the quokka'"),
    column("strategies", "default_for", "text[]", "'{text/markdown}'"),
    column("strategies", "parents", "integer", "1"),
    column("strategies", "preceding", "integer", "1"),
    column("strategies", "following", "integer", "1"),
    column("strategies", "children", "integer", "1"),
    column("strategies", "before", "integer", "1"),
    column("strategies", "after", "integer", "1"),
    column("strategies", "windows", "jsonb", r#"'{"code": 4}'"#),
    column("strategies", "siblings", "text", "'parent'"),
    column("strategies", "within", "text", "'document'"),
    column("strategies", "threshold", "double precision", "0.5"),
    column("strategies", "count_by", "text", "'chunks'"),
    column("strategies", "max_tokens", "integer", "1000"),
    column("strategies", "max_chunks", "integer", "100"),
    column("settings", "key", "text", "w.key"),
    column("settings", "value", "jsonb", "w.value"),
];

/// Returns the name of a type with its schema.
fn qualified(sql_type: &str) -> String {
    // The grammar of PostgreSQL resolves these types without a search_path.
    let grammar = [
        "integer",
        "bigint",
        "smallint",
        "real",
        "double",
        "numeric",
        "boolean",
        "varchar",
        "character",
        "bit",
        "timestamp",
        "time",
        "interval",
        "json",
    ];
    let first = sql_type.split([' ', '(', '[']).next().unwrap_or(sql_type);
    if sql_type.contains('.') || grammar.contains(&first) {
        sql_type.to_owned()
    } else {
        format!("pg_catalog.{sql_type}")
    }
}

/// A column with a wrong type.
#[derive(Clone, Copy, Debug)]
pub struct Odd {
    pub column: Column,
    pub odd_type: Type,
}

/// Returns SQL that creates a relation of a store again, with its odd column if it has one.
pub fn relation(store: &str, kind: Kind, relation: &str, odd: Option<&Odd>) -> String {
    let odd = odd.filter(|odd| odd.column.relation == relation);
    let columns: Vec<_> = COLUMNS.iter().filter(|column| column.relation == relation).collect();
    let is_odd = |column: &Column| odd.is_some_and(|odd| odd.column.name == column.name);
    let type_of = |column: &Column| {
        qualified(if is_odd(column) {
            odd.expect("it is odd").odd_type.name
        } else {
            column.sql_type
        })
    };
    let selected: Vec<_> = columns
        .iter()
        .map(|column| {
            let sql_type = type_of(column);
            let value = if is_odd(column) {
                values(odd.expect("it is odd"), &sql_type)
            } else {
                column.expression.to_owned()
            };
            format!("({value})::{sql_type} AS {}", column.name)
        })
        .collect();
    let from = match relation {
        "documents" => DOCUMENTS,
        "strategies" => STRATEGIES,
        "settings" => SETTINGS,
        _ => CHUNKS,
    };
    let query = format!("SELECT {} FROM {from}", selected.join(", "));
    let name = format!("{store}.{relation}");
    // Constraints that the planner and writers rely on, if the types allow them.
    let mut constraints: Vec<String> = Vec::new();
    if relation == "chunks" && odd.is_none_or(|odd| odd.column.name != "ordinal") {
        constraints.push("ALTER COLUMN ordinal SET NOT NULL".to_owned());
    }
    let keys: &[&str] = match relation {
        "documents" => &["id", "uri, collection, version"],
        "chunks" => &["id", "document_id, ordinal"],
        "embeddings" => &["chunk_id"],
        "settings" => &["key"],
        _ => &["name"],
    };
    for key in keys
        .iter()
        .filter(|key| odd.is_none_or(|odd| !key.split(", ").any(|name| name == odd.column.name)))
    {
        constraints.push(format!("ADD UNIQUE ({key})"));
    }
    let constrain = if constraints.is_empty() {
        String::new()
    } else {
        format!("ALTER TABLE {name} {};", constraints.join(", "))
    };
    let listed: Vec<_> =
        columns.iter().map(|column| format!("{} {}", column.name, type_of(column))).collect();
    let listed = listed.join(", ");
    let drop = format!(
        "SELECT attacker.drop('{store}', '{relation}'); SELECT attacker.drop('{store}', '{relation}_base');"
    );
    let base = format!("CREATE TABLE {name}_base AS {query};");
    let made = match kind {
        Kind::Table => format!("CREATE TABLE {name} AS {query}; {constrain}"),
        Kind::Temporary => format!("CREATE TEMPORARY TABLE {relation} AS {query}; {constrain}"),
        Kind::Materialized => format!("CREATE MATERIALIZED VIEW {name} AS {query};"),
        Kind::View => {
            let columns: Vec<_> = columns
                .iter()
                .map(|column| {
                    if is_odd(column) {
                        format!("attacker.same({0})::{1} AS {0}", column.name, type_of(column))
                    } else {
                        column.name.to_owned()
                    }
                })
                .collect();
            format!("{base} CREATE VIEW {name} AS SELECT {} FROM {name}_base;", columns.join(", "))
        }
        Kind::Partitioned => format!(
            "CREATE TABLE {name} ({listed}, part integer) PARTITION BY LIST (part);
            CREATE TABLE {name}_0 PARTITION OF {name} DEFAULT;
            CREATE TABLE {name}_1 PARTITION OF {name} FOR VALUES IN (1);
            INSERT INTO {name} SELECT q.*, row_number() OVER () % 2 FROM ({query}) AS q;"
        ),
        Kind::Foreign => format!(
            "{base} CREATE FOREIGN TABLE {name} ({listed}) SERVER loopback
                OPTIONS (schema_name '{store}', table_name '{relation}_base');"
        ),
    };
    format!("{drop} {made}")
}

/// Returns an expression for the values of an odd column, which alternate over the rows; the third row has NULL.
fn values(odd: &Odd, sql_type: &str) -> String {
    let branch = |(index, value)| format!("WHEN {index} THEN ({value})::{sql_type}");
    let branches: Vec<_> = odd.odd_type.values.iter().enumerate().map(branch).collect();
    format!("CASE WHEN w.n <> 3 THEN CASE w.n % {} {} END END", branches.len(), branches.join(" "))
}
