//! The command `context`: shows a chunk with its context.

use super::connect;
use super::context_file::write_file;
use crate::{args, render};
use passage::Error;
use passage::store::{self, ContextOptions};

/// Returns the text to print.
pub async fn context(args: args::Context) -> Result<String, Error> {
    let context = ContextOptions {
        strategy: args.strategy,
        parents: args.parents,
        preceding: args.preceding,
        following: args.following,
        children: args.children,
        before: args.before,
        after: args.after,
        siblings: args.siblings,
        within: args.within,
        max_tokens: args.max_tokens,
        max_chunks: args.max_chunks,
    };
    let store = connect(&args.server).await?;
    let of_source = async || {
        let chunk = store.chunk_of_source(&args.chunk).await?;
        store.context(chunk, &context).await
    };
    let rows = match args.chunk.parse() {
        Ok(chunk) => match store.context(chunk, &context).await {
            // The ids of the adopted table can be uuids too.
            Err(error @ store::Error::NoChunk(_)) => of_source().await.map_err(|_| error)?,
            rows => rows?,
        },
        Err(_) => of_source().await?,
    };
    if let Some(file) = &args.html {
        return write_file(&store, &rows, &context, file).await;
    }
    Ok(if args.json { rows.iter().map(render::json).collect() } else { render::context(&rows) })
}
