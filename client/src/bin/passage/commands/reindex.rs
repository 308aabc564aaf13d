//! The command `reindex`: a collection from its stored texts.

use super::embedder::{embedder, load};
use super::{by_wordpieces, connect, url};
use crate::args::{self, Sizer};
use crate::progress::Remaking;
use passage::Error;
use passage::ingest::{Reindex, Reindexed, reindex as remake};
use passage::split::{SizeUnit, Splitter};

pub async fn reindex(args: args::Reindex, progress: &Remaking) -> Result<Reindexed, Error> {
    let store = connect(&args.server).await?;
    let (embedder, model) = if args.no_embed || !store.has_embeddings().await? {
        (None, None)
    } else {
        let (embedder, model) = embedder(&args.embedder, args.jobs).await?;
        (Some(embedder), model)
    };
    let sizer = match args.sizer {
        Some(sizer) => sizer,
        None if store.sizer().await?.as_deref() == Some(SizeUnit::Wordpieces.name()) => {
            Sizer::Wordpieces
        }
        None => Sizer::Characters,
    };
    let splitter = match (sizer, model) {
        (Sizer::Characters, _) => Splitter::by_characters(),
        (Sizer::Wordpieces, Some(model)) => by_wordpieces(&model),
        (Sizer::Wordpieces, None) => by_wordpieces(&*load(&args.embedder.model)?),
    };
    let job = Reindex {
        url: url(&args.server)?,
        store: args.server.store,
        collection: args.collection,
        version: args.collection_version,
        splitter: splitter.with_overlap(args.splitting.overlap as usize),
        embedder,
        jobs: args.jobs,
        dry_run: args.dry_run,
    };
    let reindexed = remake(job, |event| progress.report(event)).await;
    progress.finish();
    reindexed
}
