//! Prints the SQL edition, which the client installs, from the files of `sql/`.
//!
//! The crate of a registry has no such folder. `make crates` puts the printed file into it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// Next to this file, in the crate of a registry only.
const PRINTED: &str = "edition.sql";

fn main() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = project.join("ground/build/install-script");
    let target = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names it")).join(PRINTED);
    if !script.exists() {
        println!("cargo::rerun-if-changed={PRINTED}");
        fs::copy(PRINTED, target).expect("the crate has the printed edition");
        return;
    }
    for read in ["sql", "ground/build", "extension/pg_passage.control"] {
        println!("cargo::rerun-if-changed={}", project.join(read).display());
    }
    if let Err(error) = print_edition(&script, &target) {
        panic!("{} --edition sql: {error}; it needs sh and python3", script.display());
    }
}

fn print_edition(script: &Path, target: &Path) -> io::Result<()> {
    let mut command = Command::new("sh");
    command.arg(script).args(["--edition", "sql"]).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let output = command.output()?;
    if !output.status.success() {
        return Err(io::Error::other(output.status.to_string()));
    }
    fs::write(target, output.stdout)
}
