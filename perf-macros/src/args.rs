//! The attribute's arguments, from tokens to `ScenarioArgs`: `key = value` and `key(list)`,
//! with every span kept. Which keys go together is said by `check`.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Error, Expr, LitStr, Result, Token, token};

use crate::entries::entries;
use crate::errors::Errors;
use crate::gate::{self, Gated};
use crate::value::{self, Concurrency, Header, Stage, Timeout};

/// The keys that name the method of the request.
pub(crate) const METHODS: [&str; 7] = ["delete", "get", "head", "options", "patch", "post", "put"];

/// Every key with an example of its use, sorted.
pub(crate) const KEYS: [(&str, &str); 41] = [
    ("arrivals", "arrivals = \"poisson\""),
    ("body", "body = \"name=value\""),
    ("body_file", "body_file = \"order.json\""),
    ("ca_file", "ca_file = \"tests/ca.pem\""),
    ("client", "client = \"http1\""),
    ("concurrency", "concurrency = 50"),
    ("cookies", "cookies = true"),
    ("crate", "crate = perf_harness"),
    ("deadline", "deadline = \"2m\""),
    ("delete", "delete = \"/cart\""),
    ("duration", "duration = \"10s\""),
    ("error_budget", "error_budget = \"0.1%\""),
    ("expect_contains", "expect_contains = \"total\""),
    ("expect_length", "expect_length = 1_024"),
    ("expect_sha256", "expect_sha256 = DIGEST"),
    ("expect_status", "expect_status = 200"),
    ("gate", "gate(throughput = \"5%\")"),
    ("get", "get = \"/\""),
    ("head", "head = \"/\""),
    ("headers", "headers(\"accept\" = \"text/html\")"),
    ("http", "http = \"2\""),
    ("insecure", "insecure = true"),
    ("keep_alive", "keep_alive = true"),
    ("name", "name = \"home\""),
    ("options", "options = \"/\""),
    ("patch", "patch = \"/cart\""),
    ("post", "post = \"/cart\""),
    ("put", "put = \"/cart\""),
    ("ramp_up", "ramp_up = \"2s\""),
    ("rate", "rate = 2_000"),
    ("redirects", "redirects = 3"),
    ("renamed_from", "renamed_from = \"home\""),
    ("requests", "requests = 10_000"),
    ("rounds", "rounds = 5"),
    ("seed", "seed = 7"),
    ("stages", "stages(\"10s\" = 500)"),
    ("target", "target = shop()"),
    ("threads", "threads = 2"),
    ("timeout", "timeout = \"5s\""),
    ("values", "values(\"id\" = 1..=1000)"),
    ("warmup", "warmup = 100"),
];

/// A value and the key that names it.
pub(crate) struct Setting<V = Expr> {
    pub(crate) key: Ident,
    pub(crate) value: V,
}

/// The arguments, each right by itself.
#[derive(Default)]
pub(crate) struct ScenarioArgs {
    /// Every known key that was written, also one whose value was wrong, in order.
    pub(crate) written: Vec<Ident>,
    pub(crate) target: Option<Setting>,
    pub(crate) request: Option<Setting>,
    pub(crate) headers: Option<Setting<Vec<Header>>>,
    pub(crate) body: Option<Setting>,
    pub(crate) expect_status: Option<Setting>,
    pub(crate) requests: Option<Setting>,
    pub(crate) concurrency: Option<Setting<Concurrency>>,
    pub(crate) warmup: Option<Setting>,
    pub(crate) rounds: Option<Setting>,
    /// Every time, in the order in which they were written.
    pub(crate) times: Vec<Setting<Timeout>>,
    /// Keys whose value is handed to the method of their name as it is.
    pub(crate) plain: Vec<Setting>,
    pub(crate) arrivals: Option<Setting<Ident>>,
    pub(crate) http: Option<Setting<Ident>>,
    pub(crate) insecure: Option<Setting>,
    pub(crate) stages: Option<Setting<Vec<Stage>>>,
    pub(crate) values: Option<Setting<Vec<Header>>>,
    pub(crate) keep_alive: Option<Setting>,
    pub(crate) client: Option<Setting<Ident>>,
    pub(crate) error_budget: Option<Setting>,
    pub(crate) name: Option<Setting<LitStr>>,
    pub(crate) renamed_from: Option<Setting<LitStr>>,
    pub(crate) gate: Option<Setting<Vec<Gated>>>,
    pub(crate) library: Option<Setting<syn::Path>>,
}

/// What follows a key.
enum Given {
    Value(Expr),
    List(TokenStream, Span),
}

impl ScenarioArgs {
    /// Reads the tokens between the attribute's parentheses.
    pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut args = Self::default();
        let parser = |input: ParseStream| {
            entries(input, errors, |input, errors| {
                let key = args.read_key(input)?;
                let given = given(&key, input)?;
                errors.keep(args.take(key, given));
                Ok(())
            });
            Ok(())
        };
        parser
            .parse2(tokens)
            .expect("reading goes on until no token is left");
        args
    }

    /// Says whether a key was written, with a right value or a wrong one.
    pub(crate) fn names(&self, key: &str) -> bool {
        self.written.iter().any(|written| written == key)
    }

    /// The value of a plain key.
    pub(crate) fn plain(&self, key: &str) -> Option<&Setting> {
        self.plain.iter().find(|setting| setting.key == key)
    }

    fn read_key(&mut self, input: ParseStream) -> Result<Ident> {
        let example = "write a key and its value, such as `requests = 10_000`";
        let key = Ident::parse_any(input).map_err(|_| input.error(example))?;
        if !KEYS.iter().any(|(known, _)| key == known) {
            let keys = KEYS.map(|(known, _)| known).join(", ");
            let message = format!("unknown key `{key}`; the keys are {keys}");
            return Err(Error::new(key.span(), message));
        }
        if self.names(&key.to_string()) {
            let message = format!("`{key}` is given twice; remove one");
            return Err(Error::new(key.span(), message));
        }
        self.written.push(key.clone());
        Ok(key)
    }

    fn take(&mut self, key: Ident, given: Given) -> Result<()> {
        match key.to_string().as_str() {
            "body" => self.body = Some(single(key, given, value::anything)?),
            "client" => self.client = Some(single(key, given, value::client)?),
            "concurrency" => self.concurrency = Some(single(key, given, value::concurrency)?),
            "crate" => self.library = Some(single(key, given, value::library)?),
            "error_budget" => self.error_budget = Some(single(key, given, value::error_budget)?),
            "expect_status" => self.expect_status = Some(single(key, given, value::statuses)?),
            "gate" => self.gate = Some(list(key, given, gate::gate)?),
            "headers" => self.headers = Some(list(key, given, value::headers)?),
            "keep_alive" => self.keep_alive = Some(single(key, given, value::anything)?),
            "name" => self.name = Some(single(key, given, value::text)?),
            "renamed_from" => self.renamed_from = Some(single(key, given, value::text)?),
            "requests" => self.requests = Some(single(key, given, value::at_least_one)?),
            "rounds" => self.rounds = Some(single(key, given, value::at_least_one)?),
            "target" => self.target = Some(single(key, given, value::anything)?),
            "arrivals" => self.arrivals = Some(single(key, given, value::arrivals)?),
            "http" => self.http = Some(single(key, given, value::http)?),
            "insecure" => self.insecure = Some(single(key, given, value::only_true)?),
            "stages" => self.stages = Some(list(key, given, value::stages)?),
            "values" => self.values = Some(list(key, given, value::values)?),
            "deadline" | "duration" | "ramp_up" | "timeout" => {
                self.times.push(single(key, given, value::timeout)?);
            }
            "rate" | "threads" => self.plain.push(single(key, given, value::above_zero)?),
            "body_file" | "ca_file" | "cookies" | "expect_contains" | "expect_length"
            | "expect_sha256" | "redirects" | "seed" => {
                self.plain.push(single(key, given, value::anything)?);
            }
            "warmup" => self.warmup = Some(single(key, given, value::anything)?),
            _ => self.request = Some(single(key, given, value::path)?),
        }
        Ok(())
    }
}

fn given(key: &Ident, input: ParseStream) -> Result<Given> {
    if input.peek(token::Paren) {
        let content;
        let paren = syn::parenthesized!(content in input);
        return Ok(Given::List(content.parse()?, paren.span.join()));
    }
    let has_sign = input.parse::<Option<Token![=]>>()?.is_some();
    if !has_sign || input.is_empty() || input.peek(Token![,]) {
        let message = format!("`{key}` has no value; write `{}`", example(key));
        return Err(Error::new(key.span(), message));
    }
    let value = input.parse().map(Given::Value);
    value.map_err(|error| {
        if !input.is_empty() {
            return error;
        }
        let message = format!(
            "the value of `{key}` is cut short; write `{}`",
            example(key)
        );
        Error::new(key.span(), message)
    })
}

fn single<V>(
    key: Ident,
    given: Given,
    read: impl FnOnce(&Ident, Expr) -> Result<V>,
) -> Result<Setting<V>> {
    match given {
        Given::Value(value) => Ok(Setting {
            value: read(&key, value)?,
            key,
        }),
        Given::List(_, span) => {
            let message = format!("`{key}` takes one value; write `{}`", example(&key));
            Err(Error::new(span, message))
        }
    }
}

fn list<V>(
    key: Ident,
    given: Given,
    read: impl FnOnce(TokenStream) -> Result<V>,
) -> Result<Setting<V>> {
    match given {
        Given::List(list, _) => Ok(Setting {
            value: read(list)?,
            key,
        }),
        Given::Value(value) => {
            let message = format!("`{key}` takes a list; write `{}`", example(&key));
            Err(Error::new_spanned(value, message))
        }
    }
}

fn example(key: &Ident) -> &'static str {
    KEYS.iter()
        .find(|(known, _)| key == known)
        .map(|(_, example)| *example)
        .expect("a key is known before its value is read")
}
