//! What must hold when the engine is not there, refuses or breaks off.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::super::ownership::{Owner, labels};
use super::child;
use super::fake_engine::{FakeEngine, Fault};
use crate::target::Target;

/// What the start of a container says with `DOCKER_HOST` at `address`.
fn start_with(address: &str) -> String {
    let mut command = child::command(module_path!(), "an_engine_that_does_not_answer_is_named");
    child::said(command.env("DOCKER_HOST", address))
}

fn labelled(id: &str, state: &str, owner: &Owner) -> Value {
    let labels: BTreeMap<_, _> = labels(Some(owner), "1").into_iter().collect();
    json!({ "Id": id, "State": state, "Labels": labels, "Created": 0 })
}

/// As [`labelled`], created a moment ago.
fn just_created(id: &str, owner: &Owner) -> Value {
    let mut container = labelled(id, "created", owner);
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    container["Created"] = json!(since_1970.as_secs());
    container
}

fn dead_owner() -> Owner {
    let mut child = Command::new("/bin/sleep").arg("600").spawn().unwrap();
    let owner = Owner::of(i32::try_from(child.id()).unwrap()).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    owner
}

#[test]
fn an_engine_that_does_not_answer_is_named() {
    if child::is_child() {
        let target = Target::container("shop:1").startup_timeout(Duration::from_millis(500));
        return child::say(&target);
    }
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let said = start_with(&format!("tcp://{closed}"));
    assert!(
        said.contains(&format!("DOCKER_HOST=tcp://{closed}")),
        "{said}"
    );
    assert!(
        said.contains("does not answer (Connection refused"),
        "{said}"
    );
    assert!(said.contains("start it"), "{said}");
}

#[test]
fn a_missing_image_is_named_and_no_container_is_created() {
    let engine = FakeEngine::start(Fault::ImageMissing, Vec::new());
    let said = start_with(engine.address());
    assert!(
        said.contains("`shop:1`") && said.contains("docker pull shop:1"),
        "{said}"
    );
    assert!(engine.ever_had().is_empty());
}

#[test]
fn the_container_of_a_refused_start_is_removed() {
    let engine = FakeEngine::start(Fault::StartRefused, Vec::new());
    let said = start_with(engine.address());
    assert!(said.contains("port is already allocated"), "{said}");
    assert_eq!(engine.ever_had().len(), 1);
    assert!(engine.containers().is_empty());
}

#[test]
fn the_container_of_a_start_that_takes_too_long_is_removed() {
    let engine = FakeEngine::start(Fault::StartUnanswered, Vec::new());
    let said = start_with(engine.address());
    assert!(
        said.contains("`shop:1`") && said.contains("timeout"),
        "{said}"
    );
    assert_eq!(engine.ever_had().len(), 1);
    assert!(engine.containers().is_empty());
}

#[test]
fn a_port_is_published_on_loopback_only() {
    let engine = FakeEngine::start(Fault::StartRefused, Vec::new());
    start_with(engine.address());
    let host = engine.ever_had()[0]["Request"]["HostConfig"].clone();
    assert_eq!(host["PublishAllPorts"], json!(false));
    assert_eq!(
        host["PortBindings"]["80/tcp"][0]["HostIp"],
        json!("127.0.0.1")
    );
}

#[test]
fn containers_of_dead_owners_are_removed_and_others_are_spared() {
    let us = Owner::this().unwrap();
    let elsewhere = dead_owner().in_pid_namespace("pid:[1]");
    let earlier = us.clone().under_boot("earlier");
    let engine = FakeEngine::start(
        Fault::ImageMissing,
        vec![
            labelled("orphan", "running", &dead_owner()),
            labelled("never-started", "created", &dead_owner()),
            labelled("half-removed", "dead", &dead_owner()),
            labelled("owned", "running", &us),
            labelled("about-to-start", "created", &us),
            labelled("elsewhere", "exited", &elsewhere),
            labelled("another-machine", "running", &earlier),
            just_created("another-machines-start", &earlier),
            labelled("before-the-restart", "exited", &earlier),
            labelled("never-started-before-the-restart", "created", &earlier),
            labelled("half-removed-before-the-restart", "dead", &earlier),
            json!({ "Id": "foreign", "State": "running", "Labels": {} }),
        ],
    );
    start_with(engine.address());
    let left = [
        "owned",
        "about-to-start",
        "elsewhere",
        "another-machine",
        "another-machines-start",
        "foreign",
    ];
    assert_eq!(engine.containers(), left);
}
