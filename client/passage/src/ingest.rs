/*!
Ingest: reads documents from sources, splits and embeds them, and writes them to a store.

This is the only module that knows all four steps. It also fills missing embeddings ([`fill`]),
removes documents whose sources no longer exist ([`sync`]), and splits stored documents again
([`reindex_collection`], [`reindex_store`]). A [`Job`] names the store and the model for all of
them.

[`ingest`] is a pipeline. One thread finds documents. One task per core splits them. The embedder embeds
their chunks, and two connections write them. All steps run at the same time: while one document is
embedded, another one is read and split, and a third one is written. The steps are connected by
queues of bounded length, and the bytes of all documents in the pipeline are bounded too. So memory
does not grow with the number of documents.

A document whose content hash is already in the store costs one read of its file and nothing else.
Of a changed document, only chunks with new text are embedded and only rows that differ are written.

The first load of a store without embeddings drops the vector index at the beginning and builds it
at the end.

A document that fails is reported, and the others continue. An error that would fail every document,
such as a lost server, ends the run.
*/

mod document;
mod event;
mod fill;
mod find;
mod given;
mod http_cache;
mod job;
mod load;
mod marked;
mod prepared;
mod reindex;
mod resplit;
mod run;
mod source_metadata;
mod split_document;
mod sync;
mod tasks;
mod unsupported;

pub use event::{Event, Outcome, Summary};
pub use fill::{Fill, FillEvent, fill};
pub use http_cache::http_cache;
pub use job::{Ingest, Job};
pub use reindex::{
    ReindexCollection, ReindexEvent, ReindexOutcome, ReindexStore, ReindexSummary,
    reindex_collection, reindex_store,
};
pub use run::ingest;
pub use sync::{Sync, sync};
pub use unsupported::Unsupported;
