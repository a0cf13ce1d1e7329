//! A request as the bytes that go over the wire, laid out once before any clock runs.

use http::Method;

use crate::endpoint::Endpoint;
use crate::load::Request;

/// The bytes of one request, and what must be known of it to judge the reply.
#[derive(Debug)]
pub(super) struct RequestBytes {
    bytes: Vec<u8>,
    asks_for_head: bool,
    repeatable: bool,
    expected: Vec<u16>,
}

impl RequestBytes {
    pub(super) fn new(request: &Request, endpoint: &Endpoint, keep_alive: bool) -> Self {
        Self {
            bytes: lay_out(request, endpoint, keep_alive),
            asks_for_head: request.method == Method::HEAD,
            repeatable: [Method::GET, Method::HEAD].contains(&request.method),
            expected: request.expected.statuses.clone(),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether the reply has no body, whatever its head says.
    pub(super) fn asks_for_head(&self) -> bool {
        self.asks_for_head
    }

    /// Whether the request may be sent a second time when a kept-alive connection closes under it.
    pub(super) fn is_repeatable(&self) -> bool {
        self.repeatable
    }

    pub(super) fn expects(&self, status: u16) -> bool {
        self.expected.contains(&status)
    }
}

fn lay_out(request: &Request, endpoint: &Endpoint, keep_alive: bool) -> Vec<u8> {
    let mut text = format!(
        "{} {} HTTP/1.1\r\n",
        request.method,
        endpoint.target(&request.path)
    );
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
        let bytes = RequestBytes::new(request, endpoint, keep_alive).bytes;
        String::from_utf8(bytes).unwrap()
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
            |method| RequestBytes::new(&Request::new(method, "/"), &endpoint, true).is_repeatable();
        assert!(repeatable(Method::GET) && repeatable(Method::HEAD));
        assert!(
            !repeatable(Method::POST) && !repeatable(Method::PUT) && !repeatable(Method::DELETE)
        );
    }
}
