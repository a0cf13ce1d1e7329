//! The rounds of one invocation, while they are being measured.

use super::progress::Progress;
use super::round::{Measured, measure};
use crate::baseline::Session;
use crate::endpoint::Endpoint;
use crate::error::Error;
use crate::host::Disturbance;
use crate::load::Load;
use crate::outcome::RoundDetail;
use crate::sample::Sample;
use crate::scenario::Plan;

/// Rounds in order.
#[derive(Debug)]
pub(super) struct Rounds {
    samples: Vec<Sample>,
    endpoint: Option<Endpoint>,
    image: Option<String>,
    disturbances: Vec<Vec<Disturbance>>,
}

impl Rounds {
    /// Measures `rounds` rounds of the plan's load.
    pub(super) fn measure(
        plan: &Plan,
        rounds: usize,
        progress: &mut dyn Progress,
    ) -> Result<Self, Error> {
        Self::measure_load(plan, &plan.load, rounds, progress)
    }

    /// Measures `rounds` rounds of `load`.
    pub(super) fn measure_load(
        plan: &Plan,
        load: &Load,
        rounds: usize,
        progress: &mut dyn Progress,
    ) -> Result<Self, Error> {
        let mut all = Self {
            samples: Vec::new(),
            endpoint: None,
            image: None,
            disturbances: Vec::new(),
        };
        for number in 1..=rounds {
            progress.round(number, rounds);
            all.take(measure(plan, load)?);
        }
        Ok(all)
    }

    fn take(&mut self, measured: Measured) {
        self.samples.push(measured.sample);
        self.endpoint = Some(measured.endpoint);
        self.image = measured.identity.image;
        self.disturbances.push(measured.disturbances);
    }

    /// Adds the rounds of `more` at the end.
    pub(super) fn extend(&mut self, more: Self) {
        self.samples.extend(more.samples);
        self.disturbances.extend(more.disturbances);
    }

    pub(super) fn samples(&self) -> &[Sample] {
        &self.samples
    }

    pub(super) fn session(&self) -> Session {
        Session::of(&self.samples)
    }

    pub(super) fn details(&self) -> Vec<RoundDetail> {
        self.samples.iter().map(RoundDetail::of).collect()
    }

    pub(super) fn endpoint(&self) -> Option<&Endpoint> {
        self.endpoint.as_ref()
    }

    pub(super) fn image(&self) -> Option<&str> {
        self.image.as_deref()
    }

    pub(super) fn disturbances(&self) -> &[Vec<Disturbance>] {
        &self.disturbances
    }

    /// What happened to the first request that failed.
    pub(super) fn first_error(&self) -> Option<&str> {
        self.samples
            .iter()
            .find_map(|sample| sample.first_error.as_deref())
    }
}
