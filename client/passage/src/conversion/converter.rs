//! The settings of conversions: processes with limits, programs of the user, and the cache of their texts.

use super::limits::ProcessLimits;
use super::programs::Programs;
use crate::cache::Cache;

/// How documents that are not text are converted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Converter {
    pub(super) process: Process,
    pub(super) limits: ProcessLimits,
    pub(super) programs: Programs,
    pub(super) cache: Cache,
}

/// The process of the converters of passage-office.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Process {
    /// This process, whose memory and time have no limits.
    #[default]
    Own,
    /// A child process of this program.
    Child,
}

impl Converter {
    /// Returns a converter that runs this program for each document. The program calls
    /// [`run_as_child`](super::run_as_child) before it does anything else. `programs` of the user take precedence.
    pub fn in_child(limits: ProcessLimits, programs: Programs) -> Self {
        Self { process: Process::Child, limits, programs, cache: Cache::of_user("converted") }
    }
}
