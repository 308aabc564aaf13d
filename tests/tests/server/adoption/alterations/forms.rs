//! The cases: each form of an alteration, for each object of an adoption that it fits.

use super::traps::THIEF;
use passage_tests::cluster::{OWNER, SUPERUSER};
use std::collections::BTreeMap;

/// An alteration, and what is where after it.
#[derive(Clone, Debug)]
pub struct Case {
    pub sql: String,
    /// The role that alters the object.
    pub by: &'static str,
    /// The present names of table, store and columns.
    pub table: String,
    pub store: String,
    pub columns: BTreeMap<&'static str, Option<String>>,
    pub table_owner: &'static str,
    pub store_owner: &'static str,
    /// Whether no trigger can see the change, so that `check_store` alone reports it.
    pub is_unseen: bool,
    /// Whether the writer, or a reader, uses an object that belongs to the thief.
    pub uses_object_of_thief: bool,
}

impl Default for Case {
    fn default() -> Self {
        let columns = ["id", "page", "position", "headings", "body", "first_character", "mood"];
        Self {
            sql: String::new(),
            by: OWNER,
            table: "app.parts".into(),
            store: "kept".into(),
            columns: columns.into_iter().map(|name| (name, Some(name.to_owned()))).collect(),
            table_owner: OWNER,
            store_owner: OWNER,
            is_unseen: false,
            uses_object_of_thief: false,
        }
    }
}

impl Case {
    fn new(sql: impl Into<String>) -> Self {
        Self { sql: sql.into(), ..Self::default() }
    }

    fn by(self, by: &'static str) -> Self {
        Self { by, ..self }
    }

    fn table(self, table: &str) -> Self {
        Self { table: table.into(), ..self }
    }

    fn store(self, store: &str) -> Self {
        Self { store: store.into(), ..self }
    }

    fn column(mut self, name: &'static str, present: Option<&str>) -> Self {
        self.columns.insert(name, present.map(str::to_owned));
        self
    }

    fn unseen(self) -> Self {
        Self { is_unseen: true, ..self }
    }

    /// Returns a statement with the present names. A column in braces gets its name, and lists lose removed ones.
    pub fn fill(&self, sql: &str) -> String {
        let mut sql = sql.replace("TABLE", &self.table).replace("STORE", &self.store);
        for (name, present) in &self.columns {
            let present = present.as_deref().unwrap_or("NULL::text");
            sql = sql.replace(&format!("{{{name}}}"), present);
        }
        sql
    }

    /// Returns an INSERT of a row with the columns that exist.
    pub fn insert(&self, values: &[(&str, &str)]) -> String {
        let present = values.iter().filter_map(|(name, value)| {
            Some((self.columns.get(name)?.clone()?, (*value).to_owned()))
        });
        let (names, values): (Vec<_>, Vec<_>) = present.unzip();
        format!("INSERT INTO {} ({}) VALUES ({})", self.table, names.join(", "), values.join(", "))
    }
}

/// An object with its kind, and the changes of a case when it is renamed or moved.
type Object = (&'static str, &'static str, fn(Case, &str) -> Case);

const SAME: fn(Case, &str) -> Case = |case, _| case;

const OBJECTS: [Object; 11] = [
    ("SCHEMA", "app", |case, name| case.table(&format!("{name}.parts"))),
    ("SCHEMA", "kept", |case, name| case.store(name)),
    ("TABLE", "app.parts", |case, name| case.table(name)),
    ("TABLE", "app.names", SAME),
    ("TABLE", "kept.adopted_chunks", SAME),
    ("TABLE", "kept.adopted_documents", SAME),
    ("VIEW", "kept.chunks", SAME),
    ("VIEW", "kept.documents", SAME),
    ("FUNCTION", "app.clean(text)", SAME),
    ("FUNCTION", "kept.adopted_source(oid)", SAME),
    ("TYPE", "app.mood", SAME),
];

/// Columns with another type each.
const COLUMNS: [(&str, &str); 8] = [
    ("id", "integer"),
    ("page", "varchar(20)"),
    ("position", "bigint"),
    ("headings", "varchar[]"),
    ("body", "varchar"),
    ("first_character", "bigint"),
    ("mood", "text"),
    ("note", "varchar"),
];

pub fn cases() -> Vec<Case> {
    [names(), owners(), columns(), tables(), triggers(), others()].concat()
}

/// RENAME and SET SCHEMA.
fn names() -> Vec<Case> {
    let mut cases = Vec::new();
    for (kind, object, place) in OBJECTS {
        let (schema, name) = object.split_once('.').unwrap_or(("", object));
        let bare = name.split('(').next().unwrap_or(name);
        let renamed =
            if schema.is_empty() { "other".to_owned() } else { format!("{schema}.other") };
        cases.push(place(Case::new(format!("ALTER {kind} {object} RENAME TO other")), &renamed));
        if kind != "SCHEMA" {
            let sql = format!(
                "CREATE SCHEMA elsewhere; GRANT USAGE ON SCHEMA elsewhere TO PUBLIC; ALTER {kind} {object} SET SCHEMA elsewhere"
            );
            cases.push(place(Case::new(sql), &format!("elsewhere.{bare}")));
        }
    }
    for sql in [
        "ALTER TABLE app.parts RENAME CONSTRAINT parts_pkey TO other",
        "ALTER TRIGGER adopted_by_kept_insert ON app.parts RENAME TO other",
        "ALTER TYPE kept.adopted_row RENAME TO other",
        "ALTER TYPE kept.adopted_row SET SCHEMA app",
        "ALTER INDEX kept.adopted_chunks_pkey RENAME TO other",
        "ALTER SCHEMA kept RENAME TO other; ALTER SCHEMA other RENAME TO kept",
        "ALTER SCHEMA app RENAME TO other; ALTER SCHEMA other RENAME TO app",
    ] {
        cases.push(Case::new(sql));
    }
    cases
}

/// OWNER TO and REASSIGN OWNED.
fn owners() -> Vec<Case> {
    let mut cases = Vec::new();
    for role in [THIEF, "heir"] {
        let grants = format!(
            "GRANT CREATE ON DATABASE DATABASE_NAME TO {role}; GRANT CREATE, USAGE ON SCHEMA app, kept TO {role};"
        );
        for (kind, object, _) in OBJECTS {
            let mut case =
                Case::new(format!("{grants} ALTER {kind} {object} OWNER TO {role}")).by(SUPERUSER);
            if object == "app.parts" {
                case.table_owner = role;
            }
            case.uses_object_of_thief =
                role == THIEF && kind != "TYPE" && object != "app.clean(text)";
            cases.push(case);
        }
        let mut all = Case::new(format!("REASSIGN OWNED BY owner TO {role}")).by(SUPERUSER);
        (all.table_owner, all.store_owner) = (role, role);
        all.uses_object_of_thief = role == THIEF;
        cases.push(all);
    }
    cases
}

/// ADD, DROP, RENAME and ALTER COLUMN.
fn columns() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, other) in COLUMNS {
        cases.push(
            Case::new(format!("ALTER TABLE app.parts RENAME {name} TO other"))
                .column(name, Some("other")),
        );
        cases.push(
            Case::new(format!("ALTER TABLE app.parts DROP {name} CASCADE")).column(name, None),
        );
        let sql = format!(
            "ALTER TABLE app.parts ALTER {name} DROP DEFAULT, ALTER {name} TYPE {other} USING {name}::{other}"
        );
        cases.push(Case::new(sql));
        for form in ["SET NOT NULL", "DROP NOT NULL", "SET STATISTICS 10", "DROP DEFAULT"] {
            // Rows without the value would be refused, and a key is NOT NULL.
            let is_impossible = form.ends_with("NOT NULL")
                && ["id", "headings", "first_character", "mood", "note"].contains(&name);
            if !is_impossible {
                cases.push(Case::new(format!("ALTER TABLE app.parts ALTER {name} {form}")));
            }
        }
    }
    for column in [
        "extra text",
        "touched_key_1 bigint",
        "source text",
        "app text",
        "e integer",
        "document_key text",
        "seized thief.mood",
        "seized thief.mood[]",
        "seized thief.record",
        "seized thief.positive[]",
        "seized text COLLATE thief.own",
        "made text GENERATED ALWAYS AS (body || '!') STORED",
    ] {
        cases.push(Case::new(format!("ALTER TABLE app.parts ADD COLUMN {column}")));
    }
    cases.push(
        Case::new("ALTER TABLE app.parts ALTER price TYPE numeric(9, 1), ALTER body TYPE text USING upper(body)")
            .unseen(),
    );
    cases
}

/// Forms of ALTER TABLE for a whole table, partitions and inheritance, and tables that are created again.
fn tables() -> Vec<Case> {
    let parts =
        "CREATE TABLE app.whole (LIKE app.parts INCLUDING DEFAULTS) PARTITION BY LIST (page);";
    let again = "id bigint PRIMARY KEY, page text, position integer NOT NULL, headings text[] DEFAULT '{}', body text,
        first_character integer, mood app.mood DEFAULT 'calm', note text, price numeric(9, 2) DEFAULT 1, tenant text DEFAULT 'a'";
    let grants = "GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON app.parts TO writer; GRANT SELECT ON app.parts TO reader";
    let mut cases: Vec<_> = [
        "SET UNLOGGED",
        "SET UNLOGGED; ALTER TABLE app.parts SET LOGGED",
        "DROP CONSTRAINT parts_pkey",
        "DROP CONSTRAINT parts_pkey, ADD PRIMARY KEY (id)",
        "DROP CONSTRAINT parts_pkey, ADD PRIMARY KEY (page, id)",
        "ADD UNIQUE (id)",
        "SET (fillfactor = 50)",
        "CLUSTER ON parts_pkey",
        "REPLICA IDENTITY FULL",
        "ENABLE ROW LEVEL SECURITY; CREATE POLICY all_rows ON app.parts USING (true)",
        "ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; CREATE POLICY all_rows ON app.parts USING (true)",
    ]
    .into_iter()
    .map(|form| Case::new(format!("ALTER TABLE app.parts {form}")))
    .collect();
    cases.extend([
        Case::new(format!("{parts} ALTER TABLE app.whole ATTACH PARTITION app.parts DEFAULT")),
        Case::new("CREATE TABLE app.parent (LIKE app.parts); ALTER TABLE app.parts INHERIT app.parent"),
        Case::new("CREATE TABLE app.child () INHERITS (app.parts)"),
        Case::new("CREATE TABLE app.child () INHERITS (app.parts); INSERT INTO app.child (id, page, position, body) VALUES (77, 'tea', 4, 'Of a child.')"),
        Case::new(format!("DROP TABLE app.parts; CREATE TABLE app.parts ({again}); {grants}")),
        Case::new("DROP TABLE app.names"),
        Case::new("DROP TABLE app.names; CREATE TABLE app.names (page text PRIMARY KEY, name text); INSERT INTO app.names VALUES ('tea', 'About tea')"),
        Case::new("DROP TABLE kept.adopted_chunks CASCADE"),
        Case::new("DROP SCHEMA kept CASCADE"),
        Case::new("DROP VIEW kept.chunks CASCADE"),
        Case::new("DROP EXTENSION pg_passage CASCADE").by(SUPERUSER),
    ]);
    cases
}

/// Triggers that are disabled or missing. PostgreSQL then calls nothing.
fn triggers() -> Vec<Case> {
    let mut cases = Vec::new();
    for form in [
        "DISABLE TRIGGER ALL",
        "DISABLE TRIGGER USER",
        "ENABLE REPLICA TRIGGER adopted_by_kept_update",
        "DISABLE TRIGGER adopted_by_kept_insert",
    ] {
        let by = if form.ends_with("ALL") { SUPERUSER } else { OWNER };
        cases.push(Case::new(format!("ALTER TABLE app.parts {form}")).by(by).unseen());
    }
    for event in ["insert", "update", "delete", "truncate", "alone"] {
        let case = Case::new(format!("DROP TRIGGER adopted_by_kept_{event} ON app.parts"));
        let is_unseen = !["truncate", "alone"].contains(&event);
        cases.push(Case { is_unseen, ..case });
    }
    cases.push(Case::new("ALTER TABLE app.parts ENABLE ALWAYS TRIGGER adopted_by_kept_insert"));
    cases
}

/// Types, functions and rights.
fn others() -> Vec<Case> {
    let mut cases: Vec<_> = [
        "ALTER TYPE app.mood ADD VALUE 'wild'",
        "DROP FUNCTION app.clean(text)",
        "ALTER FUNCTION app.clean(text) STABLE",
        "ALTER TABLE kept.adopted_chunks DROP COLUMN tsv CASCADE",
        "ALTER TABLE kept.adopted_documents ADD COLUMN extra text",
        "REVOKE ALL ON SCHEMA kept FROM PUBLIC",
    ]
    .into_iter()
    .map(Case::new)
    .collect();
    cases.push(Case::new("CREATE OR REPLACE FUNCTION app.clean(text) RETURNS text IMMUTABLE LANGUAGE sql RETURN upper($1)").unseen());
    cases
}
