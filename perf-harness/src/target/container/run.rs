//! One start of a container, from before the engine is asked until the container is removed.

use std::sync::Arc;

use testcontainers::bollard::Docker;
use tokio::sync::Mutex;

use super::super::TargetError;
use super::super::signals::{self, Registration};
use super::super::tree::Mark;
use super::engine;
use super::error::ContainerError;
use super::ownership::remove_run;

/// The right to one container. Whatever becomes of the start, dropping this removes what there is.
#[derive(Debug)]
pub(super) struct Run {
    steps: Arc<Steps>,
    _registration: Registration,
}

/// What is done to the container of one run, one step at a time.
#[derive(Debug)]
pub(super) struct Steps {
    label: String,
    docker: Docker,
    /// Whether it is over: then nothing may be created any more.
    is_over: Mutex<bool>,
}

impl Run {
    /// A run on `docker`, which also ends when a signal ends this process.
    pub(super) fn new(docker: Docker) -> Result<Self, TargetError> {
        let steps = Arc::new(Steps {
            label: Mark::unique().as_str().to_owned(),
            docker,
            is_over: Mutex::new(false),
        });
        let doomed = Arc::clone(&steps);
        let registration = signals::register(move || doomed.end_now())?;
        Ok(Self {
            steps,
            _registration: registration,
        })
    }

    pub(super) fn steps(&self) -> Arc<Steps> {
        Arc::clone(&self.steps)
    }
}

impl Steps {
    /// What the container of this run is labelled with.
    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn docker(&self) -> &Docker {
        &self.docker
    }

    /// Does `step` unless the run is over; the end of the run waits until it is done.
    pub(super) async fn take<T>(
        &self,
        step: impl Future<Output = Result<T, ContainerError>>,
    ) -> Result<T, ContainerError> {
        let is_over = self.is_over.lock().await;
        if *is_over {
            return Err(ContainerError::Interrupted);
        }
        step.await
    }

    /// Ends the run: what was created is removed, and nothing will be created any more.
    async fn end(&self) -> Result<(), ContainerError> {
        let mut is_over = self.is_over.lock().await;
        *is_over = true;
        remove_run(&self.docker, &self.label).await
    }

    fn end_now(self: Arc<Self>) {
        // There is nobody to tell: the next process of this user removes what is left.
        let _ = engine::run(async move { self.end().await });
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.steps().end_now();
    }
}
