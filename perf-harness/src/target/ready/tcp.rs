//! Ready when a connection is taken.

use std::io;
use std::time::Duration;

use super::Reach;
use super::socket::Socket;
use crate::endpoint::Endpoint;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TcpCheck;

impl TcpCheck {
    pub(super) fn attempt(
        self,
        endpoint: &Endpoint,
        reach: Reach,
        within: Duration,
    ) -> Result<(), String> {
        let stream = connect(endpoint, within)?;
        match reach {
            Reach::Direct => {
                drop(stream);
                Ok(())
            }
            #[cfg(any(feature = "containers", test))]
            Reach::Proxied => stays_open(stream),
        }
    }
}

/// Opens a connection within the time that is left.
pub(super) fn connect(endpoint: &Endpoint, within: Duration) -> Result<Socket, String> {
    Socket::connect(endpoint, within).map_err(|error| in_words(&error))
}

/// Whether the connection is still there after a moment.
///
/// A proxy that finds no server behind it closes at once. A server that closes at once looks the
/// same and is never ready by this check; it has `Ready::http` and `Ready::log`.
#[cfg(any(feature = "containers", test))]
fn stays_open(mut stream: Socket) -> Result<(), String> {
    const MOMENT: Duration = Duration::from_millis(50);
    let read = stream
        .set_read_timeout(MOMENT)
        .and_then(|()| io::Read::read(&mut stream, &mut [0]));
    match read {
        Ok(0) => Err("connection closed at once".to_owned()),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
        Err(error) => Err(in_words(&error)),
    }
}

/// What happened, without the number that the system gives it.
pub(super) fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "no answer in time".to_owned(),
        kind => kind.to_string(),
    }
}
