//! The connection options from all sources.
//!
//! The connection string takes precedence over the service, and the service over the environment. libpq
//! has the same order, so this client connects to the same server as psql.

use super::conninfo::{self, OptionPairs};
use super::environment::{Environment, OptionError};
use super::service;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Options by name; each name is in [`KNOWN`].
#[derive(Debug)]
pub(super) struct Options(HashMap<String, String>);

/// How this client treats an option of libpq.
#[derive(Clone, Copy, PartialEq)]
enum Support {
    /// Same effect as in libpq.
    Full,
    /// Accepted without effect, which does not affect security.
    Ignored,
    /// Rejected: the option protects the connection in a way that this client does not support.
    Rejected,
}

/// The options of libpq, with their environment variables.
const KNOWN: &[(&str, &str, Support)] = &[
    ("application_name", "PGAPPNAME", Support::Full),
    ("channel_binding", "PGCHANNELBINDING", Support::Full),
    ("client_encoding", "PGCLIENTENCODING", Support::Ignored),
    ("connect_timeout", "PGCONNECT_TIMEOUT", Support::Full),
    ("dbname", "PGDATABASE", Support::Full),
    ("fallback_application_name", "", Support::Full),
    ("gssdelegation", "PGGSSDELEGATION", Support::Ignored),
    ("gssencmode", "PGGSSENCMODE", Support::Ignored),
    ("gsslib", "PGGSSLIB", Support::Ignored),
    ("host", "PGHOST", Support::Full),
    ("hostaddr", "PGHOSTADDR", Support::Full),
    ("keepalives", "", Support::Full),
    ("keepalives_count", "", Support::Full),
    ("keepalives_idle", "", Support::Full),
    ("keepalives_interval", "", Support::Full),
    ("krbsrvname", "PGKRBSRVNAME", Support::Ignored),
    ("load_balance_hosts", "PGLOADBALANCEHOSTS", Support::Full),
    ("options", "PGOPTIONS", Support::Full),
    ("passfile", "PGPASSFILE", Support::Full),
    ("password", "PGPASSWORD", Support::Full),
    ("port", "PGPORT", Support::Full),
    ("require_auth", "PGREQUIREAUTH", Support::Rejected),
    ("requirepeer", "PGREQUIREPEER", Support::Rejected),
    ("service", "PGSERVICE", Support::Full),
    ("servicefile", "PGSERVICEFILE", Support::Full),
    ("sslcert", "PGSSLCERT", Support::Full),
    ("sslcertmode", "PGSSLCERTMODE", Support::Ignored),
    ("sslcompression", "PGSSLCOMPRESSION", Support::Ignored),
    ("sslcrl", "PGSSLCRL", Support::Rejected),
    ("sslcrldir", "PGSSLCRLDIR", Support::Rejected),
    ("sslkey", "PGSSLKEY", Support::Full),
    ("sslmode", "PGSSLMODE", Support::Full),
    ("sslnegotiation", "PGSSLNEGOTIATION", Support::Full),
    ("sslpassword", "", Support::Rejected),
    ("sslrootcert", "PGSSLROOTCERT", Support::Full),
    ("sslsni", "PGSSLSNI", Support::Ignored),
    // The minimum is TLS 1.2, as in libpq.
    ("ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION", Support::Rejected),
    ("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION", Support::Rejected),
    ("target_session_attrs", "PGTARGETSESSIONATTRS", Support::Full),
    ("tcp_user_timeout", "", Support::Full),
    ("user", "PGUSER", Support::Full),
];

impl Options {
    /// Collects the options from all sources.
    pub(super) fn gather(
        conninfo: &str,
        environment: &dyn Environment,
    ) -> Result<Self, OptionError> {
        let mut options = Self(HashMap::new());
        for (key, value) in conninfo::parse(conninfo)? {
            Self::check(&key, "")?;
            options.0.insert(key, value);
        }
        let or_variable = |options: &Self, key: &str, variable: &str| {
            options.get(key).map(ToOwned::to_owned).or_else(|| environment.variable(variable))
        };
        if let Some(name) = or_variable(&options, "service", "PGSERVICE") {
            let file = or_variable(&options, "servicefile", "PGSERVICEFILE");
            let pairs = service::find(&name, file.as_deref(), environment)?;
            options.add_missing(pairs, &format!(" of service \"{name}\""))?;
        }
        let from_variable = |&(key, variable, _): &(&str, &str, Support)| {
            let value = environment.variable(variable).filter(|_| !variable.is_empty())?;
            Some((key.to_owned(), value))
        };
        options
            .add_missing(KNOWN.iter().filter_map(from_variable).collect(), " in the environment")?;
        Ok(options)
    }

    /// Adds the options that have no value yet; `source` describes their origin in errors.
    fn add_missing(&mut self, pairs: OptionPairs, source: &str) -> Result<(), OptionError> {
        for (key, value) in pairs {
            if let Entry::Vacant(vacant) = self.0.entry(key) {
                Self::check(vacant.key(), source)?;
                vacant.insert(value);
            }
        }
        Ok(())
    }

    fn check(key: &str, source: &str) -> Result<(), OptionError> {
        match KNOWN.iter().find(|(name, ..)| *name == key) {
            None => Err(format!("unknown option \"{key}\"{source}")),
            Some((.., Support::Rejected)) => {
                Err(format!("option \"{key}\"{source} is not supported"))
            }
            Some(_) => Ok(()),
        }
    }

    /// Returns the value of an option. As in libpq, an empty value counts as not set.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the values of an option with one value for each host.
    pub(super) fn list(&self, key: &str) -> Vec<&str> {
        self.get(key).map_or_else(Vec::new, |value| value.split(',').map(str::trim).collect())
    }

    /// Returns the value of a numeric option.
    pub(super) fn number(&self, key: &str) -> Result<Option<u64>, OptionError> {
        let number = |value: &str| {
            // libpq treats a negative time as zero.
            let value: i64 =
                value.trim().parse().map_err(|_| format!("\"{key}\" must be a number"))?;
            Ok(value.max(0).unsigned_abs())
        };
        self.get(key).map(number).transpose()
    }

    /// Returns the meaning of an option's value. The first of the valid values is the default.
    pub(super) fn one_of<T: Copy>(&self, key: &str, valid: &[(&str, T)]) -> Result<T, OptionError> {
        let Some(value) = self.get(key) else { return Ok(valid[0].1) };
        valid.iter().find(|(name, _)| *name == value).map(|(_, meaning)| *meaning).ok_or_else(
            || {
                let valid: Vec<_> = valid.iter().map(|(name, _)| *name).collect();
                format!("\"{key}\" must be one of {}", valid.join(", "))
            },
        )
    }
}
