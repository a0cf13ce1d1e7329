//! Whether a server listens inside a container, seen from outside.
//!
//! Docker's proxy accepts connections on a published port from the start, long before the server
//! listens, so that a connection proves nothing. The kernel's own table of sockets does.

use std::fs;
use std::net::IpAddr;

/// The state of a listening socket in the kernel's tables.
const LISTEN: &str = "0A";

/// Whether somebody listens on `port` in the network of the process `pid`, other than on its
/// loopback interface, which no published port leads to.
///
/// `None` when that network cannot be seen from here.
pub(super) fn listens(pid: i32, port: u16) -> Option<bool> {
    let tcp = fs::read_to_string(format!("/proc/{pid}/net/tcp")).ok()?;
    let tcp6 = fs::read_to_string(format!("/proc/{pid}/net/tcp6")).unwrap_or_default();
    Some(has_listener(&tcp, port) || has_listener(&tcp6, port))
}

fn has_listener(table: &str, port: u16) -> bool {
    table
        .lines()
        .filter_map(listener)
        .any(|(address, listened)| listened == port && !address.is_loopback())
}

/// Address and port of a line that tells of a listening socket.
fn listener(line: &str) -> Option<(IpAddr, u16)> {
    let mut fields = line.split_whitespace().skip(1);
    let (address, port) = fields.next()?.split_once(':')?;
    if fields.nth(1)? != LISTEN {
        return None;
    }
    Some((parse_address(address)?, u16::from_str_radix(port, 16).ok()?))
}

/// The kernel writes an address as words in the byte order of the machine.
fn parse_address(text: &str) -> Option<IpAddr> {
    let mut bytes = Vec::with_capacity(16);
    for word in text.as_bytes().chunks(8) {
        let word = u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok()?;
        bytes.extend(word.to_ne_bytes());
    }
    let v4 = <[u8; 4]>::try_from(bytes.as_slice()).map(IpAddr::from);
    let v6 = <[u8; 16]>::try_from(bytes.as_slice()).map(IpAddr::from);
    v4.or(v6).ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    const HEAD: &str = "  sl  local_address rem_address   st tx_queue rx_queue\n";

    fn table(address: &str, state: &str) -> String {
        format!("{HEAD}   0: {address} 00000000:0000 {state} 00000000:00000000 00:00000000\n")
    }

    #[test]
    fn a_listener_on_all_addresses_is_one() {
        assert!(has_listener(&table("00000000:0050", "0A"), 80));
        assert!(has_listener(
            &table("00000000000000000000000000000000:0050", "0A"),
            80
        ));
    }

    #[test]
    fn another_port_and_a_connection_are_none() {
        assert!(!has_listener(&table("00000000:0051", "0A"), 80));
        assert!(!has_listener(&table("00000000:0050", "01"), 80));
        assert!(!has_listener(HEAD, 80));
    }

    #[cfg(target_endian = "little")]
    #[test]
    fn a_listener_on_loopback_only_is_none() {
        for address in [
            "0100007F",
            "00000000000000000000000001000000",
            "0000000000000000FFFF00000100007F",
        ] {
            assert!(
                !has_listener(&table(&format!("{address}:0050"), "0A"), 80),
                "{address}"
            );
        }
    }

    #[test]
    fn the_table_of_this_machine_is_understood() {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let client = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        assert_eq!(listens(own, port), Some(true));
        assert_eq!(
            listens(own, client.local_addr().unwrap().port()),
            Some(false)
        );
        assert_eq!(listens(i32::MAX, port), None);
    }
}
