//! Options of the conversion of documents that are not text.

use super::DOCUMENTS;
use crate::Error;
use crate::conversion::{Converter, ProcessLimits, Programs};
use clap::Args;
use std::time::Duration;

/// The maximum of the time limit in seconds, a day.
const MAX_SECONDS: u64 = 86_400;

/// The maximum of the memory limit in megabytes, a terabyte.
const MAX_MEMORY_MB: u64 = 1 << 20;

/// The programs that convert documents, and the limits of their processes.
#[derive(Args)]
#[command(next_help_heading = DOCUMENTS)]
pub struct ConversionOptions {
    /// Program that converts documents of a type to Markdown, HTML, text or JSON lines, as in 'pdf=markitdown {}'; {} is the
    /// file, {output} a folder for the result; may be repeated
    #[arg(long, hide_short_help = true, value_name = "TYPE=COMMAND")]
    pub convert: Vec<String>,
    /// Name of an environment variable that programs of --convert get besides PATH, HOME and similar ones,
    /// such as that of a key; may be repeated
    #[arg(long, hide_short_help = true, value_name = "NAME")]
    pub convert_env: Vec<String>,
    /// Seconds within which a document that is not text must be converted, 1 to 86400
    #[arg(long, hide_short_help = true, value_name = "SECONDS", default_value_t = ProcessLimits::SECONDS,
        value_parser = clap::value_parser!(u64).range(1..=MAX_SECONDS))]
    pub convert_timeout: u64,
    /// Megabytes of memory within which a document that is not text must be converted, 256 to 1048576
    #[arg(long, hide_short_help = true, value_name = "MB", default_value_t = ProcessLimits::MEMORY_MB,
        value_parser = clap::value_parser!(u64).range(256..=MAX_MEMORY_MB))]
    pub convert_memory: u64,
}

impl ConversionOptions {
    /// Returns the converter, which runs a process for each document.
    pub fn converter(&self) -> Result<Converter, Error> {
        let time = Duration::from_secs(self.convert_timeout);
        let limits = ProcessLimits { memory: self.convert_memory << 20, time };
        Ok(Converter::in_child(limits, self.programs()?))
    }

    /// Returns the programs that convert documents.
    pub fn programs(&self) -> Result<Programs, Error> {
        Programs::parse(&self.convert)?.with_variables(self.convert_env.clone())
    }
}
