//! Excel: each sheet is a section, and its rows are tables, apart at empty rows.

use super::markdown::{Markdown, escaped};
use super::package::Package;
use super::table::Table;
use super::{ConvertError, Converted, Limits};
use calamine::{Data, Dimensions, ExcelDateTime, Reader, Xls, Xlsx};
use cfb::{CompoundFile, Version};
use passage_split::Place;
use std::collections::BTreeMap;
use std::io::{self, Cursor};

/// The maximum number of cells of a sheet that are read, also those that a merged cell covers.
const MAX_CELLS: usize = 4_000_000;

/// The cells of a sheet that have a value, by row and column.
type Cells = BTreeMap<(u32, u32), String>;

/// Converts a workbook of Office Open XML. Only cells with a value are read: one in the last row costs no memory for
/// those before it.
pub(super) fn convert_xlsx(bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    let mut package = Package::open(bytes, limits)?;
    package.check_size()?;
    let title = package.core_title();
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(ConvertError::damaged)?;
    let mut markdown = Markdown::new(limits);
    for name in workbook.sheet_names() {
        let mut cells = Cells::new();
        let merged = workbook.merge_cells_by_sheet_name(&name).unwrap_or_default();
        // A sheet of a chart has no cells.
        let Ok(mut reader) = workbook.worksheet_cells_reader(&name) else { continue };
        while let Some(cell) = reader.next_cell().map_err(ConvertError::damaged)? {
            add(&mut cells, cell.get_position(), value(&Data::from(cell.get_value().clone())))?;
        }
        drop(reader);
        fill(&mut cells, &merged, limits)?;
        write(&name, cells, &mut markdown)?;
    }
    Ok(markdown.finish(title))
}

/// Converts a workbook of Excel up to version 2003. Such a sheet has at most 65,536 rows of 256 columns.
pub(super) fn convert_xls(bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    let bytes = workbook_alone(bytes).map_err(ConvertError::damaged)?;
    let mut workbook: Xls<_> = Xls::new(Cursor::new(bytes)).map_err(|error| match error {
        calamine::XlsError::Password => ConvertError::Encrypted,
        error => ConvertError::damaged(error),
    })?;
    let mut markdown = Markdown::new(limits);
    for name in workbook.sheet_names() {
        let Ok(range) = workbook.worksheet_range(&name) else { continue };
        let (first_row, first_column) = range.start().unwrap_or_default();
        let mut cells = Cells::new();
        for (row, column, data) in range.used_cells() {
            add(&mut cells, (first_row + row as u32, first_column + column as u32), value(data))?;
        }
        let merged = workbook.merge_cells_by_sheet_name(&name).unwrap_or_default();
        fill(&mut cells, &merged, limits)?;
        write(&name, cells, &mut markdown)?;
    }
    Ok(markdown.finish(None))
}

/// Returns a compound file with the workbook of another one.
///
/// calamine follows the sectors of a file even in a circle, until no memory is left. The crate cfb refuses circles.
fn workbook_alone(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut file = CompoundFile::open(Cursor::new(bytes))?;
    // The name of version 95 is `Book`.
    let name = if file.is_stream("Workbook") { "Workbook" } else { "Book" };
    let mut alone = CompoundFile::create_with_version(Version::V3, Cursor::new(Vec::new()))?;
    io::copy(&mut file.open_stream(name)?, &mut alone.create_stream(name)?)?;
    alone.flush()?;
    Ok(alone.into_inner().into_inner())
}

fn add(cells: &mut Cells, position: (u32, u32), text: String) -> Result<(), ConvertError> {
    if !text.is_empty() {
        cells.insert(position, text);
    }
    if cells.len() > MAX_CELLS {
        return Err(ConvertError::TooLarge(format!("a sheet has more than {MAX_CELLS} cells")));
    }
    Ok(())
}

/// Gives each cell that a merged one covers its value.
fn fill(cells: &mut Cells, merged: &[Dimensions], limits: Limits) -> Result<(), ConvertError> {
    let mut bytes = 0;
    for area in merged {
        let Some(text) = cells.get(&area.start).cloned() else { continue };
        // A title over all columns stays one cell, and a background of a million rows is not text.
        let rows = area.start.0..=area.end.0.min(area.start.0.saturating_add(1_000));
        for row in rows {
            for column in area.start.1..=area.end.1.min(area.start.1.saturating_add(64)) {
                bytes += text.len();
                limits.check_text(bytes)?;
                add(cells, (row, column), text.clone())?;
            }
        }
    }
    Ok(())
}

fn write(name: &str, cells: Cells, markdown: &mut Markdown) -> Result<(), ConvertError> {
    if cells.is_empty() {
        return Ok(());
    }
    markdown.begin(Place::Sheet(name.to_owned()))?;
    markdown.heading(1, &escaped(name))?;
    let mut columns: Vec<u32> = cells.keys().map(|(_, column)| *column).collect();
    columns.sort_unstable();
    columns.dedup();
    let (mut rows, mut last) = (Vec::new(), None);
    for ((row, column), text) in cells {
        match last {
            Some(last) if last == row => {}
            Some(last) if last + 1 == row => rows.push(vec![String::new(); columns.len()]),
            Some(_) => rows.extend(vec![vec![String::new(); columns.len()]; 2]),
            None => rows.push(vec![String::new(); columns.len()]),
        }
        last = Some(row);
        let column = columns.binary_search(&column).expect("each column is listed");
        rows.last_mut().expect("each row is pushed")[column] = escaped(&text);
    }
    Table { rows }.apart().into_iter().try_for_each(|table| markdown.table(table))
}

/// Returns a value as text: numbers without a decimal point if they are whole, and dates in ISO 8601.
fn value(data: &Data) -> String {
    match data {
        Data::Empty => String::new(),
        Data::Float(number) => number.to_string(),
        Data::DateTime(day) => date_text(*day),
        other => other.to_string(),
    }
}

fn date_text(date: ExcelDateTime) -> String {
    if !date.is_datetime() {
        return date.to_string();
    }
    let (year, month, day, hour, minute, second, _) = date.to_ymd_hms_milli();
    let day = format!("{year:04}-{month:02}-{day:02}");
    let time = format!("{hour:02}:{minute:02}:{second:02}");
    match (date.as_f64() < 1.0, (hour, minute, second) == (0, 0, 0)) {
        (true, _) => time,
        (_, true) => day,
        _ => format!("{day} {time}"),
    }
}
