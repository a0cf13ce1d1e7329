//! The annotated function: its signature in parts, its body as the tokens that were written.
//! The body is never parsed, so a scenario may use any syntax that the compiler knows.

use proc_macro2::{Span, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Signature, Token, Visibility, token};

const LINT_LEVELS: [&str; 5] = ["allow", "deny", "expect", "forbid", "warn"];

/// A free function with its attributes.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: TokenTree,
}

impl Parse for Function {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature = input.parse().map_err(|_| not_a_function(input.span()))?;
        if !input.peek(token::Brace) {
            return Err(not_a_function(input.span()));
        }
        Ok(Self {
            attributes,
            visibility,
            signature,
            body: input.parse()?,
        })
    }
}

impl Function {
    /// The name as it is spoken: `r#loop` is `loop`.
    pub(crate) fn name(&self) -> String {
        let written = self.signature.ident.to_string();
        written.strip_prefix("r#").unwrap_or(&written).to_owned()
    }

    /// The line of the name, when a compiler runs us.
    pub(crate) fn line(&self) -> Option<usize> {
        proc_macro::is_available().then(|| self.signature.ident.span().unwrap().line())
    }

    /// The attributes that say something about a test rather than about the code of a function.
    pub(crate) fn attributes_of_the_test(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|a| is_for_a_test(a))
    }

    /// What is left for the function when the test has taken its attributes.
    pub(crate) fn attributes_of_the_code(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|a| !is_for_a_test(a))
    }

    /// The attributes that hold or bring one of this name, directly or through `cfg_attr`.
    pub(crate) fn attributes_with(&self, name: &str) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(move |a| brings(a, name))
    }

    /// The attributes that neither are nor bring one of this name.
    pub(crate) fn attributes_without(&self, name: &str) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(move |a| !brings(a, name))
    }
}

fn not_a_function(span: Span) -> syn::Error {
    let message =
        "`#[scenario]` goes on a free function with a body, such as `fn home() -> Target { .. }`";
    syn::Error::new(span, message)
}

fn is_for_a_test(attribute: &Attribute) -> bool {
    let path = attribute.path();
    let is_one_of = |names: &[&str]| names.iter().any(|name| path.is_ident(name));
    is_one_of(&["doc", "cfg", "cfg_attr", "ignore"]) || is_one_of(&LINT_LEVELS)
}

fn brings(attribute: &Attribute, name: &str) -> bool {
    if !attribute.path().is_ident("cfg_attr") {
        return attribute.path().is_ident(name);
    }
    let parts = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    parts.is_ok_and(|parts| parts.iter().skip(1).any(|meta| meta.path().is_ident(name)))
}
