//! What somebody at a terminal sees while a load runs.

use std::io::{self, IsTerminal as _};

use crate::host::Holder;
use crate::run::Listener;
use crate::terminal::show;

/// One line on a terminal, gone at the end; a wait is told everywhere.
#[derive(Debug)]
pub(super) struct StandardError<'a> {
    url: &'a str,
    is_terminal: bool,
}

impl<'a> StandardError<'a> {
    pub(super) fn new(url: &'a str) -> Self {
        Self {
            url,
            is_terminal: io::stderr().is_terminal(),
        }
    }

    fn line(&self, text: &str) {
        if self.is_terminal {
            show(&format!("\r\x1b[2K{text}"));
        }
    }
}

impl Listener for StandardError<'_> {
    fn waiting(&mut self, holder: &Holder) {
        show(&format!("waiting: {holder} puts a load on this machine\n"));
    }

    fn measuring(&mut self) {
        self.line(&format!(
            "measuring {} (Ctrl-C stops without a report)",
            self.url
        ));
    }

    fn measured(&mut self) {
        self.line("");
    }
}

/// A load that fails within its window leaves no line behind.
impl Drop for StandardError<'_> {
    fn drop(&mut self) {
        self.line("");
    }
}
