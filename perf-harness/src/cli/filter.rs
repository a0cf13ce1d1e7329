//! Which scenarios a user means.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use super::error::CliError;
use crate::baseline::Key;

/// Part of a scenario's name; `=NAME`, or the whole name of a scenario, means exactly this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    text: String,
    exact: bool,
}

/// More names than these do not help in a message.
const MOST_NAMES: usize = 12;

impl Filter {
    /// The keys that it means, in their order.
    fn select<'a>(&self, keys: &'a [Key]) -> Vec<&'a Key> {
        let name = |key: &Key| key.scenario.as_str() == self.text;
        let named: Vec<&Key> = keys.iter().filter(|key| name(key)).collect();
        if self.exact || !named.is_empty() {
            return named;
        }
        keys.iter()
            .filter(|key| key.scenario.as_str().contains(&self.text))
            .collect()
    }
}

/// The keys that any of `filters` means, in their order; all keys without a filter.
///
/// # Errors
///
/// [`CliError::NoMatch`] when a filter means nothing, so that a slip of the pen is seen.
pub(super) fn select(
    keys: &[Key],
    filters: &[Filter],
    what: &'static str,
) -> Result<Vec<Key>, CliError> {
    if filters.is_empty() {
        return Ok(keys.to_vec());
    }
    let mut selected = Vec::new();
    for filter in filters {
        let matches = filter.select(keys);
        if matches.is_empty() {
            return Err(no_match(filter, keys, what));
        }
        selected.extend(matches.into_iter().cloned());
    }
    selected.sort();
    selected.dedup();
    Ok(selected)
}

fn no_match(filter: &Filter, keys: &[Key], what: &'static str) -> CliError {
    let mut names: Vec<&str> = keys.iter().map(|key| key.scenario.as_str()).collect();
    names.dedup();
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let known = match (names.is_empty(), more) {
        (true, _) => "there is none".to_owned(),
        (false, 0) => format!("there is {}", names.join(", ")),
        (false, more) => format!(
            "there is {} and {more} more, see `cargo perf list`",
            names.join(", ")
        ),
    };
    CliError::NoMatch {
        filter: filter.to_string(),
        what,
        known,
    }
}

impl FromStr for Filter {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let exact = text.strip_prefix('=');
        Ok(Self {
            text: exact.unwrap_or(text).to_owned(),
            exact: exact.is_some(),
        })
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::key;

    fn names(filters: &[&str]) -> Result<Vec<String>, String> {
        let keys = ["shop/cart", "shop/cart/full", "shop/home"].map(key);
        let filters: Vec<Filter> = filters
            .iter()
            .map(|filter| filter.parse().unwrap())
            .collect();
        let selected = select(&keys, &filters, "baseline").map_err(|error| error.to_string())?;
        Ok(selected
            .into_iter()
            .map(|key| key.scenario.to_string())
            .collect())
    }

    #[test]
    fn a_filter_is_part_of_a_name() {
        assert_eq!(names(&["hom"]).unwrap(), ["shop/home"]);
        assert_eq!(
            names(&["cart/", "home"]).unwrap(),
            ["shop/cart/full", "shop/home"]
        );
        assert_eq!(names(&[]).unwrap().len(), 3);
    }

    #[test]
    fn a_whole_name_means_only_itself() {
        assert_eq!(names(&["shop/cart"]).unwrap(), ["shop/cart"]);
        assert_eq!(names(&["=shop/cart"]).unwrap(), ["shop/cart"]);
    }

    #[test]
    fn an_exact_filter_never_matches_a_part() {
        let message = names(&["=cart"]).unwrap_err();
        assert!(
            message.contains("shop/cart, shop/cart/full, shop/home"),
            "{message}"
        );
    }

    #[test]
    fn one_filter_without_a_match_refuses_all() {
        assert!(names(&["home", "nothing"]).is_err());
    }
}
