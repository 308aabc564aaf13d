/*!
`PgBouncer` in front of a server.

The pooler listens on a socket in the server's folder and runs as the server's user. `PGBOUNCER` names
the program; the default is the installed one.
*/

use super::{Cluster, DATABASE};
use crate::wait::PATIENCE;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tokio_postgres::{Config, NoTls};

/// The port in the name of its socket.
const PORT: u16 = 6432;

/// The paths of the program in distributions. It is often not on the PATH of ordinary users.
const INSTALLED: [&str; 2] = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"];

/// Ends at the end of its input, so a pooler never outlives its test.
const SCRIPT: &str = r#""$1" -q "$2" & pooler=$!; read -r _; kill "$pooler"; wait "$pooler""#;

/// A running pooler, stopped when dropped.
#[derive(Debug)]
pub struct Pooler {
    child: Child,
    folder: PathBuf,
}

impl Cluster {
    /// Starts a pooler in front of this server with additional settings, such as
    /// `pool_mode = transaction`. Returns `None` without `PgBouncer` and reports the test as skipped.
    ///
    /// # Panics
    ///
    /// Panics if the pooler does not start.
    pub async fn pooler(&self, what: &str, settings: &str) -> Option<Pooler> {
        let named = std::env::var_os("PGBOUNCER").map(PathBuf::from);
        let installed = INSTALLED.iter().map(PathBuf::from).find(|path| path.is_file());
        let Some(program) = named.or(installed) else {
            self.installation.report_skipped(what, "pgbouncer is not installed");
            return None;
        };
        let folder = self.folder().to_owned();
        let (settings_file, users) = (folder.join("pgbouncer.ini"), folder.join("users"));
        let shown = folder.display();
        let all = format!(
            "[databases]\n{DATABASE} = host={shown} port=5432 dbname={DATABASE}\n[pgbouncer]\n\
             unix_socket_dir = {shown}\nlisten_port = {PORT}\nauth_type = trust\n\
             auth_file = {}\nlogfile = {shown}/pgbouncer.log\n{settings}\n",
            users.display()
        );
        write(&users, "\"owner\" \"\"\n\"postgres\" \"\"\n");
        write(&settings_file, &all);
        let child = self
            .installation
            .command("sh")
            .args(["-c", SCRIPT, "pooler"])
            .arg(program)
            .arg(&settings_file)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell runs");
        let pooler = Pooler { child, folder };
        let begun = Instant::now();
        while let Err(error) = pooler.config("owner").connect(NoTls).await {
            let log = fs::read_to_string(pooler.folder.join("pgbouncer.log")).unwrap_or_default();
            assert!(begun.elapsed() < PATIENCE, "the pooler does not start: {error}\n{log}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Some(pooler)
    }
}

impl Pooler {
    /// Returns the URL of the database through this pooler.
    pub fn url_as(&self, role: &str) -> String {
        format!("postgresql:///{DATABASE}?host={}&port={PORT}&user={role}", self.folder.display())
    }

    /// Returns the connection settings of a role through this pooler.
    pub fn config(&self, role: &str) -> Config {
        let mut config = Config::new();
        config.host_path(&self.folder).port(PORT).user(role).dbname(DATABASE);
        config
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // If the pooler failed, the test that uses it reports that.
        let _ = self.child.wait();
    }
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("the folder can be written");
}
