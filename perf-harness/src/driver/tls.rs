//! Whom a client of TLS trusts: the rustls configuration that every driver uses.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ConfigBuilder, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    WantsVerifier,
};

use crate::load::Trust;

/// Why no client of TLS can be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The system knows no authority.
    #[error(
        "the system has no certificate authorities ({reason}): install its package `ca-certificates`, or trust a PEM file by `Trust::Authorities`"
    )]
    NoSystemRoots {
        /// What was looked for, or why it could not be read.
        reason: String,
    },
    /// The file of authorities cannot be read.
    #[error(
        "the authorities in {} cannot be read ({reason}): check that it is a PEM file and that its path is right", path.display()
    )]
    Authorities {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file of authorities has no certificate.
    #[error(
        "{} holds no certificate: it must be a PEM file with at least one `BEGIN CERTIFICATE`", path.display()
    )]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// No certificate can be for the host.
    #[error(
        "no certificate can be for {host:?}: name the server by a DNS name or an address in its URL"
    )]
    Host {
        /// The host of the URL.
        host: String,
    },
}

/// The configuration of a client that trusts as `trust` says and offers the protocols `alpn`.
///
/// Sessions are never resumed, so that every handshake is a full one and costs the server the same.
/// The provider is ring whatever other crates of the process have installed.
///
/// # Errors
///
/// [`TlsError`] when there is nobody to trust.
pub(super) fn client_config(trust: &Trust, alpn: &[&[u8]]) -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = builder(&provider);
    let builder = match trust {
        Trust::System => builder.with_root_certificates(system_roots()?),
        Trust::Authorities(path) => builder.with_root_certificates(authorities(path)?),
        Trust::Insecure => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider))),
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// The configuration of a client that is not going to speak TLS: it trusts nobody.
#[cfg(feature = "journeys")]
pub(super) fn trusting_nobody() -> ClientConfig {
    builder(&Arc::new(ring::default_provider()))
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth()
}

fn builder(provider: &Arc<CryptoProvider>) -> ConfigBuilder<ClientConfig, WantsVerifier> {
    ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_safe_default_protocol_versions()
        .expect("ring has cipher suites for every version of TLS")
}

fn system_roots() -> Result<RootCertStore, TlsError> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if !roots.is_empty() {
        return Ok(roots);
    }
    let reason = found.errors.first().map(ToString::to_string);
    Err(TlsError::NoSystemRoots {
        reason: reason.unwrap_or_else(|| "none in its usual places".to_owned()),
    })
}

/// One bad certificate makes the whole file bad: whom it was for would be refused without a hint.
fn authorities(path: &Path) -> Result<RootCertStore, TlsError> {
    let unreadable = |reason: String| TlsError::Authorities {
        path: path.to_owned(),
        reason,
    };
    let mut roots = RootCertStore::empty();
    let pem = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
        roots
            .add(certificate)
            .map_err(|error| unreadable(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(TlsError::NoCertificate {
            path: path.to_owned(),
        });
    }
    Ok(roots)
}

/// Takes every certificate for the right one. Signatures are checked all the same, so that a
/// handshake costs what it costs with a certificate that is trusted.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(content: Option<&str>) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        if let Some(content) = content {
            std::fs::write(&path, content).unwrap();
        }
        let trust = Trust::Authorities(path.clone());
        let message = client_config(&trust, &[]).unwrap_err().to_string();
        assert!(message.contains(&path.display().to_string()), "{message}");
        message
    }

    #[test]
    fn a_file_without_a_certificate_is_refused_with_what_is_wrong() {
        assert!(refused(None).contains("No such file"));
        assert!(refused(Some("")).contains("holds no certificate"));
        assert!(
            refused(Some(
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
            ))
            .contains("holds no certificate")
        );
        assert!(
            refused(Some("-----BEGIN CERTIFICATE-----\nAAAA\n")).contains("check that it is a PEM")
        );
        assert!(
            refused(Some(
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
            ))
            .contains("cannot be read")
        );
    }

    #[test]
    fn the_protocols_are_offered_as_asked_for() {
        let config = client_config(&Trust::Insecure, &[b"h2", b"http/1.1"]).unwrap();
        assert_eq!(
            config.alpn_protocols,
            [b"h2".to_vec(), b"http/1.1".to_vec()]
        );
    }
}
