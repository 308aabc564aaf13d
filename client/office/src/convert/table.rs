//! Tables: rows of cells as a Markdown table, or as records if a row is too wide to read.

/// The maximum number of columns of a Markdown table. A wider one is written as records with their header row.
const MAX_COLUMNS: usize = 12;

/// The maximum length of a row of a Markdown table in characters, on average.
const MAX_ROW: usize = 400;

/// A table, whose first row is its header.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The rows, with cells of inline Markdown.
    pub(super) rows: Vec<Vec<String>>,
}

/// The text of a table.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TableText {
    /// Markdown of a grid, or of a list of records.
    Block(String),
    /// The cells of a single column, as inline Markdown.
    Paragraphs(Vec<String>),
}

impl Table {
    /// Divides the rows of a sheet at its empty ones: tables below each other have headers of their own.
    pub(super) fn apart(self) -> Vec<Self> {
        let is_empty = |row: &Vec<String>| row.iter().all(|cell| cell.trim().is_empty());
        let mut tables = vec![Self::default()];
        for row in self.rows {
            if !is_empty(&row) {
                tables.last_mut().expect("there is one").rows.push(row);
            } else if tables.last().is_some_and(|table| !table.rows.is_empty()) {
                tables.push(Self::default());
            }
        }
        tables
    }

    /// Returns the text to write.
    pub(super) fn into_text(mut self) -> TableText {
        for row in &mut self.rows {
            for cell in row {
                *cell = cell.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
            }
        }
        self.rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        self.remove_empty_columns();
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let characters: usize =
            self.rows.iter().flatten().map(|cell| cell.chars().count() + 3).sum();
        match self.rows.len() {
            // A frame around a text, or a column of paragraphs, or no text.
            _ if columns <= 1 => TableText::Paragraphs(self.rows.into_iter().flatten().collect()),
            rows if rows > 1 && (columns > MAX_COLUMNS || characters / rows > MAX_ROW) => {
                TableText::Block(self.records())
            }
            _ => TableText::Block(self.grid(columns)),
        }
    }

    fn remove_empty_columns(&mut self) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let is_empty = |column: &usize| {
            self.rows.iter().all(|row| row.get(*column).is_none_or(String::is_empty))
        };
        let empty: Vec<usize> = (0..columns).filter(is_empty).collect();
        if empty.is_empty() {
            return;
        }
        for row in &mut self.rows {
            let cells = std::mem::take(row).into_iter().enumerate();
            *row = cells
                .filter(|(column, _)| empty.binary_search(column).is_err())
                .map(|(_, cell)| cell)
                .collect();
        }
    }

    fn grid(&self, columns: usize) -> String {
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            text.push('|');
            for column in 0..columns {
                text.push(' ');
                text.push_str(row.get(column).map_or("", |cell| cell));
                text.push_str(" |");
            }
            text.push('\n');
            if number == 0 {
                text.push('|');
                text.push_str(&" --- |".repeat(columns));
                text.push('\n');
            }
        }
        text
    }

    /// Returns a list item for each row, with the name of its column before each value.
    fn records(&self) -> String {
        let Some((header, rows)) = self.rows.split_first() else { return String::new() };
        let record = |row: &Vec<String>| {
            let cells = row.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
            let cells = cells.map(|(column, cell)| match header.get(column) {
                Some(name) if !name.is_empty() => format!("{name}: {cell}"),
                _ => cell.clone(),
            });
            format!("- {}", cells.collect::<Vec<_>>().join("; "))
        };
        let is_named_only = |column: &usize| {
            !header[*column].is_empty()
                && rows.iter().all(|row| row.get(*column).is_none_or(String::is_empty))
        };
        let unused: Vec<&str> =
            (0..header.len()).filter(is_named_only).map(|column| &*header[column]).collect();
        let unused = (!unused.is_empty())
            .then(|| format!("- Columns without values: {}", unused.join("; ")));
        unused.into_iter().chain(rows.iter().map(record)).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(rows: &[&[&str]]) -> String {
        let rows = rows.iter().map(|row| row.iter().map(ToString::to_string).collect());
        match (Table { rows: rows.collect() }).into_text() {
            TableText::Block(text) => text,
            TableText::Paragraphs(paragraphs) => paragraphs.join("\n\n"),
        }
    }

    #[test]
    fn a_table_is_a_grid_without_its_empty_rows_and_columns() {
        let text = markdown(&[&["Name", "", "Age"], &["", "", ""], &["A|b", "", "3\n6"], &["C"]]);
        assert_eq!(text, "| Name | Age |\n| --- | --- |\n| A\\|b | 3 6 |\n| C |  |\n");
        assert_eq!(markdown(&[&["", ""]]), "");
    }

    #[test]
    fn a_wide_table_is_a_list_of_records_with_their_column_names() {
        let names: Vec<String> = (0..13).map(|column| format!("c{column}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = markdown(&[&names, &["x", "", "y"], &names]);
        assert!(text.starts_with("- c0: x; c2: y\n- c0: c0; c1: c1;"), "{text}");
    }

    #[test]
    fn records_keep_the_names_of_columns_that_no_record_has() {
        let names: Vec<String> = (0..13).map(|column| format!("c{column}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut row = names.clone();
        row[3] = "";
        row.pop();
        let text = markdown(&[&names, &row]);
        assert!(text.starts_with("- Columns without values: c3; c12\n- c0: c0;"), "{text}");
    }

    #[test]
    fn a_table_of_one_column_is_its_paragraphs() {
        assert_eq!(markdown(&[&["One"], &["Two"]]), "One\n\nTwo");
    }
}
