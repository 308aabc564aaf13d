//! The README: its length, and its shell commands, which run as they are printed.
//!
//! The SQL and the commands of the client run with the examples of all pages. The blocks of `sh` set up a machine. Here
//! they run on the server of the test: `make` only plans its work, because the test of a build is the build, and
//! `docker compose` runs the command in the place of the container.

use passage_tests::cluster::{SUPERUSER, client_path, model_path};
use passage_tests::markdown::{Page, root};
use passage_tests::{Cluster, cases, path_with};
use std::fs;
use std::os::unix::fs::symlink;
use tokio::process::Command;

/// Stands for programs that change the machine.
const PROGRAMS: &str = r#"
set -eu
make() { command make -n "$@" >/dev/null; }
docker() {
    [ "$1 $2" = 'compose -f' ] && [ -f "$3" ]
    file=$3
    shift 3
    case $1 in
        up) ;;
        run)
            [ "$2 $3" = '--rm client' ] && grep -q '^  client:$' "$file"
            shift 3
            (cd "$DOCUMENTS" && command passage "$@")
            ;;
        exec)
            [ "$2" = server ] && grep -q '^  server:$' "$file"
            shift 2
            "$@" </dev/null
            ;;
        *) return 1 ;;
    esac
}
"#;

/// Runs a script on a machine with the server of the test, in the root of a checkout.
async fn run(cluster: &Cluster, script: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    let checkout = home.path().join("checkout");
    let models = home.path().join(".cache/passage");
    for folder in [&checkout, &models] {
        fs::create_dir_all(folder).unwrap();
    }
    for name in ["Makefile", "ground", "packages", "tests"] {
        symlink(root().join(name), checkout.join(name)).unwrap();
    }
    symlink(model_path().unwrap(), models.join("all-MiniLM-L6-v2")).unwrap();
    let client = client_path();
    let psql = cluster.installation().bin("psql");
    let path = path_with([client.parent().unwrap(), psql.parent().unwrap()]);
    let folder = format!("{}&user={SUPERUSER}", cluster.folder().display());
    let script = script.replace("/var/run/postgresql", &folder);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{PROGRAMS}{script}")]).current_dir(&checkout).env_clear();
    shell
        .env("PATH", path)
        .env("HOME", home.path())
        .env("DOCUMENTS", root().join("tests/fixtures"));
    // The environment of the services in the compose file.
    shell.env("PGHOST", cluster.folder()).env("PGDATABASE", "passage").env("PGUSER", SUPERUSER);
    let output = shell.output().await.unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}\n{printed}\n{errors}");
    printed
}

#[tokio::test]
async fn each_way_to_start_leads_from_an_empty_database_to_a_passage() {
    let blocks = Page::read("README.md").blocks();
    let blocks: Vec<_> = blocks.iter().filter(|block| block.language == "sh").collect();
    assert_eq!(blocks.len(), 2);
    for block in cases(blocks) {
        let cluster = Cluster::bare().await;
        if cluster.lacks_vector("the ways to start in the README") {
            return;
        }
        let is_container = block.text.contains("docker");
        if is_container {
            // The image of the server creates it.
            cluster
                .execute_as(
                    SUPERUSER,
                    &fs::read_to_string(root().join("packages/create-extensions.sql")).unwrap(),
                )
                .await;
        }
        let printed = run(&cluster, &block.text).await;
        assert!(printed.contains("2 documents added"), "{printed}");
        assert!(printed.contains("send the signal `USR1`"), "{printed}");
    }
}

#[test]
fn the_readme_has_at_most_220_lines() {
    let lines = Page::read("README.md").text.lines().count();
    assert!(lines <= 220, "{lines}");
}

/// A reader copies the statements into psql, where no application binds parameters.
#[test]
fn statements_of_the_readme_have_no_parameters() {
    for block in Page::read("README.md").blocks() {
        let has_parameter = block.language == "sql" && block.text.contains("$1");
        assert!(!has_parameter, "{}", block.text);
    }
}
