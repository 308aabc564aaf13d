//! The machine of the measurement.

use std::fs;

use passage_tests::cluster::Installation;

/// Returns one line: processor, cores, memory, and the server's version.
pub fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".into());
    let avx512 = field("/proc/cpuinfo", "flags")
        .is_some_and(|flags| flags.split(' ').any(|flag| flag == "avx512f"));
    let memory = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map_or_else(String::new, |kilobytes| format!(", {:.0} GiB", kilobytes / 1_048_576.0));
    let version = Installation::find().version().to_owned();
    format!(
        "{model}{}, {cores} cores{memory}, PostgreSQL {version}, {}",
        if avx512 { " with AVX-512" } else { "" },
        std::env::consts::OS,
    )
}

/// Returns the value of the first line `name: value` of a file.
pub fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
