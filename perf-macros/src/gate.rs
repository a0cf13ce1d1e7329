//! The list of `gate(..)`: metrics and how much worse each may become.
//! Whether a load is large enough for a metric is said by `check`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Error, LitStr, Result, Token};

use crate::entries::{entries, tokens_to_comma};
use crate::errors::Errors;
use crate::value::{decimal, percent};

/// Each metric as it is written and as the library's variant, sorted.
const METRICS: [(&str, &str); 8] = [
    ("cpu", "Cpu"),
    ("mean", "Mean"),
    ("memory", "Memory"),
    ("p50", "P50"),
    ("p90", "P90"),
    ("p99", "P99"),
    ("p999", "P999"),
    ("throughput", "Throughput"),
];

/// One metric of the list.
pub(crate) struct Gated {
    /// The metric as it was written.
    pub(crate) metric: Ident,
    /// The name of the library's variant.
    pub(crate) variant: Ident,
    pub(crate) limit: Limit,
}

/// What a metric may do.
pub(crate) enum Limit {
    /// Become worse by less than this.
    Threshold(LitStr),
    /// Whatever it likes.
    Off(LitStr),
}

impl Gated {
    /// An error that underlines the whole entry.
    pub(crate) fn error(&self, message: impl std::fmt::Display) -> Error {
        let metric = &self.metric;
        let (Limit::Threshold(text) | Limit::Off(text)) = &self.limit;
        Error::new_spanned(quote!(#metric = #text), message)
    }
}

/// Takes the list of `gate(..)`.
pub(crate) fn gate(list: TokenStream) -> Result<Vec<Gated>> {
    let mut errors = Errors::default();
    let gate = |input: ParseStream| Ok(entries(input, &mut errors, |input, _| entry(input)));
    let gate = gate.parse2(list)?;
    for (index, gated) in gate.iter().enumerate() {
        errors.keep(not_repeated(&gate[..index], gated));
    }
    errors.finish(gate)
}

fn entry(input: ParseStream) -> Result<Gated> {
    let example = "write a metric and its threshold, such as `throughput = \"5%\"`";
    let metric = Ident::parse_any(input).map_err(|_| input.error(example))?;
    let variant = variant(&metric)?;
    if input.parse::<Option<Token![=]>>()?.is_none() {
        return Err(Error::new(metric.span(), example));
    }
    let limit = limit(&metric, input)?;
    Ok(Gated {
        metric,
        variant,
        limit,
    })
}

fn variant(metric: &Ident) -> Result<Ident> {
    let known = METRICS.iter().find(|(name, _)| metric == name);
    let Some((_, variant)) = known else {
        let names = METRICS.map(|(name, _)| name).join(", ");
        let message = format!("unknown metric `{metric}`; the metrics are {names}");
        return Err(Error::new(metric.span(), message));
    };
    Ok(Ident::new(variant, metric.span()))
}

fn not_repeated(gate: &[Gated], entry: &Gated) -> Result<()> {
    if gate.iter().any(|earlier| earlier.metric == entry.metric) {
        let message = format!("`{}` is given twice; remove one", entry.metric);
        return Err(Error::new(entry.metric.span(), message));
    }
    Ok(())
}

fn limit(metric: &Ident, input: ParseStream) -> Result<Limit> {
    if !input.peek(LitStr) {
        return Err(not_quoted(metric, tokens_to_comma(input)));
    }
    let text: LitStr = input.parse()?;
    if text.value() == "off" {
        return Ok(Limit::Off(text));
    }
    match percent(&text.value()) {
        Some(share) if share > 0.0 && share < 100.0 => Ok(Limit::Threshold(text)),
        _ => Err(not_a_threshold(metric, &text)),
    }
}

fn not_quoted(metric: &Ident, written: TokenStream) -> Error {
    let threshold = percentage_meant_by(&written.to_string());
    let message =
        format!("a threshold is a percentage in quotes; write `{metric} = \"{threshold}\"`");
    if written.is_empty() {
        return Error::new(metric.span(), message);
    }
    Error::new_spanned(written, message)
}

fn not_a_threshold(metric: &Ident, text: &LitStr) -> Error {
    let written = text.value();
    let message = if decimal(&written).is_some() {
        let threshold = percentage_meant_by(&written);
        format!("a threshold has a `%` sign; write `{metric} = \"{threshold}\"`")
    } else {
        format!(
            "a threshold is above 0% and below 100%; write `{metric} = \"5%\"`, \
             or `{metric} = \"off\"` not to gate the metric"
        )
    };
    Error::new_spanned(text, message)
}

/// Guesses what was meant by `5`, `5 %` or `0.05`, to offer it.
fn percentage_meant_by(written: &str) -> String {
    let share = match written.trim().strip_suffix('%') {
        Some(share) => decimal(share),
        None => decimal(written).map(|number| if number < 1.0 { number * 100.0 } else { number }),
    };
    let share = share.map(|share| (share * 1e6).round() / 1e6);
    match share {
        Some(share) if share > 0.0 && share < 100.0 => format!("{share}%"),
        _ => "5%".to_owned(),
    }
}
