//! Checks of what `passage init` needs, in the order in which a user repairs it: server, pgvector, extension, role.

use super::super::super::connect::database_name;
use super::super::super::connection::Store;
use super::super::super::error::{ConnectFailure, Error};
use super::super::ownership::PINNED_SEARCH_PATH;
use super::finding::Finding;
use super::platform::{Platform, grant_create, shell_word};
use super::server::server;

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
}

impl Store {
    /// Checks what [`init`](Self::init) needs, in the order in which a user repairs it. Writes nothing.
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
    /// let findings = store.doctor_setup(true).await?;
    /// let ready = findings.iter().all(|finding| finding.severity < Severity::Bad);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn doctor_setup(&self, with_embeddings: bool) -> Result<Vec<Finding>, Error> {
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
            findings.push(super::server::encoding());
        }
        if with_embeddings {
            findings.push(setup.pgvector());
        }
        findings.push(setup.extension());
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
        let without = "Or create a store without embeddings: passage init --no-embed";
        match self.pgvector {
            Installation::Nowhere => Finding::bad(
                "pgvector",
                "it is not installed on the server",
                format!("{}\n{without}", self.platform.install_pgvector(Some(self.major))),
            ),
            Installation::Server => Finding::good("pgvector", "installed on the server"),
            Installation::Database => Finding::good("pgvector", "installed in the database"),
        }
    }

    fn extension(&self) -> Finding {
        match self.extension {
            Installation::Nowhere => Finding::bad(
                "pg_passage",
                "it is not installed on the server",
                self.platform.install_extension(Some(self.major)),
            ),
            Installation::Server => Finding::good("pg_passage", "installed on the server"),
            Installation::Database => Finding::good("pg_passage", "installed in the database"),
        }
    }

    /// Returns whether the role may create what is missing.
    fn role(&self, with_embeddings: bool) -> Finding {
        let Self { role, database, .. } = self;
        let creates_extension = self.extension != Installation::Database;
        if with_embeddings && self.pgvector != Installation::Database && self.needs_superuser {
            return Finding::bad(
                "role",
                format!("\"{role}\" may not create the extension vector, which needs a superuser"),
                self.by_superuser(CREATE_VECTOR),
            );
        }
        if !self.may_create && (creates_extension || !self.has_schema) {
            return Finding::bad(
                "role",
                format!(
                    "\"{role}\" may not create extensions and schemas in the database \"{database}\""
                ),
                self.by_superuser(&grant_create(database, role)),
            );
        }
        Finding::good("role", format!("\"{role}\" may create what is missing"))
    }

    /// Returns how a superuser executes a statement: on this machine by a command.
    fn by_superuser(&self, sql: &str) -> String {
        if self.is_local {
            self.platform.as_superuser(&self.database, sql)
        } else {
            format!("As a superuser, in the database \"{}\": {sql};", self.database)
        }
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
    let with_commands = |error: &Error, commands: &str| format!("{}\n{commands}", error.remedy());
    let (subject, remedy) = match error {
        None => ("server", name_server(platform, &database)),
        Some(error @ Error::Connect { failure: ConnectFailure::Unreachable, .. }) => {
            let commands =
                format!("Or use a server on this machine:\n{}", name_server(platform, &database));
            ("server", with_commands(error, &commands))
        }
        Some(error @ Error::Database { code, .. }) => match code.code() {
            "3D000" => ("database", with_commands(error, &platform.create_database(&database))),
            "28000" | "28P01" => ("role", with_commands(error, platform.create_role())),
            _ => return Vec::new(),
        },
        Some(_) => return Vec::new(),
    };
    let cause = error.map_or("no server is named".into(), ToString::to_string);
    let mut findings = vec![Finding::bad(subject, cause, remedy)];
    if with_embeddings {
        findings.push(Finding::warning("pgvector", UNCHECKED, platform.install_pgvector(None)));
    }
    findings.push(Finding::warning("pg_passage", UNCHECKED, platform.install_extension(None)));
    if with_embeddings {
        let create = platform.as_superuser(&database, CREATE_VECTOR);
        findings.push(Finding::warning("vector in the database", UNCHECKED, create));
    }
    findings
}

/// Returns how to name the server that runs on this machine, or to install one.
fn name_server(platform: Platform, database: &str) -> String {
    let (install, folder) = match Platform::local_socket() {
        Some(folder) => {
            (format!("A server listens in {folder}. Create a role and a database:"), folder)
        }
        None => (platform.install_server().to_owned(), "/var/run/postgresql"),
    };
    let url = shell_word(&format!("postgresql:///{database}?host={folder}"));
    let (role, database) = (platform.create_role(), platform.create_database(database));
    format!("{install}\n{role}\n{database}\nexport DATABASE_URL={url}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name in a URL may come from somebody else, and a user copies the commands into a shell.
    #[test]
    fn a_hostile_database_name_stays_a_word_in_each_command() {
        let url = "postgresql:///a%27%3B%20touch%20x%20%27?host=/nowhere";
        let findings = setup_without_connection(url, None, true);
        let remedies = findings.iter().filter_map(|finding| finding.remedy.as_deref());
        let commands: Vec<_> =
            remedies.flat_map(str::lines).filter(|line| line.contains("touch")).collect();
        assert_eq!(commands.len(), 3, "{commands:?}");
        for command in commands {
            assert!(command.contains(r"a'\''; touch x '\''"), "{command}");
        }
    }
}
