//! A writer whose reader may go away, as that of `cargo perf list | head -1` does.

use std::io::{self, ErrorKind, Write};

/// Passes writes on until the pipe is closed, then swallows them: the verb still does all it was
/// asked to, and its exit code still says how it went.
#[derive(Debug)]
pub(super) struct UntilClosed<W> {
    writer: W,
    closed: bool,
}

impl<W: Write> UntilClosed<W> {
    pub(super) fn new(writer: W) -> Self {
        Self {
            writer,
            closed: false,
        }
    }

    fn unless_closed<T>(&mut self, result: io::Result<T>, swallowed: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(swallowed)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let result = self.writer.write(bytes);
        self.unless_closed(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.writer.flush();
        self.unless_closed(result, ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Refuses(ErrorKind);

    impl Write for Refuses {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        let mut writer = UntilClosed::new(Refuses(ErrorKind::BrokenPipe));
        assert!(writeln!(writer, "one").is_ok());
        assert!(writeln!(writer, "two").is_ok());
        assert!(writer.flush().is_ok());
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let mut writer = UntilClosed::new(Refuses(ErrorKind::StorageFull));
        assert!(writeln!(writer, "one").is_err());
    }
}
