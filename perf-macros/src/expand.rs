//! From a checked scenario to the tests that run it. Generated code names nothing of the
//! library but the builder, its enums and `macro_support`.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, LitStr, Path, Result, parse_quote};

use crate::args::ScenarioArgs;
use crate::builder::Builder;
use crate::check::{self, Form};
use crate::errors::Errors;
use crate::function::Function;
use crate::value::{Concurrency, integer};

/// Makes tests of the annotated function. With errors the function is left as it was, so that
/// nothing else in the file breaks.
pub(crate) fn scenario(attribute: TokenStream, item: &TokenStream) -> TokenStream {
    match Expansion::checked(attribute, item.clone()) {
        Ok(expansion) => expansion.tests(),
        Err(errors) => {
            let errors = errors.into_compile_error();
            quote!(#errors #item)
        }
    }
}

/// What the tests are made of.
struct Expansion {
    args: ScenarioArgs,
    function: Function,
    library: Path,
}

impl Expansion {
    fn checked(attribute: TokenStream, item: TokenStream) -> Result<Self> {
        let function: Function = syn::parse2(item)?;
        let mut errors = Errors::default();
        let mut args = ScenarioArgs::read(attribute, &mut errors);
        check::check(&args, &function, &mut errors);
        let library = args.library.take().map(|setting| setting.value);
        errors.finish(Self {
            args,
            function,
            library: library.unwrap_or_else(|| parse_quote!(::perf_harness)),
        })
    }

    fn tests(&self) -> TokenStream {
        match self.args.concurrency.as_ref().map(|setting| &setting.value) {
            Some(Concurrency::Sweep(values)) => self.sweep(values),
            _ => self.single(),
        }
    }

    /// One test in place of the function, which moves into it.
    fn single(&self) -> TokenStream {
        let test_attributes = self.function.attributes_of_the_test();
        let code_attributes = self.function.attributes_of_the_code();
        let signature = &self.function.signature;
        let body = &self.function.body;
        let name = &signature.ident;
        let library = &self.library;
        let support = quote!(#library::macro_support);
        let scenario = self.builder().expression(&self.own_name(), None);
        let site = self.site(&support);
        quote! {
            #(#test_attributes)*
            #[::core::prelude::v1::test]
            fn #name() -> ::core::result::Result<(), #support::Report> {
                #(#code_attributes)*
                #signature #body
                #support::run(#scenario, #site)
            }
        }
    }

    /// The function as it was, and a module of the same name with one test for each value.
    fn sweep(&self, values: &[Expr]) -> TokenStream {
        let code_attributes = self.function.attributes_without("ignore");
        let cfg = self.cfg_attributes();
        let visibility = &self.function.visibility;
        let signature = &self.function.signature;
        let body = &self.function.body;
        let name = &signature.ident;
        let shared = self.shared_by_the_sweep();
        let cases = values.iter().filter_map(|value| self.case(value));
        quote! {
            #(#code_attributes)*
            #[cfg_attr(not(test), allow(dead_code))]
            #visibility #signature #body
            #shared
            #(#cfg)*
            #[cfg(test)]
            mod #name { #(#cases)* }
        }
    }

    /// Stands beside the function, so that the developer's expressions and the library's path
    /// mean the same as there.
    fn shared_by_the_sweep(&self) -> TokenStream {
        let cfg = self.cfg_attributes();
        let library = &self.library;
        let support = self.sweep_support();
        let build = self.sweep_builder();
        // The developer's expressions cannot see parameters of this hygiene.
        let connections = Ident::new("concurrency", Span::mixed_site());
        let case = Ident::new("case", Span::mixed_site());
        let scenario = self.builder().expression(&case, Some(&connections));
        quote! {
            #(#cfg)*
            #[cfg(test)]
            use #library::macro_support as #support;
            #(#cfg)*
            #[cfg(test)]
            fn #build(#connections: usize, #case: &str) -> #library::Scenario {
                #scenario
            }
        }
    }

    /// One test of a sweep.
    fn case(&self, value: &Expr) -> Option<TokenStream> {
        let test_attributes = self.function.attributes_with("ignore");
        let test = format_ident!("c{}", integer(value)?, span = value.span());
        let support = self.sweep_support();
        let build = self.sweep_builder();
        let name = format!("{}/{test}", self.own_name().value());
        let site = self.site(&quote!(super::#support));
        Some(quote! {
            #(#test_attributes)*
            #[::core::prelude::v1::test]
            fn #test() -> ::core::result::Result<(), super::#support::Report> {
                super::#support::run(super::#build(#value, #name), #site)
            }
        })
    }

    fn builder(&self) -> Builder<'_> {
        let signature = &self.function.signature;
        Builder {
            args: &self.args,
            form: Form::of(&self.args, signature),
            function: &signature.ident,
            library: &self.library,
        }
    }

    /// The given name, else that of the function.
    fn own_name(&self) -> LitStr {
        let function = || LitStr::new(&self.function.name(), self.function.signature.ident.span());
        let given = self.args.name.as_ref();
        given.map_or_else(function, |name| name.value.clone())
    }

    /// Where the scenario stands in the developer's code, and how that is compiled.
    fn site(&self, support: &TokenStream) -> TokenStream {
        let line = match self.function.line() {
            Some(line) => {
                let line = Literal::usize_unsuffixed(line);
                quote!(#line)
            }
            None => quote!(::core::line!()),
        };
        quote! {
            #support::Site {
                package: ::core::env!("CARGO_PKG_NAME"),
                manifest_dir: ::core::env!("CARGO_MANIFEST_DIR"),
                file: ::core::file!(),
                line: #line,
                debug: ::core::cfg!(debug_assertions),
            }
        }
    }

    fn cfg_attributes(&self) -> Vec<&Attribute> {
        self.function.attributes_with("cfg").collect()
    }

    fn sweep_support(&self) -> Ident {
        format_ident!("__{}_support", self.function.name())
    }

    fn sweep_builder(&self) -> Ident {
        format_ident!("__{}_scenario", self.function.name())
    }
}
