//! The install script declares every function of the library as pgrx would.
//!
//! `sql/` is written by hand, because people read it. A signature that differs from the Rust one would read
//! the wrong memory. So the test loads the script that pgrx generates into a second database and compares
//! the catalogs.

use object::{Object, ObjectSection};
use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use pgrx_sql_entity_graph::section::{decode_entities, is_schema_section_name};
use pgrx_sql_entity_graph::{ControlFile, PgrxSql, SqlGraphEntity};
use std::path::Path;

/// Lists the properties of each function; pgrx does not know the number of rows.
const FUNCTIONS: &str = "
    SELECT nspname || '.' || proname || '(' || pg_get_function_arguments(pg_proc.oid) || ') RETURNS ' || pg_get_function_result(pg_proc.oid)
        || CASE provolatile WHEN 'i' THEN ' IMMUTABLE' WHEN 's' THEN ' STABLE' ELSE ' VOLATILE' END
        || CASE proparallel WHEN 's' THEN ' PARALLEL SAFE' WHEN 'r' THEN ' PARALLEL RESTRICTED' ELSE ' PARALLEL UNSAFE' END
        || CASE WHEN proisstrict THEN ' STRICT' ELSE '' END
        || CASE WHEN prosecdef THEN ' SECURITY DEFINER' ELSE '' END
        || CASE WHEN proleakproof THEN ' LEAKPROOF' ELSE '' END
        || ' AS ' || prosrc
    FROM pg_proc
    JOIN pg_namespace ON pg_namespace.oid = pronamespace
    JOIN pg_language ON pg_language.oid = prolang
    WHERE nspname IN ('passage', '_passage') AND lanname = 'c'
    ORDER BY proname COLLATE \"C\"";

/// Returns the SQL that pgrx generates from the code, as `cargo pgrx schema` does.
///
/// The macros of pgrx store the signature of every function in a section of the library. So the test reads
/// the installed library and builds nothing.
fn generated(library: &Path) -> String {
    let bytes = std::fs::read(library).expect("the extension is installed: make install");
    let object = object::File::parse(&*bytes).unwrap();
    let section = object
        .sections()
        .find(|section| section.name().is_ok_and(is_schema_section_name))
        .expect("the linker kept the section of pgrx");
    let control = Path::new(env!("CARGO_MANIFEST_DIR")).join("../extension/pg_passage.control");
    let version = env!("CARGO_PKG_VERSION");
    let control = ControlFile::from_path_with_cargo_version(control, version).unwrap();
    let mut entities = decode_entities(section.data().unwrap()).unwrap();
    entities.push(SqlGraphEntity::ExtensionRoot(control));
    PgrxSql::build(entities.into_iter(), "pg_passage".into(), false).unwrap().to_sql().unwrap()
}

#[tokio::test]
async fn the_install_script_declares_every_function_with_the_signature_of_the_code() {
    let cluster = Cluster::start().await;
    let generated = generated(&cluster.installation().library("pg_passage"))
        .replace("MODULE_PATHNAME", "$libdir/pg_passage");
    cluster.execute_as(SUPERUSER, "CREATE DATABASE generated TEMPLATE template0").await;
    let path = cluster.folder().join("generated.sql");
    // The script creates the schemas but requires ltree.
    std::fs::write(&path, format!("CREATE EXTENSION ltree;\n{generated}")).unwrap();
    let psql = |more: [&str; 2]| {
        let fixed = ["-XqAt", "-v", "ON_ERROR_STOP=1", "-U", SUPERUSER, "-d", "generated"];
        fixed.into_iter().chain(more).map(str::to_owned).collect::<Vec<_>>()
    };
    cluster.run("psql", psql(["-f", path.to_str().unwrap()])).await;

    let made = cluster.run("psql", psql(["-c", FUNCTIONS])).await;
    let made: Vec<&str> = made.lines().collect();
    let committed = cluster.query_lines(FUNCTIONS).await;
    assert!(made.len() > 10, "{made:?}");
    let differ = |these: &[&str], those: &[&str]| {
        these
            .iter()
            .filter(|this| !those.contains(this))
            .map(|this| (*this).to_owned())
            .collect::<Vec<_>>()
    };
    let committed: Vec<&str> = committed.iter().map(String::as_str).collect();
    assert_eq!(
        differ(&committed, &made),
        differ(&made, &committed),
        "left: declared in sql/; right: generated from the code"
    );
}
