//! TLS with the modes of psql, and a server whose certificate is signed by a private authority.

use crate::RunOutput;
use passage_tests::Cluster;
use passage_tests::cases;
use passage_tests::cluster::{DATABASE, Installation, OWNER, SUPERUSER};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::process::Command;

/// A server with TLS on a port of the loopback interface.
struct TlsServer {
    cluster: Cluster,
    port: ReservedPort,
    /// The home folder of the user, where libpq reads `.postgresql` and `.pgpass`.
    home: TempDir,
    /// The certificates of the authority that signed the server's certificate, and of another one.
    ours: PathBuf,
    other: PathBuf,
}

/// A TCP port of the loopback interface that no other test takes.
///
/// PostgreSQL cannot inherit a listening socket, so the port is not bound between its choice and the start
/// of the server. The number is below 32,768, the beginning of Linux' range for automatic ports, and a lock
/// on a file of that number excludes other tests until this one ends.
struct ReservedPort {
    number: u16,
    _lock: File,
}

impl ReservedPort {
    fn take() -> Self {
        for number in 20_000..30_000 {
            let path = std::env::temp_dir().join(format!("passage-port-{number}.lock"));
            // The file may belong to another user.
            let Ok(lock) = File::create(path) else { continue };
            if lock.try_lock().is_ok() && TcpListener::bind(("127.0.0.1", number)).is_ok() {
                return Self { number, _lock: lock };
            }
        }
        panic!("no port is free");
    }
}

/// Makes an authority of a name. With `servers`, its certificate is also that of a server.
fn authority(name: &str, servers: &[&str]) -> CertifiedIssuer<'static, KeyPair> {
    let servers: Vec<_> = servers.iter().map(|&server| server.to_owned()).collect();
    let mut params = CertificateParams::new(servers).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

impl TlsServer {
    /// Starts a server whose certificate is for `localhost`. Returns `None` without a server with TLS.
    async fn start(rules: &str) -> Option<Self> {
        let Some(installation) = Installation::find_with_tls() else {
            Installation::find().report_skipped("TLS to a server", "it is built without");
            return None;
        };
        let mut cluster = Cluster::of(installation).await;
        let home = tempfile::tempdir().unwrap();
        let authority = authority("ours", &[]);
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &authority).unwrap();
        let (ours, other) = (home.path().join("ours.crt"), home.path().join("other.crt"));
        fs::write(&ours, authority.pem()).unwrap();
        fs::write(&other, self::authority("other", &[]).pem()).unwrap();

        let data = cluster.folder().join("data");
        own(&data.join("server.crt"), &certificate.pem(), &data);
        own(&data.join("server.key"), &key.serialize_pem(), &data);
        own(&data.join("pg_hba.conf"), &format!("local all all trust\n{rules}\n"), &data);
        let port = ReservedPort::take();
        let number = port.number;
        for setting in
            cases(["ssl = on", "listen_addresses = '127.0.0.1'", &format!("port = {number}")])
        {
            cluster.execute_as(SUPERUSER, &format!("ALTER SYSTEM SET {setting}")).await;
        }
        cluster
            .execute_as(SUPERUSER, &format!("ALTER ROLE {OWNER} PASSWORD 'xyzzy-hunter2'"))
            .await;
        cluster.stop();
        // The name of the socket contains the port, and the tests connect to the default port.
        let sockets = cluster.folder();
        symlink(sockets.join(format!(".s.PGSQL.{number}")), sockets.join(".s.PGSQL.5432")).unwrap();
        cluster.start_again().await;
        Some(Self { cluster, port, home, ours, other })
    }

    /// The client with the variables of libpq as its only connection settings.
    fn program(&self, host: &str, variables: &[(&str, &str)]) -> Command {
        let mut program = self.cluster.client_program();
        program.env_remove("DATABASE_URL").env("HOME", self.home.path());
        program.env("PGHOST", host).env("PGPORT", self.port.number.to_string());
        program.env("PGUSER", OWNER).env("PGDATABASE", DATABASE).envs(variables.iter().copied());
        program.args(["doctor", "--no-embed"]);
        program
    }

    /// Returns how the client reports its connection. The extension is not installed here.
    async fn connection(
        &self,
        host: &str,
        variables: &[(&str, &str)],
    ) -> Result<String, RunOutput> {
        let run = RunOutput::of(&mut self.program(host, variables)).await;
        assert!(!run.stdout.contains("hunter2") && !run.stderr.contains("hunter2"));
        let line = run.stdout.lines().find(|line| line.contains("connection: ")).map(str::to_owned);
        match line {
            Some(line) if line.starts_with("error") => Err(run),
            Some(line) => Ok(line.split_once("connection: ").unwrap().1.to_owned()),
            None => panic!("{}{}", run.stdout, run.stderr),
        }
    }

    async fn refusal(&self, host: &str, variables: &[(&str, &str)]) -> String {
        match self.connection(host, variables).await {
            Ok(connected) => panic!("{host} {variables:?}: connected {connected}"),
            Err(run) => run.stdout,
        }
    }
}

/// Writes a file that the server's user owns and only it can read.
fn own(path: &Path, content: &str, like: &Path) {
    fs::write(path, content).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    let facts = like.metadata().unwrap();
    chown(path, Some(facts.uid()), Some(facts.gid())).unwrap();
}

#[tokio::test]
async fn each_ssl_mode_verifies_the_certificate_as_in_libpq() {
    let Some(server) = TlsServer::start("host all all 127.0.0.1/32 trust").await else { return };
    let (ours, other) = (server.ours.to_str().unwrap(), server.other.to_str().unwrap());
    for (mode, connected) in [
        ("disable", "not encrypted"),
        ("allow", "not encrypted"),
        ("prefer", "encrypted with TLS"),
        ("require", "encrypted with TLS"),
    ] {
        let variables = [("PGSSLMODE", mode)];
        assert_eq!(
            server.connection("localhost", &variables).await.ok().unwrap(),
            connected,
            "{mode}"
        );
    }
    let mode = |mode| ("PGSSLMODE", mode);
    let root = |path| ("PGSSLROOTCERT", path);
    for host in cases(["localhost", "127.0.0.1"]) {
        let trusted = [mode("verify-ca"), root(ours)];
        assert_eq!(server.connection(host, &trusted).await.ok().unwrap(), "encrypted with TLS");
        for strict in ["verify-ca", "verify-full", "require"] {
            let said = server.refusal(host, &[mode(strict), root(other)]).await;
            assert!(
                said.contains("UnknownIssuer") && said.contains("PGSSLROOTCERT"),
                "{strict}: {said}"
            );
        }
    }
    assert!(server.connection("localhost", &[mode("verify-full"), root(ours)]).await.is_ok());
    let said = server.refusal("127.0.0.1", &[mode("verify-full"), root(ours)]).await;
    assert!(said.contains("not valid for name"), "{said}");
    let said = server.refusal("localhost", &[mode("verify-full")]).await;
    assert!(
        said.contains("root certificate file \"~/.postgresql/root.crt\" does not exist"),
        "{said}"
    );
    let said = server.refusal("localhost", &[root("system")]).await;
    assert!(said.contains("UnknownIssuer") || said.contains("no usable certificate"), "{said}");

    // The authority's certificate in its default place.
    fs::create_dir(server.home.path().join(".postgresql")).unwrap();
    fs::copy(&server.ours, server.home.path().join(".postgresql/root.crt")).unwrap();
    assert!(server.connection("localhost", &[mode("verify-full")]).await.is_ok());

    // A connection through a socket is never encrypted.
    let socket = server.cluster.folder().display().to_string();
    let connected = server.connection(&socket, &[mode("verify-full")]).await.ok().unwrap();
    assert_eq!(connected, "through a Unix socket");
}

#[tokio::test]
async fn allow_and_prefer_change_to_what_the_server_requires() {
    let Some(server) = TlsServer::start("hostssl all all 127.0.0.1/32 trust").await else { return };
    assert_eq!(
        server.connection("localhost", &[("PGSSLMODE", "allow")]).await.ok().unwrap(),
        "encrypted with TLS"
    );
    let said = server.refusal("localhost", &[("PGSSLMODE", "disable")]).await;
    assert!(said.contains("no encryption"), "{said}");

    let Some(server) = TlsServer::start("hostnossl all all 127.0.0.1/32 trust").await else {
        return;
    };
    assert_eq!(server.connection("localhost", &[]).await.ok().unwrap(), "not encrypted");
    let said = server.refusal("localhost", &[("PGSSLMODE", "require")]).await;
    assert!(said.contains("SSL encryption"), "{said}");
}

#[tokio::test]
async fn the_password_comes_from_a_variable_or_the_password_file() {
    let Some(server) = TlsServer::start("hostssl all all 127.0.0.1/32 scram-sha-256").await else {
        return;
    };
    let password = ("PGPASSWORD", "xyzzy-hunter2");
    assert!(server.connection("localhost", &[password]).await.is_ok());
    // The password is bound to this TLS channel, which proves that the server is its end.
    assert!(
        server.connection("localhost", &[password, ("PGCHANNELBINDING", "require")]).await.is_ok()
    );
    let said = server.refusal("localhost", &[("PGPASSWORD", "wrong")]).await;
    assert!(
        said.contains("password authentication failed") && said.contains("PGPASSWORD"),
        "{said}"
    );
    let said = server.refusal("localhost", &[]).await;
    assert!(said.contains("password missing") && said.contains("~/.pgpass"), "{said}");

    let file = server.home.path().join(".pgpass");
    fs::write(&file, format!("localhost:{}:*:{OWNER}:xyzzy-hunter2\n", server.port.number))
        .unwrap();
    let said = server.refusal("localhost", &[]).await;
    assert!(said.contains(".pgpass is ignored, since other users can read it"), "{said}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(server.connection("localhost", &[]).await.is_ok());

    let elsewhere = server.home.path().join("secrets");
    fs::rename(&file, &elsewhere).unwrap();
    server.refusal("localhost", &[]).await;
    assert!(
        server
            .connection("localhost", &[("PGPASSFILE", elsewhere.to_str().unwrap())])
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_server_without_tls_is_accepted_by_prefer_and_refused_by_require() {
    let Some(server) = TlsServer::start("host all all 127.0.0.1/32 trust").await else { return };
    let mut cluster = server.cluster;
    cluster.execute_as(SUPERUSER, "ALTER SYSTEM SET ssl = off").await;
    cluster.restart().await;
    let server = TlsServer { cluster, ..server };
    assert_eq!(server.connection("localhost", &[]).await.ok().unwrap(), "not encrypted");
    let said = server.refusal("localhost", &[("PGSSLMODE", "require")]).await;
    assert!(said.contains("server does not support TLS") && said.contains("ssl = on"), "{said}");
}

#[tokio::test]
async fn a_self_signed_server_is_verified_by_its_own_certificate() {
    let Some(mut server) = TlsServer::start("host all all 127.0.0.1/32 trust").await else {
        return;
    };
    let data = server.cluster.folder().join("data");
    let own_authority = authority("server", &["localhost"]);
    own(&data.join("server.crt"), &own_authority.pem(), &data);
    own(&data.join("server.key"), &own_authority.key().serialize_pem(), &data);
    server.cluster.restart().await;
    fs::write(&server.ours, own_authority.pem()).unwrap();
    let (ours, other) = (server.ours.to_str().unwrap(), server.other.to_str().unwrap());
    let full = ("PGSSLMODE", "verify-full");
    assert_eq!(
        server.connection("localhost", &[full, ("PGSSLROOTCERT", ours)]).await.ok().unwrap(),
        "encrypted with TLS"
    );
    let said = server.refusal("127.0.0.1", &[full, ("PGSSLROOTCERT", ours)]).await;
    assert!(said.contains("not valid for name"), "{said}");
    let said = server.refusal("localhost", &[full, ("PGSSLROOTCERT", other)]).await;
    assert!(said.contains("certificate"), "{said}");
}

#[tokio::test]
async fn a_private_key_that_others_can_read_is_refused_as_in_libpq() {
    let Some(server) = TlsServer::start("hostssl all all 127.0.0.1/32 trust").await else { return };
    let mine = authority("mine", &["owner"]);
    let (certificate, key) =
        (server.home.path().join("mine.crt"), server.home.path().join("mine.key"));
    fs::write(&certificate, mine.pem()).unwrap();
    fs::write(&key, mine.key().serialize_pem()).unwrap();
    let variables = [
        ("PGSSLCERT", certificate.to_str().unwrap()),
        ("PGSSLKEY", key.to_str().unwrap()),
        ("PGSSLMODE", "require"),
    ];
    let is_roots = key.metadata().unwrap().uid() == 0;
    for (mode, is_taken) in
        [(0o600, true), (0o400, true), (0o640, is_roots), (0o644, false), (0o660, false)]
    {
        fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
        if is_taken {
            assert!(server.connection("localhost", &variables).await.is_ok(), "{mode:o}");
        } else {
            let said = server.refusal("localhost", &variables).await;
            assert!(
                said.contains("mine.key has group or world access") && said.contains("chmod 600"),
                "{mode:o}: {said}"
            );
        }
    }
    fs::remove_file(&key).unwrap();
    fs::create_dir(&key).unwrap();
    let said = server.refusal("localhost", &variables).await;
    assert!(said.contains("mine.key is not a regular file"), "{said}");
}
