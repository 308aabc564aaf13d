"""Converters of others by `passage ingest --convert`, as docs/guides/documents.md names them."""

import pathlib
import sys
import zipfile

import psycopg
import pypandoc
import pytest

from servers import run

PACKAGES = pathlib.Path(pypandoc.__file__).parents[1]


@pytest.fixture
def folder(tmp_path):
    """Returns a folder with a Word document and a PDF."""
    document = (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Setup</w:t></w:r></w:p>'
        "<w:p><w:r><w:t>A quorum needs three nodes.</w:t></w:r></w:p></w:body></w:document>"
    )
    styles = (
        '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>'
    )
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    relations = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
    relation = '<Relationship Id="a" Type="{}/{}" Target="{}"/>'
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{word}.document.main+xml"/>'
        f'<Override PartName="/word/styles.xml" ContentType="{word}.styles+xml"/></Types>',
        "_rels/.rels": relations.format(relation.format(office, "officeDocument", "word/document.xml")),
        "word/_rels/document.xml.rels": relations.format(relation.format(office, "styles", "styles.xml")),
        "word/document.xml": document,
        "word/styles.xml": styles,
    }
    with zipfile.ZipFile(tmp_path / "guide.docx", "w") as package:
        for name, text in parts.items():
            package.writestr(name, text)
    (tmp_path / "guide.pdf").write_bytes(pdf("A quorum needs three nodes."))
    return tmp_path


def pdf(text):
    """Returns a PDF of one page."""
    content = f"BT /F 12 Tf 50 700 Td ({text}) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /Resources << /Font << /F 4 0 R >> >> >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
    ]
    file, offsets = "%PDF-1.7\n", []
    for number, text in enumerate(objects, 1):
        offsets.append(len(file))
        file += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    trailer = f"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{len(file)}\n%%EOF\n"
    return f"{file}xref\n0 6\n0000000000 65535 f \n{table}{trailer}".encode()


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (f"{sys.executable} -m markitdown {{}}", ["guide.docx", "guide.pdf"]),
        (f"{pypandoc.get_pandoc_path()} {{}} --to gfm --wrap none", ["guide.docx"]),
    ],
    ids=["markitdown", "pandoc"],
)
def test_a_converter_of_others_makes_the_text_of_a_document(database, folder, monkeypatch, command, names):
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    (folder / "cache").mkdir()
    run(database, "init", "--no-embed")
    for name in names:
        suffix = name.rsplit(".")[-1]
        run(database, "ingest", "--quiet", "--no-embed", "--convert", f"{suffix}={command}", str(folder / name))
    # One text for each document, none of which the client has converted itself.
    assert len(list((folder / "cache/passage/converted").iterdir())) == len(names)
    with psycopg.connect(database) as connection:
        found = connection.execute("SELECT uri, content FROM passage.search('quorum') ORDER BY uri").fetchall()
    assert [pathlib.Path(uri).name for uri, _ in found] == names
    assert "# Setup" in found[0][1]
    assert all("A quorum needs three nodes." in content for _, content in found)
