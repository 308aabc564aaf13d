//! The servers that the client tries in order.

use super::environment::{Environment, OptionError};
use super::options::Options;
use super::passfile::{self, Login, Lookup};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::{ChannelBinding, Host, SslNegotiation, TargetSessionAttrs};

/// The default of `connect_timeout`; libpq waits without a limit.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The default port of PostgreSQL.
pub(super) const PORT: u16 = 5432;

/// The default folders of PostgreSQL's socket: Debian's, and that of the sources.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// A server.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) config: Config,
    /// Whether the connection uses a Unix socket.
    pub(super) is_local: bool,
    /// The time limit for connecting; `None` for no limit.
    pub(super) timeout: Option<Duration>,
    /// A password file that is ignored, since other users can read it.
    pub(super) ignored_passfile: Option<PathBuf>,
}

impl Target {
    /// Returns the address in messages, such as `127.0.0.1:5432` or `/tmp/.s.PGSQL.5432`.
    pub(super) fn address(&self) -> String {
        let port = self.config.get_ports().first().copied().unwrap_or(PORT);
        match self.config.get_hosts().first() {
            Some(Host::Tcp(host)) => format!("{host}:{port}"),
            Some(Host::Unix(folder)) => format!("{}/.s.PGSQL.{port}", folder.display()),
            None => format!("port {port}"),
        }
    }
}

/// Returns the servers in the order in which the client tries them.
pub(super) fn targets(
    options: &Options,
    environment: &dyn Environment,
) -> Result<Vec<Target>, OptionError> {
    let (hosts, addresses) = (options.list("host"), options.list("hostaddr"));
    let ports = options.list("port");
    let count = hosts.len().max(addresses.len()).max(1);
    if !hosts.is_empty() && !addresses.is_empty() && hosts.len() != addresses.len() {
        return Err("the numbers of hosts and addresses differ".into());
    }
    if ports.len() > 1 && ports.len() != count {
        return Err("the numbers of ports and hosts differ".into());
    }
    let mut targets = Vec::with_capacity(count);
    for position in 0..count {
        let port =
            match ports.get(position).or_else(|| ports.first()).filter(|port| !port.is_empty()) {
                Some(port) => port.parse().map_err(|_| "a port must be a number up to 65535")?,
                None => PORT,
            };
        let named = |list: &[&str]| {
            list.get(position).filter(|name| !name.is_empty()).map(|name| (*name).to_owned())
        };
        targets.push(target(
            options,
            named(&hosts),
            named(&addresses).as_deref(),
            port,
            environment,
        )?);
    }
    if options.one_of("load_balance_hosts", &[("disable", false), ("random", true)])? {
        fastrand::shuffle(&mut targets);
    }
    Ok(targets)
}

fn target(
    options: &Options,
    host: Option<String>,
    address: Option<&str>,
    port: u16,
    environment: &dyn Environment,
) -> Result<Target, OptionError> {
    let user = options.get("user").map(ToOwned::to_owned).or_else(|| environment.user());
    let user = user.ok_or("no user is named, and the system does not know the user's name")?;
    let dbname = options.get("dbname").unwrap_or(&user);
    let mut config = common_config(options)?;
    config.user(&user).dbname(dbname).port(port);

    let (host, is_default) = match (host, address) {
        (Some(host), _) => (host, false),
        (None, Some(address)) => (address.to_owned(), false),
        (None, None) => (default_host(port), true),
    };
    let is_local = host.starts_with('/') && address.is_none();
    if is_local {
        config.host_path(&host)
    } else {
        config.host(&host)
    };
    if let Some(address) = address {
        config.hostaddr(address.parse().map_err(|_| "\"hostaddr\" must be an IP address")?);
    }

    let mut ignored_passfile = None;
    if let Some(password) = options.get("password") {
        config.password(password);
    } else {
        let host = if is_local && (is_default || SOCKET_FOLDERS.contains(&&*host)) {
            "localhost"
        } else {
            &host
        };
        let login = Login { host, port, dbname, user: &user };
        match passfile::find(&login, options.get("passfile"), environment) {
            Lookup::Password(password) => drop(config.password(password)),
            Lookup::Ignored(path) => ignored_passfile = Some(path),
            Lookup::NotFound => {}
        }
    }
    let timeout = match options.number("connect_timeout")? {
        None => Some(CONNECT_TIMEOUT),
        Some(0) => None,
        Some(seconds) => Some(Duration::from_secs(seconds)),
    };
    Ok(Target { config, is_local, timeout, ignored_passfile })
}

/// Returns the configuration that all servers share.
fn common_config(options: &Options) -> Result<Config, OptionError> {
    let mut config = Config::new();
    let name = options.get("application_name").or(options.get("fallback_application_name"));
    config.application_name(name.unwrap_or("passage"));
    if let Some(sent) = options.get("options") {
        config.options(sent);
    }
    config.channel_binding(options.one_of(
        "channel_binding",
        &[
            ("prefer", ChannelBinding::Prefer),
            ("disable", ChannelBinding::Disable),
            ("require", ChannelBinding::Require),
        ],
    )?);
    config.ssl_negotiation(options.one_of(
        "sslnegotiation",
        &[("postgres", SslNegotiation::Postgres), ("direct", SslNegotiation::Direct)],
    )?);
    config.target_session_attrs(options.one_of(
        "target_session_attrs",
        &[
            ("any", TargetSessionAttrs::Any),
            ("read-write", TargetSessionAttrs::ReadWrite),
            ("primary", TargetSessionAttrs::ReadWrite),
            ("read-only", TargetSessionAttrs::ReadOnly),
            ("standby", TargetSessionAttrs::ReadOnly),
        ],
    )?);
    let seconds = |key| {
        Ok::<_, OptionError>(
            options.number(key)?.filter(|number| *number > 0).map(Duration::from_secs),
        )
    };
    config.keepalives(options.number("keepalives")? != Some(0));
    if let Some(idle) = seconds("keepalives_idle")? {
        config.keepalives_idle(idle);
    }
    if let Some(interval) = seconds("keepalives_interval")? {
        config.keepalives_interval(interval);
    }
    if let Some(count) = options.number("keepalives_count")?.filter(|count| *count > 0) {
        config.keepalives_retries(u32::try_from(count).unwrap_or(u32::MAX));
    }
    if let Some(timeout) = options.number("tcp_user_timeout")?.filter(|timeout| *timeout > 0) {
        config.tcp_user_timeout(Duration::from_millis(timeout));
    }
    Ok(config)
}

/// Returns the default host of psql: the folder of a local socket if it exists, else `localhost`.
fn default_host(port: u16) -> String {
    socket_folder(port).unwrap_or("localhost").to_owned()
}

/// Returns the folder with the socket of a server on this machine.
pub(super) fn socket_folder(port: u16) -> Option<&'static str> {
    let socket = |folder: &&str| Path::new(folder).join(format!(".s.PGSQL.{port}")).exists();
    SOCKET_FOLDERS.into_iter().find(socket)
}
