/*!
Splits documents, embeds them and loads them into a `pg_passage` store.

This is the library behind the command `passage`, for programs that fill a store by themselves.
A file ([`source`]) becomes a text with a title and a type ([`document`]), the text becomes pieces
([`split`]), each piece a vector ([`embed`], here or by a service), and all of them rows in one transaction ([`store`]). These rooms do not know one
another; [`ingest`] leads a document through all of them, and [`fill`](ingest::fill) embeds what others loaded. Search, expansion and assembly are not here
but in the database; only a question is embedded here.

```no_run
use passage::document::MetadataOverrides;
use passage::embed::{Model, Pool};
use passage::ingest::{Event, Ingest, ingest};
use passage::source;
use passage::split::Splitter;
use passage::store::{Init, Search, Store};
use std::{path::Path, sync::Arc};

#[tokio::main]
async fn main() -> Result<(), passage::Error> {
    let url = "postgresql:///library?host=/var/run/postgresql";
    let model = Model::load(Path::new("/srv/models/all-MiniLM-L6-v2"))?;

    // Once: the extension, and a store for embeddings of this model.
    let mut store = Store::connect(url, "rag").await?;
    store.init(&Init { dimensions: Some(model.dimensions()), ..Init::default() }).await?;

    // As often as documents change; those that did not cost nothing.
    let job = Ingest {
        url: url.into(),
        store: "rag".into(),
        collection: "handbook".into(),
        version: String::new(),
        splitter: Splitter::by_wordpieces(model.wordpieces().clone(), model.limit() - 2),
        embedder: Some(Arc::new(Pool::new(&model, None)?.into())),
        reading: MetadataOverrides::default(),
        metadata: serde_json::Map::new(),
        jobs: None,
        dry_run: false,
    };
    let summary = ingest(job, source::walk(Path::new("docs")), |event| {
        if let Event::Failed { error, .. } = event {
            eprintln!("{error}: {}", error.remedy());
        }
    })
    .await?;
    println!("{} documents are new", summary.added);

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

The embedding threads are at their best with `RAYON_NUM_THREADS=1` in the environment; see
[`Pool::SINGLE_THREADED`](embed::Pool::SINGLE_THREADED).
*/

pub mod document;
pub mod embed;
mod error;
mod http;
pub mod ingest;
mod nul;
pub mod source;
pub mod split;
pub mod store;

pub use error::Error;
