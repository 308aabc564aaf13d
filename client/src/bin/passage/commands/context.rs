//! The command `context`: a chunk with what stands around it.

use super::connect;
use crate::args;
use crate::render;
use passage::Error;
use passage::store::ContextOptions;

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
