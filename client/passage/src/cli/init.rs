//! The command `init`: creates a store.

mod outcome;

use super::options::embedder::{embedder, load};
use super::options::splitting::default_splitting;
use super::options::{Embedder, EmbeddingType, Server};
use super::output::findings::lines;
use super::output::print::{fail, print, print_error};
use super::output::render::ERROR;
use crate::Error;
use crate::embed;
use crate::serve::{embedding_model, store_embedder};
use crate::store::{
    Edition, Finding, InitOptions, OtherSizes, Settings, Severity, setup_without_connection,
};
use clap::{Args, ValueEnum};
use outcome::Outcome;
use passage_split::SPLITTER_VERSION;
use std::process::ExitCode;

/// The text below the options.
pub const HELP: &str = "\
If the store exists, init adds what is missing in it. A database without pg_passage gets the
native extension, or the SQL edition if its server does not offer that one. --edition moves a
database from one to the other, in one transaction that keeps all rows. The model determines
the dimensions of the embeddings, which need the extension vector on the server, unless
--no-embed is given. If the machine lacks something, init lists what, with the command for each
part.

Examples:
  passage init
  passage init --store notes --no-embed
  passage init --embedding-type halfvec --language german
  passage init --partitions 8
  passage init --store tenant_1 --distributed schema
  passage init --edition native";

/// The remedy for a missing model: the first command, or another one.
const MODEL: &str = "Download it, or use a service, or create a store without embeddings. One of:";
const MODEL_COMMANDS: [&str; 3] = [
    "passage model fetch",
    "passage init --embed-url https://api.openai.com/v1 --embed-model text-embedding-3-small",
    "passage init --no-embed",
];

#[derive(Args)]
pub struct Init {
    #[command(flatten)]
    pub server: Server,
    #[command(flatten)]
    pub embedder: Embedder,
    /// Create a store without embeddings, which needs no pgvector
    #[arg(long)]
    pub no_embed: bool,
    /// SQL type of the embeddings [default: vector, from 1000 dimensions on halfvec]
    #[arg(long, value_name = "TYPE", conflicts_with = "no_embed")]
    pub embedding_type: Option<EmbeddingType>,
    /// Text search configuration of the store [default: english]
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// Number of hash partitions of the chunks, 2 to 1024 [default: a single table]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(2..=1024))]
    pub partitions: Option<u32>,
    /// Edition of the functions in the database
    #[arg(long, value_enum, default_value_t = EditionChoice::Auto, value_name = "EDITION")]
    pub edition: EditionChoice,
    /// How Citus distributes the store, which needs Citus [default: it does not]
    #[arg(long, hide_short_help = true, value_name = "LAYOUT", conflicts_with = "partitions")]
    pub distributed: Option<Distribution>,
    /// Print the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The edition that the database gets.
#[derive(Clone, Copy, ValueEnum)]
pub enum EditionChoice {
    /// The one that the database has, else native, else sql
    Auto,
    /// The extension, which the server must have
    Native,
    /// Its functions in SQL, for managed servers without the extension
    Sql,
}

impl EditionChoice {
    /// Returns the edition, or `None` for the one that is possible.
    fn edition(self) -> Option<Edition> {
        match self {
            Self::Auto => None,
            Self::Native => Some(Edition::Native),
            Self::Sql => Some(Edition::Sql),
        }
    }
}

/// The rows of a store that Citus keeps together.
#[derive(Clone, Copy, ValueEnum)]
pub enum Distribution {
    /// All tables are on one node, for many stores such as one per tenant
    Schema,
    /// Each document is on one node, for a store that is too large for one server
    Document,
}

impl Distribution {
    /// Returns the name that `create_store` has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Document => "document",
        }
    }
}

impl Init {
    /// Runs the command. If it fails because of the machine, it also prints what the machine lacks.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let Err(error) = self.create().await else { return Ok(ExitCode::SUCCESS) };
        let findings = self.setup().await;
        if findings.iter().all(|finding| finding.severity < Severity::Bad) {
            return Err(error);
        }
        if findings.iter().all(|finding| finding.finding != error.to_string()) {
            fail(&error);
        }
        let cause = "passage init needs what is missing here, in this order:";
        print_error(&format!("{ERROR}error:{ERROR:#} {cause}\n{}", lines(&findings).trim_end()));
        Ok(ExitCode::FAILURE)
    }

    /// Checks everything that the command needs, in the order in which a user repairs it.
    async fn setup(&self) -> Vec<Finding> {
        let with_embeddings = !self.no_embed;
        let mut findings = match self.server.connect().await {
            Ok(store) => store
                .doctor_setup(with_embeddings, self.edition.edition())
                .await
                .unwrap_or_default(),
            Err(error) => {
                let error = if let Error::Store(error) = &error { Some(error) } else { None };
                let url = self.server.url().unwrap_or_default();
                setup_without_connection(&url, error, with_embeddings)
            }
        };
        // A service is not asked a second time.
        if with_embeddings && self.embedder.service().is_none() {
            findings.push(match load(&self.embedder.model) {
                Ok(model) => Finding::good("model", model.name()),
                Err(error) => {
                    Finding::bad("model", error.to_string(), MODEL).with_commands(MODEL_COMMANDS)
                }
            });
        }
        findings
    }

    /// Creates the store and prints the result.
    async fn create(&self) -> Result<(), Error> {
        let embedder =
            if self.no_embed { None } else { Some(embedder(&self.embedder, None).await?) };
        let mut store = self.server.connect_told(&self.embedder).await?;
        // In an existing store, the model embeds as it did before.
        let recorded = store.recorded_embedding().await.unwrap_or_default();
        let (embedder, local) = match embedder {
            Some((embedder, local)) => (Some(store_embedder(&embedder, recorded)?), local),
            None => (None, None),
        };
        let init = InitOptions {
            edition: self.edition.edition(),
            dimensions: embedder.as_ref().map(embed::Embedder::dimensions),
            embedding_type: self.embedding_type.map(|it| it.name().to_owned()),
            language: self.language.clone(),
            partitions: self.partitions,
            distributed: self.distributed.map(|it| it.name().to_owned()),
        };
        let created = store.init(&init).await?;
        let settings = Settings {
            splitting: default_splitting(local.as_deref(), embedder.as_ref(), &self.embedder),
            other_sizes: OtherSizes::Keep,
            model: embedder.as_ref().map(embedding_model),
            splitter_version: SPLITTER_VERSION,
        };
        // A store with embeddings keeps the sizes that fit its model.
        if !(self.no_embed && store.has_embeddings().await?) {
            store.in_owned_transaction(store.record_settings(&settings)).await?;
        }
        // Only a new column of embeddings lacks those of all chunks; to count is slow in a large store.
        let unembedded = match settings.model {
            Some(_) if created.statements > 0 => store.count_unembedded(None).await?,
            _ => 0,
        };
        let outcome =
            Outcome { store: store.name(), created, model: settings.model.as_ref(), unembedded };
        print(&if self.json { outcome.as_json() } else { outcome.as_text() });
        Ok(())
    }
}
