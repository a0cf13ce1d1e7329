//! Building an image by the engine's BuildKit, with a log that survives a failure.
//!
//! testcontainers builds too, but shows nothing of the log when a step fails.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use testcontainers::bollard::Docker;
use testcontainers::bollard::body_full;
use testcontainers::bollard::errors::Error as EngineError;
use testcontainers::bollard::moby::buildkit::v1::StatusResponse;
use testcontainers::bollard::models::{BuildInfo, BuildInfoAux};
use testcontainers::bollard::query_parameters::{
    BuildImageOptions, BuildImageOptionsBuilder, BuilderVersion,
};
use tokio_stream::StreamExt;

use super::super::logs::{Feed, Log};
use super::super::tree::Mark;
use super::context::BuildContext;
use super::error::ContainerError;

/// Lines shown of the log of a build that failed.
const SHOWN_LINES: usize = 20;

/// Builds `image` from `context`.
pub(super) async fn build(
    docker: &Docker,
    context: BuildContext,
    build_args: &BTreeMap<String, String>,
    image: &str,
) -> Result<(), ContainerError> {
    let folder = context.folder().to_owned();
    let body = body_full(context.into_archive().into());
    let mut log = BuildLog::new();
    let mut events =
        std::pin::pin!(docker.build_image(options(image, build_args), None, Some(body)));
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => log.note(event),
            Err(error) => return Err(log.failure(folder, &error)),
        }
    }
    Ok(())
}

fn options(image: &str, build_args: &BTreeMap<String, String>) -> BuildImageOptions {
    let build_args: HashMap<&str, &str> = build_args
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    BuildImageOptionsBuilder::new()
        .dockerfile("Dockerfile")
        .t(image)
        .rm(true)
        .buildargs(&build_args)
        .version(BuilderVersion::BuilderBuildKit)
        .session(Mark::unique().as_str())
        .build()
}

/// What has been heard of a build so far.
struct BuildLog {
    log: Arc<Log>,
    feed: Feed,
    failed_step: Option<String>,
}

impl BuildLog {
    fn new() -> Self {
        let log = Log::new();
        Self {
            feed: log.feed(),
            log,
            failed_step: None,
        }
    }

    fn note(&mut self, event: BuildInfo) {
        if let Some(text) = event.stream {
            self.feed.write(text.as_bytes());
        }
        if let Some(BuildInfoAux::BuildKit(status)) = event.aux {
            self.note_status(status);
        }
    }

    fn note_status(&mut self, status: StatusResponse) {
        for line in status.logs {
            self.feed.write(&line.msg);
        }
        let failed = status
            .vertexes
            .into_iter()
            .find(|step| !step.error.is_empty());
        if let Some(step) = failed {
            self.failed_step = Some(step.name);
        }
    }

    fn failure(self, context: PathBuf, error: &EngineError) -> ContainerError {
        // The last line may have no end.
        drop(self.feed);
        let mut log = self.log.tail();
        log.drain(..log.len().saturating_sub(SHOWN_LINES));
        ContainerError::build(context, self.failed_step.as_deref(), error, log)
    }
}
