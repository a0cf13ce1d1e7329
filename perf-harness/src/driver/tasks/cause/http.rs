//! The kinds of failures of reqwest and of what it is made of.

use std::error::Error;

use super::{chain, kind_of_io};
use crate::sample::ErrorKind;

/// The kind of one link of a chain, which may be none; `None` where it is no error of HTTP.
pub(super) fn kind_of(error: &(dyn Error + 'static)) -> Option<Option<ErrorKind>> {
    if let Some(error) = error.downcast_ref::<reqwest::Error>() {
        return Some(kind_of_reqwest(error));
    }
    if let Some(error) = error.downcast_ref::<h2::Error>() {
        return Some(kind_of_h2(error));
    }
    let error = error.downcast_ref::<hyper::Error>()?;
    Some(kind_of_hyper(error))
}

/// The same `kind`, unless the error came while a body was read.
pub(super) fn within_a_body(
    error: &(dyn Error + 'static),
    kind: Option<ErrorKind>,
) -> Option<ErrorKind> {
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

/// A stream that was reset and a connection that says goodbye are both what a reset of TCP is.
fn kind_of_h2(error: &h2::Error) -> Option<ErrorKind> {
    match error.get_io() {
        Some(error) => kind_of_io(error),
        None if error.is_remote() && (error.is_reset() || error.is_go_away()) => {
            Some(ErrorKind::Reset)
        }
        None => Some(ErrorKind::Parse),
    }
}

fn is_of_a_body(error: &(dyn Error + 'static)) -> bool {
    error
        .downcast_ref::<reqwest::Error>()
        .is_some_and(|error| error.is_body() || error.is_decode())
}
