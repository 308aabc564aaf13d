//! HTTP as all of this crate speaks it: TLS with the ciphers of ring and the authorities that the
//! system trusts, and a name that servers see.

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use std::sync::Arc;
use std::time::Duration;

/// How long a server may take to take a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Returns what clients are built from.
pub(crate) fn builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls())
        .connect_timeout(CONNECT)
        .user_agent(concat!("passage/", env!("CARGO_PKG_VERSION")))
}

fn tls() -> ClientConfig {
    let builder = || {
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring knows TLS 1.2 and 1.3")
    };
    match builder().with_platform_verifier() {
        Ok(builder) => builder.with_no_client_auth(),
        // A system that trusts nobody can still be asked for what is in the clear.
        Err(_) => builder().with_root_certificates(RootCertStore::empty()).with_no_client_auth(),
    }
}
