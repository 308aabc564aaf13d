//! The command `serve`: serves HTTP and the page.

use super::eval::read_report;
use super::options::Serving;
use super::options::interruption::interruption;
use super::options::serving::{listen, reader};
use super::output::print::print_error;
use crate::Error;
use crate::serve::http;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// The text below the options.
pub const HELP: &str = "\
The page is at /, the description of the API at /openapi.json. The role of the database
connection decides what callers may read. Nothing is written, but with --allow-ratings
ratings of chunks, which searches with the ranking feedback count.

The variable PASSAGE_TOKEN sets a bearer token of at least 16 characters, which callers must
send. Addresses other than loopback require it, because every user of the machine can connect
without one.

Examples:
  passage serve
  passage serve --listen 127.0.0.1:9000 --store handbook
  passage serve --eval report.json
  PASSAGE_TOKEN=$(openssl rand -hex 16) passage serve --listen 0.0.0.0:8642";

#[derive(Args)]
pub struct Serve {
    #[command(flatten)]
    pub serving: Serving,
    /// Address to listen on; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:8642", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// Report of passage eval --json, which the page shows
    #[arg(long, value_name = "FILE")]
    pub eval: Option<PathBuf>,
}

impl Serve {
    /// Serves until a signal.
    pub async fn run(self) -> Result<ExitCode, Error> {
        let evaluation = match &self.eval {
            Some(path) => Some(read_report(path)?.1),
            None => None,
        };
        // The address is tried first, because the model takes longer to load.
        let (listener, guard, address) = listen(self.listen).await?;
        let (reader, _) = reader(&self.serving, evaluation).await?;
        let interrupted = Box::pin(interruption());
        print_error(&format!("listening on http://{address}"));
        http::serve(listener, Arc::clone(&reader), guard, interrupted).await;
        reader.close().await;
        Ok(ExitCode::SUCCESS)
    }
}
