//! `cargo perf`: reviews what performance scenarios measured.

use std::process::ExitCode;

fn main() -> ExitCode {
    perf_harness::cli::main()
}
