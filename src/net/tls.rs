//! TLS: whom we trust and how a failure reads. rustls with the ring provider, named explicitly because no
//! process-wide default is installed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{AlertDescription, CertificateError, ClientConfig, PeerIncompatible, RootCertStore};

use super::{NetError, TlsFault};
use crate::files;
use crate::units::Bytes;

/// Largest file of certificates in bytes; whole bundles of roots have a few hundred KiB.
const PEM_BYTES: usize = 4 * 1024 * 1024;

/// Whom we trust. The files of the user are read at once, so that a wrong one is said at the start; the certificates
/// of the system, which take some milliseconds, with the first handshake.
pub(super) struct Trust {
    named: RootCertStore,
    native: bool,
    client: OnceLock<Arc<ClientConfig>>,
}

impl Trust {
    /// The system's roots if `native`, and the certificates of the PEM files.
    pub fn new(authorities: &[PathBuf], native: bool) -> Result<Self, NetError> {
        let mut named = RootCertStore::empty();
        for path in authorities {
            add_file(&mut named, path)?;
        }
        Ok(Self { named, native, client: OnceLock::new() })
    }

    /// The client's configuration.
    pub fn client(&self) -> Arc<ClientConfig> {
        Arc::clone(self.client.get_or_init(|| Arc::new(self.client_config())))
    }

    fn client_config(&self) -> ClientConfig {
        let mut roots = self.named.clone();
        if self.native {
            // Single broken certificates of a system are common and no reason to stop: the rest is trusted.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the ring provider has suites for TLS 1.2 and 1.3")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config
    }
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), NetError> {
    let refuse = |reason: String| NetError::setup_file("the certificate file", path, reason);
    let pem = files::read_at_most(path, PEM_BYTES).map_err(|e| refuse(format!("it cannot be read ({e})")))?;
    if pem.len() > PEM_BYTES {
        return Err(refuse(format!("it has more than {} bytes", Bytes(PEM_BYTES))));
    }
    let certificates = CertificateDer::pem_slice_iter(&pem)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| refuse(format!("it cannot be read as PEM ({e})")))?;
    if certificates.is_empty() {
        return Err(refuse("it holds no PEM certificate".to_owned()));
    }
    for certificate in certificates {
        roots.add(certificate).map_err(|e| refuse(format!("a certificate in it is broken ({e})")))?;
    }
    Ok(())
}

/// Why a handshake failed, in plain words.
pub(super) fn fault(error: &std::io::Error) -> TlsFault {
    let Some(error) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) else {
        return match error.kind() {
            std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::ConnectionReset => TlsFault::Ended,
            _ => TlsFault::Other(error.to_string()),
        };
    };
    match error {
        rustls::Error::InvalidCertificate(certificate) => certificate_fault(certificate),
        rustls::Error::InvalidMessage(_) => TlsFault::NotTls,
        // Some servers say so in an alert, others answer with the version they like.
        rustls::Error::AlertReceived(AlertDescription::ProtocolVersion)
        | rustls::Error::PeerIncompatible(
            PeerIncompatible::ServerDoesNotSupportTls12Or13
            | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig,
        ) => TlsFault::OldVersion,
        other => TlsFault::Other(other.to_string()),
    }
}

fn certificate_fault(error: &CertificateError) -> TlsFault {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => TlsFault::Expired,
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => TlsFault::NotYetValid,
        CertificateError::UnknownIssuer => TlsFault::UnknownIssuer,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            TlsFault::WrongName
        }
        CertificateError::Revoked => TlsFault::Revoked,
        other => TlsFault::Certificate(other.to_string()),
    }
}
