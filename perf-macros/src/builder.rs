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
use crate::value::{Concurrency, Header, Timeout};

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
            self.timeout(),
            call(args.keep_alive.as_ref()),
            self.client(),
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

    fn timeout(&self) -> TokenStream {
        let Some(Setting { key, value }) = &self.args.timeout else {
            return TokenStream::new();
        };
        match value {
            Timeout::Expr(value) => one_call(key, value),
            Timeout::Millis(millis, span) => {
                let millis = Literal::u64_unsuffixed(*millis);
                one_call(
                    key,
                    &quote_spanned!(*span=> ::core::time::Duration::from_millis(#millis)),
                )
            }
        }
    }

    fn client(&self) -> TokenStream {
        let library = self.library;
        let Some(Setting { key, value }) = &self.args.client else {
            return TokenStream::new();
        };
        one_call(key, &quote!(#library::Client::#value))
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

fn call<V: ToTokens>(setting: Option<&Setting<V>>) -> TokenStream {
    setting.map_or_else(TokenStream::new, |Setting { key, value }| {
        one_call(key, value)
    })
}

fn one_call(method: &Ident, value: &impl ToTokens) -> TokenStream {
    let span = value.to_token_stream().span();
    quote_spanned!(span=> .#method(#value))
}
