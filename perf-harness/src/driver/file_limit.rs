//! The limit of open files: raised before connections are opened, so that it is never met mid-run.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::driver::DriverError;

/// Files that the process needs beside the connections.
const HEADROOM: u64 = 64;

/// Raises the soft limit of open files so far that `connections` can be opened.
///
/// An in-process server needs a file for the other end of each as well; the soft limit makes room
/// for both where the hard limit allows it.
pub(super) fn raise(connections: usize) -> Result<(), DriverError> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).map_err(engine)?;
    match soft_limit(soft, hard, connections)? {
        Some(limit) => setrlimit(Resource::RLIMIT_NOFILE, limit, hard).map_err(engine),
        None => Ok(()),
    }
}

/// The soft limit to set, `None` when the present one will do.
fn soft_limit(soft: u64, hard: u64, connections: usize) -> Result<Option<u64>, DriverError> {
    let wanted = connections as u64;
    let needed = wanted.saturating_add(HEADROOM);
    if hard < needed {
        return Err(DriverError::FileLimit {
            limit: hard,
            wanted: connections,
            needed,
        });
    }
    let roomy = needed.saturating_mul(2).min(hard);
    Ok((soft < roomy).then_some(roomy))
}

fn engine(errno: nix::errno::Errno) -> DriverError {
    DriverError::Engine {
        source: errno.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Driver, Http1, Window};
    use crate::endpoint::Endpoint;
    use crate::load::{Load, Request};

    #[test]
    fn a_sufficient_limit_is_left_alone() {
        assert_eq!(soft_limit(1024, 4096, 100).unwrap(), None);
    }

    #[test]
    fn a_low_soft_limit_is_raised_to_the_need_and_no_further() {
        assert_eq!(soft_limit(1024, 100_000, 2000).unwrap(), Some(4128));
        assert_eq!(soft_limit(1024, 3000, 2000).unwrap(), Some(3000));
    }

    #[test]
    fn a_low_hard_limit_is_named_with_the_need() {
        let message = soft_limit(256, 256, 1000).unwrap_err().to_string();
        assert!(message.contains("is 256, 1000 connections"), "{message}");
        assert!(message.contains("ulimit -n 1064"), "{message}");
    }

    #[test]
    fn raising_makes_room_in_this_process() {
        raise(500).unwrap();
        assert!(getrlimit(Resource::RLIMIT_NOFILE).unwrap().0 >= 564);
    }

    /// What `driver` says to a load of more connections than this process can ever open.
    fn refusal(driver: &dyn Driver, request: Option<Request>) -> String {
        let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        let load = Load {
            mix: request.map(Into::into),
            concurrency: usize::try_from(hard).unwrap(),
            ..Load::default()
        };
        let endpoint = Endpoint::new(([127, 0, 0, 1], 1).into());
        let refused = driver.drive(&endpoint, &load, &mut NoWindow);
        refused.unwrap_err().to_string()
    }

    struct NoWindow;

    impl Window for NoWindow {
        fn open(&mut self) {
            unreachable!("nothing is measured");
        }

        fn close(&mut self) {
            unreachable!("nothing is measured");
        }
    }

    #[test]
    fn the_engine_refuses_more_connections_than_files() {
        let request = Request::new(http::Method::GET, "/");
        let message = refusal(&Http1, Some(request));
        assert!(
            message.starts_with("the limit of open files is"),
            "{message}"
        );
    }

    #[cfg(feature = "journeys")]
    #[test]
    fn journeys_and_reqwest_refuse_more_connections_than_files() {
        use crate::driver::{JourneyDriver, ReqwestDriver, User};

        let request = Request::new(http::Method::GET, "/");
        let journey = JourneyDriver::new(async |_: &mut User| Ok(()));
        for message in [
            refusal(&ReqwestDriver, Some(request)),
            refusal(&journey, None),
        ] {
            assert!(
                message.starts_with("the limit of open files is"),
                "{message}"
            );
        }
    }
}
