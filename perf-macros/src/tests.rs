//! The macro seen from inside: what it makes of a scenario and what it says of a wrong one.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

use crate::args::KEYS;
use crate::expand::scenario;

/// What the attribute of these tokens makes of a plain load function.
fn load(attribute: &str) -> TokenStream {
    scenario(
        tokens(attribute),
        &quote!(
            fn home() -> Target {
                shop()
            }
        ),
    )
}

/// What the attribute of these tokens makes of a plain journey.
fn journey(attribute: &str) -> TokenStream {
    let function = quote! {
        async fn checkout(user: &mut User) -> Result<()> { user.pay().await }
    };
    scenario(tokens(attribute), &function)
}

/// What a right attribute makes of this function.
fn function(item: &str) -> TokenStream {
    scenario(quote!(requests = 100), &tokens(item))
}

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap()
}

/// The messages of all `compile_error!`s, in order.
fn errors(expansion: TokenStream) -> Vec<String> {
    let mut errors = Vec::new();
    let mut follows_the_name = false;
    for tree in expansion {
        match tree {
            TokenTree::Ident(name) => follows_the_name = name == "compile_error",
            TokenTree::Group(message) if follows_the_name => {
                let text: syn::LitStr = syn::parse2(message.stream()).unwrap();
                errors.push(text.value());
                follows_the_name = false;
            }
            _ => {}
        }
    }
    errors
}

#[track_caller]
fn assert_only_error(expansion: TokenStream, part: &str) {
    let errors = errors(expansion);
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(
        errors[0].contains(part),
        "{:?} is not about {part:?}",
        errors[0]
    );
}

#[track_caller]
fn assert_accepted(expansion: TokenStream) {
    assert_eq!(errors(expansion), Vec::<String>::new());
}

#[track_caller]
fn assert_same(expansion: &TokenStream, expected: &TokenStream) {
    assert_eq!(expansion.to_string(), expected.to_string());
}

/// Whether these tokens stand somewhere in the expansion.
fn contains(expansion: &TokenStream, part: &str) -> bool {
    expansion.to_string().contains(&tokens(part).to_string())
}

#[test]
fn a_load_becomes_one_test_around_its_function() {
    let expansion = scenario(
        quote!(requests = 10_000, gate(p99 = "20%")),
        &quote! {
            /// The front page.
            #[inline]
            pub fn home() -> Target { shop() }
        },
    );
    let expected = quote! {
        /// The front page.
        #[::core::prelude::v1::test]
        fn home() -> ::core::result::Result<(), ::perf_harness::macro_support::Report> {
            #[inline]
            fn home() -> Target { shop() }
            ::perf_harness::macro_support::run(
                ::perf_harness::Scenario::new(
                    ::perf_harness::macro_support::scenario_name(::core::module_path!(), "home")
                )
                .target(home())
                .get("/")
                .requests(10_000)
                .gate(::perf_harness::Metric::P99, "20%"),
                ::perf_harness::macro_support::Site {
                    package: ::core::env!("CARGO_PKG_NAME"),
                    manifest_dir: ::core::env!("CARGO_MANIFEST_DIR"),
                    file: ::core::file!(),
                    line: ::core::line!(),
                    debug: ::core::cfg!(debug_assertions),
                }
            )
        }
    };
    assert_same(&expansion, &expected);
}

#[test]
fn a_sweep_becomes_a_module_beside_its_function() {
    let expansion = scenario(
        quote!(requests = 10_000, concurrency = [100, 2_00]),
        &quote! {
            /// All pages.
            #[cfg(unix)]
            #[ignore]
            pub fn pages() -> Target { shop() }
        },
    );
    let case = |test: TokenStream, connections: TokenStream, name: &str| {
        quote! {
            #[ignore]
            #[::core::prelude::v1::test]
            fn #test() -> ::core::result::Result<(), super::__pages_support::Report> {
                super::__pages_support::run(
                    super::__pages_scenario(#connections, #name),
                    super::__pages_support::Site {
                        package: ::core::env!("CARGO_PKG_NAME"),
                        manifest_dir: ::core::env!("CARGO_MANIFEST_DIR"),
                        file: ::core::file!(),
                        line: ::core::line!(),
                        debug: ::core::cfg!(debug_assertions),
                    }
                )
            }
        }
    };
    let hundred = case(quote!(c100), quote!(100), "pages/c100");
    let two_hundred = case(quote!(c200), quote!(2_00), "pages/c200");
    let expected = quote! {
        /// All pages.
        #[cfg(unix)]
        #[cfg_attr(not(test), allow(dead_code))]
        pub fn pages() -> Target { shop() }
        #[cfg(unix)]
        #[cfg(test)]
        use ::perf_harness::macro_support as __pages_support;
        #[cfg(unix)]
        #[cfg(test)]
        fn __pages_scenario(concurrency: usize, case: &str) -> ::perf_harness::Scenario {
            ::perf_harness::Scenario::new(
                ::perf_harness::macro_support::scenario_name(::core::module_path!(), case)
            )
            .target(pages())
            .get("/")
            .requests(10_000)
            .concurrency(concurrency)
        }
        #[cfg(unix)]
        #[cfg(test)]
        mod pages { #hundred #two_hundred }
    };
    assert_same(&expansion, &expected);
}

#[test]
fn a_journey_is_handed_to_the_builder() {
    let expansion = journey("target = shop(), requests = 10");
    let call = ".target(shop()).journey(checkout).requests(10),";
    assert!(contains(&expansion, call), "{expansion}");
    assert!(contains(
        &expansion,
        "async fn checkout(user: &mut User) -> Result<()>"
    ));
}

#[test]
fn each_argument_is_one_builder_call() {
    let calls = [
        ("delete = path()", ".delete(path())"),
        (
            "headers(\"accept\" = \"a\", NAME = b)",
            ".header(\"accept\", \"a\").header(NAME, b)",
        ),
        ("post = \"/\", body = bytes()", ".post(\"/\").body(bytes())"),
        ("expect_status = 200", ".expect_status(200)"),
        (
            "expect_status = [200, OTHER]",
            ".expect_statuses([200, OTHER])",
        ),
        ("concurrency = n()", ".concurrency(n())"),
        ("warmup = 0", ".warmup(0)"),
        ("rounds = 5", ".rounds(5)"),
        ("keep_alive = false", ".keep_alive(false)"),
        (
            "client = \"http1\"",
            ".client(::perf_harness::Client::Http1)",
        ),
        (
            "client = \"reqwest\"",
            ".client(::perf_harness::Client::Reqwest)",
        ),
        ("error_budget = \"0%\"", ".error_budget(\"0%\")"),
        ("renamed_from = \"start\"", ".renamed_from(\"start\")"),
        (
            "name = \"front\"",
            "::perf_harness::Scenario::new(\"front\")",
        ),
        (
            "gate(cpu = \"5.5 %\")",
            ".gate(::perf_harness::Metric::Cpu, \"5.5 %\")",
        ),
        (
            "gate(p99 = \"off\")",
            ".ungated(::perf_harness::Metric::P99)",
        ),
    ];
    assert_calls(&calls);
}

#[test]
fn each_argument_of_the_pace_and_the_connection_is_one_builder_call() {
    let calls = [
        ("rate = 2_000", ".rate(2_000)"),
        ("seed = 7", ".seed(7)"),
        (
            "deadline = \"2m\"",
            ".deadline(::core::time::Duration::from_millis(120000))",
        ),
        (
            "rate = 1, arrivals = \"poisson\"",
            ".arrivals(::perf_harness::Arrivals::Poisson)",
        ),
        (
            "rate = 1, stages(\"1s\" = 5, PAUSE = 6.5)",
            ".stage(5, ::core::time::Duration::from_millis(1000)).stage(6.5, PAUSE)",
        ),
        ("values(\"id\" = 1..=9)", ".values(\"id\", 1..=9)"),
        ("insecure = true", ".insecure()"),
        (
            "client = \"reqwest\", http = \"2\"",
            ".http(::perf_harness::HttpVersion::Http2)",
        ),
    ];
    assert_calls(&calls);
}

fn assert_calls(calls: &[(&str, &str)]) {
    for (argument, call) in calls {
        let expansion = load(&format!("requests = 100, {argument},"));
        assert!(
            contains(&expansion, call),
            "{argument} is not {call} in {expansion}"
        );
    }
}

#[test]
fn a_literal_time_is_read_while_compiling() {
    let times = [
        ("5s", 5_000),
        ("500ms", 500),
        ("1m", 60_000),
        (" 2 s ", 2_000),
    ];
    for (text, millis) in times {
        let expansion = load(&format!("requests = 1, timeout = \"{text}\""));
        let call = format!(".timeout(::core::time::Duration::from_millis({millis}))");
        assert!(contains(&expansion, &call), "{text} is not {call}");
    }
    let expansion = load("requests = 1, timeout = PATIENCE * 2");
    assert!(contains(&expansion, ".timeout(PATIENCE * 2)"));
}

#[test]
fn another_time_is_refused() {
    for value in [
        "5", "5.0", "\"5\"", "\"\"", "\"1.5s\"", "\"0s\"", "\"-1s\"", "\"1h\"",
    ] {
        assert_only_error(
            load(&format!("requests = 1, timeout = {value}")),
            "write `timeout = \"5s\"`",
        );
    }
    let longer_than_any_clock = "requests = 1, timeout = \"18446744073709551615s\"";
    assert_only_error(load(longer_than_any_clock), "write `timeout = \"5s\"`");
}

#[test]
fn a_threshold_lies_above_0_and_below_100_percent() {
    for right in ["5%", "5.5 %", "0.1%", " 99.9%", "off"] {
        assert_accepted(load(&format!("requests = 1, gate(cpu = \"{right}\")")));
    }
    for wrong in [
        "105%", "100%", "-5%", "0%", "0.0%", "NaN%", "inf%", "%", "1e1%", "", "Off",
    ] {
        let expansion = load(&format!("requests = 1, gate(cpu = \"{wrong}\")"));
        assert_only_error(expansion, "above 0% and below 100%");
    }
}

#[test]
fn a_threshold_without_its_sign_is_answered_by_the_one_that_was_meant() {
    let meant = [
        ("\"5\"", "5%"),
        ("\"0.05\"", "5%"),
        ("\"0.07\"", "7%"),
        ("\"0.125\"", "12.5%"),
        ("5", "5%"),
        ("5%", "5%"),
        ("0.5 %", "0.5%"),
        ("0.2", "20%"),
        ("1000", "5%"),
        ("limit()", "5%"),
    ];
    for (written, threshold) in meant {
        let expansion = load(&format!("requests = 1, gate(cpu = {written})"));
        assert_only_error(expansion, &format!("write `cpu = \"{threshold}\"`"));
    }
}

#[test]
fn an_error_budget_is_a_percentage() {
    for right in ["\"0%\"", "\"0.1%\"", "\"99 %\"", "budget()"] {
        assert_accepted(load(&format!("requests = 1, error_budget = {right}")));
    }
    for wrong in ["\"1\"", "\"100%\"", "\"-1%\"", "0.1", "0"] {
        let expansion = load(&format!("requests = 1, error_budget = {wrong}"));
        assert_only_error(expansion, "write `error_budget = \"0.1%\"`");
    }
}

#[test]
fn a_percentile_is_gated_from_its_number_of_requests_on() {
    assert_accepted(load("requests = 500, gate(p99 = \"20%\")"));
    assert_accepted(load("requests = 5_000, gate(p999 = \"20%\")"));
    assert_accepted(load(
        "requests = 1, gate(p99 = \"off\", p999 = \"off\", p90 = \"5%\")",
    ));
    assert_accepted(load("requests = n(), gate(p99 = \"20%\")"));
    assert_only_error(
        load("requests = 499, gate(p99 = \"20%\")"),
        "p99 needs at least 500 requests a round, this load has 499; \
         raise `requests` or write `p99 = \"off\"`",
    );
    let too_few = load("requests = 4_999, gate(p999 = \"20%\")");
    assert_only_error(too_few, "p999 needs at least 5000 requests a round");
}

#[test]
fn connections_are_at_most_the_requests() {
    assert_accepted(load("requests = 100, concurrency = 100"));
    assert_accepted(load("requests = n(), concurrency = 100"));
    assert_accepted(load("requests = 100, concurrency = [1, 100]"));
    assert_only_error(load("requests = 100, concurrency = 101"), "101 connections");
    assert_only_error(
        load("requests = 100, concurrency = [1, 101]"),
        "101 connections",
    );
}

#[test]
fn numbers_are_at_least_one() {
    for wrong in ["requests = 0", "requests = -1", "requests = (0)"] {
        assert_only_error(load(wrong), "`requests` must be at least 1");
    }
    assert_only_error(
        load("requests = 1, rounds = 0"),
        "`rounds` must be at least 1",
    );
    assert_only_error(
        load("requests = 1, concurrency = 0"),
        "`concurrency` must be",
    );
}

#[test]
fn a_list_of_connections_names_different_plain_numbers() {
    let wrong = [
        ("[]", "makes no test"),
        ("[10; 2]", "names each value once"),
        ("[10, 1_0]", "in the list already"),
        ("[0]", "plain number above 0"),
        ("[n()]", "plain number above 0"),
        ("[\"10\"]", "plain number above 0"),
    ];
    for (list, part) in wrong {
        assert_only_error(load(&format!("requests = 100, concurrency = {list}")), part);
    }
}

#[test]
fn a_status_lies_from_100_to_599() {
    for right in ["100", "599", "[204]", "status()", "[status()]"] {
        assert_accepted(load(&format!("requests = 1, expect_status = {right}")));
    }
    for wrong in ["99", "600", "-200", "\"200\"", "[99]"] {
        let expansion = load(&format!("requests = 1, expect_status = {wrong}"));
        assert_only_error(expansion, "from 100 to 599");
    }
}

#[test]
fn a_header_name_is_a_token_of_http() {
    for right in ["\"accept\"", "\"X-A_b.1!~\"", "name()"] {
        assert_accepted(load(&format!("requests = 1, headers({right} = \"x\")")));
    }
    for wrong in ["\"\"", "\"a b\"", "\"a:\"", "\"ä\""] {
        let expansion = load(&format!("requests = 1, headers({wrong} = \"x\")"));
        assert_only_error(expansion, "not a header name");
    }
}

#[test]
fn a_body_wants_a_method_that_has_one() {
    for method in ["post", "put", "patch", "delete", "options"] {
        assert_accepted(load(&format!(
            "requests = 1, body = \"x\", {method} = \"/\""
        )));
    }
    let expansion = load("requests = 1, head = \"/\", body = \"x\"");
    assert_only_error(expansion, "a `head` request has no body");
    assert_only_error(
        load("requests = 1, body = \"x\""),
        "a `get` request has no body",
    );
}

#[test]
fn keys_are_listed_in_order() {
    let message = errors(load("requests = 1, reqests = 2")).remove(0);
    let list = message
        .strip_prefix("unknown key `reqests`; the keys are ")
        .unwrap();
    let keys: Vec<_> = list.split(", ").collect();
    assert!(keys.is_sorted(), "{keys:?}");
    assert_eq!(keys.len(), KEYS.len());
}

#[test]
fn the_example_of_each_key_is_right() {
    for (key, example) in KEYS {
        let expansion = match key {
            "requests" => load(example),
            "body" => load(&format!("requests = 1, post = \"/\", {example}")),
            "body_file" => load(&format!("requests = 1, post = \"/\", {example}")),
            "arrivals" | "stages" => load(&format!("requests = 1, rate = 5, {example}")),
            "cookies" | "http" | "redirects" => {
                load(&format!("requests = 1, client = \"reqwest\", {example}"))
            }
            "concurrency" => load(&format!("requests = 100, {example}")),
            "target" => journey(&format!("requests = 1, {example}")),
            _ => load(&format!("requests = 1, {example}")),
        };
        assert!(example.starts_with(key), "{example}");
        assert_eq!(errors(expansion), Vec::<String>::new(), "{example}");
    }
}

#[test]
fn a_wrong_value_is_not_reported_as_a_missing_key() {
    assert_only_error(load("requests = "), "`requests` has no value");
    assert_only_error(load("requests(5)"), "`requests` takes one value");
    assert_only_error(load("get = \"/\" requests = 5"), "a comma is missing");
    assert_only_error(load("requests = 5 6, get = \"/\""), "a comma is missing");
    assert_only_error(
        load("requests = 5,, get = \"/\""),
        "write a key and its value",
    );
    assert_only_error(journey("target = , requests = 5"), "`target` has no value");
}

#[test]
fn a_comma_inside_a_value_ends_nothing() {
    assert_accepted(load("requests = count::<A, B>(1, 2), get = \"/\""));
    assert_only_error(load("wat = f(1, 2), requests = 5"), "unknown key `wat`");
}

#[test]
fn the_form_is_what_most_of_its_signs_say() {
    let target = "requests = 1, target = shop()";
    let form = |attribute: &str, item: &str| scenario(tokens(attribute), &tokens(item));
    let no_target = form("requests = 1", "async fn f(u: &mut User) -> Result<()> {}");
    assert_only_error(no_target, "add `target = shop()`");
    assert_only_error(
        form(target, "fn f(u: &mut User) -> Result<()> {}"),
        "write `async fn f`",
    );
    assert_only_error(
        form(target, "async fn f() -> Result<()> {}"),
        "one parameter",
    );
    assert_only_error(form(target, "fn f() -> Target {}"), "remove `target`");
    assert_only_error(function("async fn f() -> Target {}"), "remove `async`");
    assert_only_error(
        function("fn f(n: u8) -> Target {}"),
        "remove its parameters",
    );
}

#[test]
fn a_journey_refuses_what_only_plain_requests_have() {
    let refused = [
        "get = \"/\"",
        "put = \"/\"",
        "headers(\"accept\" = \"x\")",
        "body = \"x\"",
        "expect_status = 200",
        "keep_alive = true",
        "client = \"http1\"",
    ];
    for argument in refused {
        let expansion = journey(&format!("target = shop(), requests = 1, {argument}"));
        assert_only_error(expansion, "a journey sends its own requests");
    }
}

#[test]
fn a_signature_says_nothing_that_a_test_cannot_keep() {
    let wrong = [
        ("const fn f() -> Target {}", "remove `const`"),
        ("unsafe fn f() -> Target {}", "remove `unsafe`"),
        ("extern \"C\" fn f() -> Target {}", "remove `extern`"),
        ("fn f<T>() -> Target {}", "generic parameters"),
        ("fn f() -> Target where u8: Copy {}", "generic parameters"),
        ("fn f() {}", "write `fn f() -> Target`"),
        ("fn f() -> Target;", "a free function with a body"),
        ("struct Shop;", "a free function with a body"),
        ("#[test] fn f() -> Target {}", "remove this attribute"),
        (
            "#[tokio::test] fn f() -> Target {}",
            "remove this attribute",
        ),
        (
            "#[should_panic] fn f() -> Target {}",
            "remove `should_panic`",
        ),
        (
            "#[cfg_attr(unix, should_panic)] fn f() -> Target {}",
            "remove `should_panic`",
        ),
    ];
    for (item, part) in wrong {
        assert_only_error(function(item), part);
    }
}

#[test]
fn all_errors_are_reported_together() {
    let expansion = scenario(
        tokens("get = \"cart\", request = 1, gate(p95 = \"5%\", cpu = 5), rounds = 0, timeout = 5"),
        &quote!(
            async fn home() {}
        ),
    );
    let errors = errors(expansion);
    let parts = [
        "write `get = \"/cart\"`",
        "unknown key `request`",
        "unknown metric `p95`",
        "write `cpu = \"5%\"`",
        "`rounds` must be at least 1",
        "write `timeout = \"5s\"`",
        "remove `async`",
        "returns the target",
        "add `requests = 10_000`",
    ];
    assert_eq!(errors.len(), parts.len(), "{errors:#?}");
    for (error, part) in errors.iter().zip(parts) {
        assert!(error.contains(part), "{error:?} is not about {part:?}");
    }
}

#[test]
fn a_wrong_scenario_leaves_its_function_as_it_was() {
    let item = tokens("#[ignore] pub fn home() -> Target { shop() }");
    let expansion = scenario(TokenStream::new(), &item);
    assert!(
        expansion.to_string().ends_with(&item.to_string()),
        "{expansion}"
    );
}

#[test]
fn a_body_of_unknown_syntax_is_kept() {
    let expansion = function("fn home() -> Target { new syntax => of ? tomorrow # }");
    assert_accepted(expansion.clone());
    assert!(contains(&expansion, "{ new syntax => of ? tomorrow # }"));
}

#[test]
fn the_path_of_the_library_replaces_every_other() {
    for concurrency in ["1", "[1, 2]"] {
        let arguments = format!(
            "crate = crate::perf, requests = 500, concurrency = {concurrency}, \
             client = \"http1\", gate(p99 = \"5%\", cpu = \"off\")"
        );
        let expansion = load(&arguments);
        assert!(!contains(&expansion, "perf_harness"), "{expansion}");
        assert!(contains(&expansion, "crate::perf::Scenario"), "{expansion}");
    }
}

#[test]
fn a_raw_name_is_spoken_without_its_prefix() {
    let expansion = function("fn r#loop() -> Target { shop() }");
    let name = "scenario_name(::core::module_path!(), \"loop\")";
    assert!(contains(&expansion, name), "{expansion}");
    assert!(contains(&expansion, ".target(r#loop())"), "{expansion}");
}

#[test]
fn a_given_name_begins_the_names_of_a_sweep() {
    let expansion = load("name = \"front\", requests = 9, concurrency = [2]");
    assert!(
        contains(&expansion, "__home_scenario(2, \"front/c2\")"),
        "{expansion}"
    );
    assert!(
        contains(&expansion, "::perf_harness::Scenario::new(case)"),
        "{expansion}"
    );
}

#[test]
fn attributes_of_a_sweep_go_where_they_mean_something() {
    let expansion = scenario(
        quote!(requests = 9, concurrency = [2]),
        &tokens(
            "#[cfg_attr(ci, ignore)] #[cfg_attr(old, cfg(unix))] #[must_use] #[allow(dead_code)]
             fn home() -> Target { shop() }",
        ),
    );
    let count = |part: &str| {
        let part = tokens(part).to_string();
        expansion.to_string().matches(&part).count()
    };
    assert_eq!(
        count("#[cfg_attr(ci, ignore)] #[::core::prelude::v1::test]"),
        1
    );
    assert_eq!(count("#[cfg_attr(ci, ignore)]"), 1);
    assert_eq!(count("#[cfg_attr(old, cfg(unix))]"), 4);
    assert_eq!(count("#[must_use]"), 1);
    assert_eq!(count("#[allow(dead_code)]"), 1);
}

#[test]
fn a_duration_replaces_the_number_of_requests() {
    assert_accepted(load("duration = \"10s\", gate(p99 = \"20%\")"));
    assert_accepted(load("duration = \"10s\", requests = 5"));
    assert_only_error(load("duration = \"0s\""), "write `duration = \"5s\"`");
}

#[test]
fn keys_that_contradict_each_other_are_refused() {
    let wrong = [
        ("arrivals = \"poisson\"", "add `rate = 500`"),
        ("stages(\"1s\" = 5)", "add `rate = 500`"),
        ("insecure = true, ca_file = \"a\"", "remove `ca_file`"),
        ("redirects = 1", "add `client = \"reqwest\"`"),
        (
            "http = \"2\", client = \"http1\"",
            "add `client = \"reqwest\"`",
        ),
        ("cookies = true", "add `client = \"reqwest\"`"),
        ("post = \"/\", body = \"\", body_file = \"a\"", "one body"),
        ("rate = 0", "above 0"),
        ("rate = 1, stages(\"1s\" = 0)", "above 0"),
        ("rate = 1, stages(1 = 5)", "a stage is a time"),
        ("insecure = false", "or remove `insecure`"),
        ("http = 2", "unknown version"),
        ("values(1..=9)", "values are a name"),
    ];
    for (arguments, part) in wrong {
        assert_only_error(load(&format!("requests = 100, {arguments}")), part);
    }
    assert_accepted(load(
        "requests = 1, redirects = 0, cookies = false, http = \"1.1\"",
    ));
}

#[test]
fn a_journey_has_a_pace_and_no_requests_of_its_own() {
    let arguments = "target = shop(), duration = \"1s\", rate = 5, http = \"2\", cookies = true";
    assert_accepted(journey(arguments));
    for key in ["threads = 1", "values(\"id\" = [1])", "expect_length = 1"] {
        let expansion = journey(&format!("target = shop(), requests = 1, {key}"));
        assert_only_error(expansion, "a journey sends its own requests");
    }
}
