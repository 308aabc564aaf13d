//! The vector index of a first load, built after the rows.

use super::Event;
use super::run::Run;
use crate::Error;
use crate::store::Store;
use std::pin::pin;
use std::time::Duration;

/// How often it is told how far the index is.
const INTERVAL: Duration = Duration::from_millis(500);

/// Builds the index through a connection of its own, and tells how far it is.
pub(super) async fn build(run: &Run, mut store: Store) -> Result<(), Error> {
    let of = run.reader.count_embeddings().await?;
    let tell =
        |done: i64| run.report(&Event::Indexing { done: done.min(of) as usize, of: of as usize });
    tell(0);
    let mut building = pin!(store.build_index());
    loop {
        tokio::select! {
            built = &mut building => break built?,
            () = tokio::time::sleep(INTERVAL) => {
                if let Some(done) = run.reader.index_progress().await? {
                    tell(done);
                }
            }
        }
    }
    tell(of);
    Ok(())
}
