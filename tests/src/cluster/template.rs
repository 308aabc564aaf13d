/*!
The template of the data folders: each cluster is a copy of it.

To make a template takes a second, to copy it a tenth of a second. The first test that needs a template
makes it; the others wait for its lock. Each version of PostgreSQL and each change of the settings below
has its own template.
*/

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::installation::Installation;
use super::{DATABASE, OWNER, SUPERUSER};

/// Durability is not needed, and automatic maintenance would change plans.
const SETTINGS: &str = "
autovacuum = off
fsync = off
lc_messages = 'C'
listen_addresses = ''
max_connections = 50
max_wal_size = 4GB
shared_buffers = 64MB
timezone = 'UTC'
";

/// Returns the folder of the template, which is made if it does not exist.
pub(super) fn make(installation: &Installation) -> PathBuf {
    let shared = Installation::shared_folder();
    let sql = format!("CREATE ROLE {OWNER} LOGIN;\nCREATE DATABASE {DATABASE} OWNER {OWNER};\n");
    let mut hasher = DefaultHasher::new();
    (SETTINGS, &sql).hash(&mut hasher);
    let name = format!("template-{}-{:08x}", installation.version(), hasher.finish() as u32);

    let folder = shared.join(&name);
    let lock = File::create(shared.join(format!("{name}.lock"))).expect("the folder is writable");
    lock.lock().expect("a lock is granted");
    if !folder.is_dir() {
        let half = shared.join(format!("{name}.half"));
        if half.exists() {
            fs::remove_dir_all(&half).expect("an incomplete template can be removed");
        }
        installation.make_folder(&half).expect("the folder is writable");
        initialise(installation, &half.join("data"), &sql);
        fs::rename(&half, &folder).expect("the folder is writable");
    }
    folder.join("data")
}

fn initialise(installation: &Installation, data: &Path, sql: &str) {
    let locale = if cfg!(target_os = "macos") { "en_US.UTF-8" } else { "C.UTF-8" };
    let mut initdb = installation.command(installation.bin("initdb"));
    initdb.arg("-D").arg(data).args(["-U", SUPERUSER, "--auth=trust", "--encoding=UTF8"]);
    initdb.args(["--locale", locale, "--no-sync", "--wal-segsize=4"]);
    run(&mut initdb, "");

    let mut append = installation.command("tee");
    run(append.arg("-a").arg(data.join("postgresql.conf")), SETTINGS);

    // In single-user mode each line is a statement.
    let mut single = installation.command(installation.bin("postgres"));
    run(single.arg("--single").arg("-D").arg(data).arg("postgres"), sql);
}

fn run(command: &mut Command, input: &str) {
    let output = feed(command, input).unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    let failed = !output.status.success() || stderr.contains("ERROR:");
    assert!(!failed, "{command:?}: {}\n{stderr}", output.status);
}

fn feed(command: &mut Command, input: &str) -> std::io::Result<Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    child.stdin.take().expect("stdin is piped").write_all(input.as_bytes())?;
    child.wait_with_output()
}
