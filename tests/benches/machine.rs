//! The machine of the measurement, and what other programs use of it.

use std::collections::HashMap;
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

/// The processor time until a moment, in ticks of the kernel's clock.
pub struct ProcessorTime {
    /// That of all processors, and the part that was used.
    machine: Option<[u64; 2]>,
    /// That of this program and all that it started: its servers, their sessions and other programs.
    own: u64,
}

impl ProcessorTime {
    /// Reads the counters of the kernel, which only Linux has.
    pub fn now() -> Self {
        Self { machine: machine_ticks(), own: own_ticks() }
    }

    /// Returns the share of the machine's processor time that other programs used since this moment.
    pub fn others_since(&self) -> Option<f64> {
        let now = Self::now();
        let ([all, used], [all_now, used_now]) = (self.machine?, now.machine?);
        let others = (used_now - used).saturating_sub(now.own.saturating_sub(self.own));
        (all_now > all).then(|| others as f64 / (all_now - all) as f64)
    }
}

/// Returns the ticks of all processors, and those that programs or other virtual machines used.
fn machine_ticks() -> Option<[u64; 2]> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let numbers = text.lines().next()?.split_whitespace().skip(1).take(8);
    let ticks: Vec<u64> = numbers.map(str::parse).collect::<Result<_, _>>().ok()?;
    let [_, _, _, idle, waiting, ..] = ticks[..] else { return None };
    let all = ticks.iter().sum();
    Some([all, all - idle - waiting])
}

/// Returns the ticks of this process and its descendants, of which the ended ones count in their parents.
fn own_ticks() -> u64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    let all: HashMap<u32, _> = ids.filter_map(|id| Some((id, process_ticks(id)?))).collect();
    let is_own = |id: u32| {
        let parent = |id: &u32| all.get(id).map(|(parent, _)| *parent);
        std::iter::successors(Some(id), parent).any(|id| id == std::process::id())
    };
    all.iter().filter(|(id, _)| is_own(**id)).map(|(_, (_, ticks))| ticks).sum()
}

/// Returns the parent of a process, and the ticks that it and its ended children used.
pub fn process_ticks(id: u32) -> Option<(u32, u64)> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name of a program is in parentheses.
    let fields: Vec<_> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = fields.get(11..15)?.iter().map(|ticks| ticks.parse::<u64>().ok());
    Some((fields[1].parse().ok()?, ticks.sum::<Option<u64>>()?))
}

/// Returns the value of the first line `name: value` of a file.
pub fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
