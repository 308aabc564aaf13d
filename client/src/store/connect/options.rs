//! What is said of a connection, from wherever it is said.
//!
//! What the connection string says goes first, then the service it names, then the environment:
//! the order of libpq, so that this client goes where psql goes.

use super::conninfo::{self, Pairs};
use super::{Problem, Surroundings, service};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Options by their names, each of which stands in [`KNOWN`].
#[derive(Debug)]
pub(super) struct Options(HashMap<String, String>);

/// What options do here.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    /// What they do in libpq.
    Kept,
    /// Nothing, and nobody misses it.
    Idle,
    /// They would protect something, and this client does not know how: better no connection.
    Refused,
}

/// The options of libpq, with the variables that give them.
const KNOWN: &[(&str, &str, Use)] = &[
    ("application_name", "PGAPPNAME", Use::Kept),
    ("channel_binding", "PGCHANNELBINDING", Use::Kept),
    ("client_encoding", "PGCLIENTENCODING", Use::Idle),
    ("connect_timeout", "PGCONNECT_TIMEOUT", Use::Kept),
    ("dbname", "PGDATABASE", Use::Kept),
    ("fallback_application_name", "", Use::Kept),
    ("gssdelegation", "PGGSSDELEGATION", Use::Idle),
    ("gssencmode", "PGGSSENCMODE", Use::Idle),
    ("gsslib", "PGGSSLIB", Use::Idle),
    ("host", "PGHOST", Use::Kept),
    ("hostaddr", "PGHOSTADDR", Use::Kept),
    ("keepalives", "", Use::Kept),
    ("keepalives_count", "", Use::Kept),
    ("keepalives_idle", "", Use::Kept),
    ("keepalives_interval", "", Use::Kept),
    ("krbsrvname", "PGKRBSRVNAME", Use::Idle),
    ("load_balance_hosts", "PGLOADBALANCEHOSTS", Use::Kept),
    ("options", "PGOPTIONS", Use::Kept),
    ("passfile", "PGPASSFILE", Use::Kept),
    ("password", "PGPASSWORD", Use::Kept),
    ("port", "PGPORT", Use::Kept),
    ("require_auth", "PGREQUIREAUTH", Use::Refused),
    ("requirepeer", "PGREQUIREPEER", Use::Refused),
    ("service", "PGSERVICE", Use::Kept),
    ("servicefile", "PGSERVICEFILE", Use::Kept),
    ("sslcert", "PGSSLCERT", Use::Kept),
    ("sslcertmode", "PGSSLCERTMODE", Use::Idle),
    ("sslcompression", "PGSSLCOMPRESSION", Use::Idle),
    ("sslcrl", "PGSSLCRL", Use::Refused),
    ("sslcrldir", "PGSSLCRLDIR", Use::Refused),
    ("sslkey", "PGSSLKEY", Use::Kept),
    ("sslmode", "PGSSLMODE", Use::Kept),
    ("sslnegotiation", "PGSSLNEGOTIATION", Use::Kept),
    ("sslpassword", "", Use::Refused),
    ("sslrootcert", "PGSSLROOTCERT", Use::Kept),
    ("sslsni", "PGSSLSNI", Use::Idle),
    // The least that is spoken here is TLS 1.2, as there.
    ("ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION", Use::Refused),
    ("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION", Use::Refused),
    ("target_session_attrs", "PGTARGETSESSIONATTRS", Use::Kept),
    ("tcp_user_timeout", "", Use::Kept),
    ("user", "PGUSER", Use::Kept),
];

impl Options {
    /// Gathers all that is said of a connection.
    pub(super) fn gather(conninfo: &str, around: &dyn Surroundings) -> Result<Self, Problem> {
        let mut options = Self(HashMap::new());
        for (key, value) in conninfo::parse(conninfo)? {
            Self::check(&key, "")?;
            options.0.insert(key, value);
        }
        let or_variable = |options: &Self, key: &str, variable: &str| {
            options.get(key).map(ToOwned::to_owned).or_else(|| around.variable(variable))
        };
        if let Some(name) = or_variable(&options, "service", "PGSERVICE") {
            let file = or_variable(&options, "servicefile", "PGSERVICEFILE");
            let pairs = service::find(&name, file.as_deref(), around)?;
            options.fill(pairs, &format!(" of the service \"{name}\""))?;
        }
        let said = |&(key, variable, _): &(&str, &str, Use)| {
            let value = around.variable(variable).filter(|_| !variable.is_empty())?;
            Some((key.to_owned(), value))
        };
        options.fill(KNOWN.iter().filter_map(said).collect(), " in the environment")?;
        Ok(options)
    }

    /// Adds what nothing is said of yet.
    fn fill(&mut self, pairs: Pairs, place: &str) -> Result<(), Problem> {
        for (key, value) in pairs {
            if let Entry::Vacant(unsaid) = self.0.entry(key) {
                Self::check(unsaid.key(), place)?;
                unsaid.insert(value);
            }
        }
        Ok(())
    }

    fn check(key: &str, place: &str) -> Result<(), Problem> {
        match KNOWN.iter().find(|(name, ..)| *name == key) {
            None => Err(format!("there is no option \"{key}\"{place}")),
            Some((.., Use::Refused)) => {
                Err(format!("this client does not know the option \"{key}\"{place}"))
            }
            Some(_) => Ok(()),
        }
    }

    /// Returns the value of an option; one that is empty says nothing, as in libpq.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the values of an option that has one for each host.
    pub(super) fn list(&self, key: &str) -> Vec<&str> {
        self.get(key).map_or_else(Vec::new, |value| value.split(',').map(str::trim).collect())
    }

    /// Returns the value of an option that is a number.
    pub(super) fn number(&self, key: &str) -> Result<Option<u64>, Problem> {
        let number = |value: &str| {
            // libpq takes a negative time for none.
            let value: i64 = value.trim().parse().map_err(|_| format!("\"{key}\" is no number"))?;
            Ok(value.max(0).unsigned_abs())
        };
        self.get(key).map(number).transpose()
    }

    /// Returns what the value of an option stands for; the first is what it is by default.
    pub(super) fn one_of<T: Copy>(&self, key: &str, valid: &[(&str, T)]) -> Result<T, Problem> {
        let Some(value) = self.get(key) else { return Ok(valid[0].1) };
        valid.iter().find(|(name, _)| *name == value).map(|(_, meaning)| *meaning).ok_or_else(
            || {
                let valid: Vec<_> = valid.iter().map(|(name, _)| *name).collect();
                format!("\"{key}\" is none of {}", valid.join(", "))
            },
        )
    }
}
