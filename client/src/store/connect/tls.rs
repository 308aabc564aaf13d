//! How a connection is kept from others: `sslmode`, and what it makes of the server's certificate.

use super::options::Options;
use super::{Problem, Surroundings};
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
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// What `sslmode` asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mode {
    Prefer,
    Disable,
    Allow,
    Require,
    VerifyCa,
    VerifyFull,
}

/// Their names; what libpq does by default is the first.
const MODES: [(&str, Mode); 6] = [
    ("prefer", Mode::Prefer),
    ("disable", Mode::Disable),
    ("allow", Mode::Allow),
    ("require", Mode::Require),
    ("verify-ca", Mode::VerifyCa),
    ("verify-full", Mode::VerifyFull),
];

impl Mode {
    pub(super) fn of(options: &Options) -> Result<Self, Problem> {
        let mode = options.one_of("sslmode", &MODES)?;
        if options.get("sslrootcert") == Some(SYSTEM) {
            // Anybody has a certificate by some public authority: it proves nothing without the name.
            return match (options.get("sslmode"), mode) {
                (None, _) | (_, Mode::VerifyFull) => Ok(Mode::VerifyFull),
                _ => Err("sslrootcert=system goes with sslmode=verify-full alone".into()),
            };
        }
        Ok(mode)
    }

    /// Returns the ways in which a server is tried, one after the other.
    pub(super) fn attempts(self) -> &'static [SslMode] {
        match self {
            Mode::Disable => &[SslMode::Disable],
            Mode::Allow => &[SslMode::Disable, SslMode::Require],
            Mode::Prefer => &[SslMode::Prefer, SslMode::Disable],
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => &[SslMode::Require],
        }
    }
}

/// Where `sslrootcert` means the authorities that the system trusts.
const SYSTEM: &str = "system";

/// Returns what makes TLS connections in a mode.
pub(super) fn connector(
    mode: Mode,
    options: &Options,
    around: &dyn Surroundings,
) -> Result<MakeRustlsConnect, Problem> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier::new(mode, options, around, &provider)?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match own_certificate(options, around)? {
        Some((chain, key)) => builder
            .with_client_auth_cert(chain, key)
            .map_err(|error| format!("sslcert and sslkey do not go together: {error}"))?,
        None => builder.with_no_client_auth(),
    };
    // What a server wants to see where TLS begins at once, by sslnegotiation=direct.
    config.alpn_protocols = vec![b"postgresql".to_vec()];
    Ok(MakeRustlsConnect::new(config))
}

/// Returns the user's own certificate and its key, if there are some.
fn own_certificate(
    options: &Options,
    around: &dyn Surroundings,
) -> Result<Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>, Problem> {
    let file = |key: &str, name: &str| {
        let named = options.get(key).map(PathBuf::from);
        named.or_else(|| Some(around.home()?.join(".postgresql").join(name)))
    };
    let Some(chain) = file("sslcert", "postgresql.crt").filter(|path| path.exists()) else {
        return match options.get("sslcert") {
            Some(path) => Err(format!("sslcert: there is no file \"{path}\"")),
            None => Ok(None),
        };
    };
    let key = file("sslkey", "postgresql.key").ok_or("sslcert is there, and no sslkey")?;
    Ok(Some((certificates(&chain)?, private_key(&key)?)))
}

/// Reads a private key, unless others can: by the rule of libpq, with the owner's rights alone, or
/// where root owns the file with those of its group to read it, too.
fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, Problem> {
    let shown = path.display();
    let unreadable =
        |error: &dyn std::fmt::Display| format!("the key {shown} cannot be read: {error}");
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    // Of the file that is read, whatever the name means by then.
    let facts = file.metadata().map_err(|error| unreadable(&error))?;
    if !facts.is_file() {
        return Err(format!("the key {shown} is no regular file"));
    }
    if is_open(facts.uid(), facts.mode()) {
        return Err(format!(
            "the key {shown} has group or world access; it must have permissions u=rw (0600) or less, \
             or u=rw,g=r (0640) or less if owned by root"
        ));
    }
    PrivateKeyDer::from_pem_reader(BufReader::new(file)).map_err(|error| unreadable(&error))
}

/// Tells whether a key with such an owner and mode is open to others.
pub(super) fn is_open(owner: u32, mode: u32) -> bool {
    mode & if owner == 0 { 0o037 } else { 0o077 } != 0
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Problem> {
    CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| format!("the certificate {} cannot be read: {error}", path.display()))
}

/// Looks at a server's certificate as far as the mode asks for it.
#[derive(Debug)]
struct Verifier {
    /// Who may have signed it; `None` for anybody.
    authorities: Option<Authorities>,
    /// Whether the server's name has to stand in it.
    with_name: bool,
    algorithms: WebPkiSupportedAlgorithms,
}

#[derive(Debug)]
struct Authorities {
    roots: RootCertStore,
    /// The same, to know a server by that signed its own certificate.
    certificates: Vec<CertificateDer<'static>>,
}

impl Verifier {
    fn new(
        mode: Mode,
        options: &Options,
        around: &dyn Surroundings,
        provider: &CryptoProvider,
    ) -> Result<Self, Problem> {
        let named = options.get("sslrootcert");
        let own = || Some(around.home()?.join(".postgresql").join("root.crt"));
        let must_verify = matches!(mode, Mode::VerifyCa | Mode::VerifyFull);
        let file = named.map(PathBuf::from).or_else(own).filter(|path| path.exists());
        let certificates = match file {
            _ if named == Some(SYSTEM) => rustls_native_certs::load_native_certs().certs,
            // As libpq: where there is a file, what is required is verified as well.
            Some(path) if must_verify || mode == Mode::Require => certificates(&path)?,
            None if must_verify => {
                let path = named.unwrap_or("~/.postgresql/root.crt");
                return Err(format!(
                    "there is no root certificate \"{path}\" to verify the server by"
                ));
            }
            _ => Vec::new(),
        };
        let verified = must_verify || !certificates.is_empty();
        let mut roots = RootCertStore::empty();
        let (added, _) = roots.add_parsable_certificates(certificates.iter().cloned());
        if verified && added == 0 {
            return Err("there is no usable certificate in sslrootcert".into());
        }
        Ok(Self {
            authorities: verified.then_some(Authorities { roots, certificates }),
            with_name: mode == Mode::VerifyFull,
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
            // A server that is its own authority, which OpenSSL takes and webpki does not. Its
            // dates are looked at before that.
            Err(Error::InvalidCertificate(CertificateError::Other(_)))
                if certificates.iter().any(|trusted| trusted == end_entity) => {}
            signed => signed?,
        }
        if self.with_name {
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
