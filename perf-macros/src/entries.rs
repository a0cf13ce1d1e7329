//! Entries between commas. After an error reading goes on at the next comma, so that one build
//! shows the errors of all entries.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Result, Token};

use crate::errors::Errors;

/// Reads every entry up to the end of the input.
pub(crate) fn entries<T>(
    input: ParseStream,
    errors: &mut Errors,
    mut read: impl FnMut(ParseStream, &mut Errors) -> Result<T>,
) -> Vec<T> {
    let mut entries = Vec::new();
    while !input.is_empty() {
        let entry = read(input, errors);
        match errors.keep(entry) {
            Some(entry) => entries.push(entry),
            None => drop(tokens_to_comma(input)),
        }
        errors.keep(comma(input));
    }
    entries
}

/// Takes the tokens up to the next comma or the end.
pub(crate) fn tokens_to_comma(input: ParseStream) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend(input.parse::<TokenTree>());
    }
    tokens
}

/// Takes the comma that ends an entry, unless it is the last one. Without a comma reading
/// goes on at what looks like the next key.
fn comma(input: ParseStream) -> Result<()> {
    if input.is_empty() || input.parse::<Option<Token![,]>>()?.is_some() {
        return Ok(());
    }
    let error = input.error("a comma is missing before this");
    if !input.peek(Ident::peek_any) {
        tokens_to_comma(input);
        input.parse::<Option<Token![,]>>()?;
    }
    Err(error)
}
