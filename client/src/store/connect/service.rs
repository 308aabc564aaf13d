//! Service files: connections with a name.

use super::conninfo::Pairs;
use super::{Problem, Surroundings};
use std::path::PathBuf;

/// Where Debian keeps the file of the system; others say so by `PGSYSCONFDIR`.
const SYSTEM: &str = "/etc/postgresql-common";

/// Returns the options of a service: of the user's own file if it is there, else of the system's.
pub(super) fn find(
    name: &str,
    file: Option<&str>,
    around: &dyn Surroundings,
) -> Result<Pairs, Problem> {
    let own = file.map(PathBuf::from).or_else(|| Some(around.home()?.join(".pg_service.conf")));
    let folder = around.variable("PGSYSCONFDIR").unwrap_or_else(|| SYSTEM.into());
    let system = PathBuf::from(folder).join("pg_service.conf");
    for path in own.into_iter().chain([system]) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let found = section(&text, name)
            .map_err(|line| format!("line {line} of {} cannot be understood", path.display()))?;
        if let Some(pairs) = found {
            return Ok(pairs);
        }
    }
    Err(format!("no service file defines the service \"{name}\""))
}

/// Returns what stands under `[name]`, or the line that makes no sense there.
fn section(text: &str, name: &str) -> Result<Option<Pairs>, usize> {
    let mut found: Option<Pairs> = None;
    for (number, line) in (1_usize..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(title) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            if found.is_some() {
                break;
            }
            if title == name {
                found = Some(Pairs::new());
            }
        } else if let Some(pairs) = &mut found {
            // A service that names a service would go round in circles.
            let pair = line.split_once('=').filter(|(key, _)| !key.trim().starts_with("service"));
            let (key, value) = pair.ok_or(number)?;
            pairs.push((key.trim().into(), value.trim().into()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::section;

    #[test]
    fn a_service_is_what_stands_under_its_name() {
        let text = "# ours\n[a]\nhost=a.example\n\n[b]\n  dbname = books\nport=5433\n[c]\nhost=c\n";
        let pairs = section(text, "b").unwrap().unwrap();
        assert_eq!(pairs, [("dbname".into(), "books".into()), ("port".into(), "5433".into())]);
        assert_eq!(section(text, "d"), Ok(None));
        assert_eq!(section("[a]\nhost\n", "a"), Err(2));
        assert_eq!(section("[a]\nservice=b\n", "a"), Err(2));
    }
}
