//! Which image a container is made of: one that is here by its name, or one that is built.

use std::collections::BTreeMap;
use std::path::PathBuf;

use testcontainers::bollard::Docker;
use testcontainers::bollard::models::ImageInspect;
use tokio::sync::Mutex;

use super::build::build;
use super::context::BuildContext;
use super::error::{ContainerError, status_of};

/// The image as described.
#[derive(Clone, Debug)]
pub(super) enum ImageSource {
    /// `name:tag` or `name@digest`.
    Name(String),
    /// The folder with a Dockerfile.
    Dockerfile(PathBuf),
}

/// An image that is on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Image {
    /// The name that the engine knows it by.
    pub(super) name: String,
    /// What tells it from another image, on any machine where that is possible.
    pub(super) identity: String,
    /// The TCP ports that it exposes, in order.
    exposed: Vec<u16>,
}

/// One build at a time: tests that run side by side often want the same image.
static BUILD: Mutex<()> = Mutex::const_new(());

impl ImageSource {
    /// The image, built if it is one to be built and was not built before.
    pub(super) async fn resolve(
        &self,
        docker: &Docker,
        build_args: &BTreeMap<String, String>,
    ) -> Result<Image, ContainerError> {
        match self {
            Self::Name(name) => {
                Image::find(docker, name)
                    .await?
                    .ok_or_else(|| ContainerError::ImageMissing {
                        image: name.clone(),
                    })
            }
            Self::Dockerfile(folder) => {
                let context = BuildContext::read(folder).await?;
                build_once(docker, context, build_args).await
            }
        }
    }
}

/// The image of `context`, whose content its name tells.
async fn build_once(
    docker: &Docker,
    context: BuildContext,
    build_args: &BTreeMap<String, String>,
) -> Result<Image, ContainerError> {
    let name = context.image(build_args);
    let _turn = BUILD.lock().await;
    if Image::find(docker, &name).await?.is_none() {
        build(docker, context, build_args, &name).await?;
    }
    let built = Image::find(docker, &name).await?;
    let image = built.ok_or_else(|| ContainerError::ImageMissing {
        image: name.clone(),
    })?;
    // The id of a built image differs from machine to machine, the name does not.
    Ok(Image {
        identity: name,
        ..image
    })
}

impl Image {
    async fn find(docker: &Docker, name: &str) -> Result<Option<Self>, ContainerError> {
        match docker.inspect_image(name).await {
            Ok(inspect) => Ok(Some(Self::read(name, inspect))),
            Err(error) if status_of(&error) == Some(404) => Ok(None),
            Err(error) => Err(ContainerError::refused("inspect the image", name, &error)),
        }
    }

    fn read(name: &str, inspect: ImageInspect) -> Self {
        let exposed = inspect.config.and_then(|config| config.exposed_ports);
        let mut exposed: Vec<u16> = exposed
            .unwrap_or_default()
            .iter()
            .filter_map(|port| tcp_port(port))
            .collect();
        exposed.sort_unstable();
        let digest = inspect.repo_digests.unwrap_or_default().into_iter().min();
        Self {
            name: name.to_owned(),
            identity: digest.or(inspect.id).unwrap_or_else(|| name.to_owned()),
            exposed,
        }
    }

    /// The only port that the image exposes.
    pub(super) fn port(&self) -> Result<u16, ContainerError> {
        match self.exposed.as_slice() {
            [port] => Ok(*port),
            ports => Err(ContainerError::PortUnknown {
                image: self.name.clone(),
                exposed: in_words(ports),
            }),
        }
    }

    /// Name and tag, which stand apart in a request and are joined by a colon again.
    pub(super) fn reference(&self) -> (&str, &str) {
        match self.name.rsplit_once(':') {
            Some((name, tag)) if !tag.contains('/') => (name, tag),
            _ => (&self.name, "latest"),
        }
    }
}

/// Of `80/tcp` the 80; a port without a protocol is a TCP port.
fn tcp_port(exposed: &str) -> Option<u16> {
    exposed.strip_suffix("/tcp").unwrap_or(exposed).parse().ok()
}

fn in_words(ports: &[u16]) -> String {
    if ports.is_empty() {
        return "no TCP port".to_owned();
    }
    let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
    format!("the ports {}", ports.join(" and "))
}

#[cfg(test)]
mod tests {
    use testcontainers::bollard::models::ImageConfig;

    use super::*;

    fn image(name: &str, exposed: &[&str]) -> Image {
        let config = ImageConfig {
            exposed_ports: Some(exposed.iter().map(|port| (*port).to_owned()).collect()),
            ..ImageConfig::default()
        };
        let inspect = ImageInspect {
            id: Some("sha256:1".to_owned()),
            config: Some(config),
            ..ImageInspect::default()
        };
        Image::read(name, inspect)
    }

    #[test]
    fn the_only_exposed_tcp_port_is_the_servers() {
        assert_eq!(image("a", &["80/tcp", "53/udp"]).port().unwrap(), 80);
    }

    #[test]
    fn no_port_is_guessed_among_several() {
        for (exposed, words) in [
            (&["443/tcp", "80/tcp"][..], "the ports 80 and 443"),
            (&["53/udp"], "no TCP port"),
        ] {
            let message = image("shop:1", exposed).port().unwrap_err().to_string();
            assert!(
                message.contains("`shop:1`") && message.contains(words),
                "{message}"
            );
            assert!(message.contains(".port(80)"), "{message}");
        }
    }

    #[test]
    fn a_reference_is_split_where_it_is_joined_again() {
        for (name, parts) in [
            ("nginx", ("nginx", "latest")),
            ("nginx:1.2", ("nginx", "1.2")),
            ("registry:5000/nginx", ("registry:5000/nginx", "latest")),
            ("registry:5000/nginx:1", ("registry:5000/nginx", "1")),
            ("nginx@sha256:ab", ("nginx@sha256", "ab")),
        ] {
            assert_eq!(image(name, &[]).reference(), parts);
        }
    }

    #[test]
    fn a_digest_is_preferred_to_an_id() {
        let inspect = ImageInspect {
            id: Some("sha256:1".to_owned()),
            repo_digests: Some(vec!["shop@sha256:2".to_owned()]),
            ..ImageInspect::default()
        };
        assert_eq!(Image::read("shop", inspect).identity, "shop@sha256:2");
        assert_eq!(image("shop", &[]).identity, "sha256:1");
    }
}
