//! What a baseline says, and with what its numbers may be compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session::{Session, key_of};
use crate::host::MachineClass;
use crate::name::ScenarioName;
use crate::sample::Metric;

/// The accepted numbers of one scenario on one class of machines.
///
/// Fields are in alphabetical order, as they stand in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// What was accepted, when it last replaced what was there or was worse than it.
    pub accepted: Accepted,
    /// How the code under test was built.
    pub build: Build,
    /// The machine class; it is also the folder.
    pub class: MachineClass,
    /// The load in readable form.
    pub load: BTreeMap<String, Value>,
    /// A hash of the load.
    pub load_hash: String,
    /// The package; it is also the folder.
    pub package: String,
    /// A former name of the scenario, when its numbers were taken over from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<ScenarioName>,
    /// The scenario; it is also the path of the file.
    pub scenario: ScenarioName,
    /// The version of this format.
    pub schema: u32,
    /// The accepted sessions, oldest first, at most [`Baseline::MOST_SESSIONS`].
    pub sessions: Vec<Session>,
    /// The target.
    pub target: TargetRecord,
}

/// What was accepted when the numbers last changed, for people who read the file's history.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// The medians that were accepted, in the metrics' units.
    #[serde(with = "keyed")]
    pub medians: BTreeMap<Metric, f64>,
    /// The medians that they replaced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "keyed")]
    pub previous: BTreeMap<Metric, f64>,
    /// Why a change was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The revision that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

/// How the code under test was built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// `release` without, `debug` with debug assertions.
    pub profile: String,
    /// The compiler's version, such as `1.95.0`.
    pub rustc: String,
}

/// The target, as far as numbers depend on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetRecord {
    /// The image of a container. A change of the image is what is judged, so it is not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// `process`, `in-process`, `container` or `url`.
    pub kind: String,
    /// `loopback`, `published-port`, `host-network` or `remote`.
    pub network: String,
}

/// What is about to be measured: all that must be equal for a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The load in readable form.
    pub load: BTreeMap<String, Value>,
    /// A hash of the load.
    pub load_hash: String,
    /// How the code under test was built.
    pub build: Build,
    /// The target.
    pub target: TargetRecord,
}

/// A field in which a baseline and a run differ, so that their numbers are not comparable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Which field.
    pub field: String,
    /// Its value in the baseline.
    pub baseline: String,
    /// Its value now.
    pub now: String,
}

impl Baseline {
    /// The most sessions that a baseline keeps.
    pub const MOST_SESSIONS: usize = 8;

    /// The fields that forbid a comparison with `subject`; empty when it is comparable.
    #[must_use]
    pub fn differences(&self, subject: &Subject) -> Vec<Difference> {
        let mut differences = load_differences(&self.load, &subject.load);
        let fields = [
            ("target kind", &self.target.kind, &subject.target.kind),
            ("network", &self.target.network, &subject.target.network),
            ("profile", &self.build.profile, &subject.build.profile),
        ];
        for (field, baseline, now) in fields {
            differences.extend(difference(field, baseline, now));
        }
        let minor = |build: &Build| minor_version(&build.rustc).to_owned();
        differences.extend(difference(
            "rustc",
            &minor(&self.build),
            &minor(&subject.build),
        ));
        differences
    }

    /// The medians of the last accepted session.
    #[must_use]
    pub fn medians(&self) -> BTreeMap<Metric, f64> {
        self.sessions
            .last()
            .map(Session::medians)
            .unwrap_or_default()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} in the baseline, {} now",
            self.field, self.baseline, self.now
        )
    }
}

fn difference(field: &str, baseline: &str, now: &str) -> Option<Difference> {
    (baseline != now).then(|| Difference {
        field: field.to_owned(),
        baseline: baseline.to_owned(),
        now: now.to_owned(),
    })
}

fn load_differences(
    baseline: &BTreeMap<String, Value>,
    now: &BTreeMap<String, Value>,
) -> Vec<Difference> {
    let fields: BTreeSet<&String> = baseline.keys().chain(now.keys()).collect();
    let text = |load: &BTreeMap<String, Value>, field: &str| match load.get(field) {
        Some(value) => value.to_string(),
        None => "none".to_owned(),
    };
    let differ = |field: &String| difference(field, &text(baseline, field), &text(now, field));
    fields.into_iter().filter_map(differ).collect()
}

/// A patch release does not change the code that is generated.
fn minor_version(version: &str) -> &str {
    version.rsplit_once('.').map_or(version, |(minor, _)| minor)
}

/// Values of metrics under the keys that a round has them under, so that a file says their units.
mod keyed {
    use std::collections::BTreeMap;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::{Metric, key_of};

    pub(super) fn serialize<S: Serializer>(
        values: &BTreeMap<Metric, f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let keyed = values
            .iter()
            .map(|(metric, value)| (key_of(*metric), *value));
        keyed.collect::<BTreeMap<&str, f64>>().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<Metric, f64>, D::Error> {
        let keyed = BTreeMap::<String, f64>::deserialize(deserializer)?;
        let known = |(key, value): (String, f64)| match metric_of(&key) {
            Some(metric) => Ok((metric, value)),
            None => Err(D::Error::custom(format!(
                "`{key}` is no metric of this version"
            ))),
        };
        keyed.into_iter().map(known).collect()
    }

    fn metric_of(key: &str) -> Option<Metric> {
        Metric::ALL
            .into_iter()
            .find(|metric| key_of(*metric) == key)
    }
}
