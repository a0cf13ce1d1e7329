//! TLS, against a server with a certificate of its own.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::thread;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

use super::*;
use crate::load::Trust;

/// A server for `localhost` that lives as long as the test, and who vouches for it.
struct Server {
    endpoint: Endpoint,
    authority: PathBuf,
    _folder: TempDir,
}

fn server() -> Server {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("ca.pem");
    std::fs::write(&authority, cert.pem()).unwrap();
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let (listener, config) = (TcpListener::bind("127.0.0.1:0").unwrap(), Arc::new(config));
    let address = listener.local_addr().unwrap();
    let url = format!("https://localhost:{}", address.port());
    let mut endpoints = Endpoint::resolve(&url).unwrap().into_iter();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(std::result::Result::ok) {
            let config = Arc::clone(&config);
            thread::spawn(move || serve(stream, config));
        }
    });
    Server {
        endpoint: endpoints.find(|e| e.address() == Some(address)).unwrap(),
        authority,
        _folder: folder,
    }
}

fn serve(stream: TcpStream, config: Arc<ServerConfig>) {
    let session = ServerConnection::new(config).unwrap();
    let mut reader = BufReader::new(StreamOwned::new(session, stream));
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|count| count > 0) {
        if line == "\r\n" {
            let reply = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
            drop(reader.get_mut().write_all(reply));
        }
        line.clear();
    }
}

fn drive_as(server: &Server, trust: Trust) -> std::result::Result<Sample, DriverError> {
    let load = Load {
        trust,
        ..load(40, 3)
    };
    ReqwestDriver.drive(&server.endpoint, &load, &mut CountingWindow::default())
}

#[test]
fn a_server_that_is_trusted_is_measured() {
    let server = server();
    for trust in [
        Trust::Authorities(server.authority.clone()),
        Trust::Insecure,
    ] {
        let sample = drive_as(&server, trust).unwrap();
        assert_eq!((sample.ok, sample.bytes), (40, 200));
        assert_eq!((sample.connect.count(), sample.reconnects), (3, 0));
    }
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_a_failure_of_tls() {
    let (server, other) = (server(), server());
    let error = drive_as(&server, Trust::Authorities(other.authority)).unwrap_err();
    let is_tls = matches!(
        &error,
        DriverError::WarmUp {
            kind: ErrorKind::Tls,
            ..
        }
    );
    assert!(is_tls, "{error}");
}

#[test]
fn authorities_that_cannot_be_read_are_named() {
    let missing = Trust::Authorities("/nowhere/ca.pem".into());
    let message = drive_as(&server(), missing).unwrap_err().to_string();
    assert!(message.contains("/nowhere/ca.pem"), "{message}");
}
