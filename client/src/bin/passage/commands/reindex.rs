//! The command `reindex`: splits and embeds a collection or the whole store again.

use super::embedder::{embedder, splitter};
use super::{connect, url};
use crate::args::{self, Sizer};
use crate::progress::Progress;
use passage::Error;
use passage::ingest::{
    Job, ReindexCollection, ReindexStore, ReindexSummary, reindex_collection, reindex_store,
};
use passage::split::SizeUnit;

/// Reindexes documents and shows the progress.
pub async fn reindex(args: args::Reindex, progress: &Progress) -> Result<ReindexSummary, Error> {
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
    let url = url(&args.server)?;
    let splitter = splitter(sizer, model, &args.embedder.model, &args.splitting)?;
    let args::Reindex { server, collection, jobs, dry_run, .. } = args;
    let job = Job { url, store: server.store, splitter, embedder, jobs, dry_run };
    let report = |event: &_| progress.report_reindex(event);
    let summary = if let Some(collection) = collection {
        let version = args.collection_version;
        reindex_collection(ReindexCollection { job, collection, version }, report).await
    } else {
        let reindex = ReindexStore {
            job,
            embedding_type: args.embedding_type.map(|it| it.name().to_owned()),
            language: args.language,
            drop_former: args.drop_former,
        };
        reindex_store(reindex, report).await
    };
    progress.finish();
    summary
}
