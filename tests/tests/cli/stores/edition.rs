//! The editions of `pg_passage`: installation, moves from one to the other, upgrades, and the commands of the client without
//! the native extension.

mod commands;
mod installation;
mod moves;
mod obstacles;
mod packages;
mod snapshot;
mod upgrade;

use crate::{RunOutput, run_client};
use passage_tests::Cluster;
use passage_tests::cluster::SUPERUSER;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the client, which must succeed. Returns its output.
async fn succeed(cluster: &Cluster, arguments: &[&str]) -> String {
    let RunOutput { code, stdout, stderr } = run_client(cluster, arguments).await;
    assert_eq!(code, Some(0), "{arguments:?}: {stdout}{stderr}");
    stdout
}

/// Returns the version of the extension and the number of functions in SQL that mark the other edition.
async fn editions(cluster: &Cluster) -> String {
    let sql = "SELECT concat((SELECT extversion FROM pg_extension WHERE extname = 'pg_passage'), '/', \
        to_regproc('_passage.sql_edition') IS NOT NULL)";
    cluster.query_text(sql).await
}

/// Makes the server offer only `ltree` and what a test writes into the folder that this returns. A server before 18 reads control
/// files from its own folder alone, so there is none.
async fn offered_folder(cluster: &Cluster) -> Option<PathBuf> {
    let installation = cluster.installation();
    if installation.major() < 18 {
        let why = "needs extension_control_path of 18";
        installation.report_skipped("a server without pg_passage", why);
        return None;
    }
    let folder = cluster.folder().join("offered/extension");
    fs::create_dir_all(&folder).unwrap();
    copy_extension(cluster, &folder, "ltree");
    let path = format!(
        "ALTER DATABASE passage SET extension_control_path = '{}'",
        folder.parent().unwrap().display()
    );
    cluster.execute_as(SUPERUSER, &path).await;
    Some(folder)
}

/// Copies the control file and the scripts of an extension of the server.
fn copy_extension(cluster: &Cluster, to: &Path, extension: &str) {
    let program = cluster.installation().bin("pg_config");
    let share = Command::new(program).arg("--sharedir").output().unwrap();
    let from = PathBuf::from(String::from_utf8(share.stdout).unwrap().trim()).join("extension");
    for file in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let name = file.file_name().into_string().unwrap();
        if name.strip_prefix(extension).is_some_and(|rest| rest.starts_with(['.', '-'])) {
            fs::copy(file.path(), to.join(name)).unwrap();
        }
    }
}
