//! The builder expression of a scenario: one call for each argument. The name of a call has
//! the span of its key and the rest that of the value, so the compiler points at what the
//! developer wrote, and an editor shows the builder's documentation on the key.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Path};

use crate::args::{ScenarioArgs, Setting};
use crate::check::Form;
use crate::gate::{Gated, Limit};
use crate::value::{Concurrency, Header, Stage, Timeout};

/// What the expression is made of.
pub(crate) struct Builder<'a> {
    pub(crate) args: &'a ScenarioArgs,
    pub(crate) form: Form,
    /// The name of the annotated function.
    pub(crate) function: &'a Ident,
    /// The path under which the library is known.
    pub(crate) library: &'a Path,
}

impl Builder<'_> {
    /// The whole expression, of type `Scenario`. In a sweep `connections` stands for the
    /// numbers of the list.
    pub(crate) fn expression(
        &self,
        name: &impl ToTokens,
        connections: Option<&Ident>,
    ) -> TokenStream {
        let args = self.args;
        let library = self.library;
        let parts = [
            self.name(name),
            self.traffic(),
            self.headers(),
            call(args.body.as_ref()),
            self.expected_status(),
            call(args.requests.as_ref()),
            self.concurrency(connections),
            call(args.warmup.as_ref()),
            call(args.rounds.as_ref()),
            self.times(),
            self.plain(),
            self.variant(args.http.as_ref(), "HttpVersion"),
            self.variant(args.arrivals.as_ref(), "Arrivals"),
            self.stages(),
            self.values(),
            self.insecure(),
            call(args.keep_alive.as_ref()),
            self.variant(args.client.as_ref(), "Client"),
            call(args.error_budget.as_ref()),
            call(args.renamed_from.as_ref()),
            self.gate(),
        ];
        quote!(#library::Scenario::new #(#parts)*)
    }

    /// The given name as it is, else the path of the function.
    fn name(&self, own: &impl ToTokens) -> TokenStream {
        let library = self.library;
        match &self.args.name {
            Some(_) => quote!((#own)),
            None => quote!((#library::macro_support::scenario_name(::core::module_path!(), #own))),
        }
    }

    /// Where the requests go and what they are.
    fn traffic(&self) -> TokenStream {
        let function = self.function;
        match self.form {
            Form::Load => {
                let request = self.args.request.as_ref();
                let request = request.map_or_else(|| quote!(.get("/")), |get| call(Some(get)));
                quote_spanned!(function.span()=> .target(#function()) #request)
            }
            Form::Journey => {
                let target = call(self.args.target.as_ref());
                quote_spanned!(function.span()=> #target .journey(#function))
            }
        }
    }

    fn headers(&self) -> TokenStream {
        let headers = self.args.headers.iter().flat_map(|headers| &headers.value);
        headers
            .map(|Header { name, value }| quote_spanned!(value.span()=> .header(#name, #value)))
            .collect()
    }

    fn expected_status(&self) -> TokenStream {
        let Some(Setting { key, value }) = &self.args.expect_status else {
            return TokenStream::new();
        };
        let method = match value {
            Expr::Array(_) => Ident::new("expect_statuses", key.span()),
            _ => key.clone(),
        };
        one_call(&method, value)
    }

    fn concurrency(&self, connections: Option<&Ident>) -> TokenStream {
        let Some(Setting { key, value }) = &self.args.concurrency else {
            return TokenStream::new();
        };
        match value {
            Concurrency::Fixed(value) => one_call(key, value),
            Concurrency::Sweep(_) => one_call(key, &connections),
        }
    }

    fn times(&self) -> TokenStream {
        let times = self.args.times.iter();
        times
            .map(|Setting { key, value }| one_call(key, &duration(value)))
            .collect()
    }

    fn plain(&self) -> TokenStream {
        let plain = self.args.plain.iter();
        plain.map(|setting| call(Some(setting))).collect()
    }

    fn stages(&self) -> TokenStream {
        let stages = self.args.stages.iter().flat_map(|stages| &stages.value);
        stages
            .map(
                |Stage {
                     duration: time,
                     rate,
                 }| {
                    let time = duration(time);
                    quote_spanned!(rate.span()=> .stage(#rate, #time))
                },
            )
            .collect()
    }

    fn values(&self) -> TokenStream {
        let values = self.args.values.iter().flat_map(|values| &values.value);
        values
            .map(|Header { name, value }| quote_spanned!(value.span()=> .values(#name, #value)))
            .collect()
    }

    fn insecure(&self) -> TokenStream {
        let insecure = self.args.insecure.as_ref();
        insecure.map_or_else(TokenStream::new, |Setting { key, .. }| quote!(.#key()))
    }

    /// A call whose value is a variant of the library's `of`.
    fn variant(&self, setting: Option<&Setting<Ident>>, of: &str) -> TokenStream {
        let library = self.library;
        let Some(Setting { key, value }) = setting else {
            return TokenStream::new();
        };
        let of = Ident::new(of, value.span());
        one_call(key, &quote!(#library::#of::#value))
    }

    fn gate(&self) -> TokenStream {
        let gate = self.args.gate.iter().flat_map(|gate| &gate.value);
        gate.map(|gated| self.gated(gated)).collect()
    }

    fn gated(&self, gated: &Gated) -> TokenStream {
        let library = self.library;
        let variant = &gated.variant;
        match &gated.limit {
            Limit::Threshold(threshold) => {
                quote_spanned!(threshold.span()=> .gate(#library::Metric::#variant, #threshold))
            }
            Limit::Off(off) => {
                quote_spanned!(off.span()=> .ungated(#library::Metric::#variant))
            }
        }
    }
}

fn duration(time: &Timeout) -> TokenStream {
    match time {
        Timeout::Expr(value) => value.to_token_stream(),
        Timeout::Millis(millis, span) => {
            let millis = Literal::u64_unsuffixed(*millis);
            quote_spanned!(*span=> ::core::time::Duration::from_millis(#millis))
        }
    }
}

fn call<V: ToTokens>(setting: Option<&Setting<V>>) -> TokenStream {
    setting.map_or_else(TokenStream::new, |Setting { key, value }| {
        one_call(key, value)
    })
}

fn one_call(method: &Ident, value: &impl ToTokens) -> TokenStream {
    let span = value.to_token_stream().span();
    quote_spanned!(span=> .#method(#value))
}
