//! The options of `serve`.

use super::serving::Serving;
use clap::Args;
use std::net::SocketAddr;

/// The text below the options.
pub const HELP: &str = "\
The page is at /, the description of the API at /openapi.json. The role of the database
connection decides what callers may read; nothing is written.

The variable PASSAGE_TOKEN sets a bearer token of at least 16 characters, which callers must
send. Addresses other than loopback require it. Without a token, every user of the machine
can connect.

Examples:
  passage serve
  passage serve --listen 127.0.0.1:9000 --store handbook
  PASSAGE_TOKEN=$(openssl rand -hex 16) passage serve --listen 0.0.0.0:8642";

#[derive(Args)]
pub struct Serve {
    #[command(flatten)]
    pub serving: Serving,
    /// Address to listen on; port 0 takes a free one
    #[arg(long, default_value = "127.0.0.1:8642", value_name = "ADDRESS")]
    pub listen: SocketAddr,
}
