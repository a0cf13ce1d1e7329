//! One request, as far as it can be laid out before any clock runs.

use http::Method;

use crate::driver::chance::Chance;
use crate::driver::mix::{Body, Fault, Look, Path};
use crate::endpoint::Endpoint;
use crate::load::Request;

/// One request of a load, and what must be known of it to judge the reply.
#[derive(Debug)]
pub(in crate::driver::http1) struct Asked {
    bytes: Bytes,
    asks_for_head: bool,
    repeatable: bool,
    statuses: Vec<u16>,
    look: Look,
}

/// The bytes that go over the wire.
#[derive(Debug)]
enum Bytes {
    Fixed(Vec<u8>),
    /// The path changes from one request to the next, and stands between these.
    Changing {
        before: Vec<u8>,
        path: Path,
        after: Vec<u8>,
    },
}

impl Asked {
    pub(super) fn new(request: &Request, endpoint: &Endpoint, keep_alive: bool) -> Self {
        Self {
            bytes: Bytes::new(request, endpoint, keep_alive),
            asks_for_head: request.method == Method::HEAD,
            repeatable: [Method::GET, Method::HEAD].contains(&request.method),
            statuses: request.expected.statuses.clone(),
            look: Look::new(&request.expected),
        }
    }

    /// Its bytes, where they are the same every time.
    pub(super) fn fixed(&self) -> Option<&[u8]> {
        match &self.bytes {
            Bytes::Fixed(bytes) => Some(bytes),
            Bytes::Changing { .. } => None,
        }
    }

    /// Writes its bytes with the next values into `own`, where they are not the same every time.
    pub(super) fn lay_out(&self, own: &mut Vec<u8>, chance: &mut Chance) {
        if let Bytes::Changing {
            before,
            path,
            after,
        } = &self.bytes
        {
            own.clear();
            own.extend_from_slice(before);
            path.write(own, chance);
            own.extend_from_slice(after);
        }
    }

    /// Whether the reply has no body, whatever its head says.
    pub(in crate::driver::http1) fn asks_for_head(&self) -> bool {
        self.asks_for_head
    }

    /// Whether the request may be sent a second time when a kept-alive connection closes under it.
    pub(in crate::driver::http1) fn is_repeatable(&self) -> bool {
        self.repeatable
    }

    pub(in crate::driver::http1) fn expects(&self, status: u16) -> bool {
        self.statuses.contains(&status)
    }

    /// Whether the bytes of the reply's body must be given to [`take`](Self::take).
    pub(in crate::driver::http1) fn looks_at_the_body(&self) -> bool {
        self.look.is_needed()
    }

    /// A new body begins.
    pub(in crate::driver::http1) fn begin(&self, body: &mut Body) {
        self.look.begin(body);
    }

    /// Takes the next bytes of the body.
    pub(in crate::driver::http1) fn take(&self, body: &mut Body, piece: &[u8]) {
        self.look.take(body, piece);
    }

    /// Judges a body of `length` bytes that came whole, with an expected status.
    pub(in crate::driver::http1) fn judge(
        &self,
        length: u64,
        body: &mut Body,
    ) -> Result<(), Fault> {
        self.look.judge(length, body)
    }
}

impl Bytes {
    fn new(request: &Request, endpoint: &Endpoint, keep_alive: bool) -> Self {
        let before = format!("{} {}", request.method, endpoint.target(""));
        let after = after_the_path(request, endpoint, keep_alive);
        match Path::of(request) {
            Some(path) => Self::Changing {
                before: before.into_bytes(),
                path,
                after,
            },
            None => Self::Fixed([before.as_bytes(), request.path.as_bytes(), &after].concat()),
        }
    }
}

fn after_the_path(request: &Request, endpoint: &Endpoint, keep_alive: bool) -> Vec<u8> {
    let mut text = " HTTP/1.1\r\n".to_owned();
    if !request
        .headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("host"))
    {
        field(&mut text, "Host", endpoint.authority());
    }
    for (name, value) in &request.headers {
        field(&mut text, name, value);
    }
    if announces_length(request) {
        field(&mut text, "Content-Length", &request.body.len().to_string());
    }
    if !keep_alive {
        field(&mut text, "Connection", "close");
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(&request.body);
    bytes
}

fn field(text: &mut String, name: &str, value: &str) {
    text.extend([name, ": ", value, "\r\n"]);
}

/// Methods that mean to carry a body say its length even when it is empty (RFC 9110, 8.6).
fn announces_length(request: &Request) -> bool {
    !request.body.is_empty() || [Method::POST, Method::PUT, Method::PATCH].contains(&request.method)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(request: &Request, keep_alive: bool) -> String {
        let endpoint = &Endpoint::resolve("http://127.0.0.1:81/api").unwrap()[0];
        let asked = Asked::new(request, endpoint, keep_alive);
        String::from_utf8(asked.fixed().unwrap().to_vec()).unwrap()
    }

    #[test]
    fn a_get_is_a_line_and_a_host() {
        let get = Request::new(Method::GET, "/x?y=1");
        assert_eq!(
            text(&get, true),
            "GET /api/x?y=1 HTTP/1.1\r\nHost: 127.0.0.1:81\r\n\r\n"
        );
    }

    #[test]
    fn a_body_follows_its_length() {
        let mut post = Request::new(Method::POST, "/");
        post.body = b"abc".to_vec();
        assert!(text(&post, true).ends_with("Content-Length: 3\r\n\r\nabc"));
    }

    #[test]
    fn an_empty_post_says_so() {
        let post = Request::new(Method::POST, "/");
        assert!(text(&post, true).ends_with("Content-Length: 0\r\n\r\n"));
    }

    #[test]
    fn a_host_of_the_load_replaces_ours() {
        let mut get = Request::new(Method::GET, "/");
        get.headers = vec![("host".to_owned(), "shop.test".to_owned())];
        assert_eq!(
            text(&get, true),
            "GET /api/ HTTP/1.1\r\nhost: shop.test\r\n\r\n"
        );
    }

    #[test]
    fn without_keep_alive_the_server_is_told_to_close() {
        let get = Request::new(Method::GET, "/");
        assert!(text(&get, false).ends_with("\r\nConnection: close\r\n\r\n"));
    }

    #[test]
    fn only_get_and_head_are_repeatable() {
        let endpoint = Endpoint::new("127.0.0.1:81".parse().unwrap());
        let repeatable =
            |method| Asked::new(&Request::new(method, "/"), &endpoint, true).is_repeatable();
        assert!(repeatable(Method::GET) && repeatable(Method::HEAD));
        assert!(
            !repeatable(Method::POST) && !repeatable(Method::PUT) && !repeatable(Method::DELETE)
        );
    }
}
