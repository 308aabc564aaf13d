//! The command `reindex`: a collection, or the whole store, from the stored texts.

use super::embedder::embedder;
use super::{connect, splitter, url};
use crate::args::{self, Sizer};
use crate::progress::Remaking;
use passage::Error;
use passage::ingest::{Beside, Reindex, Reindexed, reindex as in_place, reindex_beside};
use passage::split::SizeUnit;

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
    let url = url(&args.server)?;
    let splitter = splitter(sizer, model, &args.embedder.model, &args.splitting)?;
    let args::Reindex { server, collection, jobs, dry_run, .. } = args;
    let store = server.store;
    let report = |event: &_| progress.report(event);
    let reindexed = if let Some(collection) = collection {
        let version = args.collection_version;
        let job = Reindex { url, store, collection, version, splitter, embedder, jobs, dry_run };
        in_place(job, report).await
    } else {
        let (embedding_type, language) =
            (args.embedding_type.map(|it| it.name().to_owned()), args.language);
        let removes_former = args.drop_former;
        let job = Beside {
            url,
            store,
            splitter,
            embedder,
            embedding_type,
            language,
            jobs,
            removes_former,
            dry_run,
        };
        reindex_beside(job, report).await
    };
    progress.finish();
    reindexed
}
