//! Service files: named sets of connection options.

use super::conninfo::OptionPairs;
use super::environment::{Environment, OptionError};
use std::path::PathBuf;

/// Debian's folder of the system's service file; `PGSYSCONFDIR` overrides it.
const SYSTEM_FOLDER: &str = "/etc/postgresql-common";

/// Returns the options of a service, from the user's file if it defines the service, else from the
/// system's.
pub(super) fn find(
    name: &str,
    file: Option<&str>,
    environment: &dyn Environment,
) -> Result<OptionPairs, OptionError> {
    let own = environment.file(file, &[".pg_service.conf"]);
    let folder = environment.variable("PGSYSCONFDIR").unwrap_or_else(|| SYSTEM_FOLDER.into());
    let system = PathBuf::from(folder).join("pg_service.conf");
    for path in own.into_iter().chain([system]) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let pairs = section(&text, name)
            .map_err(|line| format!("syntax error in line {line} of {}", path.display()))?;
        if let Some(pairs) = pairs {
            return Ok(pairs);
        }
    }
    Err(format!("no service file defines the service \"{name}\""))
}

/// Returns the options under `[name]`, or the number of the invalid line.
fn section(text: &str, name: &str) -> Result<Option<OptionPairs>, usize> {
    let mut section: Option<OptionPairs> = None;
    for (number, line) in (1_usize..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(title) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            if section.is_some() {
                break;
            }
            if title == name {
                section = Some(OptionPairs::new());
            }
        } else if let Some(pairs) = &mut section {
            // A service cannot refer to a service.
            let pair = line.split_once('=').filter(|(key, _)| !key.trim().starts_with("service"));
            let (key, value) = pair.ok_or(number)?;
            pairs.push((key.trim().into(), value.trim().into()));
        }
    }
    Ok(section)
}

#[cfg(test)]
mod tests {
    use super::section;

    #[test]
    fn section_returns_the_options_below_the_service_name() {
        let text = "# ours\n[a]\nhost=a.example\n\n[b]\n  dbname = books\nport=5433\n[c]\nhost=c\n";
        let pairs = section(text, "b").unwrap().unwrap();
        assert_eq!(pairs, [("dbname".into(), "books".into()), ("port".into(), "5433".into())]);
        assert_eq!(section(text, "d"), Ok(None));
        assert_eq!(section("[a]\nhost\n", "a"), Err(2));
        assert_eq!(section("[a]\nservice=b\n", "a"), Err(2));
    }
}
