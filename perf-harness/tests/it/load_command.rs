//! `cargo perf load` against servers of a few lines, as a shell runs it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};
use std::thread;

use serde_json::Value;

/// A server that answers every request so until the test process ends; its URL.
fn server(status: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer(stream.unwrap(), status));
        }
    });
    format!("http://{address}/x?y=1")
}

/// Answers requests of `content-length` bodies with the request line as the body.
fn answer(stream: TcpStream, status: &str) {
    let mut writer = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    while let Some((line, body)) = request(&mut reader) {
        let said = format!("{line}{body}");
        let length = said.len();
        let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n");
        if writer.write_all((head + &said).as_bytes()).is_err() {
            return;
        }
    }
}

fn request(reader: &mut BufReader<TcpStream>) -> Option<(String, String)> {
    let mut first = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if first.is_empty() {
            first.clone_from(&line);
        }
        let lower = line.to_ascii_lowercase();
        if let Some(said) = lower.strip_prefix("content-length:") {
            length = said.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first.trim().to_owned(), String::from_utf8(body).unwrap()))
}

fn load(url: &str, line: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_cargo-perf"))
        .args(["perf", "load", url])
        .args(line.split_whitespace())
        .current_dir(folder.path())
        .output()
        .unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn counts_are_exact_and_no_project_is_needed() {
    let output = load(&server("200 OK"), "-n 300 -c 7 --format json");
    assert_eq!(code(&output), 0, "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["sent"], 300);
    assert_eq!(report["ok"], 300);
    assert_eq!(report["latency"]["count"], 300);
    assert_eq!(report["load"]["target"], "/x?y=1");
    assert_eq!(report["body_bytes"], 300 * "GET /x?y=1 HTTP/1.1".len());
}

#[test]
fn a_body_is_posted() {
    let output = load(&server("200 OK"), "-n 3 -c 1 --body abc --format json");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["body_bytes"], 3 * "POST /x?y=1 HTTP/1.1abc".len());
}

#[test]
fn failures_beyond_the_budget_are_red_and_expected_ones_good() {
    let url = server("500 Internal Server Error");
    let output = load(&url, "-n 20 -c 2");
    assert_eq!(code(&output), 2, "{output:?}");
    let report = text(&output.stdout);
    assert!(report.contains("(status: 20)"), "{report}");
    assert!(report.contains("throughput  –"), "{report}");
    assert_eq!(code(&load(&url, "-n 20 -c 2 --expect 500")), 0);
}

#[test]
fn a_dead_port_is_an_error_without_numbers() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    for format in ["text", "ab", "wrk", "json", "csv"] {
        let output = load(&url, &format!("-n 20 -c 2 --format {format}"));
        assert_eq!(code(&output), 1, "{output:?}");
        assert_eq!(text(&output.stdout), "");
        assert!(
            text(&output.stderr).contains("no server answers"),
            "{output:?}"
        );
    }
}

#[test]
fn what_is_typed_wrongly_sends_nothing() {
    let url = server("200 OK");
    let many = load(&url, "-n 5");
    assert_eq!(code(&many), 64);
    assert!(
        text(&many.stderr).contains("concurrency 10 is above requests 5"),
        "{many:?}"
    );
    assert_eq!(code(&load("nowhere", "")), 64);
    assert_eq!(code(&load(&url, "-d soon")), 64);
}

#[test]
fn ab_wrk_and_csv_have_their_lines() {
    let url = server("200 OK");
    let ab = load(&url, "-n 50 -c 2 --format ab");
    assert!(
        text(&ab.stdout).contains("\nComplete requests:      50\n"),
        "{ab:?}"
    );
    assert!(
        text(&ab.stdout).contains("\nFailed requests:        0\n"),
        "{ab:?}"
    );
    let wrk = load(&url, "-n 50 -c 2 --format wrk");
    assert!(text(&wrk.stdout).contains("  50 requests in "), "{wrk:?}");
    let csv = load(&url, "-n 50 -c 2 --format csv");
    assert_eq!(text(&csv.stdout).lines().count(), 104, "{csv:?}");
}

#[test]
fn the_time_series_is_written_beside_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("series.tsv");
    let output = load(
        &server("200 OK"),
        &format!("-n 50 -c 2 --gnuplot {}", file.display()),
    );
    assert_eq!(code(&output), 0, "{output:?}");
    let series = std::fs::read_to_string(file).unwrap();
    assert!(
        series.starts_with("seconds\tthroughput\tp99_ms\terrors\n"),
        "{series}"
    );
}
