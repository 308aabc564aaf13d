//! TLS: the modes of `sslmode`, and the verification of the server's certificate.

use super::environment::{Environment, OptionError};
use super::options::Options;
use crate::error::ConnectFailure;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use std::fs::File;
use std::io::BufReader;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The modes of `sslmode`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mode {
    Prefer,
    Disable,
    Allow,
    Require,
    VerifyCa,
    VerifyFull,
}

/// The names of the modes; the first is libpq's default.
const MODES: [(&str, Mode); 6] = [
    ("prefer", Mode::Prefer),
    ("disable", Mode::Disable),
    ("allow", Mode::Allow),
    ("require", Mode::Require),
    ("verify-ca", Mode::VerifyCa),
    ("verify-full", Mode::VerifyFull),
];

impl Mode {
    /// Returns the mode that the options select.
    pub(super) fn of(options: &Options) -> Result<Self, OptionError> {
        let mode = options.one_of("sslmode", &MODES)?;
        if options.get("sslrootcert") == Some(SYSTEM) {
            // Anybody can get a certificate of a public authority, which proves nothing without the name.
            return match (options.get("sslmode"), mode) {
                (None, _) | (_, Mode::VerifyFull) => Ok(Mode::VerifyFull),
                _ => Err("sslrootcert=system requires sslmode=verify-full".into()),
            };
        }
        Ok(mode)
    }

    /// Returns the attempts to make with a server, in order.
    pub(super) fn attempts(self) -> &'static [SslMode] {
        match self {
            Mode::Disable => &[SslMode::Disable],
            Mode::Allow => &[SslMode::Disable, SslMode::Require],
            Mode::Prefer => &[SslMode::Prefer, SslMode::Disable],
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => &[SslMode::Require],
        }
    }
}

/// The value of `sslrootcert` for the system's certificate authorities.
const SYSTEM: &str = "system";

/// A failure to prepare TLS.
#[derive(Debug)]
pub(super) struct TlsError {
    pub(super) failure: ConnectFailure,
    pub(super) cause: String,
}

/// Returns an error about a certificate.
fn certificate_error(cause: impl Into<String>) -> TlsError {
    TlsError { failure: ConnectFailure::Certificate, cause: cause.into() }
}

/// Returns an error about the client's private key.
fn key_error(cause: impl Into<String>) -> TlsError {
    TlsError { failure: ConnectFailure::PrivateKey, cause: cause.into() }
}

/// Returns the TLS connector for a mode.
pub(super) fn connector(
    mode: Mode,
    options: &Options,
    environment: &dyn Environment,
) -> Result<MakeRustlsConnect, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier::new(mode, options, environment, &provider)?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring supports TLS 1.2 and 1.3")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match client_certificate(options, environment)? {
        Some((chain, key)) => builder
            .with_client_auth_cert(chain, key)
            .map_err(|error| key_error(format!("sslcert and sslkey do not match: {error}")))?,
        None => builder.with_no_client_auth(),
    };
    // The server requires this protocol with sslnegotiation=direct.
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

/// Returns the client's certificate and private key, if there are some.
fn client_certificate(
    options: &Options,
    environment: &dyn Environment,
) -> Result<Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>, TlsError> {
    let file = |key: &str, name: &str| environment.file(options.get(key), &[".postgresql", name]);
    let Some(chain) = file("sslcert", "postgresql.crt").filter(|path| path.exists()) else {
        return match options.get("sslcert") {
            Some(path) => {
                Err(certificate_error(format!("certificate file \"{path}\" does not exist")))
            }
            None => Ok(None),
        };
    };
    let key =
        file("sslkey", "postgresql.key").ok_or_else(|| key_error("sslcert requires sslkey"))?;
    Ok(Some((certificates(&chain)?, private_key(&key)?)))
}

/// Reads a private key, unless other users can read the file. As in libpq, only the owner may have
/// access, and the group may read a file that root owns.
fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let shown = path.display();
    let unreadable = |error: &dyn std::fmt::Display| {
        key_error(format!("cannot read the private key {shown}: {error}"))
    };
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    // Checks the opened file, which the path may no longer name.
    let metadata = file.metadata().map_err(|error| unreadable(&error))?;
    if !metadata.is_file() {
        return Err(key_error(format!("private key {shown} is not a regular file")));
    }
    if is_exposed(metadata.uid(), metadata.mode()) {
        return Err(TlsError {
            failure: ConnectFailure::PrivateKeyPermissions,
            cause: format!(
                "private key {shown} has group or world access; it must have permissions u=rw (0600) or less, \
                 or u=rw,g=r (0640) or less if owned by root"
            ),
        });
    }
    PrivateKeyDer::from_pem_reader(BufReader::new(file)).map_err(|error| unreadable(&error))
}

/// Returns whether other users can read a key file with an owner and a mode.
pub(super) fn is_exposed(owner: u32, mode: u32) -> bool {
    mode & if owner == 0 { 0o037 } else { 0o077 } != 0
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    CertificateDer::pem_file_iter(path).and_then(Iterator::collect).map_err(|error| {
        certificate_error(format!("cannot read the certificate {}: {error}", path.display()))
    })
}

/// Verifies a server's certificate as the mode requires.
#[derive(Debug)]
struct Verifier {
    /// The trusted authorities; `None` accepts any certificate.
    authorities: Option<Authorities>,
    /// Whether the certificate must contain the server's name.
    checks_name: bool,
    algorithms: WebPkiSupportedAlgorithms,
}

#[derive(Debug)]
struct Authorities {
    roots: RootCertStore,
    /// The same certificates, to recognize a server with a self-signed certificate.
    certificates: Vec<CertificateDer<'static>>,
}

impl Verifier {
    fn new(
        mode: Mode,
        options: &Options,
        environment: &dyn Environment,
        provider: &CryptoProvider,
    ) -> Result<Self, TlsError> {
        let named = options.get("sslrootcert");
        let must_verify = matches!(mode, Mode::VerifyCa | Mode::VerifyFull);
        let file =
            environment.file(named, &[".postgresql", "root.crt"]).filter(|path| path.exists());
        let certificates = match file {
            _ if named == Some(SYSTEM) => rustls_native_certs::load_native_certs().certs,
            // As in libpq, `require` verifies the certificate if the file exists.
            Some(path) if must_verify || mode == Mode::Require => certificates(&path)?,
            None if must_verify => {
                let path = named.unwrap_or("~/.postgresql/root.crt");
                return Err(certificate_error(format!(
                    "root certificate file \"{path}\" does not exist"
                )));
            }
            _ => Vec::new(),
        };
        let is_verified = must_verify || !certificates.is_empty();
        let mut roots = RootCertStore::empty();
        let (added, _) = roots.add_parsable_certificates(certificates.iter().cloned());
        if is_verified && added == 0 {
            return Err(certificate_error("sslrootcert contains no usable certificate"));
        }
        Ok(Self {
            authorities: is_verified.then_some(Authorities { roots, certificates }),
            checks_name: mode == Mode::VerifyFull,
            algorithms: provider.signature_verification_algorithms,
        })
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(Authorities { roots, certificates }) = &self.authorities else {
            return Ok(ServerCertVerified::assertion());
        };
        let certificate = ParsedCertificate::try_from(end_entity)?;
        let signed = verify_server_cert_signed_by_trust_anchor(
            &certificate,
            roots,
            intermediates,
            now,
            self.algorithms.all,
        );
        match signed {
            // OpenSSL accepts a trusted self-signed server certificate, webpki does not. webpki checks
            // its dates before this error.
            Err(Error::InvalidCertificate(CertificateError::Other(_)))
                if certificates.iter().any(|trusted| trusted == end_entity) => {}
            signed => signed?,
        }
        if self.checks_name {
            verify_server_name(&certificate, server_name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
