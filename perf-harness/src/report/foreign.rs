//! Text that others wrote: logs and replies of servers, messages of the system.
//!
//! On GitHub a line that begins with `::`, after blanks, is a command. So foreign lines always get
//! a mark in front, and control characters never reach a terminal.

use super::wrap::WIDTH;

const MARK: &str = "  | ";

/// More of a foreign text is not shown: the whole of it stands in the server's own log.
const MOST_LINES: usize = 40;

/// The lines of `text`, each with `| ` in front and its newline.
pub(super) fn marked(text: &str) -> String {
    let lines: Vec<String> = text.lines().flat_map(pieces).collect();
    let mut marked: String = lines
        .iter()
        .take(MOST_LINES)
        .map(|line| format!("{MARK}{line}\n"))
        .collect();
    if lines.len() > MOST_LINES {
        marked += &format!("{MARK}({} more lines)\n", lines.len() - MOST_LINES);
    }
    marked
}

/// `text` on one line of at most `most` characters, without control characters.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = without_controls(&words.join(" "));
    if line.chars().count() <= most {
        return line;
    }
    line.chars()
        .take(most.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// Control characters, escape sequences among them, as visible replacements.
pub(super) fn without_controls(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

fn pieces(line: &str) -> Vec<String> {
    let clean: Vec<char> = without_controls(&line.replace('\t', "    "))
        .chars()
        .collect();
    if clean.is_empty() {
        return vec![String::new()];
    }
    clean
        .chunks(WIDTH - MARK.len())
        .map(|piece| piece.iter().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_foreign_line_can_be_a_command() {
        let text = format!(
            "boot\n::error::x\r\n  ::stop-commands::y\n{}::warning::z",
            "x".repeat(WIDTH - MARK.len())
        );
        for line in marked(&text).lines() {
            assert!(line.starts_with(MARK), "{line:?}");
        }
    }

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(marked("\x1b[31mred"), "  | \u{fffd}[31mred\n");
        assert_eq!(one_line("a\x07b\n c", 80), "a\u{fffd}b c");
    }

    #[test]
    fn a_flood_is_cut_and_counted() {
        let flood = "line\n".repeat(MOST_LINES + 2);
        assert!(marked(&flood).ends_with("  | (2 more lines)\n"));
        assert_eq!(one_line("abcdef", 4), "abc…");
    }
}
