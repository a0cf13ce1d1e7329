//! The options of `cargo perf load`, and the load that they describe.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use http::Method;

use super::notation;
use crate::cli::error::CliError;
use crate::load::{Arrivals, Client, HttpVersion, Load, Pace, Rate, Request, Trust};

/// For `--help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo perf load http://127.0.0.1:8080/ -n 10000 -c 50
  cargo perf load http://127.0.0.1:8080/ -c 50 -d 10s --format wrk
  cargo perf load http://127.0.0.1:8080/ -d 10s --rate 500 --poisson --seed 7
  cargo perf load http://127.0.0.1:8080/cart -n 1000 -H 'content-type: application/json' --body '{}'
  cargo perf load http://127.0.0.1:8080/ -n 1000 --format json | jq .throughput

Exit codes:
  0   done, and no more requests failed than --error-budget allows
  1   nothing could be measured, for example since nothing listens there
  2   more requests failed, none succeeded, or --deadline cut the load
  64  cannot be done as it was typed; nothing was sent";

const REQUESTS: u64 = 200;

#[derive(Args, Debug)]
pub(crate) struct LoadArguments {
    /// Where to: http://HOST:PORT/PATH?QUERY, https://… or unix:/path/of.sock
    pub(super) url: String,
    /// Requests in all; 200 unless -d is given. With -d whichever ends first
    #[arg(short = 'n', long, value_name = "N")]
    requests: Option<u64>,
    /// Connections, each with one request under way at a time
    #[arg(short, long, value_name = "N", default_value_t = 10)]
    concurrency: usize,
    /// How long to send, such as 10s, 500ms or 2m; what is under way then is waited for
    #[arg(short, long, value_name = "TIME", value_parser = notation::duration)]
    duration: Option<Duration>,
    /// Requests a second, whatever the server does (open loop); without it as fast as replies come
    #[arg(long, value_name = "N", value_parser = notation::rate)]
    rate: Option<f64>,
    /// With --rate: requests come at random, as from many users
    #[arg(long, requires = "rate")]
    poisson: bool,
    /// Where everything random starts
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Method; GET, or POST with a body
    #[arg(short, long, value_parser = notation::method)]
    method: Option<Method>,
    /// A header field, `name: value`; may be repeated
    #[arg(short = 'H', long, value_name = "FIELD", value_parser = notation::header)]
    header: Vec<(String, String)>,
    /// The body of every request
    #[arg(long, value_name = "TEXT", conflicts_with = "body_file")]
    body: Option<String>,
    /// A file with the body of every request
    #[arg(long, value_name = "FILE")]
    body_file: Option<PathBuf>,
    /// Status of a good reply; may be repeated
    #[arg(long, value_name = "STATUS", default_value = "200")]
    expect: Vec<u16>,
    /// How long one request may take
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = notation::duration)]
    timeout: Duration,
    /// How long all may take; what is cut is no success
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = notation::duration)]
    deadline: Duration,
    /// Requests before the clock starts; none, as with ab and wrk
    #[arg(long, value_name = "N", default_value_t = 0)]
    warmup: u64,
    /// Over how long connections are opened
    #[arg(long, value_name = "TIME", value_parser = notation::duration)]
    ramp_up: Option<Duration>,
    /// A connection for every request
    #[arg(long)]
    no_keep_alive: bool,
    /// Which engine sends
    #[arg(long, value_enum, default_value_t)]
    client: ClientName,
    /// HTTP/2; wants --client reqwest
    #[arg(long)]
    http2: bool,
    /// Redirects that one request follows
    #[arg(long, value_name = "N", default_value_t = 0)]
    redirects: usize,
    /// PEM file of the authorities that an https server's certificate is checked by
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    cacert: Option<PathBuf>,
    /// Any certificate will do
    #[arg(long)]
    insecure: bool,
    /// Threads of the engine
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Share of requests that may fail, such as 0.1%
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = notation::share)]
    error_budget: f64,
    /// How to print the report
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Also write a file for gnuplot: a line for each tenth of a second
    #[arg(long, value_name = "FILE")]
    pub(super) gnuplot: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    #[default]
    Text,
    /// Laid out as ApacheBench's report
    Ab,
    /// Laid out as `wrk --latency`
    Wrk,
    /// Everything, for programs
    Json,
    /// The percentiles
    Csv,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ClientName {
    /// Our own HTTP/1.1 engine
    #[default]
    Http1,
    /// reqwest
    Reqwest,
}

impl LoadArguments {
    /// The load that asks for `target`; reads the file of the body.
    pub(super) fn to_load(&self, target: String) -> Result<Load, CliError> {
        let client = match self.client {
            ClientName::Http1 => Client::Http1,
            ClientName::Reqwest => Client::Reqwest,
        };
        Ok(Load {
            mix: Some(self.request(target)?.into()),
            requests: self
                .requests
                .unwrap_or(if self.duration.is_some() { 0 } else { REQUESTS }),
            duration: self.duration,
            concurrency: self.concurrency,
            pace: self.pace(),
            ramp_up: self.ramp_up.unwrap_or_default(),
            warmup: Some(self.warmup),
            timeout: self.timeout,
            deadline: self.deadline,
            keep_alive: !self.no_keep_alive,
            client,
            http: if self.http2 {
                HttpVersion::Http2
            } else {
                HttpVersion::Http1
            },
            redirects: self.redirects,
            trust: self.trust(),
            threads: self.threads,
            seed: self.seed,
            error_budget: self.error_budget,
            ..Load::default()
        })
    }

    fn request(&self, target: String) -> Result<Request, CliError> {
        let body = self.body()?;
        let default = if body.is_some() {
            Method::POST
        } else {
            Method::GET
        };
        let mut request = Request::new(self.method.clone().unwrap_or(default), target);
        request.headers.clone_from(&self.header);
        request.body = body.unwrap_or_default();
        request.expected.statuses.clone_from(&self.expect);
        Ok(request)
    }

    fn body(&self) -> Result<Option<Vec<u8>>, CliError> {
        let Some(path) = &self.body_file else {
            return Ok(self.body.clone().map(String::into_bytes));
        };
        let read = fs::read(path).map_err(|source| CliError::File {
            path: path.clone(),
            source,
        });
        read.map(Some)
    }

    fn pace(&self) -> Pace {
        let Some(rate) = self.rate else {
            return Pace::Closed;
        };
        let arrivals = if self.poisson {
            Arrivals::Poisson
        } else {
            Arrivals::Constant
        };
        Pace::Open(Rate {
            arrivals,
            ..Rate::constant(rate)
        })
    }

    fn trust(&self) -> Trust {
        match &self.cacert {
            Some(path) => Trust::Authorities(path.clone()),
            None if self.insecure => Trust::Insecure,
            None => Trust::System,
        }
    }
}
