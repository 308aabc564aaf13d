//! The command `context`: shows a chunk with its context.

use super::connect;
use crate::{args, render};
use passage::Error;
use passage::store::ContextOptions;

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
    let rows = connect(&args.server).await?.context(args.chunk, &context).await?;
    Ok(if args.json { rows.iter().map(render::json).collect() } else { render::context(&rows) })
}
