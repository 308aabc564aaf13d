//! A next version of the extension: the SQL of this one with typical changes, and the scripts that `ground` makes of it.

use passage_tests::Cluster;
use passage_tests::cluster::{Installation, OWNER, SUPERUSER};
use passage_tests::markdown::root;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The next version.
pub const VERSION: &str = "9.0.0";

/// The statements that a maintainer writes by hand into `sql/updates/`.
const BY_HAND: &str = "
CREATE SCHEMA passage_next;
ALTER FUNCTION _passage.preset_strategies() SET SCHEMA passage;
DROP FUNCTION passage.strategies(name);
";

/// The changes: a file, a text in it, and the text that replaces it.
const CHANGES: [(&str, &str, &str); 6] = [
    // A moved function.
    ("functions/strategies.sql", "_passage.preset_strategies", "passage.preset_strategies"),
    // A changed result.
    (
        "functions/strategies.sql",
        "    description text\n) LANGUAGE plpgsql",
        "    description text, is_preset boolean\n) LANGUAGE plpgsql",
    ),
    (
        "functions/strategies.sql",
        "p.max_chunks, p.description\n",
        "p.max_chunks, p.description, true\n",
    ),
    (
        "functions/strategies.sql",
        "                s.description\n",
        "                s.description, false\n",
    ),
    // A new function, and a schema.
    (
        "functions/stores.sql",
        "-- stores: lists",
        "CREATE FUNCTION passage.added() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1;\n\n-- stores: lists",
    ),
    (
        "internal/schemas.sql",
        "CREATE SCHEMA _passage;",
        "CREATE SCHEMA _passage;\nCREATE SCHEMA passage_next;",
    ),
];

/// The makers of scripts, and the file that they read.
const MAKERS: [&str; 4] =
    ["places", "build/install-script", "build/update-script", "build/downgrade-script"];

/// A server installation that can use the scripts of the next version.
pub struct Next(Installation);

impl Next {
    /// Finds the installation. A server of an earlier major version reads scripts from its own folder only.
    pub fn find() -> Option<Self> {
        let installation = Installation::find();
        if installation.major() < 18 {
            installation
                .report_skipped("updates of the extension", "needs extension_control_path of 18");
            return None;
        }
        Some(Self(installation))
    }

    /// Starts a server with the files of both versions, without the extension.
    pub async fn server(&self) -> Cluster {
        let cluster = Cluster::of(self.0.clone()).await;
        let folder = cluster.folder().join("next");
        write_files(&folder);
        let path = format!(
            "ALTER DATABASE passage SET extension_control_path = '{}:$system'",
            folder.display()
        );
        cluster.execute_as(SUPERUSER, &path).await;
        if cluster.has_vector() {
            cluster.execute_as(SUPERUSER, "CREATE EXTENSION vector").await;
        }
        cluster.execute_as(SUPERUSER, &format!("ALTER ROLE {OWNER} CREATEROLE")).await;
        cluster
    }

    /// Starts such a server with this version of the extension, which belongs to the owner of the database.
    pub async fn installed(&self) -> Cluster {
        let cluster = self.server().await;
        let current = env!("CARGO_PKG_VERSION");
        cluster.execute(&format!("CREATE EXTENSION pg_passage VERSION '{current}' CASCADE")).await;
        cluster
    }
}

/// Writes the control file and the scripts of both versions into `extension/` of a folder.
fn write_files(folder: &Path) {
    let current = env!("CARGO_PKG_VERSION");
    let project = tempfile::tempdir().expect("a folder can be created");
    copy_project(project.path());
    let script = |maker: &str, update: Option<&str>| {
        let output = Command::new(project.path().join("ground/build").join(maker))
            .args(update)
            .output()
            .expect("the maker of the script runs");
        assert!(output.status.success(), "{maker}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("a script is UTF-8")
    };
    let files = folder.join("extension");
    fs::create_dir_all(&files).expect("the folder of the server is writable");
    let write = |name: &str, text: String| {
        fs::write(files.join(name), text).expect("the folder of the server is writable");
    };
    write(&format!("pg_passage--{current}.sql"), script("install-script", None));
    for (file, text, changed) in CHANGES {
        let path = project.path().join("sql").join(file);
        let former = fs::read_to_string(&path).expect("the file is readable");
        assert!(former.contains(text), "{file} lacks {text}");
        fs::write(path, former.replace(text, changed)).expect("the copy is writable");
    }
    let updates = project.path().join("sql/updates");
    fs::create_dir_all(&updates).expect("the copy is writable");
    let update = format!("{current}--{VERSION}");
    fs::write(updates.join(format!("{update}.sql")), BY_HAND).expect("the copy is writable");
    write(&format!("pg_passage--{VERSION}.sql"), script("install-script", None));
    write(&format!("pg_passage--{update}.sql"), script("update-script", Some(&update)));
    let downgrade = format!("pg_passage--{VERSION}--{current}.sql");
    write(&downgrade, script("downgrade-script", Some(&update)));
    let control = fs::read_to_string(root().join("extension/pg_passage.control"));
    let control = control.expect("the control file is readable");
    let next = control.replace(&format!("'{current}'"), &format!("'{VERSION}'"));
    assert_ne!(next, control);
    write("pg_passage.control", next);
}

/// Copies the SQL files and the makers of scripts.
fn copy_project(to: &Path) {
    fs::create_dir_all(to.join("ground/build")).expect("the folder is new");
    for maker in MAKERS.map(|name| format!("ground/{name}")) {
        fs::copy(root().join(&maker), to.join(&maker)).expect("the file is readable");
    }
    let copied = Command::new("cp").arg("-R").arg(root().join("sql")).arg(to).status();
    assert!(copied.is_ok_and(|status| status.success()), "sql/ cannot be copied");
}
