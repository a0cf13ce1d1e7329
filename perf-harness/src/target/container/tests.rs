//! The life of a container, with a fake engine and with a real one.

mod child;
mod context;
mod fake_engine;
mod with_a_fake_engine;
mod with_docker;
