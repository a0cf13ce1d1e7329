//! The load in readable form, for baselines.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{
    Arrivals, HttpVersion, Load, Mix, Order, Pace, Rate, Request, Trust, Values, stable_hash,
};

type Field = (&'static str, Value);

impl Load {
    /// The load in readable form: what a baseline keeps, and what must be equal to be compared.
    ///
    /// A field at its default is left out where former versions did not know it.
    #[must_use]
    pub fn fields(&self) -> BTreeMap<String, Value> {
        let mut fields = vec![
            ("concurrency", json!(self.concurrency)),
            ("warmup", json!(self.warmup_requests())),
            ("timeout_ms", millis(self.timeout)),
        ];
        fields.extend(self.extent());
        fields.extend(self.pace.fields());
        fields.extend(self.connection());
        fields.extend(self.work());
        if self.is_random() {
            fields.push(("seed", json!(self.seed)));
        }
        let owned = |(name, value): Field| (name.to_owned(), value);
        fields.into_iter().map(owned).collect()
    }

    fn extent(&self) -> impl Iterator<Item = Field> {
        let requests = (self.requests > 0).then(|| ("requests", json!(self.requests)));
        let duration = self.duration.map(|time| ("duration_ms", millis(time)));
        let ramp_up = (!self.ramp_up.is_zero()).then(|| ("ramp_up_ms", millis(self.ramp_up)));
        let threads = self.threads.map(|threads| ("threads", json!(threads)));
        [requests, duration, ramp_up, threads].into_iter().flatten()
    }

    fn connection(&self) -> impl Iterator<Item = Field> {
        let other_http = self.http != HttpVersion::default();
        let other_trust = self.trust != Trust::default();
        [
            other_http.then(|| ("http", json!(self.http.name()))),
            (self.redirects > 0).then(|| ("redirects", json!(self.redirects))),
            self.cookies.then_some(("cookies", json!(true))),
            other_trust.then(|| ("trust", json!(self.trust.name()))),
        ]
        .into_iter()
        .flatten()
    }

    fn work(&self) -> Vec<Field> {
        let Some(mix) = &self.mix else {
            return vec![("client", json!("journey"))];
        };
        let mut fields = mix.fields();
        fields.push(("client", json!(self.client.name())));
        fields.push(("keep_alive", json!(self.keep_alive)));
        fields
    }

    fn is_random(&self) -> bool {
        let drawn = |rate: &Rate| rate.arrivals == Arrivals::Poisson;
        let pace = matches!(&self.pace, Pace::Open(rate) if drawn(rate));
        pace || self.mix.as_ref().is_some_and(Mix::is_random)
    }
}

impl Pace {
    fn fields(&self) -> Vec<Field> {
        let Self::Open(rate) = self else {
            return Vec::new();
        };
        let mut fields = vec![("rate", json!(format!("{}/s", rate.start)))];
        if rate.arrivals != Arrivals::default() {
            fields.push(("arrivals", json!(rate.arrivals.name())));
        }
        if !rate.stages.is_empty() {
            let stages = rate.stages.iter();
            let stages = stages.map(|stage| format!("{:?} to {}/s", stage.duration, stage.rate));
            fields.push(("stages", stages.collect()));
        }
        fields
    }
}

impl Mix {
    fn fields(&self) -> Vec<Field> {
        if let [request] = &self.requests[..] {
            return request.fields();
        }
        match self.order {
            Order::Weighted => {
                let line = |request: &Request| format!("{} x {}", request.weight, request.line());
                vec![("mix", self.requests.iter().map(line).collect())]
            }
            Order::Sequence => {
                vec![(
                    "sequence",
                    self.requests.iter().map(Request::line).collect(),
                )]
            }
        }
    }
}

impl Request {
    fn fields(&self) -> Vec<Field> {
        let line = format!("{} {}", self.method, self.path);
        let mut fields = vec![
            ("request", json!(line)),
            ("expected", json!(self.expected.statuses)),
        ];
        if !self.headers.is_empty() {
            let headers = self.headers.iter();
            let headers = headers.map(|(name, value)| format!("{name}: {value}"));
            fields.push(("headers", headers.collect()));
        }
        if !self.body.is_empty() {
            fields.push(("body_bytes", json!(self.body.len())));
            fields.push(("body_hash", json!(stable_hash(&self.body))));
        }
        fields.extend(self.expected_body());
        if !self.values.is_empty() {
            fields.push(("values", self.values.iter().map(values_line).collect()));
        }
        fields
    }

    fn expected_body(&self) -> impl Iterator<Item = Field> {
        let expected = &self.expected;
        let hash = expected.sha256.as_ref();
        let part = expected.contains.as_ref();
        [
            expected
                .length
                .map(|length| ("expected_length", json!(length))),
            hash.map(|hash| ("expected_sha256", json!(hash.to_ascii_lowercase()))),
            part.map(|part| ("expected_contains", json!(part.escape_ascii().to_string()))),
            expected.check.as_ref().map(|_| ("check", json!(true))),
        ]
        .into_iter()
        .flatten()
    }

    /// The fields in one line: the request, then the others in JSON.
    fn line(&self) -> String {
        let named = self.fields().into_iter().skip(1);
        let named: Map<String, Value> = named
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        format!("{} {} {}", self.method, self.path, Value::Object(named))
    }
}

fn values_line((name, values): &(String, Values)) -> String {
    match values {
        Values::List(list) => format!("{name} = {}", json!(list)),
        Values::Random(range) => format!("{name} = {range:?}"),
    }
}

fn millis(time: Duration) -> Value {
    json!(time.as_millis() as u64)
}
