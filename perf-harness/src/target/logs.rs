//! What a server writes: every line while it starts, a bounded tail afterwards.
//!
//! Foreign text is kept as bytes and made plain only when somebody looks: a server that logs each
//! request costs the measuring process little.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Lines kept once the server is ready.
const TAIL_LINES: usize = 50;
/// Lines kept while it starts, when a line may be waited for.
const STARTUP_LINES: usize = 2_000;
/// Bytes kept of a line; the rest of it is dropped.
const LINE_BYTES: usize = 4_096;
/// Characters shown of a line.
const SHOWN_CHARS: usize = 500;

/// The lines of one started target, fed by readers, watched by whoever waits for a line.
#[derive(Debug)]
pub(super) struct Log {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    lines: VecDeque<Vec<u8>>,
    limit: usize,
    open_streams: usize,
}

impl Log {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                lines: VecDeque::new(),
                limit: STARTUP_LINES,
                open_streams: 0,
            }),
            changed: Condvar::new(),
        })
    }

    /// Reads `stream` on a thread of its own until it ends.
    pub(super) fn follow(
        self: &Arc<Self>,
        mut stream: impl Read + Send + 'static,
    ) -> std::io::Result<JoinHandle<()>> {
        let feed = self.feed();
        std::thread::Builder::new()
            .name("perf-log".to_owned())
            .spawn(move || read_to_end(&mut stream, feed))
    }

    /// A way in for one more stream of bytes; the stream counts as open until it is dropped.
    pub(super) fn feed(self: &Arc<Self>) -> Feed {
        self.state().open_streams += 1;
        Feed {
            log: Arc::clone(self),
            line: Vec::new(),
        }
    }

    /// The server is ready: from now on only the tail is kept.
    pub(super) fn settle(&self) {
        let mut state = self.state();
        state.limit = TAIL_LINES;
        let surplus = state.lines.len().saturating_sub(TAIL_LINES);
        state.lines.drain(..surplus);
    }

    /// The last lines, oldest first, without colours and control characters.
    pub(super) fn tail(&self) -> Vec<String> {
        let state = self.state();
        let surplus = state.lines.len().saturating_sub(TAIL_LINES);
        state
            .lines
            .iter()
            .skip(surplus)
            .map(|line| shown(line))
            .collect()
    }

    /// Waits at most `within` for a line that `look` finds something in.
    ///
    /// Gives up earlier when every stream has ended.
    pub(super) fn find<T>(&self, within: Duration, look: impl Fn(&str) -> Option<T>) -> Option<T> {
        let until = Instant::now() + within;
        let mut state = self.state();
        loop {
            if let Some(found) = state.lines.iter().find_map(|line| look(&plain(line))) {
                return Some(found);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || state.open_streams == 0 {
                return None;
            }
            state = self.wait(state, left);
        }
    }

    /// Waits at most `within` until every stream has ended; says whether they have.
    pub(super) fn wait_ended(&self, within: Duration) -> bool {
        let until = Instant::now() + within;
        let mut state = self.state();
        while state.open_streams > 0 {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.wait(state, left);
        }
        true
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, within: Duration) -> MutexGuard<'a, State> {
        let waited = self.changed.wait_timeout(state, within);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the bytes of one stream and cuts them into lines.
#[derive(Debug)]
pub(super) struct Feed {
    log: Arc<Log>,
    line: Vec<u8>,
}

impl Feed {
    pub(super) fn write(&mut self, bytes: &[u8]) {
        let mut parts = bytes.split(|byte| *byte == b'\n');
        self.extend_line(parts.next().unwrap_or_default());
        let mut state = self.log.state();
        for part in parts {
            state.push(&self.line);
            self.line.clear();
            self.line
                .extend_from_slice(&part[..part.len().min(LINE_BYTES)]);
        }
        self.log.changed.notify_all();
    }

    fn extend_line(&mut self, part: &[u8]) {
        let room = LINE_BYTES.saturating_sub(self.line.len());
        self.line.extend_from_slice(&part[..part.len().min(room)]);
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        let mut state = self.log.state();
        if !self.line.is_empty() {
            state.push(&self.line);
        }
        state.open_streams -= 1;
        self.log.changed.notify_all();
    }
}

impl State {
    fn push(&mut self, line: &[u8]) {
        let mut kept = if self.lines.len() >= self.limit {
            self.lines.pop_front().unwrap_or_default()
        } else {
            Vec::new()
        };
        kept.clear();
        kept.extend_from_slice(line);
        self.lines.push_back(kept);
    }
}

fn read_to_end(stream: &mut impl Read, mut feed: Feed) {
    let mut bytes = [0; 8_192];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return,
            Ok(read) => feed.write(&bytes[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn shown(line: &[u8]) -> String {
    let text = plain(line);
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The line without terminal sequences and control characters: neither may act on the reader's
/// terminal, nor begin a line of its own there.
fn plain(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => skip_sequence(&mut chars),
            '\t' => plain.push(' '),
            char if char.is_control() => {}
            char => plain.push(char),
        }
    }
    plain
}

fn skip_sequence(chars: &mut std::str::Chars<'_>) {
    if chars.next() != Some('[') {
        return;
    }
    chars.find(|char| ('@'..='~').contains(char));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_of(chunks: &[&str]) -> Arc<Log> {
        let log = Log::new();
        let mut feed = log.feed();
        for chunk in chunks {
            feed.write(chunk.as_bytes());
        }
        drop(feed);
        log
    }

    #[test]
    fn lines_are_cut_where_they_end_not_where_the_pipe_was_read() {
        let log = log_of(&["on", "e\ntwo\nth", "ree"]);
        assert_eq!(log.tail(), ["one", "two", "three"]);
    }

    #[test]
    fn only_the_last_lines_are_kept_once_settled() {
        let log = Log::new();
        log.settle();
        let mut feed = log.feed();
        for number in 0..1_000 {
            feed.write(format!("line {number}\n").as_bytes());
        }
        let tail = log.tail();
        assert_eq!(tail.len(), TAIL_LINES);
        assert_eq!(tail[0], "line 950");
        assert_eq!(tail[49], "line 999");
        assert_eq!(log.state().lines.len(), TAIL_LINES);
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let log = Log::new();
        let mut feed = log.feed();
        for _ in 0..100 {
            feed.write(&[b'x'; 1_000]);
        }
        assert_eq!(feed.line.len(), LINE_BYTES);
        drop(feed);
        assert_eq!(log.tail()[0].chars().count(), SHOWN_CHARS + 1);
    }

    #[test]
    fn colours_and_carriage_returns_are_not_shown() {
        let log = log_of(&["\u{1b}[32mport\u{1b}[0m 8\u{7}0\r\n"]);
        assert_eq!(log.tail(), ["port 80"]);
    }

    #[test]
    fn an_early_line_is_found_after_it_was_written() {
        let log = log_of(&["port 80\n", &"later\n".repeat(200)]);
        let found = log.find(Duration::ZERO, |line| {
            line.strip_prefix("port ").map(str::to_owned)
        });
        assert_eq!(found.as_deref(), Some("80"));
    }

    #[test]
    fn the_search_ends_with_the_streams() {
        let log = log_of(&["one\n"]);
        let found = log.find(Duration::from_secs(3_600), |line| {
            line.contains("two").then_some(())
        });
        assert_eq!(found, None);
    }

    #[test]
    fn a_stream_is_followed_to_its_end() {
        let log = Log::new();
        let reader = log.follow(std::io::Cursor::new("one\ntwo\n")).unwrap();
        assert!(log.wait_ended(Duration::from_secs(3_600)));
        assert_eq!(log.tail(), ["one", "two"]);
        reader.join().unwrap();
    }
}
