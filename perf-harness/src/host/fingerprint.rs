//! Which machine this is, and when the numbers of two may be compared.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

/// What decides how fast this machine is, as far as it can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The processor's name, without clock rates and trade marks.
    pub cpu: String,
    /// Cores that this process may use: affinity and cgroup quota are taken off.
    pub cores: usize,
    /// Architecture, such as `x86_64`.
    pub arch: String,
    /// Operating system, such as `linux`.
    pub os: String,
}

/// A name for all machines whose numbers are compared with each other; it is also a folder's name.
///
/// `PERF_MACHINE_CLASS` sets it, for machines of one's own; otherwise it is made from the
/// fingerprint, such as `amd-epyc-7763-4cores-x86_64-linux`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MachineClass(String);

impl Fingerprint {
    /// Reads this machine's.
    #[must_use]
    pub fn read() -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self {
            cpu: cpu_name(&cpuinfo).unwrap_or_else(|| "unknown-cpu".to_owned()),
            cores: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            arch: std::env::consts::ARCH.to_owned(),
            os: std::env::consts::OS.to_owned(),
        }
    }

    /// The class of this machine.
    #[must_use]
    pub fn class(&self) -> MachineClass {
        let plural = if self.cores == 1 { "" } else { "s" };
        let name = format!(
            "{}-{}core{plural}-{}-{}",
            self.cpu, self.cores, self.arch, self.os
        );
        MachineClass(slug(&name))
    }
}

impl MachineClass {
    /// The class of this machine, or what `PERF_MACHINE_CLASS` says.
    #[must_use]
    pub fn of_this_machine() -> Self {
        match std::env::var("PERF_MACHINE_CLASS") {
            Ok(name) if !slug(&name).is_empty() => Self(slug(&name)),
            _ => Fingerprint::read().class(),
        }
    }

    /// A class by name; characters that are not safe in a folder's name become `-`.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self(slug(name))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MachineClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The processor's name; arm64 kernels give only numbers, which then stand for it.
fn cpu_name(cpuinfo: &str) -> Option<String> {
    let fields: BTreeMap<&str, &str> = cpuinfo
        .lines()
        .rev()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim(), value.trim()))
        .collect();
    if let Some(model) = fields.get("model name") {
        return Some(without_noise(model));
    }
    let part = fields.get("CPU part")?;
    let implementer = fields.get("CPU implementer").copied().unwrap_or("unknown");
    Some(format!("arm-{implementer}-{part}"))
}

/// `Intel(R) Xeon(R) CPU @ 2.20GHz` moves its clock rate between boots of one kind of machine.
fn without_noise(model: &str) -> String {
    let model = model.split('@').next().unwrap_or(model);
    let model = model
        .replace("(R)", "")
        .replace("(TM)", "")
        .replace("(tm)", "");
    let noise = |word: &&str| {
        !matches!(
            word.to_ascii_lowercase().as_str(),
            "cpu" | "processor" | "with"
        )
    };
    model
        .split_whitespace()
        .filter(noise)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Lower case, with runs of other characters as one `-`.
fn slug(name: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let lower = name.to_ascii_lowercase();
    let words = lower.split(|c| !safe(c)).map(|word| word.trim_matches('.'));
    words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(cpu: &str, cores: usize) -> Fingerprint {
        Fingerprint {
            cpu: cpu.to_owned(),
            cores,
            arch: "x86_64".to_owned(),
            os: "linux".to_owned(),
        }
    }

    #[test]
    fn clock_rates_and_trade_marks_do_not_make_a_class() {
        let info =
            |model: &str| cpu_name(&format!("processor : 0\nmodel name\t: {model}\n")).unwrap();
        assert_eq!(info("Intel(R) Xeon(R) CPU @ 2.20GHz"), "Intel Xeon");
        assert_eq!(
            info("AMD EPYC 7763 64-Core Processor"),
            "AMD EPYC 7763 64-Core"
        );
    }

    #[test]
    fn an_arm_machine_is_named_by_its_numbers() {
        let info = "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0c\n";
        assert_eq!(cpu_name(info).unwrap(), "arm-0x41-0xd0c");
    }

    #[test]
    fn another_number_of_cores_is_another_class() {
        let two = fingerprint("AMD EPYC 7763", 2).class();
        assert_eq!(two.as_str(), "amd-epyc-7763-2cores-x86_64-linux");
        assert_ne!(two, fingerprint("AMD EPYC 7763", 4).class());
    }

    #[test]
    fn a_class_is_a_safe_folder_name() {
        assert_eq!(
            MachineClass::named("../My Laptop (2024)").as_str(),
            "my-laptop-2024"
        );
    }

    #[test]
    fn this_machine_has_a_class() {
        assert!(!Fingerprint::read().class().as_str().is_empty());
    }
}
