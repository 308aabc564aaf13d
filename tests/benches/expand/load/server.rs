//! A server that is large enough, and a folder that keeps its data.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use passage_tests::Cluster;
use passage_tests::cluster::{Installation, SUPERUSER};

/// The version of the data, which changes with the loaded rows.
const LOADED: u32 = 2;

/// Settings for this amount of data, all of which stays in memory.
const SETTINGS: &str = "
    ALTER SYSTEM SET shared_buffers = '6GB';
    ALTER SYSTEM SET max_wal_size = '16GB';
    ALTER SYSTEM SET effective_cache_size = '8GB';
    ALTER SYSTEM SET random_page_cost = 1.1;
    ALTER SYSTEM SET checkpoint_timeout = '1h'";

/// Applies the settings to the server.
pub async fn configure(cluster: &mut Cluster) {
    for setting in SETTINGS.split(';') {
        cluster.execute_as(SUPERUSER, setting).await;
    }
    cluster.restart().await;
}

/// Moves the data of a kept folder into the server. Returns whether there were any.
pub async fn take(cluster: &mut Cluster, keep: Option<&Path>) -> bool {
    let Some(folder) = keep else { return false };
    let (own, kept) = (cluster.folder().join("data"), folder.join("data"));
    fs::create_dir_all(folder).expect("the folder can be made");
    let has_data = fs::read_to_string(mark(folder)).is_ok_and(|text| text == version());
    cluster.stop();
    if has_data {
        fs::remove_dir_all(&own).expect("the server's own data can be removed");
    } else {
        let _ = fs::remove_file(mark(folder));
        let _ = fs::remove_dir_all(&kept);
        // Unlike a rename, this crosses file systems, and it keeps the owner.
        let moved = Command::new("mv").args([&own, &kept]).status();
        assert!(moved.is_ok_and(|status| status.success()), "the data can be moved");
    }
    let kept = kept.canonicalize().expect("it was found or moved there");
    std::os::unix::fs::symlink(kept, own).expect("the server's folder is writable");
    cluster.start_again().await;
    has_data
}

/// Marks the data of a folder as complete.
pub fn keep(folder: Option<&Path>) {
    if let Some(folder) = folder {
        fs::write(mark(folder), version()).expect("the folder is writable");
    }
}

fn mark(folder: &Path) -> PathBuf {
    folder.join("loaded")
}

/// Returns what the data depend on. The install script is not part of it, because each change of it would load the
/// data again; a kept folder is for work on the library.
fn version() -> String {
    format!("{} {LOADED}\n", Installation::find().version())
}
