"""Excel: the values of all cells as openpyxl and xlrd read them. Headings are the names of sheets."""

import datetime
import warnings

import openpyxl
import xlrd

from reference import Reference


def read_xlsx(path):
    warnings.simplefilter("ignore")
    book = openpyxl.load_workbook(path, data_only=True)
    return sheets((sheet.title, sheet.iter_rows(values_only=True)) for sheet in book.worksheets)


def read_xls(path):
    with open("/dev/null", "w", encoding="utf-8") as log:
        book = xlrd.open_workbook(path, logfile=log)

    def value(cell):
        if cell.ctype == xlrd.XL_CELL_DATE and cell.value >= 1:
            return xlrd.xldate_as_datetime(cell.value, book.datemode)
        is_known = cell.ctype not in (xlrd.XL_CELL_ERROR, xlrd.XL_CELL_DATE)
        return bool(cell.value) if cell.ctype == xlrd.XL_CELL_BOOLEAN else cell.value if is_known else None

    rows = ((sheet.name, ([value(cell) for cell in sheet.row(number)] for number in range(sheet.nrows))) for sheet in book.sheets())
    return sheets(rows)


def sheets(rows_by_name):
    texts, headings = [], []
    for name, rows in rows_by_name:
        cells = [text for row in rows for text in map(written, row) if text]
        if cells:
            texts += [name, *cells]
            headings.append((1, name))
    return Reference("\n".join(texts), headings=headings)


def written(value):
    """Returns a value as text. Long fractions are left out, because programs round them differently."""
    if value is None or isinstance(value, datetime.timedelta):
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else ""
    if isinstance(value, datetime.datetime):
        return value.date().isoformat()
    return str(value)
