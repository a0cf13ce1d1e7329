//! What each value of the attribute may be, and what to write in place of a wrong one.
//! Only literals are judged here; any other expression is the compiler's to check, in the
//! builder call it becomes.

use proc_macro2::{Ident, Span, TokenStream};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, Lit, LitStr, Result, Token, UnOp};

use crate::entries::entries;
use crate::errors::Errors;

/// How many connections are open at once.
pub(crate) enum Concurrency {
    /// One number, one test.
    Fixed(Expr),
    /// A list of literal numbers, each with a test of its own.
    Sweep(Vec<Expr>),
}

impl Concurrency {
    /// The one value or all of them.
    pub(crate) fn values(&self) -> &[Expr] {
        match self {
            Self::Fixed(value) => std::slice::from_ref(value),
            Self::Sweep(values) => values,
        }
    }
}

/// The patience with one request.
pub(crate) enum Timeout {
    /// Read from a string such as `"500ms"`.
    Millis(u64, Span),
    /// An expression of type `Duration`.
    Expr(Expr),
}

/// One request header.
pub(crate) struct Header {
    pub(crate) name: Expr,
    pub(crate) value: Expr,
}

/// One stage of an open loop.
pub(crate) struct Stage {
    pub(crate) duration: Timeout,
    pub(crate) rate: Expr,
}

/// The literal that an expression is, if it is one.
pub(crate) fn literal(value: &Expr) -> Option<&Lit> {
    match value {
        Expr::Lit(literal) => Some(&literal.lit),
        Expr::Group(group) => literal(&group.expr),
        Expr::Paren(paren) => literal(&paren.expr),
        _ => None,
    }
}

/// The number that an expression is, if it is a literal that fits.
pub(crate) fn integer(value: &Expr) -> Option<u64> {
    match literal(value)? {
        Lit::Int(number) => number.base10_parse().ok(),
        _ => None,
    }
}

/// Leaves the value to the compiler.
pub(crate) fn anything(_key: &Ident, value: Expr) -> Result<Expr> {
    Ok(value)
}

/// Refuses a literal zero and a negative literal.
pub(crate) fn at_least_one(key: &Ident, value: Expr) -> Result<Expr> {
    if integer(&value) == Some(0) || is_negative(&value) {
        let message = format!("`{key}` must be at least 1");
        return Err(Error::new_spanned(value, message));
    }
    Ok(value)
}

/// Takes a string literal that is not empty.
pub(crate) fn text(key: &Ident, value: Expr) -> Result<LitStr> {
    let Some(Lit::Str(text)) = literal(&value) else {
        let message = format!("`{key}` is a text in quotes; write `{key} = \"home\"`");
        return Err(Error::new_spanned(value, message));
    };
    if text.value().is_empty() {
        let message = format!("`{key}` is empty; write `{key} = \"home\"` or remove it");
        return Err(Error::new_spanned(text, message));
    }
    Ok(text.clone())
}

/// Refuses a literal path that does not start at the root.
pub(crate) fn path(key: &Ident, value: Expr) -> Result<Expr> {
    if let Some(Lit::Str(path)) = literal(&value)
        && !path.value().starts_with('/')
    {
        let message = format!(
            "a path starts with `/` and the target says the host; write `{key} = \"/cart\"`"
        );
        return Err(Error::new_spanned(path, message));
    }
    Ok(value)
}

/// Takes one status or a list of them; literals must be statuses of HTTP.
pub(crate) fn statuses(key: &Ident, value: Expr) -> Result<Expr> {
    let Expr::Array(list) = &value else {
        return known_status(key, &value).map(|()| value);
    };
    if list.elems.is_empty() {
        let message = format!("an empty list expects no status; write `{key} = [200, 204]`");
        return Err(Error::new_spanned(list, message));
    }
    let mut errors = Errors::default();
    for status in &list.elems {
        errors.keep(known_status(key, status));
    }
    errors.finish(value)
}

/// Takes a number, or the list of numbers of a sweep.
pub(crate) fn concurrency(key: &Ident, value: Expr) -> Result<Concurrency> {
    match value {
        Expr::Array(list) if list.elems.is_empty() => {
            let message = format!("an empty list makes no test; write `{key} = [10, 20]`");
            Err(Error::new_spanned(list, message))
        }
        Expr::Array(list) => sweep(key, list.elems).map(Concurrency::Sweep),
        Expr::Repeat(list) => {
            let message = format!("a list names each value once; write `{key} = [10, 20]`");
            Err(Error::new_spanned(list, message))
        }
        single => at_least_one(key, single).map(Concurrency::Fixed),
    }
}

/// Takes a string such as `"5s"`, or an expression of type `Duration`.
pub(crate) fn timeout(key: &Ident, value: Expr) -> Result<Timeout> {
    let read = match literal(&value) {
        None => return Ok(Timeout::Expr(value)),
        Some(Lit::Str(text)) => millis(&text.value()),
        Some(_) => None,
    };
    let message = format!(
        "a time is a whole number above 0 with its unit in quotes, `ms`, `s` or `m`; \
         write `{key} = \"5s\"` or an expression of type `Duration`"
    );
    let span = value.span();
    read.map(|millis| Timeout::Millis(millis, span))
        .ok_or_else(|| Error::new(span, message))
}

/// Takes the name of a client and gives that of the variant.
pub(crate) fn client(key: &Ident, value: Expr) -> Result<Ident> {
    variant(
        key,
        value,
        "client",
        [("http1", "Http1"), ("reqwest", "Reqwest")],
    )
}

/// Takes how requests lie in time and gives the name of the variant.
pub(crate) fn arrivals(key: &Ident, value: Expr) -> Result<Ident> {
    let known = [("constant", "Constant"), ("poisson", "Poisson")];
    variant(key, value, "arrivals", known)
}

/// Takes a version of HTTP and gives the name of the variant.
pub(crate) fn http(key: &Ident, value: Expr) -> Result<Ident> {
    variant(
        key,
        value,
        "version of HTTP",
        [("1.1", "Http1"), ("2", "Http2")],
    )
}

fn variant(key: &Ident, value: Expr, what: &str, known: [(&str, &str); 2]) -> Result<Ident> {
    let name = match literal(&value) {
        Some(Lit::Str(name)) => name.value(),
        _ => String::new(),
    };
    if let Some((_, variant)) = known.iter().find(|(text, _)| *text == name) {
        return Ok(Ident::new(variant, value.span()));
    }
    let [(first, _), (second, _)] = known;
    let message = format!("unknown {what}; write `{key} = \"{first}\"` or `\"{second}\"`");
    Err(Error::new_spanned(value, message))
}

/// Takes `true` alone, of a key that is left out otherwise.
pub(crate) fn only_true(key: &Ident, value: Expr) -> Result<Expr> {
    if matches!(literal(&value), Some(Lit::Bool(said)) if said.value) {
        return Ok(value);
    }
    let message = format!("write `{key} = true`, or remove `{key}`");
    Err(Error::new_spanned(value, message))
}

/// Refuses a literal that is no number above 0.
pub(crate) fn above_zero(key: &Ident, value: Expr) -> Result<Expr> {
    let is_right = match literal(&value) {
        None => !is_negative(&value),
        Some(Lit::Int(number)) => number.base10_parse::<u64>().is_ok_and(|n| n > 0),
        Some(Lit::Float(number)) => number.base10_parse::<f64>().is_ok_and(|n| n > 0.0),
        Some(_) => false,
    };
    if is_right {
        return Ok(value);
    }
    let message = format!("`{key}` is a number above 0; write `{key} = 2`");
    Err(Error::new_spanned(value, message))
}

/// Takes the path under which the library is known.
pub(crate) fn library(key: &Ident, value: Expr) -> Result<syn::Path> {
    match value {
        Expr::Path(path) if path.qself.is_none() => Ok(path.path),
        Expr::Group(group) => library(key, *group.expr),
        other => {
            let message = format!("`{key}` is a path; write `{key} = perf_harness`");
            Err(Error::new_spanned(other, message))
        }
    }
}

/// Takes the list of `headers(..)`.
pub(crate) fn headers(list: TokenStream) -> Result<Vec<Header>> {
    let mut errors = Errors::default();
    let headers = |input: ParseStream| Ok(entries(input, &mut errors, |input, _| header(input)));
    let headers = headers.parse2(list)?;
    errors.finish(headers)
}

/// Takes the list of `stages(..)`.
pub(crate) fn stages(list: TokenStream) -> Result<Vec<Stage>> {
    let mut errors = Errors::default();
    let stages = |input: ParseStream| Ok(entries(input, &mut errors, |input, _| stage(input)));
    let stages = stages.parse2(list)?;
    errors.finish(stages)
}

/// Takes the list of `values(..)`.
pub(crate) fn values(list: TokenStream) -> Result<Vec<Header>> {
    let example = "values are a name and a list or range; write `\"id\" = 1..=1000`";
    let mut errors = Errors::default();
    let values = |input: ParseStream| {
        Ok(entries(input, &mut errors, |input, _| {
            let (name, value) = pair(input, example)?;
            Ok(Header { name, value })
        }))
    };
    let values = values.parse2(list)?;
    errors.finish(values)
}

/// Refuses a literal that is not a percentage from 0 to below 100.
pub(crate) fn error_budget(key: &Ident, value: Expr) -> Result<Expr> {
    let is_right = match literal(&value) {
        None => true,
        Some(Lit::Str(text)) => percent(&text.value()).is_some_and(|share| share < 100.0),
        Some(_) => false,
    };
    if is_right {
        return Ok(value);
    }
    let message = format!(
        "an error budget is a percentage in quotes, from 0 to below 100 and with its sign; \
         write `{key} = \"0.1%\"`"
    );
    Err(Error::new_spanned(value, message))
}

/// Reads `"5%"` and `"5.5 %"`; no sign and no exponent.
pub(crate) fn percent(text: &str) -> Option<f64> {
    decimal(text.trim().strip_suffix('%')?)
}

/// Reads digits with at most one point.
pub(crate) fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_plain = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    is_plain.then(|| text.parse().ok()).flatten()
}

fn is_negative(value: &Expr) -> bool {
    match value {
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && literal(&unary.expr).is_some(),
        _ => false,
    }
}

fn known_status(key: &Ident, value: &Expr) -> Result<()> {
    if literal(value).is_none() && !is_negative(value) {
        return Ok(());
    }
    if integer(value).is_some_and(|status| (100..=599).contains(&status)) {
        return Ok(());
    }
    let message = format!("a status is a number from 100 to 599; write `{key} = 200`");
    Err(Error::new_spanned(value, message))
}

fn sweep(key: &Ident, list: Punctuated<Expr, Token![,]>) -> Result<Vec<Expr>> {
    let mut errors = Errors::default();
    let mut values: Vec<Expr> = Vec::new();
    for value in list {
        errors.keep(plain_number(key, &value));
        if integer(&value).is_some() && values.iter().any(|v| integer(v) == integer(&value)) {
            let message = "this number is in the list already; remove one";
            errors.add(Error::new_spanned(&value, message));
        }
        values.push(value);
    }
    errors.finish(values)
}

fn plain_number(key: &Ident, value: &Expr) -> Result<()> {
    if integer(value).is_some_and(|number| number > 0) {
        return Ok(());
    }
    let message = format!(
        "each value of a list becomes the name of a test, so it is a plain number above 0; \
         write `{key} = [10, 20]`"
    );
    Err(Error::new_spanned(value, message))
}

fn millis(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let millis_per_unit = match unit.trim() {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    let count: u64 = digits.parse().ok()?;
    count
        .checked_mul(millis_per_unit)
        .filter(|millis| *millis > 0)
}

fn stage(input: ParseStream) -> Result<Stage> {
    let example = "a stage is a time and the rate at its end; write `\"10s\" = 500`";
    let (time, rate) = pair(input, example)?;
    let key = Ident::new("rate", rate.span());
    let rate = above_zero(&key, rate)?;
    let span = time.span();
    let duration = timeout(&key, time).map_err(|_| Error::new(span, example))?;
    Ok(Stage { duration, rate })
}

fn pair(input: ParseStream, example: &str) -> Result<(Expr, Expr)> {
    match input.parse()? {
        Expr::Assign(pair) => Ok((*pair.left, *pair.right)),
        entry => Err(Error::new_spanned(entry, example)),
    }
}

fn header(input: ParseStream) -> Result<Header> {
    let entry = input.parse()?;
    let Expr::Assign(pair) = entry else {
        let message = "a header is a name and a value; write `\"accept\" = \"text/html\"`";
        return Err(Error::new_spanned(entry, message));
    };
    if let Some(Lit::Str(name)) = literal(&pair.left)
        && !is_token(&name.value())
    {
        let message = "not a header name: letters, digits and `-` only; write `\"content-type\"`";
        return Err(Error::new_spanned(name, message));
    }
    Ok(Header {
        name: *pair.left,
        value: *pair.right,
    })
}

/// Says whether a text is a token of RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let is_token_byte = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(is_token_byte)
}
