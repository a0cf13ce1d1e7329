//! Finds the kind of a failure in the chain of causes of any error.

#[cfg(feature = "journeys")]
mod http;

use std::error::Error;
use std::io;
use std::iter::successors;

use nix::errno::Errno;

use crate::sample::ErrorKind;

/// The kind of the outermost cause that has one; `None` when nothing in the chain is a failure of
/// a connection or a reply.
pub(in crate::driver) fn kind_of(error: &(dyn Error + 'static)) -> Option<ErrorKind> {
    let kind = chain(error).find_map(kind_of_link);
    #[cfg(feature = "journeys")]
    let kind = http::within_a_body(error, kind);
    kind
}

/// `error` and all that caused it, outermost first.
pub(super) fn chain<'e>(
    error: &'e (dyn Error + 'static),
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    successors(Some(error), |&error| error.source())
}

fn kind_of_link(error: &(dyn Error + 'static)) -> Option<ErrorKind> {
    #[cfg(feature = "journeys")]
    if let Some(kind) = http::kind_of(error) {
        return kind;
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return kind_of_io(error);
    }
    error
        .is::<tokio::time::error::Elapsed>()
        .then_some(ErrorKind::Timeout)
}

fn kind_of_io(error: &io::Error) -> Option<ErrorKind> {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::EMFILE | Errno::ENFILE) => return Some(ErrorKind::TooManyFiles),
        Some(Errno::EADDRNOTAVAIL) => return Some(ErrorKind::PortsExhausted),
        _ => {}
    }
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Some(ErrorKind::Refused),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => Some(ErrorKind::Reset),
        io::ErrorKind::UnexpectedEof => Some(ErrorKind::EofBeforeReply),
        io::ErrorKind::TimedOut => Some(ErrorKind::Timeout),
        _ if is_of_tls(error) => Some(ErrorKind::Tls),
        _ => is_of_the_resolver(error).then_some(ErrorKind::Dns),
    }
}

/// The standard library gives failed look-ups no kind of their own, only these words.
fn is_of_the_resolver(error: &io::Error) -> bool {
    error
        .to_string()
        .starts_with("failed to lookup address information")
}

/// An error of TLS stands within one or more I/O errors, which do not count it as their source.
#[cfg(feature = "tls")]
fn is_of_tls(error: &io::Error) -> bool {
    let inner = error.get_ref();
    inner.is_some_and(|inner| {
        inner.is::<rustls::Error>() || inner.downcast_ref().is_some_and(is_of_tls)
    })
}

#[cfg(not(feature = "tls"))]
fn is_of_tls(_: &io::Error) -> bool {
    false
}
