/*!
Splits documents, embeds them and loads them into a `pg_passage` store.

This is the library of the command `passage`, for programs that load a store themselves. [`source`] reads
files, archives and pages. [`document`] converts each to text with a title and a media type. [`split`] splits the
text into chunks. [`embed`] converts chunks to vectors, in this process or by a service. [`store`] writes all
of it in one transaction. These modules do not depend on each other; [`ingest`] connects them.
[`fill`](ingest::fill) embeds chunks that other programs have loaded.

Search, expansion and assembly run in the database. The client only embeds the question.

```no_run
use passage::embed::{Model, Pool};
use passage::ingest::{Event, Ingest, Job, ingest};
use passage::source;
use passage::split::Splitter;
use passage::store::{InitOptions, Search, Store};
use std::{path::Path, sync::Arc};

#[tokio::main]
async fn main() -> Result<(), passage::Error> {
    let url = "postgresql:///library?host=/var/run/postgresql";
    let model = Model::load(Path::new("/srv/models/all-MiniLM-L6-v2"))?;

    // Once: install the extension and create a store for the model's embeddings.
    let mut store = Store::connect(url, "rag").await?;
    let options = InitOptions { dimensions: Some(model.dimensions()), ..InitOptions::default() };
    store.init(&options).await?;

    // Again whenever documents change; unchanged documents are not written.
    let job = Job {
        splitter: Splitter::by_wordpieces(model.wordpieces().clone(), model.limit() - 2),
        embedder: Some(Arc::new(Pool::new(&model, None)?.into())),
        ..Job::new(url, "rag")
    };
    let job = Ingest { collection: "handbook".into(), ..Ingest::new(job) };
    let summary = ingest(job, source::walk(Path::new("docs")), |event| {
        if let Event::Failed { error, .. } = event {
            eprintln!("{error}: {}", error.remedy());
        }
    })
    .await?;
    println!("{} documents added", summary.added);

    let question = "How do I configure logging?";
    let search = Search {
        question: question.into(),
        embedding: Some(model.embed(question)?),
        max_tokens: Some(2_000),
        ..Search::default()
    };
    for passage in store.search(&search).await?.passages {
        println!("{:?} {}", passage.uri, passage.content);
    }
    Ok(())
}
```
*/

mod cache;
pub mod cli;
pub mod conversion;
pub mod document;
mod error;
pub mod eval;
pub mod export;
pub mod ingest;
pub mod split;
mod text_writer;

pub use error::Error;
pub use passage_embed as embed;
pub use passage_embed::rerank;
pub use passage_serve as serve;
pub use passage_source as source;
pub use passage_store as store;
pub use text_writer::TextWriter;
