"""A module for each format: `read(path)` returns its Reference."""

from . import epub, mail, opendocument, pdf, rtf, sheet, slides, word

READERS = {
    ".pdf": pdf.read,
    ".docx": word.read,
    ".pptx": slides.read,
    ".odt": opendocument.read,
    ".odp": opendocument.read,
    ".ods": opendocument.read,
    ".epub": epub.read,
    ".rtf": rtf.read,
    ".eml": mail.read_message,
    ".mbox": mail.read_mailbox,
    ".xlsx": sheet.read_xlsx,
    ".xls": sheet.read_xls,
}
