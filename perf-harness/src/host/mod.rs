//! The machine we stand on: which one it is, whether it is calm, and that it is ours for a load.

mod calm;
mod fingerprint;
mod lease;
mod state_dir;

pub use calm::{Calm, Disturbance};
pub use fingerprint::{Fingerprint, MachineClass};
pub use lease::{Lease, LeaseError};
pub(crate) use state_dir::state_dir;
