//! Copies of a server: a standby that streams its changes, and a server that is recovered from a backup.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::keeper::Keeper;
use super::{Cluster, SUPERUSER};
use crate::markdown::Page;
use crate::path_with;
use crate::wait::until;

impl Cluster {
    /// Starts a standby of this server, which the command of the documentation copies.
    ///
    /// # Panics
    ///
    /// Panics if `pg_basebackup` fails or the standby does not start.
    pub async fn standby(&self) -> Self {
        let recipe = Page::read("docs/recipes/replication.md");
        let copy = &recipe.blocks_of("## Standbys", "sh")[0];
        let copy = copy.lines().next().expect("the block has commands");
        let host = format!("-h {}", self.folder().display());
        let copy = copy.replace("-h primary", &host).replace("/standby/data", "backup");
        self.execute_as(SUPERUSER, "CREATE ROLE replicator LOGIN REPLICATION").await;
        self.shell(&copy, self.folder());
        let standby = self.recovered(&self.folder().join("backup"), "").await;
        standby.catch_up_with(self).await;
        standby
    }

    /// Starts a server from a copy of a base backup, with more lines in its `postgresql.conf`.
    ///
    /// # Panics
    ///
    /// Panics if the server does not start.
    pub async fn recovered(&self, backup: &Path, settings: &str) -> Self {
        let installation = self.installation.clone();
        let keeper = Keeper::new(&installation, backup, &[]);
        let data = keeper.folder().join("data");
        if !settings.is_empty() {
            let file = fs::OpenOptions::new().append(true).open(data.join("postgresql.conf"));
            file.and_then(|mut file| file.write_all(settings.as_bytes())).expect("it is writable");
            self.shell("touch recovery.signal", &data);
        }
        let mut cluster = Self { installation, keeper };
        cluster.keeper.start();
        cluster.wait().await;
        cluster
    }

    /// Waits until a standby has all changes of its primary.
    ///
    /// # Panics
    ///
    /// Panics if that takes too long.
    pub async fn catch_up_with(&self, primary: &Self) {
        let end = primary.query_text("SELECT pg_current_wal_flush_lsn()").await;
        let has_all = format!("SELECT pg_last_wal_replay_lsn() >= '{end}'");
        until("the standby has all changes", async || self.query_text(&has_all).await == "t").await;
    }

    /// Runs a shell script in a folder, as the user of the server and the superuser of its databases. The
    /// programs are those of the server.
    ///
    /// # Panics
    ///
    /// Panics if a command of the script fails.
    pub fn shell(&self, script: &str, folder: &Path) -> String {
        let paths = path_with([self.installation.bin("")]);
        let mut shell = self.installation.command("sh");
        shell.args(["-ec", script]).current_dir(folder).env("PATH", paths);
        shell.env("PGHOST", self.folder()).env("PGUSER", SUPERUSER).env_remove("PGPORT");
        let output = shell.output().expect("a shell runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}: {stderr}");
        String::from_utf8(output.stdout).expect("output is UTF-8")
    }
}
