//! Which port a program listens on: chosen for it, fixed, or read from what it writes.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

/// Where every server of ours is reached.
pub(super) fn loopback(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

/// A port that nobody listened on a moment ago.
///
/// It may be taken before the program gets there; see [`is_taken`].
pub(super) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(loopback(0))?.local_addr()?.port())
}

/// Whether somebody listens on `port`.
pub(super) fn is_taken(port: u16) -> bool {
    TcpListener::bind(loopback(port)).is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
}

/// The port that stands after `prefix` in `line`, blanks between them allowed.
///
/// The beginning of an address, as in `http://127.0.0.1:80` after `http://`, is no port.
pub(super) fn port_after(prefix: &str, line: &str) -> Option<u16> {
    line.match_indices(prefix)
        .find_map(|(at, _)| leading_port(line[at + prefix.len()..].trim_start()))
}

fn leading_port(text: &str) -> Option<u16> {
    let end = text
        .find(|char: char| !char.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let mut next = rest.chars();
    if matches!(next.next(), Some('.' | ':'))
        && next.next().is_some_and(|char| char.is_ascii_hexdigit())
    {
        return None;
    }
    digits.parse().ok().filter(|port| *port != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_stands_after_the_prefix() {
        let cases = [
            ("port ", "listening on port 8080", Some(8080)),
            ("port", "port 8080.", Some(8080)),
            (
                "http://127.0.0.1:",
                "INFO http://127.0.0.1:4000/ is up",
                Some(4000),
            ),
            ("port=", "{\"port\":1} port=x port=81,", Some(81)),
            ("port ", "port 0", None),
            ("port ", "port 70000", None),
            ("http://", "http://127.0.0.1:4000", None),
            ("port ", "no such thing", None),
            ("port ", "port ", None),
        ];
        for (prefix, line, port) in cases {
            assert_eq!(port_after(prefix, line), port, "{prefix:?} in {line:?}");
        }
    }

    #[test]
    fn a_port_with_a_listener_is_taken() {
        let listener = TcpListener::bind(loopback(0)).unwrap();
        assert!(is_taken(listener.local_addr().unwrap().port()));
    }
}
