//! The commands that install PostgreSQL, pgvector and `pg_passage`, by platform.

use crate::postgres_text::quote_identifier;

/// A family of systems with the same package manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Debian, Ubuntu and their relatives: `apt`.
    Debian,
    /// Fedora, Red Hat Enterprise Linux and their relatives: `dnf`.
    RedHat,
    /// macOS with Homebrew: `brew`.
    Homebrew,
    /// Any other system.
    Other,
}

impl Platform {
    /// Returns the platform that the text of `version()` names, such as
    /// `PostgreSQL 17.2 (Debian 17.2-1.pgdg120+1) on x86_64-pc-linux-gnu, compiled by gcc`.
    pub fn of_server(version: &str) -> Self {
        let names = |words: &[&str]| words.iter().any(|word| version.contains(word));
        if names(&["Debian", "Ubuntu"]) {
            Self::Debian
        } else if names(&["Red Hat", "redhat"]) {
            Self::RedHat
        } else if names(&["Homebrew", "apple-darwin"]) {
            Self::Homebrew
        } else {
            Self::Other
        }
    }

    /// Returns the platform of this machine.
    pub fn of_this_machine() -> Self {
        if cfg!(target_os = "macos") {
            return Self::Homebrew;
        }
        Self::of_release(&std::fs::read_to_string("/etc/os-release").unwrap_or_default())
    }

    /// Returns the platform of a file `os-release`: that of `ID`, else that of `ID_LIKE`.
    fn of_release(release: &str) -> Self {
        let value = |key| {
            let lines = release.lines().filter_map(|line| line.split_once('='));
            let mut values = lines.filter(|(name, _)| *name == key);
            values.next().map_or("", |(_, value)| value.trim_matches(['"', '\'']))
        };
        let ids = [value("ID"), value("ID_LIKE")];
        let mut ids = ids.iter().flat_map(|ids| ids.split_whitespace());
        ids.find_map(|id| match id {
            "debian" | "ubuntu" => Some(Self::Debian),
            "fedora" | "rhel" | "centos" => Some(Self::RedHat),
            _ => None,
        })
        .unwrap_or(Self::Other)
    }

    /// Returns the commands that install and start a server.
    pub fn install_server(self) -> &'static [&'static str] {
        match self {
            Self::Debian => &["sudo apt install postgresql"],
            Self::RedHat => &[
                "sudo dnf install postgresql-server postgresql-contrib",
                "sudo postgresql-setup --initdb && sudo systemctl enable --now postgresql",
            ],
            Self::Homebrew => &["brew install postgresql@18 && brew services start postgresql@18"],
            Self::Other => &["Install PostgreSQL 15 to 18: https://www.postgresql.org/download/"],
        }
    }

    /// Returns the command that installs pgvector for a server of a major version. `None`: no server is known.
    pub fn install_pgvector(self, major: Option<i32>) -> String {
        let major = major_or_placeholder(major);
        match self {
            Self::Debian => format!("sudo apt install postgresql-{major}-pgvector"),
            Self::RedHat => format!("sudo dnf install pgvector_{major}"),
            Self::Homebrew => "brew install pgvector".into(),
            Self::Other => {
                "Install pgvector: https://github.com/pgvector/pgvector#installation".into()
            }
        }
    }

    /// Returns the command that builds and installs `pg_passage` for a server of a major version, in a checkout of the project.
    /// `None`: no server is known.
    pub fn install_extension(self, major: Option<i32>) -> String {
        let major = major_or_placeholder(major);
        let pg_config = match self {
            Self::Debian => format!("/usr/lib/postgresql/{major}/bin/pg_config"),
            Self::RedHat => format!("/usr/pgsql-{major}/bin/pg_config"),
            Self::Homebrew => format!("$(brew --prefix postgresql@{major})/bin/pg_config"),
            Self::Other => "/path/to/pg_config".into(),
        };
        format!("make install PG_CONFIG={pg_config}")
    }

    /// Returns a command as the user of the system who is the superuser of a server on this machine.
    fn as_server_user(self, command: &str) -> String {
        let sudo = if self == Self::Homebrew { "" } else { "sudo -u postgres " };
        format!("{sudo}{command}")
    }

    /// Returns how a superuser of a server on this machine executes a statement in a database.
    pub fn as_superuser(self, database: &str, sql: &str) -> String {
        let (database, sql) = (shell_word(database), shell_word(sql));
        self.as_server_user(&format!("psql -d {database} -c {sql}"))
    }

    /// Returns the command that creates a role with the name of the user of this machine.
    pub fn create_role(self) -> String {
        self.as_server_user("createuser \"$USER\"")
    }

    /// Returns the command that creates a database of this role.
    pub fn create_database(self, name: &str) -> String {
        self.as_server_user(&format!("createdb --owner \"$USER\" {}", shell_word(name)))
    }
}

/// Returns the major version of a server, or a word for it.
fn major_or_placeholder(major: Option<i32>) -> String {
    major.map_or("MAJOR".into(), |major| major.to_string())
}

/// Returns the statement that lets a role create schemas and trusted extensions in a database.
pub fn grant_create(database: &str, role: &str) -> String {
    format!("GRANT CREATE ON DATABASE {} TO {}", quote_identifier(database), quote_identifier(role))
}

/// Quotes a word for a shell, if it needs quotes.
pub fn shell_word(word: &str) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "_-./".contains(character);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_platform_comes_from_the_servers_version_or_from_os_release() {
        for (version, platform) in [
            ("PostgreSQL 17.2 (Debian 17.2-1.pgdg120+1) on x86_64-pc-linux-gnu", Platform::Debian),
            ("PostgreSQL 16.6 (Ubuntu 16.6-0ubuntu0.24.04.1) on aarch64", Platform::Debian),
            (
                "PostgreSQL 16.4 on x86_64, compiled by gcc (GCC) 8.5.0 (Red Hat 8.5.0-22)",
                Platform::RedHat,
            ),
            ("PostgreSQL 18.0 (Homebrew) on aarch64-apple-darwin24.6.0", Platform::Homebrew),
            ("PostgreSQL 18.6 on x86_64-pc-linux-musl", Platform::Other),
        ] {
            assert_eq!(Platform::of_server(version), platform, "{version}");
        }
        for (release, platform) in [
            ("NAME=x\nID=debian\n", Platform::Debian),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", Platform::Debian),
            ("ID='rocky'\nID_LIKE=\"rhel centos fedora\"\n", Platform::RedHat),
            ("ID=alpine\n", Platform::Other),
            ("", Platform::Other),
        ] {
            assert_eq!(Platform::of_release(release), platform, "{release}");
        }
    }

    #[test]
    fn a_hostile_name_stays_one_word_of_the_shell() {
        let command =
            Platform::Debian.as_superuser("a'; rm -rf ~ #", &grant_create("x\"y", "$(id)"));
        let word = |word: &str| {
            let output = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s {word}")])
                .output();
            String::from_utf8(output.unwrap().stdout).unwrap()
        };
        assert_eq!(
            command,
            r#"sudo -u postgres psql -d 'a'\''; rm -rf ~ #' -c 'GRANT CREATE ON DATABASE "x""y" TO "$(id)"'"#
        );
        for hostile in ["a'; rm -rf ~ #", "$(id)", "`id`", "-x", "", "a b", "a\nb", "é"] {
            assert_eq!(word(&shell_word(hostile)), hostile);
        }
        assert_eq!(shell_word("passage"), "passage");
    }
}
