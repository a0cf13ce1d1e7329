//! A load from the command line: one window on a server that already runs, judged by nobody.

use super::signs;
use crate::driver::{Driver, Window};
use crate::endpoint::Endpoint;
use crate::error::Error;
use crate::host::{Holder, Lease};
use crate::load::Load;
use crate::outcome::Warning;
use crate::sample::Sample;
use crate::scenario::{ScenarioError, plain_driver};
use crate::target::Target;

/// Hears how far a load is.
pub(crate) trait Listener {
    /// Another load holds the machine's lease.
    fn waiting(&mut self, holder: &Holder);
    /// The measured window begins.
    fn measuring(&mut self);
    /// The measured window is over.
    fn measured(&mut self);
}

/// What a load gave.
#[derive(Debug)]
pub(crate) struct AdHoc {
    /// The one address of the host that was used.
    pub(crate) address: String,
    pub(crate) sample: Sample,
    pub(crate) warnings: Vec<Warning>,
}

/// Waits for the machine's lease, then puts `load` on the server at `url`.
pub(crate) fn ad_hoc(url: &str, load: &Load, listener: &mut dyn Listener) -> Result<AdHoc, Error> {
    load.check().map_err(ScenarioError::Load)?;
    let driver = plain_driver(load.client)?;
    let _lease = Lease::acquire("cargo perf load", |holder| listener.waiting(holder))?;
    let running = Target::url(url).start()?;
    drive(&*driver, running.endpoint(), load, listener)
}

fn drive(
    driver: &dyn Driver,
    endpoint: &Endpoint,
    load: &Load,
    listener: &mut dyn Listener,
) -> Result<AdHoc, Error> {
    let driven = driver.drive(endpoint, load, &mut Told(listener));
    let sample = driven.map_err(|cause| Error::Driver {
        cause,
        log: Vec::new(),
    })?;
    Ok(AdHoc {
        address: endpoint.peer().to_string(),
        warnings: signs::of_one(&sample),
        sample,
    })
}

struct Told<'a>(&'a mut dyn Listener);

impl Window for Told<'_> {
    fn open(&mut self) {
        self.0.measuring();
    }

    fn close(&mut self) {
        self.0.measured();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::driver::{Script, Scripted};

    #[derive(Default)]
    struct Heard(Vec<&'static str>);

    impl Listener for Heard {
        fn waiting(&mut self, _: &Holder) {
            self.0.push("waiting");
        }

        fn measuring(&mut self) {
            self.0.push("measuring");
        }

        fn measured(&mut self) {
            self.0.push("measured");
        }
    }

    #[test]
    fn the_window_is_heard_of_and_the_address_kept() {
        let endpoint = Endpoint::new(([127, 0, 0, 1], 81).into());
        let load = Load {
            requests: 100,
            ..Load::default()
        };
        let mut heard = Heard::default();
        let driver = Scripted::new(1, Script::default());
        let given = drive(&driver, &endpoint, &load, &mut heard).unwrap();
        assert_eq!(heard.0, ["measuring", "measured"]);
        assert_eq!(
            (given.address.as_str(), given.sample.ok),
            ("127.0.0.1:81", 100)
        );
        assert!(given.warnings.is_empty(), "{:?}", given.warnings);
    }

    #[test]
    fn what_is_no_load_is_refused_before_the_server_is_asked() {
        let error = ad_hoc("nowhere", &Load::default(), &mut Heard::default()).unwrap_err();
        assert!(matches!(error, Error::Scenario(_)), "{error}");
    }

    #[test]
    fn a_saturated_client_is_said() {
        let sample = Sample {
            sent: 1,
            ok: 1,
            elapsed: Duration::from_secs(1),
            busiest_thread: Duration::from_millis(990),
            ..Sample::default()
        };
        let warnings = signs::of_one(&sample);
        assert!(
            matches!(warnings[..], [Warning::ClientSaturated { .. }]),
            "{warnings:?}"
        );
    }
}
