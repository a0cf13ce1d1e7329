//! Our own sentences, wrapped to the width of a report.

use super::foreign::without_controls;

/// No line of a report is wider, unless a single word is, such as a path.
pub(super) const WIDTH: usize = 100;

const INDENT: &str = "  ";

/// A label up to this long has all lines of its text to its right.
const SHORT_LABEL: usize = 10;

/// `label` and `text`, wrapped, with the further lines indented.
///
/// A line is never broken before `::`, which begins a command of GitHub's.
pub(super) fn labelled(label: &str, text: &str) -> String {
    let text = without_controls(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let margin = " ".repeat(margin(label));
    let mut lines = vec![format!("{INDENT}{label}")];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if fits(line, word) || word.starts_with("::") => {
                *line += &format!(" {word}")
            }
            _ => lines.push(format!("{margin}{word}")),
        }
    }
    lines.join("\n") + "\n"
}

fn margin(label: &str) -> usize {
    match label.chars().count() {
        short if short <= SHORT_LABEL => INDENT.len() + short + 1,
        _ => 2 * INDENT.len(),
    }
}

fn fits(line: &str, word: &str) -> bool {
    line.chars().count() + 1 + word.chars().count() <= WIDTH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_hangs_under_its_label() {
        let text = labelled("why:", &"word ".repeat(40));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("  why: word word"));
        assert!(lines[1].starts_with("       word"));
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn a_line_never_begins_with_a_command() {
        let text = labelled("why:", &format!("{} ::error::x", "w".repeat(WIDTH - 7)));
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.ends_with("w ::error::x\n"), "{text}");
    }

    #[test]
    fn a_word_wider_than_the_page_stays_whole() {
        let path = format!("/{}", "x".repeat(WIDTH));
        assert!(labelled("pending:", &path).contains(&path));
    }
}
