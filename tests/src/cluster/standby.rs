//! A standby of a server: a second server that streams the changes of the first one.

use super::keeper::Keeper;
use super::{Cluster, SUPERUSER};
use crate::wait::until;

impl Cluster {
    /// Starts a standby of this server.
    ///
    /// # Panics
    ///
    /// Panics if `pg_basebackup` fails or the standby does not start.
    pub async fn standby(&self) -> Self {
        let installation = self.installation.clone();
        let backup = self.folder().join("backup");
        let mut copy = installation.command(installation.bin("pg_basebackup"));
        copy.arg("-D").arg(&backup).arg("-h").arg(self.folder());
        copy.args(["-U", SUPERUSER, "-R", "-c", "fast", "-X", "stream"]).env_remove("PGPORT");
        let output = copy.output().expect("pg_basebackup runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let keeper = Keeper::new(&installation, &backup, &[]);
        let mut standby = Self { installation, keeper };
        standby.keeper.start();
        standby.wait().await;
        standby.catch_up_with(self).await;
        standby
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
}
