//! Tests of the servers and options that a connection string and an environment select.

use super::environment::{Environment, OptionError};
use super::options::Options;
use super::target::targets;
use super::tls::{Mode, is_exposed};
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// A user with a home folder and environment variables.
struct User {
    home: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Environment for User {
    fn variable(&self, name: &str) -> Option<String> {
        self.variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone())
    }

    fn home(&self) -> Option<PathBuf> {
        Some(self.home.clone())
    }

    fn user(&self) -> Option<String> {
        Some("somebody".into())
    }
}

fn user(variables: &[(&'static str, &str)]) -> User {
    let variables = variables.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
    User { home: "/nowhere".into(), variables }
}

fn configs(url: &str, user: &User) -> Result<Vec<Config>, OptionError> {
    let options = Options::gather(url, user)?;
    Ok(targets(&options, user)?.into_iter().map(|target| target.config).collect())
}

#[test]
fn the_connection_string_precedes_the_service_and_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let service = "[work]\nhost=service.example\nuser=service\ndbname=service\nconnect_timeout=7\n";
    std::fs::write(folder.path().join(".pg_service.conf"), service).unwrap();
    let mut user = user(&[
        ("PGSERVICE", "work"),
        ("PGUSER", "variable"),
        ("PGPORT", "6000"),
        ("PGAPPNAME", "mine"),
        ("PGOPTIONS", "-c work_mem=1MB"),
        ("PGPASSWORD", "hunter2"),
    ]);
    user.home = folder.path().to_owned();
    let config = configs("postgresql://string@/", &user).unwrap().remove(0);
    assert_eq!(config.get_hosts(), [Host::Tcp("service.example".into())]);
    assert_eq!(config.get_user(), Some("string"));
    assert_eq!(config.get_dbname(), Some("service"));
    assert_eq!(config.get_ports(), [6000]);
    assert_eq!(config.get_application_name(), Some("mine"));
    assert_eq!(config.get_options(), Some("-c work_mem=1MB"));
    assert_eq!(config.get_password(), Some(&b"hunter2"[..]));

    let options = Options::gather("", &user).unwrap();
    assert_eq!(targets(&options, &user).unwrap()[0].timeout, Some(Duration::from_secs(7)));
    let missing = configs("service=play", &user).unwrap_err();
    assert_eq!(missing, "no service file defines the service \"play\"");
}

#[test]
fn each_host_has_its_port_and_password() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".pgpass");
    std::fs::write(&path, "a:1:*:*:for a\nb:*:books:me:for b\nlocalhost:*:*:*:at home\n").unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&path, private).unwrap();
    let mut user = user(&[]);
    user.home = folder.path().to_owned();
    let hosts = configs("postgresql://me@a:1,b:2,/books", &user).unwrap();
    let hosts: Vec<_> =
        hosts.iter().map(|config| (config.get_ports()[0], config.get_password())).collect();
    assert_eq!(hosts[..2], [(1, Some(&b"for a"[..])), (2, Some(&b"for b"[..]))]);
    assert_eq!(hosts[2], (5432, Some(&b"at home"[..])));

    let elsewhere = configs("host=/run/elsewhere", &user).unwrap();
    assert_eq!(elsewhere[0].get_password(), None);
    assert_eq!(
        configs("host=a,b port=1,2,3", &user).unwrap_err(),
        "the numbers of ports and hosts differ"
    );
}

#[test]
fn the_default_user_is_the_user_of_the_system() {
    let config = configs("", &user(&[("PGHOST", "h")])).unwrap().remove(0);
    assert_eq!((config.get_user(), config.get_dbname()), (Some("somebody"), Some("somebody")));
    assert_eq!(config.get_application_name(), Some("passage"));
}

#[test]
fn unknown_and_unsupported_options_are_errors() {
    for (url, error) in [
        ("host=a sslcrl=/crl", "option \"sslcrl\" is not supported"),
        ("host=a colour=red", "unknown option \"colour\""),
        ("host=a connect_timeout=soon", "\"connect_timeout\" must be a number"),
    ] {
        assert_eq!(configs(url, &user(&[])).unwrap_err(), error);
    }
    let revoked = configs("host=a", &user(&[("PGSSLCRL", "/crl")])).unwrap_err();
    assert_eq!(revoked, "option \"sslcrl\" in the environment is not supported");
}

#[test]
fn exposed_private_keys_are_detected_as_by_libpq() {
    const SOMEBODY: u32 = 1_000;
    for (owner, mode, expected) in [
        (SOMEBODY, 0o600, false),
        (SOMEBODY, 0o400, false),
        (SOMEBODY, 0o700, false),
        (SOMEBODY, 0o640, true),
        (SOMEBODY, 0o604, true),
        (SOMEBODY, 0o610, true),
        (0, 0o600, false),
        (0, 0o640, false),
        (0, 0o440, false),
        (0, 0o660, true),
        (0, 0o650, true),
        (0, 0o644, true),
        (0, 0o641, true),
    ] {
        assert_eq!(is_exposed(owner, 0o100_000 | mode), expected, "{owner} {mode:o}");
    }
}

#[test]
fn sslmode_accepts_six_modes_and_system_authorities_require_verify_full() {
    let mode = |url: &str| Mode::of(&Options::gather(url, &user(&[])).unwrap());
    assert_eq!(mode("host=a"), Ok(Mode::Prefer));
    assert_eq!(mode("host=a sslmode=verify-ca"), Ok(Mode::VerifyCa));
    assert_eq!(mode("host=a sslrootcert=system"), Ok(Mode::VerifyFull));
    assert!(mode("host=a sslmode=require sslrootcert=system").unwrap_err().contains("verify-full"));
    let valid = "prefer, disable, allow, require, verify-ca, verify-full";
    assert_eq!(mode("sslmode=on").unwrap_err(), format!("\"sslmode\" must be one of {valid}"));
}
