//! `.dockerignore`: which files of a build context stay out of the image.
//!
//! Patterns are read as Docker reads them, but for two things: a character class (`[a-z]`) and an
//! escape (`\`) are taken literally.

/// The rules of one `.dockerignore`, in order: the last one that matches a path decides.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct IgnoreRules(Vec<Rule>);

#[derive(Debug, PartialEq, Eq)]
struct Rule {
    excludes: bool,
    segments: Vec<String>,
}

impl IgnoreRules {
    /// The rules written in the text of a `.dockerignore`.
    pub(super) fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(Rule::parse).collect())
    }

    /// Whether the file at `path`, with `/` and relative to the context, stays out.
    pub(super) fn excludes(&self, path: &str) -> bool {
        let path: Vec<&str> = path.split('/').collect();
        self.0
            .iter()
            .rev()
            .find(|rule| rule.covers(&path))
            .is_some_and(|rule| rule.excludes)
    }

    /// Whether all below a folder that is excluded stays out, so that it need not be read.
    ///
    /// With an exception (`!pattern`) a file in an excluded folder may be included again.
    pub(super) fn has_exceptions(&self) -> bool {
        self.0.iter().any(|rule| !rule.excludes)
    }
}

impl Rule {
    fn parse(line: &str) -> Option<Self> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (excludes, pattern) = match line.strip_prefix('!') {
            Some(pattern) => (false, pattern.trim()),
            None => (true, line),
        };
        let segments: Vec<String> = pattern
            .split('/')
            .filter(|segment| !segment.is_empty() && *segment != ".")
            .map(str::to_owned)
            .collect();
        (!segments.is_empty()).then_some(Self { excludes, segments })
    }

    /// A rule that matches a folder covers all that is in it.
    fn covers(&self, path: &[&str]) -> bool {
        (1..=path.len()).any(|length| path_matches(&self.segments, &path[..length]))
    }
}

fn path_matches(pattern: &[String], path: &[&str]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((segment, rest)) if segment == "**" => {
            (0..=path.len()).any(|skipped| path_matches(rest, &path[skipped..]))
        }
        Some((segment, rest)) => path.split_first().is_some_and(|(name, below)| {
            name_matches(segment.as_bytes(), name.as_bytes()) && path_matches(rest, below)
        }),
    }
}

/// `*` stands for any characters of one name, `?` for a single one.
fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|skipped| name_matches(rest, &name[skipped..])),
        Some((expected, rest)) => name.split_first().is_some_and(|(found, after)| {
            (*expected == b'?' || expected == found) && name_matches(rest, after)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excluded(rules: &str, path: &str) -> bool {
        IgnoreRules::parse(rules).excludes(path)
    }

    #[test]
    fn a_folder_is_excluded_with_all_in_it() {
        for path in ["target", "target/debug/x"] {
            assert!(excluded("# built\n\n/target/\n", path), "{path}");
        }
        assert!(!excluded("target", "src/target"));
    }

    #[test]
    fn the_last_matching_rule_decides() {
        let rules = "*.md\n!README.md\n";
        assert!(excluded(rules, "CHANGES.md"));
        assert!(!excluded(rules, "README.md"));
        assert!(excluded("!README.md\n*.md\n", "README.md"));
    }

    #[test]
    fn stars_stay_within_a_name_and_double_stars_do_not() {
        assert!(excluded("*/temp*", "a/temporary"));
        assert!(!excluded("*/temp*", "a/b/temporary"));
        assert!(excluded("**/*.log", "a/b/c.log"));
        assert!(excluded("**/*.log", "c.log"));
        assert!(excluded("file?.txt", "file1.txt"));
        assert!(!excluded("file?.txt", "file.txt"));
    }
}
