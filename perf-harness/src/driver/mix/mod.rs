//! What the drivers of plain loads share: which request of a mix is next, with which values, and
//! whether a body is good.

mod body;
mod order;
mod path;

pub(super) use body::{Body, Fault, Look};
pub(super) use order::Choice;
pub(super) use path::Path;
