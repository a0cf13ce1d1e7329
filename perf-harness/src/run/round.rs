//! One round: a fresh start, the warm-up, one measured window.

use crate::driver::Window;
use crate::endpoint::Endpoint;
use crate::error::Error;
use crate::host::{Calm, Disturbance};
use crate::load::Load;
use crate::sample::Sample;
use crate::scenario::Plan;
use crate::target::{Identity, Running, Usage, UsageWindow};

/// What one round gave.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) sample: Sample,
    pub(super) endpoint: Endpoint,
    pub(super) identity: Identity,
    pub(super) disturbances: Vec<Disturbance>,
}

pub(super) fn measure(plan: &Plan, load: &Load) -> Result<Measured, Error> {
    let running = plan.target.start()?;
    let endpoint = running.endpoint().clone();
    let identity = running.identity().clone();
    let mut meter = Meter::new(&running);
    let driven = plan.driver.drive(&endpoint, load, &mut meter);
    let (usage, disturbances) = (meter.usage, meter.disturbances);
    // A server that died explains every other failure.
    running.check_alive()?;
    let mut sample = driven.map_err(|cause| Error::Driver {
        cause,
        log: running.log_tail(),
    })?;
    sample.server = sample.server.or(usage);
    Ok(Measured {
        sample,
        endpoint,
        identity,
        disturbances,
    })
}

/// Reads the server's cost and the machine's calm at the borders of the measured window.
struct Meter<'a> {
    running: &'a Running,
    window: Option<(Calm, UsageWindow<'a>)>,
    usage: Option<Usage>,
    disturbances: Vec<Disturbance>,
}

impl<'a> Meter<'a> {
    fn new(running: &'a Running) -> Self {
        Self {
            running,
            window: None,
            usage: None,
            disturbances: Vec::new(),
        }
    }
}

impl Window for Meter<'_> {
    fn open(&mut self) {
        self.window = Some((Calm::read(), self.running.open_window()));
    }

    fn close(&mut self) {
        if let Some((calm, window)) = self.window.take() {
            self.usage = window.close();
            self.disturbances = calm.disturbances(&Calm::read());
        }
    }
}
