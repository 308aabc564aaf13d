/*!
The PostgreSQL installation that the tests use, and the user that runs its server.
*/

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An installed server, found by its `pg_config`.
#[derive(Clone, Debug)]
pub struct Installation {
    bin: PathBuf,
    extensions: PathBuf,
    libraries: PathBuf,
    version: String,
    has_tls: bool,
    user: Option<(u32, u32)>,
}

impl Installation {
    /// Finds the server of `PG_CONFIG`, or else the pinned one.
    ///
    /// # Panics
    ///
    /// Panics if there is no server.
    pub fn find() -> Self {
        let named = std::env::var("PG_CONFIG").ok().filter(|name| !name.is_empty());
        Self::of(&named.unwrap_or_else(|| ground("servers/postgres", &[])))
    }

    /// Finds a server with TLS: the default one, or else one of the system. The pinned server is built
    /// without TLS.
    pub fn find_with_tls() -> Option<Self> {
        let system =
            (15..=18).rev().map(|major| format!("/usr/lib/postgresql/{major}/bin/pg_config"));
        let installed = system.filter(|path| Path::new(path).exists()).map(|path| Self::of(&path));
        std::iter::once(Self::find()).chain(installed).find(|installation| installation.has_tls)
    }

    fn of(pg_config: &str) -> Self {
        let ask = |what| output(Command::new(pg_config).arg(what));
        Self {
            bin: ask("--bindir").into(),
            extensions: Path::new(&ask("--sharedir")).join("extension"),
            libraries: ask("--pkglibdir").into(),
            version: ask("--version").split(' ').nth(1).expect("a version is printed").into(),
            has_tls: ["--with-ssl", "--with-openssl"]
                .iter()
                .any(|with| ask("--configure").contains(with)),
            user: server_user(),
        }
    }

    /// Returns the path of a program of the server.
    pub fn bin(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// Returns the version, such as `18.6`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the major version, such as 18.
    ///
    /// # Panics
    ///
    /// Panics if the version does not begin with a number.
    pub fn major(&self) -> u32 {
        let digits = self.version.split(|letter: char| !letter.is_ascii_digit()).next();
        digits.and_then(|digits| digits.parse().ok()).expect("a version begins with a number")
    }

    /// Returns whether the files of an extension are installed.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.join(name).with_extension("control").is_file()
    }

    /// Returns the path of an extension's library.
    pub fn library(&self, name: &str) -> PathBuf {
        // PostgreSQL 15 uses the suffix .so on all systems, later versions use the suffix of the system.
        let suffix = if self.major() == 15 { "so" } else { std::env::consts::DLL_EXTENSION };
        self.libraries.join(name).with_extension(suffix)
    }

    /// Reports a skipped test and the reason.
    ///
    /// # Panics
    ///
    /// Panics if the file that `PASSAGE_SKIPPED` names cannot be written.
    pub fn report_skipped(&self, what: &str, why: &str) {
        let line = format!("skipped: {what}: {why} (PostgreSQL {})\n", self.version);
        eprint!("{line}");
        if let Some(path) = std::env::var_os("PASSAGE_SKIPPED") {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.and_then(|mut file| file.write_all(line.as_bytes()))
                .expect("the report is writable");
        }
    }

    /// Returns a command that runs as the server's user.
    pub(super) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir("/");
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }

    /// Makes a folder that only the server's user and root can enter.
    pub(super) fn make_folder(&self, path: &Path) -> std::io::Result<()> {
        DirBuilder::new().mode(0o700).create(path)?;
        match self.user {
            Some((user, group)) => chown(path, Some(user), Some(group)),
            None => Ok(()),
        }
    }

    /// Returns a folder for data that several tests share. The server's user can enter it.
    pub(super) fn shared_folder() -> PathBuf {
        ground("servers/reachable", &[]).into()
    }

    /// Returns the folder for data and sockets: `PASSAGE_TEST_FOLDER`, else a temporary one. Names of sockets must be short, and
    /// the temporary folder of root may be closed to other users.
    pub(super) fn temporary(&self) -> PathBuf {
        match std::env::var_os("PASSAGE_TEST_FOLDER") {
            Some(folder) => folder.into(),
            None if self.user.is_some() => "/tmp".into(),
            None => std::env::temp_dir(),
        }
    }
}

/// Returns the user and group of the server, if it cannot run as the current user, who is root.
fn server_user() -> Option<(u32, u32)> {
    let number = |text: String| text.parse::<u32>().expect("an id is a number");
    (number(output(Command::new("id").arg("-u"))) == 0).then(|| {
        (
            number(ground("servers/as_server", &["id", "-u"])),
            number(ground("servers/as_server", &["id", "-g"])),
        )
    })
}

/// Runs a script of `ground/` and returns its output.
fn ground(script: &str, arguments: &[&str]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ground").join(script);
    output(Command::new(path).args(arguments))
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{stderr}", output.status);
    String::from_utf8(output.stdout).expect("output is UTF-8").trim_end().to_owned()
}
