/*!
The data folder that every cluster is a copy of.

Making one takes a second, copying it a tenth of that. It is made once for each version and each
change of what is written below, by whoever comes first; the others wait for the lock.
*/

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::installation::Installation;
use super::{DATABASE, OWNER, SUPERUSER};

/// What is lost in a power cut is of no interest, and what runs by itself makes plans differ.
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

/// Makes the template where it is missing, and names its folder.
pub(super) fn make(installation: &Installation) -> PathBuf {
    let place = Installation::place();
    let sql = format!("CREATE ROLE {OWNER} LOGIN;\nCREATE DATABASE {DATABASE} OWNER {OWNER};\n");
    let mut hasher = DefaultHasher::new();
    (SETTINGS, &sql).hash(&mut hasher);
    let name = format!("template-{}-{:08x}", installation.version(), hasher.finish() as u32);

    let folder = place.join(&name);
    let lock = File::create(place.join(format!("{name}.lock"))).expect("the place is writable");
    lock.lock().expect("a lock is granted");
    if !folder.is_dir() {
        let half = place.join(format!("{name}.half"));
        if half.exists() {
            fs::remove_dir_all(&half).expect("what was left half made can be removed");
        }
        installation.make_folder(&half).expect("the place is writable");
        initialise(installation, &half.join("data"), &sql);
        fs::rename(&half, &folder).expect("the place is writable");
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
