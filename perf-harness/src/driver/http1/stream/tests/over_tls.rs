use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

use super::*;
use crate::endpoint::Endpoint;
use crate::load::Trust;

type ServerStream = StreamOwned<ServerConnection, TcpStream>;

const MIB: usize = 1_024 * 1_024;

/// A server for `localhost`, and the authority that vouches for it.
struct Server {
    endpoint: Endpoint,
    authority: PathBuf,
    thread: JoinHandle<()>,
    _folder: TempDir,
}

/// Hands one connection to `serve`, before its handshake.
fn server(serve: impl FnOnce(ServerStream) + Send + 'static) -> Server {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("ca.pem");
    std::fs::write(&authority, cert.pem()).unwrap();
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = endpoint("localhost", &listener);
    let thread = thread::spawn(move || {
        let session = ServerConnection::new(Arc::new(config)).unwrap();
        serve(StreamOwned::new(session, listener.accept().unwrap().0));
    });
    Server {
        endpoint,
        authority,
        thread,
        _folder: folder,
    }
}

fn endpoint(host: &str, listener: &TcpListener) -> Endpoint {
    let address = listener.local_addr().unwrap();
    let url = format!("https://{host}:{}", address.port());
    let endpoints = Endpoint::resolve(&url).unwrap();
    let found = endpoints
        .into_iter()
        .find(|endpoint| endpoint.address() == Some(address));
    found.unwrap()
}

fn connect(endpoint: &Endpoint, trust: &Trust) -> io::Result<Client> {
    let setup = TlsSetup::new(trust, endpoint).unwrap();
    Client::connect(endpoint.peer(), Some(&setup))
}

/// What the handshake with a client of `trust` fails by.
fn reason(trust: impl FnOnce(&Server) -> Trust) -> String {
    let server = server(|mut stream| {
        stream.read(&mut [0]).unwrap_err();
    });
    let error = connect(&server.endpoint, &trust(&server)).err().unwrap();
    server.thread.join().unwrap();
    tls_reason(&error).unwrap()
}

fn close_cleanly(mut stream: ServerStream) {
    stream.conn.send_close_notify();
    stream.flush().unwrap();
}

#[test]
fn the_right_authority_vouches_and_a_mebibyte_comes_back_whole() {
    let server = server(|mut stream| {
        echo(&mut stream, MIB);
        close_cleanly(stream);
    });
    let trust = Trust::Authorities(server.authority.clone());
    let mut client = connect(&server.endpoint, &trust).unwrap();
    assert!(!client.stream.short_read_empties());
    check_echo(&mut client, MIB);
    server.thread.join().unwrap();
}

#[test]
fn no_certificate_is_refused_by_a_client_that_asks_for_none() {
    let server = server(|mut stream| {
        echo(&mut stream, 10);
        close_cleanly(stream);
    });
    let mut client = connect(&server.endpoint, &Trust::Insecure).unwrap();
    check_echo(&mut client, 10);
    server.thread.join().unwrap();
}

#[test]
fn a_wrong_authority_does_not_vouch() {
    let other = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let reason = reason(|server| {
        let path = server.authority.with_file_name("other.pem");
        std::fs::write(&path, other.cert.pem()).unwrap();
        Trust::Authorities(path)
    });
    assert!(reason.contains("invalid peer certificate"), "{reason}");
}

#[test]
fn a_certificate_for_another_host_is_refused() {
    let server = server(|mut stream| {
        stream.read(&mut [0]).unwrap_err();
    });
    let port = server.endpoint.address().unwrap().port();
    let by_address = &Endpoint::resolve(&format!("https://127.0.0.1:{port}")).unwrap()[0];
    let trust = Trust::Authorities(server.authority.clone());
    let error = connect(by_address, &trust).err().unwrap();
    server.thread.join().unwrap();
    let reason = tls_reason(&error).unwrap();
    assert!(reason.contains("not valid for name"), "{reason}");
}

#[test]
fn an_end_without_close_notify_is_no_end() {
    let server = server(|mut stream| {
        echo(&mut stream, 10);
        drop(stream);
    });
    let mut client = connect(&server.endpoint, &Trust::Insecure).unwrap();
    client.send(&pattern(10)).unwrap();
    client.discard_exactly(10);
    let error = client.read_to_end(10).unwrap_err();
    server.thread.join().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
}

#[test]
fn a_server_that_speaks_no_tls_is_told_apart() {
    let reason = plain_reply(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    assert!(reason.contains("corrupt message"), "{reason}");
}

#[test]
fn an_end_within_the_handshake_is_told_apart() {
    let reason = plain_reply(b"");
    assert!(reason.ends_with("within the handshake"), "{reason}");
}

/// What the handshake fails by when it is answered by `reply` and the end.
fn plain_reply(reply: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = endpoint("127.0.0.1", &listener);
    let thread = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        assert!(stream.read(&mut [0; 16_384]).unwrap() > 0);
        stream.write_all(reply).unwrap();
    });
    let error = connect(&endpoint, &Trust::Insecure).err().unwrap();
    thread.join().unwrap();
    tls_reason(&error).unwrap()
}
