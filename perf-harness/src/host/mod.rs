//! The machine we stand on: which one it is, whether it is calm, and that it is ours for a load.

mod calm;
mod fingerprint;
mod lease;
mod state_dir;
mod whole_file;

pub use calm::{Calm, Disturbance};
pub use fingerprint::{Fingerprint, MachineClass};
pub use lease::{Holder, Lease, LeaseError};
pub(crate) use state_dir::state_dir;
pub(crate) use whole_file::replace_file;
