//! The servers that a connection may go to, one after the other.

use super::options::Options;
use super::passfile::{self, Found, Login};
use super::{Problem, Surroundings};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::{ChannelBinding, SslNegotiation, TargetSessionAttrs};

/// How long a server may take to let one in, unless it is said; libpq waits for ever.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where PostgreSQL puts its socket: where Debian builds it to, and where others do.
const SOCKETS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// One server.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) config: Config,
    /// Whether it is reached through a socket, where nobody else hears.
    pub(super) is_local: bool,
    /// How long it may take; `None` for as long as it likes.
    pub(super) patience: Option<Duration>,
    /// A password file that is not read, since others can.
    pub(super) open_passfile: Option<PathBuf>,
}

/// Returns the servers in the order in which they are tried.
pub(super) fn targets(
    options: &Options,
    around: &dyn Surroundings,
) -> Result<Vec<Target>, Problem> {
    let (hosts, addresses) = (options.list("host"), options.list("hostaddr"));
    let ports = options.list("port");
    let count = hosts.len().max(addresses.len()).max(1);
    if !hosts.is_empty() && !addresses.is_empty() && hosts.len() != addresses.len() {
        return Err("there are not as many hosts as addresses".into());
    }
    if ports.len() > 1 && ports.len() != count {
        return Err("there are not as many ports as hosts".into());
    }
    let mut targets = Vec::with_capacity(count);
    for place in 0..count {
        let port = match ports.get(place).or_else(|| ports.first()).filter(|port| !port.is_empty())
        {
            Some(port) => port.parse().map_err(|_| "a port is no number up to 65535")?,
            None => 5432,
        };
        let named = |list: &[&str]| {
            list.get(place).filter(|name| !name.is_empty()).map(|name| (*name).to_owned())
        };
        targets.push(target(options, named(&hosts), named(&addresses).as_deref(), port, around)?);
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
    around: &dyn Surroundings,
) -> Result<Target, Problem> {
    let user = options.get("user").map(ToOwned::to_owned).or_else(|| around.user());
    let user = user.ok_or("no user is named, and the system knows none")?;
    let dbname = options.get("dbname").unwrap_or(&user);
    let mut config = common(options)?;
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
        config.hostaddr(address.parse().map_err(|_| "\"hostaddr\" is no address")?);
    }

    let mut open_passfile = None;
    if let Some(password) = options.get("password") {
        config.password(password);
    } else {
        let host =
            if is_local && (is_default || SOCKETS.contains(&&*host)) { "localhost" } else { &host };
        let login = Login { host, port, dbname, user: &user };
        match passfile::find(&login, options.get("passfile"), around) {
            Found::Password(password) => drop(config.password(password)),
            Found::Open(path) => open_passfile = Some(path),
            Found::Nothing => {}
        }
    }
    let patience = match options.number("connect_timeout")? {
        None => Some(PATIENCE),
        Some(0) => None,
        Some(seconds) => Some(Duration::from_secs(seconds)),
    };
    Ok(Target { config, is_local, patience, open_passfile })
}

/// Returns what is the same for all servers.
fn common(options: &Options) -> Result<Config, Problem> {
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
        Ok::<_, Problem>(options.number(key)?.filter(|number| *number > 0).map(Duration::from_secs))
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

/// Where psql looks when no host is named: the socket of this machine, if there is one.
fn default_host(port: u16) -> String {
    let socket = |folder: &&&str| Path::new(folder).join(format!(".s.PGSQL.{port}")).exists();
    SOCKETS.iter().find(socket).map_or("localhost", |folder| folder).to_owned()
}
