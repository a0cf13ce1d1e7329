//! When a started server may be asked: the check, and the wait for it.

mod http;
mod log;
mod socket;
mod tcp;

use std::time::{Duration, Instant};

use self::http::HttpCheck;
use self::log::LogCheck;
use self::tcp::TcpCheck;
use super::logs::Log;
use super::{Guard, TargetError};
use crate::endpoint::Endpoint;

/// Pause between two attempts.
const POLL: Duration = Duration::from_millis(5);
/// The longest that one attempt may take while a server starts, so that its end is noticed soon.
const ATTEMPT: Duration = Duration::from_secs(2);
/// The shortest, at the end of the time: what is seen last must be the server's doing, not ours.
const LAST_ATTEMPT: Duration = Duration::from_millis(200);

/// When a started server is ready: before that no request is sent, and no clock runs.
///
/// The default is [`Ready::tcp`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    check: Check,
    /// A status was asked for from a check that sees none.
    has_stray_status: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Check {
    Tcp(TcpCheck),
    Http(HttpCheck),
    Log(LogCheck),
}

/// How a server is reached, as far as a check must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// A connection that is accepted was accepted by the server.
    Direct,
    /// A proxy accepts connections before the server listens, and closes those it cannot pass on.
    #[cfg(any(feature = "containers", test))]
    Proxied,
}

/// One start that is waited for.
pub(super) struct Startup<'a> {
    pub(super) name: &'a str,
    pub(super) reach: Reach,
    pub(super) guard: &'a dyn Guard,
    pub(super) log: Option<&'a Log>,
    timeout: Duration,
    deadline: Instant,
}

impl Ready {
    /// Ready when the server takes a connection.
    #[must_use]
    pub fn tcp() -> Self {
        Self::of(Check::Tcp(TcpCheck))
    }

    /// Ready when a `GET` of `path` is answered with a status from 200 to 399.
    ///
    /// At an `https` URL it is [`tcp`](Self::tcp) that is checked, and no request is sent: whom to
    /// trust is a matter of the load, and the server of one port is taken for ready without it.
    #[must_use]
    pub fn http(path: impl Into<String>) -> Self {
        Self::of(Check::Http(HttpCheck::new(path.into())))
    }

    /// Ready when the server has written a line that contains `text`, to its output or its errors.
    ///
    /// For processes and containers only. Colours and control characters are taken out first.
    #[must_use]
    pub fn log(text: impl Into<String>) -> Self {
        Self::of(Check::Log(LogCheck::new(text.into())))
    }

    /// Exactly this status is expected, for a check by [`http`](Self::http).
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        match &mut self.check {
            Check::Http(check) => check.expect(status),
            Check::Tcp(_) | Check::Log(_) => self.has_stray_status = true,
        }
        self
    }

    fn of(check: Check) -> Self {
        Self {
            check,
            has_stray_status: false,
        }
    }

    /// Whether the check needs to see what the server writes.
    pub(super) fn needs_log(&self) -> bool {
        matches!(self.check, Check::Log(_))
    }

    /// Refuses what can never succeed.
    pub(super) fn validate(&self) -> Result<(), TargetError> {
        if self.has_stray_status {
            return Err(TargetError::Option {
                option: "ready",
                value: self.describe(),
                reason: "only Ready::http sees a status: remove status(..)",
            });
        }
        match &self.check {
            Check::Http(check) => check.validate(),
            Check::Tcp(_) | Check::Log(_) => Ok(()),
        }
    }

    /// Waits until the server at `endpoint` is ready.
    ///
    /// # Errors
    ///
    /// The server ended, or the time is over; either with the last lines it wrote.
    pub(super) fn wait(
        &self,
        endpoint: &Endpoint,
        startup: &Startup<'_>,
    ) -> Result<(), TargetError> {
        loop {
            let seen = self.attempt(endpoint, startup);
            // Also after a success: somebody else may have answered at that port.
            startup.check_alive()?;
            let Err(last) = seen else {
                return Ok(());
            };
            if startup.is_over() {
                let check = format!("{} at {}", self.describe(), endpoint.peer());
                return Err(startup.not_ready(check, last));
            }
            std::thread::sleep(POLL.min(startup.left()));
        }
    }

    /// Asks once, for at most `within`; says what was seen when it was not the right thing.
    pub(super) fn ask_once(&self, endpoint: &Endpoint, within: Duration) -> Result<(), String> {
        match &self.check {
            Check::Tcp(check) => check.attempt(endpoint, Reach::Direct, within),
            Check::Http(_) if endpoint.is_tls() => {
                TcpCheck.attempt(endpoint, Reach::Direct, within)
            }
            Check::Http(check) => check.attempt(endpoint, within),
            Check::Log(_) => Err("it has no log that can be seen".to_owned()),
        }
    }

    fn attempt(&self, endpoint: &Endpoint, startup: &Startup<'_>) -> Result<(), String> {
        let within = startup.left().clamp(LAST_ATTEMPT, ATTEMPT);
        match (&self.check, startup.log) {
            (Check::Tcp(check), _) => check.attempt(endpoint, startup.reach, within),
            (Check::Log(check), Some(log)) => check.attempt(log, within),
            (Check::Http(_) | Check::Log(_), _) => self.ask_once(endpoint, within),
        }
    }

    /// The check that is made at an endpoint with or without TLS, in words.
    pub(super) fn describe_at(&self, is_tls: bool) -> String {
        match &self.check {
            Check::Http(_) if is_tls => Self::tcp().describe(),
            _ => self.describe(),
        }
    }

    /// The check in words, as it stands in a message.
    pub(super) fn describe(&self) -> String {
        match &self.check {
            Check::Tcp(_) => "a connection".to_owned(),
            Check::Http(check) => check.describe(),
            Check::Log(check) => check.describe(),
        }
    }
}

impl<'a> Startup<'a> {
    /// A start of the target `name` that may take `timeout` from now on.
    pub(super) fn new(name: &'a str, timeout: Duration, guard: &'a dyn Guard) -> Self {
        Self {
            name,
            reach: Reach::Direct,
            guard,
            log: None,
            timeout,
            deadline: Instant::now() + timeout,
        }
    }

    pub(super) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Fails when the server has ended.
    pub(super) fn check_alive(&self) -> Result<(), TargetError> {
        match self.guard.death() {
            None => Ok(()),
            Some(how) => Err(TargetError::EndedEarly {
                name: self.name.to_owned(),
                how,
                log: self.guard.log_tail(),
            }),
        }
    }

    fn not_ready(&self, check: String, last: String) -> TargetError {
        TargetError::NotReady {
            name: self.name.to_owned(),
            check,
            timeout: self.timeout,
            last,
            log: self.guard.log_tail(),
        }
    }
}

#[cfg(test)]
mod tests;
