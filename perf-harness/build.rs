//! Tells the crate by which compiler and how it is built: a baseline names both.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let version = version.unwrap_or_default();
    let number = version.split_whitespace().nth(1).unwrap_or("unknown");
    println!("cargo:rustc-env=PERF_HARNESS_RUSTC={number}");
    let level = env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo:rustc-env=PERF_HARNESS_OPT_LEVEL={level}");
}
