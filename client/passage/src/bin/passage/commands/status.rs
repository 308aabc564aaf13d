//! The command `status`: shows the contents of a store.

use super::connect;
use crate::{args, render};
use passage::Error;
use passage::store::{Collection, Status};
use serde::Serialize;

/// The JSON object.
#[derive(Serialize)]
struct StoreStatus<'a> {
    #[serde(flatten)]
    status: &'a Status,
    collections: &'a [Collection],
}

/// Returns the text to print.
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
        args.collection.as_ref().is_none_or(|requested| *requested == collection.collection)
    });
    Ok(if args.json {
        render::json(&StoreStatus { status: &status, collections: &collections })
    } else {
        render::status(&status, &collections)
    })
}
