//! Which keys go together, and with which signature. Every function adds what it finds to the
//! errors and goes on, so that all of them are reported at once.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, Lit, ReturnType, Safety, Signature};

use crate::args::{METHODS, ScenarioArgs};
use crate::errors::Errors;
use crate::function::Function;
use crate::gate::{Gated, Limit};
use crate::value::{integer, literal};

const HOW_TO_WRITE_A_JOURNEY: &str =
    "a journey is `async fn checkout(user: &mut User) -> Result<()>` with `target = shop()`";

/// What the annotated function is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A plain function that returns the target of a load of equal requests.
    Load,
    /// An async function that is one iteration of the load.
    Journey,
}

impl Form {
    /// A journey names its target, is async and takes a user. Two of the three show that a
    /// journey was meant, so the error can be about the third.
    pub(crate) fn of(args: &ScenarioArgs, signature: &Signature) -> Self {
        let signs = [
            args.names("target"),
            signature.asyncness.is_some(),
            !signature.inputs.is_empty(),
        ];
        match signs.into_iter().filter(|sign| *sign).count() {
            0 | 1 => Self::Load,
            _ => Self::Journey,
        }
    }
}

/// Checks everything that takes more than one value to see.
pub(crate) fn check(args: &ScenarioArgs, function: &Function, errors: &mut Errors) {
    check_attributes(function, errors);
    check_qualifiers(&function.signature, errors);
    match Form::of(args, &function.signature) {
        Form::Load => {
            check_load_signature(function, errors);
            check_load_keys(args, errors);
            check_client_keys(args, errors);
        }
        Form::Journey => {
            check_journey_signature(function, errors);
            check_journey_keys(args, errors);
        }
    }
    check_pace_keys(args, errors);
    check_requests(args, errors);
}

fn check_pace_keys(args: &ScenarioArgs, errors: &mut Errors) {
    for key in args
        .written
        .iter()
        .filter(|key| *key == "arrivals" || *key == "stages")
    {
        if !args.names("rate") {
            let message = format!("`{key}` is of an open loop; add `rate = 500`, or remove it");
            errors.add(Error::new_spanned(key, message));
        }
    }
    if let Some(insecure) = args.written.iter().find(|key| *key == "insecure")
        && args.names("ca_file")
    {
        let message = "`insecure` trusts any certificate; remove it, or remove `ca_file`";
        errors.add(Error::new_spanned(insecure, message));
    }
}

/// What the engine of the default client does not speak.
fn check_client_keys(args: &ScenarioArgs, errors: &mut Errors) {
    let client = args.client.as_ref();
    if args.names("client") && client.is_none_or(|client| client.value == "Reqwest") {
        return;
    }
    let is_nothing = |key: &str| {
        let value = args.plain(key).map(|setting| &setting.value);
        value.is_some_and(|value| integer(value) == Some(0) || is_false(value))
    };
    for key in &args.written {
        let name = key.to_string();
        let wanted = match name.as_str() {
            "http" => args.http.as_ref().is_some_and(|http| http.value == "Http2"),
            "redirects" | "cookies" => !is_nothing(&name),
            _ => false,
        };
        if wanted {
            let message = format!("the http1 client has no `{key}`; add `client = \"reqwest\"`");
            errors.add(Error::new_spanned(key, message));
        }
    }
}

fn is_false(value: &Expr) -> bool {
    matches!(literal(value), Some(Lit::Bool(said)) if !said.value)
}

fn check_attributes(function: &Function, errors: &mut Errors) {
    for attribute in function.attributes_with("should_panic") {
        let message = "a scenario fails by its verdict and never panics; remove `should_panic`";
        errors.add(Error::new_spanned(attribute, message));
    }
    for attribute in function.attributes.iter().filter(|a| is_a_test_macro(a)) {
        let message = "one `#[scenario]` makes the function a test already; remove this attribute";
        errors.add(Error::new_spanned(attribute, message));
    }
}

fn is_a_test_macro(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|name| name.ident == "test" || name.ident == "scenario")
}

fn check_qualifiers(signature: &Signature, errors: &mut Errors) {
    if let Some(keyword) = &signature.constness {
        let message = "a scenario is an ordinary function; remove `const`";
        errors.add(Error::new_spanned(keyword, message));
    }
    if let Safety::Unsafe(keyword) = &signature.safety {
        let message = "a scenario is a safe function; remove `unsafe`";
        errors.add(Error::new_spanned(keyword, message));
    }
    if let Some(abi) = &signature.abi {
        let message = "a scenario is a Rust function; remove `extern`";
        errors.add(Error::new_spanned(abi, message));
    }
    check_generics(signature, errors);
}

fn check_generics(signature: &Signature, errors: &mut Errors) {
    let message = "a scenario has no generic parameters: nobody would choose them; remove them";
    if !signature.generics.params.is_empty() {
        errors.add(Error::new_spanned(&signature.generics, message));
    }
    if let Some(clause) = &signature.generics.where_clause {
        errors.add(Error::new_spanned(clause, message));
    }
}

fn check_load_signature(function: &Function, errors: &mut Errors) {
    let signature = &function.signature;
    if let Some(keyword) = &signature.asyncness {
        let message = format!(
            "this function only describes the target, so it is not async; remove `async` \
             ({HOW_TO_WRITE_A_JOURNEY})"
        );
        errors.add(Error::new_spanned(keyword, message));
    }
    if !signature.inputs.is_empty() {
        let message = format!(
            "nobody passes arguments to this function; remove its parameters \
             ({HOW_TO_WRITE_A_JOURNEY})"
        );
        errors.add(Error::new_spanned(&signature.inputs, message));
    }
    if matches!(signature.output, ReturnType::Default) {
        let name = &signature.ident;
        let message = format!("this function returns the target; write `fn {name}() -> Target`");
        errors.add(Error::new_spanned(name, message));
    }
}

fn check_load_keys(args: &ScenarioArgs, errors: &mut Errors) {
    if let Some(key) = args.written.iter().find(|key| *key == "target") {
        let message = format!(
            "the target is what the function returns; remove `target` ({HOW_TO_WRITE_A_JOURNEY})"
        );
        errors.add(Error::new_spanned(key, message));
    }
    let mut methods = args.written.iter().filter(|key| is_method(key));
    let first = methods.next();
    for method in methods {
        let message = "a scenario sends one kind of request; remove this method or the other";
        errors.add(Error::new_spanned(method, message));
    }
    let has_body = first.is_some_and(|method| method != "get" && method != "head");
    let mut bodies = args
        .written
        .iter()
        .filter(|key| *key == "body" || *key == "body_file");
    if let (Some(_), Some(second)) = (bodies.clone().next(), bodies.clone().nth(1)) {
        let message = "a request has one body; remove `body` or `body_file`";
        errors.add(Error::new_spanned(second, message));
    }
    if let Some(body) = bodies.next()
        && !has_body
    {
        let method = first.map_or_else(|| "get".to_owned(), ToString::to_string);
        let message =
            format!("a `{method}` request has no body; write `post = \"/\"`, or remove `{body}`");
        errors.add(Error::new_spanned(body, message));
    }
}

fn is_method(key: &Ident) -> bool {
    METHODS.iter().any(|method| key == method)
}

fn check_journey_signature(function: &Function, errors: &mut Errors) {
    let signature = &function.signature;
    let name = &signature.ident;
    if signature.asyncness.is_none() {
        let message = format!("a journey is async; write `async fn {name}`");
        errors.add(Error::new_spanned(signature.fn_token, message));
    }
    if signature.inputs.len() != 1 {
        let message =
            format!("a journey has one parameter, its user; write `{name}(user: &mut User)`");
        errors.add(Error::new(parameters_span(signature), message));
    }
    if let Some(receiver) = signature.receiver() {
        let message = "a scenario is a free function, not a method; write `user: &mut User`";
        errors.add(Error::new_spanned(receiver, message));
    }
    if matches!(signature.output, ReturnType::Default) {
        let message = "a journey says whether it went well; write `-> Result<()>`";
        errors.add(Error::new_spanned(name, message));
    }
}

/// The second parameter where there is one, else the empty parentheses.
fn parameters_span(signature: &Signature) -> Span {
    match signature.inputs.iter().nth(1) {
        Some(second) => second.span(),
        None => signature.paren_token.span.join(),
    }
}

fn check_journey_keys(args: &ScenarioArgs, errors: &mut Errors) {
    if !args.names("target") {
        let message = "a journey names its target; add `target = shop()`";
        errors.add(Error::new(Span::call_site(), message));
    }
    for key in &args.written {
        let next_step = match key.to_string().as_str() {
            "headers" | "body" | "body_file" | "values" => {
                "remove it, and add it to the requests in the function"
            }
            "expect_status" => "remove it, and call `.expect_status(..)` in the function",
            "expect_contains" | "expect_length" | "expect_sha256" => {
                "remove it, and look at the reply in the function"
            }
            "keep_alive" | "client" | "threads" => "remove it",
            _ if is_method(key) => {
                "remove it, and send the requests through `user` in the function"
            }
            _ => continue,
        };
        let message = format!("a journey sends its own requests, without `{key}`; {next_step}");
        errors.add(Error::new_spanned(key, message));
    }
}

fn check_requests(args: &ScenarioArgs, errors: &mut Errors) {
    if !args.names("requests") && !args.names("duration") {
        let message = "a scenario says how many requests a round sends; \
                       add `requests = 10_000`, or `duration = \"10s\"`";
        errors.add(Error::new(Span::call_site(), message));
    }
    let requests = args.requests.as_ref();
    let Some(requests) = requests.and_then(|requests| integer(&requests.value)) else {
        return;
    };
    check_concurrency(args, requests, errors);
    for gated in args.gate.iter().flat_map(|gate| &gate.value) {
        check_percentile(gated, requests, errors);
    }
}

fn check_concurrency(args: &ScenarioArgs, requests: u64, errors: &mut Errors) {
    let concurrency = args.concurrency.as_ref();
    for value in concurrency.map_or(&[][..], |setting| setting.value.values()) {
        if let Some(connections) = integer(value).filter(|connections| *connections > requests) {
            let message = format!(
                "{connections} connections are more than the {requests} requests of a round; \
                 lower `concurrency` or raise `requests`"
            );
            errors.add(Error::new_spanned(value, message));
        }
    }
}

/// A percentile of a few requests is the luck of one request.
fn check_percentile(gated: &Gated, requests: u64, errors: &mut Errors) {
    let metric = &gated.metric;
    let needed = match metric.to_string().as_str() {
        "p99" => 500,
        "p999" => 5_000,
        _ => return,
    };
    if requests < needed && matches!(gated.limit, Limit::Threshold(_)) {
        errors.add(gated.error(format!(
            "{metric} needs at least {needed} requests a round, this load has {requests}; \
             raise `requests` or write `{metric} = \"off\"`"
        )));
    }
}
