//! The command `doctor`: findings on server, store and model, each with its remedy.

use super::connect_told;
use super::embedder::embedder;
use crate::{args, render};
use passage::Error;
use passage::store::{Finding, Severity, Store};
use std::num::NonZero;

/// Returns the text to print, and whether no finding is an error.
pub async fn doctor(args: args::Doctor) -> Result<(String, bool), Error> {
    let findings = match connect_told(&args.server, &args.embedder).await {
        Ok(store) => examine(&args, &store).await?,
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

/// Returns the findings about a role, or those about the server, the store and its model.
async fn examine(args: &args::Doctor, store: &Store) -> Result<Vec<Finding>, Error> {
    if let Some(role) = &args.role {
        return Ok(store.doctor_role(role).await?);
    }
    let mut findings = store.doctor().await?;
    if !args.no_embed {
        findings.extend(check_model(&args.embedder, store).await?);
    }
    Ok(findings)
}

/// Checks that an embedder is available and has the model of the store.
async fn check_model(args: &args::Embedder, store: &Store) -> Result<Vec<Finding>, Error> {
    // Without a store, or with one without embeddings, no model is needed.
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
            format!("{error}; searches use words only"),
            error.remedy(),
        )],
    })
}
