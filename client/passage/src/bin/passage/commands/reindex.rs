//! The command `reindex`: splits and embeds a collection or the whole store again.

use super::embedder::embedder;
use super::splitter::StoreSplitter;
use super::{connect_told, url};
use crate::args::{self, Sizer};
use crate::progress::Progress;
use crate::render;
use passage::Error;
use passage::ingest::{
    Job, ReindexCollection, ReindexStore, ReindexSummary, reindex_collection, reindex_store,
};
use passage::split::Splitter;
use passage::store::{Notice, Splitting, Store};

/// Returns whether the store records other sizes than those of a splitter.
async fn changes_sizes(store: &Store, splitter: &Splitter) -> Result<bool, Error> {
    let (unit, limits, overlap) = (splitter.unit(), splitter.limits(), splitter.overlap());
    let splitting = Splitting { unit, limits, overlap };
    let recorded = store.recorded_splitting().await?;
    Ok(recorded.is_some_and(|recorded| recorded != splitting))
}

fn other_collections() -> Notice {
    Notice {
        message: "the store now has other chunk sizes; any other collections still have chunks of the former sizes".into(),
        hint: Some("To split them too: passage reindex, with --collection for each of them or without.".into()),
    }
}

/// Reindexes documents and shows the progress.
pub async fn reindex(args: args::Reindex, progress: &Progress) -> Result<ReindexSummary, Error> {
    let store = connect_told(&args.server, &args.embedder).await?;
    store.must_be_writable().await?;
    let model_name = args.embedder.model_name();
    let (embedder, model) = if args.no_embed || !store.has_embeddings().await? {
        (None, None)
    } else {
        let (embedder, model) = embedder(&args.embedder, args.jobs).await?;
        (Some(embedder), model)
    };
    let splitter = StoreSplitter {
        store: &store,
        options: &args.splitting,
        embedder: &args.embedder,
        loaded: model,
        default: Sizer::Characters,
    };
    let (splitter, note) = splitter.splitter().await?;
    if let Some(note) = note {
        progress.note(&render::note(&note));
    }
    if args.collection.is_some() && changes_sizes(&store, &splitter).await? {
        progress.note(&render::note(&other_collections()));
    }
    let url = url(&args.server)?;
    let args::Reindex { server, collection, jobs, dry_run, .. } = args;
    let job = Job { url, store: server.store, splitter, embedder, model_name, jobs, dry_run };
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
