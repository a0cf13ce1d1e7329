//! How durations, shares, headers, methods and URLs are typed.

use std::time::Duration;

use http::Method;

/// A duration above zero: a number and `ms`, `s`, `m` or `h`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no duration: write for example `500ms`, `10s` or `2m`");
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .ok_or_else(wrong)?;
    let number: f64 = text[..digits].parse().map_err(|_| wrong())?;
    let seconds = match &text[digits..] {
        "ms" => number / 1e3,
        "s" => number,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(wrong()),
    };
    let duration = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    if duration.is_zero() {
        Err(wrong())
    } else {
        Ok(duration)
    }
}

/// A share of all requests, such as `0.1%`.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let percent = text
        .strip_suffix('%')
        .and_then(|number| number.trim().parse().ok());
    match percent {
        Some(percent) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err(format!(
            "{text:?} is no percentage from 0% to 100%: write for example `0.1%`"
        )),
    }
}

/// Requests a second, above zero.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        _ => Err(format!(
            "{text:?} is no rate: write requests a second, for example `500`"
        )),
    }
}

/// A header field, `name: value`.
pub(super) fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        None => Err(format!("{text:?} has no colon: write `name: value`")),
    }
}

/// A method of HTTP, in small letters too.
pub(super) fn method(text: &str) -> Result<Method, String> {
    Method::from_bytes(text.to_ascii_uppercase().as_bytes())
        .map_err(|_| format!("{text:?} is no method: write for example `PUT`"))
}

/// The server and the request target of a URL; a fragment is never sent.
///
/// A socket's path is not told from a request's: `unix:` asks for `/`.
pub(super) fn split(url: &str) -> (String, String) {
    if url.starts_with("unix:") {
        return (url.to_owned(), "/".to_owned());
    }
    let url = url.split('#').next().unwrap_or_default();
    let host = url.find("://").map_or(0, |place| place + 3);
    match url[host..].find(['/', '?']) {
        None => (url.to_owned(), "/".to_owned()),
        Some(length) => {
            let (server, target) = url.split_at(host + length);
            let slash = if target.starts_with('/') { "" } else { "/" };
            (server.to_owned(), format!("{slash}{target}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for wrong in [
            "",
            "10",
            "0s",
            "-1s",
            "1e9s",
            "s",
            "NaNs",
            "1 s",
            "99999999999999999999h",
        ] {
            assert!(duration(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn shares_and_rates_are_numbers_that_can_be() {
        assert_eq!(share("0.5%"), Ok(0.005));
        for wrong in ["", "1", "101%", "-1%", "NaN%"] {
            assert!(share(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(rate("0.5"), Ok(0.5));
        for wrong in ["", "0", "-1", "inf", "NaN"] {
            assert!(rate(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_url_is_a_server_and_a_target() {
        let parts = |url| {
            let (server, target) = split(url);
            format!("{server} {target}")
        };
        assert_eq!(parts("http://a:1"), "http://a:1 /");
        assert_eq!(parts("http://a:1/x/?y=/z#f"), "http://a:1 /x/?y=/z");
        assert_eq!(parts("https://a?y=1"), "https://a /?y=1");
        assert_eq!(parts("unix:/run/a.sock"), "unix:/run/a.sock /");
    }

    #[test]
    fn headers_and_methods_are_read() {
        let text = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(header("A: b:c"), text("A", "b:c"));
        assert!(header("nothing").is_err());
        assert_eq!(method("post"), Ok(Method::POST));
        assert!(method("a b").is_err());
    }
}
