//! Checks of what `passage init` needs, in the order in which a user repairs it: server, pgvector, extension, role.

use super::super::super::connect::{database_name, socket_folder};
use super::super::super::connection::Store;
use super::super::super::error::{ConnectFailure, Error};
use super::super::super::installed::Edition;
use super::super::ownership::PINNED_SEARCH_PATH;
use super::finding::Finding;
use super::platform::{Platform, grant_create, shell_word};
use super::server::{encoding, server};

/// The finding about a part that cannot be checked without a connection.
const UNCHECKED: &str =
    "not checked without a connection; MAJOR stands for the version of the server";

/// The database in commands if none is named.
const DATABASE: &str = "mydb";

/// The statement that only a superuser may execute where pgvector is not trusted.
const CREATE_VECTOR: &str = "CREATE EXTENSION vector";

/// The facts about server, connection and role that decide whether `init` succeeds.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Setup {
    platform: Platform,
    major: i32,
    is_local: bool,
    database: String,
    role: String,
    /// Whether the role may create schemas and trusted extensions.
    may_create: bool,
    /// Whether only a superuser may create pgvector, and the role is none.
    needs_superuser: bool,
    pgvector: Installation,
    extension: Installation,
    has_schema: bool,
}

/// The place where an extension is installed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Installation {
    Nowhere,
    Server,
    Database,
}

impl Installation {
    fn of(available: Option<String>, installed: Option<String>) -> Self {
        match (available, installed) {
            (_, Some(_)) => Self::Database,
            (Some(_), None) => Self::Server,
            (None, None) => Self::Nowhere,
        }
    }

    /// Returns the finding about an extension, with the command that installs it.
    fn finding(self, name: &str, remedy: &str, command: String) -> Finding {
        match self {
            Self::Nowhere => Finding::bad(name, "it is not installed on the server", remedy)
                .with_commands([command]),
            Self::Server => Finding::good(name, "installed on the server"),
            Self::Database => Finding::good(name, "installed in the database"),
        }
    }
}

impl Store {
    /// Checks what [`init`](Self::init) needs for an edition, in the order in which a user repairs it. Writes nothing.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Lost`] if the connection ends; problems are findings, not errors.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use passage_store::{Severity, Store};
    ///
    /// # async fn example() -> Result<(), passage_store::Error> {
    /// let store = Store::connect("postgresql:///library", "rag").await?;
    /// let findings = store.doctor_setup(true, None).await?;
    /// let ready = findings.iter().all(|finding| finding.severity < Severity::Bad);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn doctor_setup(
        &self,
        with_embeddings: bool,
        edition: Option<Edition>,
    ) -> Result<Vec<Finding>, Error> {
        self.run(&format!("BEGIN READ ONLY; SET LOCAL {PINNED_SEARCH_PATH}")).await?;
        let sql = "SELECT current_setting('server_version'), current_setting('server_version_num')::integer / 10000, \
                   version(), inet_client_addr() IS NULL, current_database()::text, current_user::text, \
                   has_database_privilege(current_database(), 'CREATE'), \
                   (SELECT rolsuper FROM pg_roles WHERE rolname = current_user), \
                   current_setting('server_encoding'), \
                   to_regnamespace(quote_ident($1)) IS NOT NULL";
        let row = self.query_one(sql, &[&self.name]).await?;
        let version: String = row.get(2);
        let may_create: bool = row.get(6);
        let is_superuser: bool = row.get(7);
        let (pgvector, is_trusted) = self.installation("vector").await?;
        let (extension, _) = self.installation("pg_passage").await?;
        let setup = Setup {
            platform: Platform::of_server(&version),
            major: row.get(1),
            is_local: row.get(3),
            database: row.get(4),
            role: row.get(5),
            may_create,
            needs_superuser: !is_superuser && !is_trusted,
            pgvector,
            extension,
            has_schema: row.get(9),
        };
        let mut findings = vec![server(row.get(0), row.get(1))];
        if row.get::<_, String>(8) != "UTF8" {
            findings.push(encoding());
        }
        if with_embeddings {
            findings.push(setup.pgvector());
        }
        findings.push(setup.extension(edition));
        findings.push(setup.role(with_embeddings));
        self.run("ROLLBACK").await?;
        Ok(findings)
    }

    /// Returns where an extension is installed, and whether roles without superuser may create it.
    async fn installation(&self, name: &str) -> Result<(Installation, bool), Error> {
        let sql = "SELECT default_version, installed_version, \
                   (SELECT bool_or(trusted OR NOT superuser) FROM pg_available_extension_versions AS version \
                   WHERE version.name = extension.name AND version.version = default_version) \
                   FROM pg_available_extensions AS extension WHERE name = $1::text";
        Ok(match self.query_opt(sql, &[&name]).await? {
            Some(row) => {
                let is_trusted: Option<bool> = row.get(2);
                (Installation::of(row.get(0), row.get(1)), is_trusted.unwrap_or(false))
            }
            None => (Installation::Nowhere, false),
        })
    }
}

impl Setup {
    fn pgvector(&self) -> Finding {
        let remedy = "Install it, or create a store without embeddings: passage init --no-embed";
        let command = self.platform.install_pgvector(Some(self.major));
        self.pgvector.finding("pgvector", remedy, command)
    }

    fn extension(&self, edition: Option<Edition>) -> Finding {
        if self.extension == Installation::Nowhere && edition != Some(Edition::Native) {
            return Finding::good(
                "pg_passage",
                "not installed on the server: init installs the SQL edition",
            );
        }
        let command = self.platform.install_extension(Some(self.major));
        self.extension.finding("pg_passage", "Run in a checkout of pg_passage:", command)
    }

    /// Returns whether the role may create what is missing.
    fn role(&self, with_embeddings: bool) -> Finding {
        let Self { role, database, .. } = self;
        let creates_extension = self.extension != Installation::Database;
        if with_embeddings && self.pgvector != Installation::Database && self.needs_superuser {
            let cause =
                format!("\"{role}\" may not create the extension vector, which needs a superuser");
            return self.needs_superuser_for(CREATE_VECTOR, cause);
        }
        if !self.may_create && (creates_extension || !self.has_schema) {
            let cause = format!(
                "\"{role}\" may not create extensions and schemas in the database \"{database}\""
            );
            return self.needs_superuser_for(&grant_create(database, role), cause);
        }
        Finding::good("role", format!("\"{role}\" may create what is missing"))
    }

    /// Returns a finding about the role whose remedy is a statement of a superuser: on this machine by a command.
    fn needs_superuser_for(&self, sql: &str, cause: String) -> Finding {
        if self.is_local {
            let command = self.platform.as_superuser(&self.database, sql);
            return Finding::bad("role", cause, "Run as a superuser:").with_commands([command]);
        }
        let remedy = format!("As a superuser, in the database \"{}\": {sql};", self.database);
        Finding::bad("role", cause, remedy)
    }
}

/// Returns what to do before `init`, if no connection to a URL can be opened. `error` is `None` if no server is named.
/// Without findings, the error has another cause than a missing server, role or database.
///
/// # Examples
///
/// ```
/// use passage_store::{Severity, setup_without_connection};
///
/// let findings = setup_without_connection("", None, false);
/// assert_eq!(findings[0].subject, "server");
/// assert_eq!(findings[0].severity, Severity::Bad);
/// ```
pub fn setup_without_connection(
    url: &str,
    error: Option<&Error>,
    with_embeddings: bool,
) -> Vec<Finding> {
    let platform = Platform::of_this_machine();
    let database = database_name(url).unwrap_or_else(|| DATABASE.into());
    let first = match error {
        None => Finding::bad("server", "no server is named", "Name one, or use this machine:")
            .with_commands(start_server(platform, &database)),
        Some(error @ Error::Connect { failure: ConnectFailure::Unreachable, .. }) => {
            let remedy = format!("{} Or use this machine:", error.remedy());
            Finding::bad("server", error.to_string(), remedy)
                .with_commands(start_server(platform, &database))
        }
        Some(error @ Error::Database { code, .. }) => {
            let (subject, command) = match code.code() {
                "3D000" => ("database", platform.create_database(&database)),
                "28000" | "28P01" => ("role", platform.create_role()),
                _ => return Vec::new(),
            };
            Finding::bad(subject, error.to_string(), error.remedy()).with_commands([command])
        }
        Some(_) => return Vec::new(),
    };
    let unchecked = |subject, command: String| {
        Finding::warning(subject, UNCHECKED, "If it is missing:").with_commands([command])
    };
    let extension = unchecked("pg_passage", platform.install_extension(None));
    if !with_embeddings {
        return vec![first, extension];
    }
    let pgvector = unchecked("pgvector", platform.install_pgvector(None));
    let create = platform.as_superuser(&database, CREATE_VECTOR);
    vec![first, pgvector, extension, unchecked("vector in the database", create)]
}

/// Returns the commands that start a server on this machine, if none listens on its socket, and name it.
fn start_server(platform: Platform, database: &str) -> Vec<String> {
    let folder = socket_folder();
    let install = if folder.is_none() { platform.install_server() } else { &[] };
    let folder = folder.unwrap_or("/var/run/postgresql");
    let url = shell_word(&format!("postgresql:///{database}?host={folder}"));
    let mut commands: Vec<String> = install.iter().map(ToString::to_string).collect();
    commands.extend([platform.create_role(), platform.create_database(database)]);
    commands.push(format!("export DATABASE_URL={url}"));
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name in a URL may come from somebody else, and a user copies the commands into a shell.
    #[test]
    fn a_hostile_database_name_stays_a_word_in_each_command() {
        let url = "postgresql:///a%27%3B%20touch%20x%20%27?host=/nowhere";
        let findings = setup_without_connection(url, None, true);
        let commands = findings.iter().flat_map(|finding| &finding.commands);
        let commands: Vec<_> = commands.filter(|command| command.contains("touch")).collect();
        assert_eq!(commands.len(), 3, "{commands:?}");
        for command in commands {
            assert!(command.contains(r"a'\''; touch x '\''"), "{command}");
        }
    }
}
