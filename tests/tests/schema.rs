//! The install script declares what the code is: every function of the library, as pgrx would.
//!
//! `sql/` is written by hand, for it is read by people, and a signature that differs from the Rust
//! one would read the wrong memory. So what `make schema` made from the code is loaded into a
//! database of its own, and the catalogs are compared.

use passage_tests::Cluster;
use passage_tests::cluster::{SUPERUSER, target};
use std::path::Path;
use std::time::SystemTime;

/// All that a caller or the planner can tell of a function; how many rows it gives is not the
/// code's to say.
const FUNCTIONS: &str = "
    SELECT proname || '(' || pg_get_function_arguments(pg_proc.oid) || ') RETURNS ' || pg_get_function_result(pg_proc.oid)
        || CASE provolatile WHEN 'i' THEN ' IMMUTABLE' WHEN 's' THEN ' STABLE' ELSE ' VOLATILE' END
        || CASE proparallel WHEN 's' THEN ' PARALLEL SAFE' WHEN 'r' THEN ' PARALLEL RESTRICTED' ELSE ' PARALLEL UNSAFE' END
        || CASE WHEN proisstrict THEN ' STRICT' ELSE '' END
        || CASE WHEN prosecdef THEN ' SECURITY DEFINER' ELSE '' END
        || CASE WHEN proleakproof THEN ' LEAKPROOF' ELSE '' END
        || ' AS ' || prosrc
    FROM pg_proc
    JOIN pg_namespace ON pg_namespace.oid = pronamespace
    JOIN pg_language ON pg_language.oid = prolang
    WHERE nspname = 'passage' AND lanname = 'c'
    ORDER BY proname COLLATE \"C\"";

/// The newest change to the code that functions are made from.
fn newest(folder: &Path) -> SystemTime {
    let entries = std::fs::read_dir(folder).unwrap();
    let changed = entries.map(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() { newest(&path) } else { path.metadata().unwrap().modified().unwrap() }
    });
    changed.max().unwrap()
}

/// The SQL that pgrx made, unless it is missing or older than the code.
fn generated() -> Result<String, &'static str> {
    let path = target().join("schema.sql");
    let made = path
        .metadata()
        .and_then(|file| file.modified())
        .map_err(|_| "there is no target/schema.sql: make schema")?;
    let code = Path::new(env!("CARGO_MANIFEST_DIR")).join("../extension/src");
    if made < newest(&code) {
        return Err("target/schema.sql is older than the code: make schema");
    }
    Ok(std::fs::read_to_string(path).unwrap())
}

#[tokio::test]
async fn the_install_script_declares_every_function_as_the_code_has_it() {
    let cluster = Cluster::start().await;
    let generated = match generated() {
        Ok(sql) => sql.replace("MODULE_PATHNAME", "$libdir/pg_passage"),
        Err(why) => {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "{why}");
            cluster
                .installation()
                .report_skipped("the install script is compared with the code", why);
            return;
        }
    };
    cluster.execute_as(SUPERUSER, "CREATE DATABASE generated TEMPLATE template0").await;
    let path = cluster.folder().join("generated.sql");
    // The script makes the schema itself where it is missing; ltree is what it takes as given.
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
        "left: what sql/ declares; right: what the code is"
    );
}
