//! Columns of text that stand under each other.

use super::style::{Style, Tone};

/// A table for terminals. A column in which only the heading has text is left out.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Row>,
}

/// A column's heading, and on which side its cells stand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    Left(&'static str),
    Right(&'static str),
}

#[derive(Clone, Debug)]
struct Row {
    cells: Vec<String>,
    /// The colour of the row's words in the column with this number.
    tone: Option<(usize, Tone)>,
}

const INDENT: &str = "  ";
const GAP: &str = "  ";

impl Table {
    pub(crate) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
        }
    }

    #[cfg(any(test, feature = "cli"))]
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(Row {
            cells: cells.into_iter().collect(),
            tone: None,
        });
    }

    /// A row whose cell in the column number `place` has a colour.
    pub(super) fn toned_row(
        &mut self,
        place: usize,
        tone: Tone,
        cells: impl IntoIterator<Item = String>,
    ) {
        self.rows.push(Row {
            cells: cells.into_iter().collect(),
            tone: Some((place, tone)),
        });
    }

    /// The lines of the table, each with its newline; empty without rows.
    pub(crate) fn to_text(&self, style: Style) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let widths = self.widths();
        let heading = Row {
            cells: self
                .columns
                .iter()
                .map(|column| column.heading().to_owned())
                .collect(),
            tone: None,
        };
        let rows = std::iter::once(&heading).chain(&self.rows);
        rows.map(|row| self.line(row, &widths, style)).collect()
    }

    /// Characters a column takes; 0 for a column that is left out.
    fn widths(&self) -> Vec<usize> {
        let width = |place: usize, column: &Column| {
            let cells = self.rows.iter().map(|row| width(row.cell(place)));
            match cells.max().unwrap_or(0) {
                0 => 0,
                widest => widest.max(width(column.heading())),
            }
        };
        self.columns
            .iter()
            .enumerate()
            .map(|(place, column)| width(place, column))
            .collect()
    }

    fn line(&self, row: &Row, widths: &[usize], style: Style) -> String {
        let shown = self
            .columns
            .iter()
            .zip(widths)
            .enumerate()
            .filter(|(_, (_, width))| **width > 0);
        let cells: Vec<String> = shown
            .map(|(place, (column, width))| {
                column.padded(row.cell(place), *width, |text| {
                    row.painted(place, text, style)
                })
            })
            .collect();
        format!("{INDENT}{}", cells.join(GAP)).trim_end().to_owned() + "\n"
    }
}

impl Row {
    fn cell(&self, place: usize) -> &str {
        self.cells.get(place).map_or("", String::as_str)
    }

    fn painted(&self, place: usize, text: &str, style: Style) -> String {
        match self.tone {
            Some((toned, tone)) if toned == place => style.paint(tone, text),
            _ => text.to_owned(),
        }
    }
}

impl Column {
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Left(heading) | Self::Right(heading) => heading,
        }
    }

    fn padded(self, text: &str, width: usize, paint: impl Fn(&str) -> String) -> String {
        let blanks = " ".repeat(width.saturating_sub(self::width(text)));
        match self {
            Self::Left(_) => paint(text) + &blanks,
            Self::Right(_) => blanks + &paint(text),
        }
    }
}

/// Every character of our reports, `…` and `µ` included, takes one cell of a terminal.
fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table::new([
            Column::Left("metric"),
            Column::Right("now"),
            Column::Left("never"),
        ])
    }

    #[test]
    fn cells_stand_under_each_other_and_empty_columns_are_left_out() {
        let mut table = table();
        table.row(["p50".to_owned(), "85.0 µs".to_owned()]);
        table.row(["throughput".to_owned(), "1/s".to_owned()]);
        assert_eq!(
            table.to_text(Style::Plain),
            "  metric          now\n  p50         85.0 µs\n  throughput      1/s\n"
        );
    }

    #[test]
    fn colours_do_not_move_columns() {
        let mut table = table();
        table.toned_row(0, Tone::Bad, ["worse".to_owned(), "1".to_owned()]);
        let coloured = table.to_text(Style::Ansi);
        let without = coloured.replace("\x1b[1;31m", "").replace("\x1b[0m", "");
        assert_ne!(coloured, without);
        assert_eq!(without, table.to_text(Style::Plain));
    }

    #[test]
    fn a_table_without_rows_is_no_text() {
        assert_eq!(table().to_text(Style::Plain), "");
    }
}
