//! The command `doctor`: what is wrong, and what to do about it.

use super::{connect, embedder};
use crate::args;
use crate::render;
use passage::Error;
use passage::store::{Finding, Severity, Store};
use std::num::NonZero;

/// Returns what to print, and whether nothing is wrong.
pub async fn doctor(args: args::Doctor) -> Result<(String, bool), Error> {
    let findings = match connect(&args.server).await {
        Ok(store) => {
            let mut findings = store.doctor().await?;
            if !args.no_embed {
                findings.extend(model(&args.embedder, &store).await?);
            }
            findings
        }
        Err(error @ Error::Usage { .. }) => return Err(error),
        Err(error) => vec![Finding::bad("connection", error.to_string(), error.remedy())],
    };
    let output = if args.json {
        findings.iter().map(render::json).collect()
    } else {
        render::findings(&findings)
    };
    Ok((output, findings.iter().all(|finding| finding.severity < Severity::Bad)))
}

/// Looks whether there is a model here, and whether it is the store's.
async fn model(args: &args::Embedder, store: &Store) -> Result<Vec<Finding>, Error> {
    // Without a store, or with one for text alone, there is nothing for a model to do.
    if !store.has_embeddings().await.unwrap_or(false) {
        return Ok(Vec::new());
    }
    Ok(match embedder(args, NonZero::new(1)).await {
        Ok((embedder, _)) => {
            let model = (embedder.name().to_owned(), embedder.dimensions());
            store.doctor_model(&model).await?
        }
        Err(error) => vec![Finding::warning(
            "model",
            format!("{error}; searches go by words alone"),
            error.remedy(),
        )],
    })
}
