//! Limits of a process that converts a document.

use std::time::Duration;

/// The limits of a process that converts a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// The memory in bytes.
    pub memory: u64,
    /// The time until the process is stopped. The processor time has the same limit.
    pub time: Duration,
}

impl Default for ProcessLimits {
    fn default() -> Self {
        Self { memory: Self::MEMORY_MB << 20, time: Duration::from_secs(Self::SECONDS) }
    }
}

impl ProcessLimits {
    /// The default of the memory in megabytes.
    pub const MEMORY_MB: u64 = 4_096;

    /// The default of the time in seconds.
    pub const SECONDS: u64 = 300;

    /// Limits this process. It keeps limits that are lower already.
    pub(super) fn apply(self) {
        let seconds = self.time.as_secs().max(1);
        // A crash leaves no image of the memory, which contains the document.
        for (resource, limit) in
            [(libc::RLIMIT_AS, self.memory), (libc::RLIMIT_CPU, seconds), (libc::RLIMIT_CORE, 0)]
        {
            let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
            #[expect(unsafe_code, reason = "the standard library does not set limits")]
            // SAFETY: the pointer is to a value that lives during the call, and the kernel only reads it.
            unsafe {
                libc::setrlimit(resource, &raw const limit);
            }
        }
    }
}
