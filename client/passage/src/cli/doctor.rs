//! The command `doctor`: findings on server, store and model, each with its remedy.

use super::options::embedder::embedder;
use super::options::{Embedder, Server};
use super::output::findings::{lines, verdict};
use super::output::print::print;
use super::output::render::json;
use crate::Error;
use crate::embed::forget_checksums;
use crate::serve::{embedding_model, store_embedder};
use crate::store::{Finding, Severity, Store};
use clap::Args;
use std::num::NonZero;
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
Each finding has a remedy. The exit code is 1 if something does not work; warnings do not
change it.

doctor runs no code of other roles: if reading the store would do so, it reports that and reads
only the catalogs.

With --as, doctor reports what another role can and cannot do in the store: read, search,
ingest, embed and remove. The remedies are the GRANT and CREATE POLICY statements that the
owner of the store can run.

Examples:
  passage doctor
  passage doctor --as app
  passage doctor --json | jq 'select(.severity != \"good\")'";

#[derive(Args)]
pub struct Doctor {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Report what this role can and cannot do in the store
    #[arg(long = "as", value_name = "ROLE")]
    pub role: Option<String>,
    /// Do not check the model
    #[arg(long)]
    pub no_embed: bool,
    /// Print one JSON object per line for each finding
    #[arg(long)]
    pub json: bool,
}

impl Doctor {
    /// Runs the command. It fails if a finding is an error.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let findings = match self.server.connect_told(&self.embedder).await {
            Ok(store) => self.examine(&store).await?,
            Err(error @ Error::Usage { .. }) => return Err(error),
            Err(error) => vec![Finding::bad("connection", error.to_string(), error.remedy())],
        };
        print(&if self.json {
            findings.iter().map(json).collect()
        } else {
            lines(&findings) + &verdict(&findings)
        });
        let is_healthy = findings.iter().all(|finding| finding.severity < Severity::Bad);
        Ok(if is_healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Returns the findings about a role, or those about the server, the store and its model.
    async fn examine(&self, store: &Store) -> Result<Vec<Finding>, Error> {
        if let Some(role) = &self.role {
            return Ok(store.doctor_role(role).await?);
        }
        let mut findings = store.doctor().await?;
        if !self.no_embed {
            findings.extend(check_model(&self.embedder, store).await?);
        }
        Ok(findings)
    }
}

/// Checks that an embedder is available and has the model of the store.
async fn check_model(args: &Embedder, store: &Store) -> Result<Vec<Finding>, Error> {
    // Without a store, or with one without embeddings, no model is needed.
    if !store.has_embeddings().await.unwrap_or(false) {
        return Ok(Vec::new());
    }
    // The other commands trust the checksums that they remember.
    forget_checksums();
    Ok(match embedder(args, NonZero::new(1)).await {
        Ok((embedder, local)) => {
            let recorded = store.recorded_embedding().await?;
            let mut findings = match store_embedder(&embedder, recorded) {
                Ok(embedder) => store.doctor_model(&embedding_model(&embedder)).await?,
                Err(error) => vec![Finding::bad("model", error.to_string(), error.remedy())],
            };
            findings.extend(local.iter().flat_map(|model| model.assumptions()).map(assumption));
            findings
        }
        Err(error) => vec![Finding::warning(
            "model",
            format!("{error}; searches use words only"),
            error.remedy(),
        )],
    })
}

/// Returns the finding about a setting that the folder of a model lacks.
fn assumption(assumption: &String) -> Finding {
    Finding::warning(
        "model",
        format!("its folder has no {assumption}"),
        "Put all files of the model into its folder, as sentence-transformers saves them.",
    )
}
