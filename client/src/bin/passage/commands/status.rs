//! The command `status`: what a store holds.

use super::connect;
use crate::args;
use crate::render;
use passage::Error;
use passage::store::{Collection, Status};
use serde::Serialize;

/// All of it as one object.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    status: &'a Status,
    collections: &'a [Collection],
}

pub async fn status(args: args::Status) -> Result<String, Error> {
    let store = connect(&args.server).await?;
    if args.list {
        let documents = store.documents(args.collection.as_deref()).await?;
        return Ok(if args.json {
            documents.iter().map(render::json).collect()
        } else {
            render::documents(&documents)
        });
    }
    let status = store.status().await?;
    let mut collections = store.collections().await?;
    collections.retain(|collection| {
        args.collection.as_ref().is_none_or(|wanted| *wanted == collection.collection)
    });
    Ok(if args.json {
        render::json(&Whole { status: &status, collections: &collections })
    } else {
        render::status(&status, &collections)
    })
}
