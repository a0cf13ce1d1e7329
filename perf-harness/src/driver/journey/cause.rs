//! Finds the kind of a failure in the chain of causes of any error.

use std::error::Error;
use std::io;
use std::iter::successors;

use nix::errno::Errno;

use crate::sample::ErrorKind;

/// The kind of the outermost cause that has one; `None` when nothing in the chain is a failure of
/// a connection or a reply.
pub(super) fn kind_of(error: &(dyn Error + 'static)) -> Option<ErrorKind> {
    let kind = chain(error).find_map(kind_of_link);
    if !chain(error).any(is_of_a_body) {
        return kind;
    }
    match kind {
        Some(ErrorKind::EofBeforeReply) => Some(ErrorKind::BodyTruncated),
        None if chain(error).any(|link| link.is::<hyper::Error>()) => Some(ErrorKind::Parse),
        None => Some(ErrorKind::BodyCheck),
        other => other,
    }
}

/// `error` and all that caused it, outermost first.
pub(super) fn chain<'e>(
    error: &'e (dyn Error + 'static),
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    successors(Some(error), |&error| error.source())
}

fn kind_of_link(error: &(dyn Error + 'static)) -> Option<ErrorKind> {
    if let Some(error) = error.downcast_ref::<reqwest::Error>() {
        return kind_of_reqwest(error);
    }
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        return kind_of_hyper(error);
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return kind_of_io(error);
    }
    error
        .is::<tokio::time::error::Elapsed>()
        .then_some(ErrorKind::Timeout)
}

fn kind_of_reqwest(error: &reqwest::Error) -> Option<ErrorKind> {
    match (error.is_timeout(), error.is_connect()) {
        (true, true) => Some(ErrorKind::ConnectTimeout),
        (true, false) => Some(ErrorKind::Timeout),
        _ if error.is_dns() => Some(ErrorKind::Dns),
        _ if error.is_status() => Some(ErrorKind::Status),
        _ => None,
    }
}

fn kind_of_hyper(error: &hyper::Error) -> Option<ErrorKind> {
    if error.is_incomplete_message() {
        return Some(ErrorKind::EofBeforeReply);
    }
    if error.is_parse() {
        return Some(ErrorKind::Parse);
    }
    (error.is_canceled() || error.is_closed()).then_some(ErrorKind::Reset)
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
        _ => is_of_the_resolver(error).then_some(ErrorKind::Dns),
    }
}

/// The standard library gives failed look-ups no kind of their own, only these words.
fn is_of_the_resolver(error: &io::Error) -> bool {
    error
        .to_string()
        .starts_with("failed to lookup address information")
}

fn is_of_a_body(error: &(dyn Error + 'static)) -> bool {
    error
        .downcast_ref::<reqwest::Error>()
        .is_some_and(|error| error.is_body() || error.is_decode())
}
