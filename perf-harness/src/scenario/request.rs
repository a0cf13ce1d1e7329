//! The options that say what is sent beyond a plain request, and what a good body is.

use std::fs;
use std::path::PathBuf;

use super::{Scenario, ScenarioError};
use crate::load::{BodyCheck, Load, Mix, Order, Request, Values};

impl Scenario {
    /// Sends these requests, each as often as its weight says. Each is described in full: the
    /// methods that describe one request are a mistake before and after.
    pub fn mix(self, requests: impl IntoIterator<Item = Request>) -> Self {
        self.several("mix", requests, Order::Weighted)
    }

    /// Sends these requests one after the other on every connection, then from the first again.
    /// Each is described in full, as in a [`mix`](Self::mix).
    pub fn sequence(self, requests: impl IntoIterator<Item = Request>) -> Self {
        self.several("sequence", requests, Order::Sequence)
    }

    fn several(
        mut self,
        option: &'static str,
        requests: impl IntoIterator<Item = Request>,
        order: Order,
    ) -> Self {
        if self.load.mix.is_none() {
            self.mistakes.push(ScenarioError::NotForJourneys { option });
            return self;
        }
        if self.load.mix != Load::default().mix {
            self.mistakes.push(ScenarioError::BesideMix { option });
        }
        let requests = requests.into_iter().collect();
        self.load.mix = Some(Mix { requests, order });
        self
    }

    /// Sends the content of this file, read at once; relative to the package's folder.
    pub fn body_file(mut self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        match fs::read(&path) {
            Ok(body) => self.change_request("body_file", |request| request.body = body),
            Err(source) => {
                let mistake = ScenarioError::BodyFile { path, source };
                self.mistakes.push(mistake);
                self
            }
        }
    }

    /// Bytes of the body of a good reply. Default: any.
    pub fn expect_length(self, bytes: u64) -> Self {
        self.change_request("expect_length", |request| {
            request.expected.length = Some(bytes);
        })
    }

    /// SHA-256 of the body of a good reply, in 64 hexadecimal digits. Default: any.
    pub fn expect_sha256(self, digits: impl Into<String>) -> Self {
        let digits = digits.into();
        self.change_request("expect_sha256", |request| {
            request.expected.sha256 = Some(digits);
        })
    }

    /// What the body of a good reply holds. Default: anything.
    pub fn expect_contains(self, part: impl Into<Vec<u8>>) -> Self {
        let part = part.into();
        self.change_request("expect_contains", |request| {
            request.expected.contains = Some(part);
        })
    }

    /// Code that looks at the body of every reply, and says what is wrong with it.
    pub fn check_body(
        self,
        check: impl Fn(&[u8]) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.change_request("check_body", |request| {
            request.expected.check = Some(BodyCheck::new(check));
        })
    }

    /// What is written in place of `{name}` in the path: a list in turn, or numbers of a range.
    pub fn values(self, name: impl Into<String>, values: impl Into<Values>) -> Self {
        let values = (name.into(), values.into());
        self.change_request("values", |request| request.values.push(values))
    }
}
