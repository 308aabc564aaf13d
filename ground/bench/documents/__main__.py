"""Compares the Markdown of real documents with what other programs know of them, and the time with that of pdftotext.

    python3 ground/bench/documents FOLDER [--list] [--markdown FOLDER]

For each format, on both halves of the documents (by a checksum of their names, so that a rule can be tuned on one half):

- missing: the share of characters of the format's own text that the Markdown lacks, page by page for PDF; words: the share
  of characters in words that it lacks as such, for example because both divide a formula differently. Headers, footers and
  numbers of pages, tables of contents and the like are left out on purpose and do not count.
- headings: the share of headings (bookmarks of PDF, styles, titles of slides, names of sheets, subjects) that are
  headings of the Markdown; levels: the share of neighbors among these that have the same step up or down; others: headings
  of the Markdown that the format does not have
- order: the share of three words in a row, unique in both texts, that keep their order
- pages per second of both programs in a process that is started, the best of three runs

`--list` prints each document with more than 1 % missing, less than 90 % of its headings or less than 98 % in order.
It needs pdftotext (Debian: poppler-utils) and the Python packages pypdf, striprtf, openpyxl and xlrd.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from compare import compare
from formats import READERS

ROOT = pathlib.Path(__file__).resolve().parents[3]
# A document with less text says little about a converter.
LEAST = 60
MEASURED = ("size", "missing", "in_words", "ordered", "matched", "headings", "found", "levels", "level_pairs")


def converter():
    """Builds the example that converts documents, and returns its path."""
    build = ["cargo", "build", "--quiet", "--release", "-p", "passage-office", "--features", "convert", "--example", "markdown"]
    subprocess.run(build, cwd=ROOT, check=True)
    arguments = ["cargo", "metadata", "--format-version", "1", "--no-deps"]
    metadata = subprocess.run(arguments, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return pathlib.Path(re.search(r'"target_directory":"([^"]+)"', metadata)[1]) / "release/examples/markdown"


def seconds(arguments, runs=3):
    """Returns the shortest time of a program."""
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        times.append(time.perf_counter() - begun)
    return min(times)


def speeds(path, program, start):
    """Returns the pages of a PDF, and the seconds of the client and of pdftotext without the starts of their processes."""
    done = subprocess.run([program, *[path] * 3], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    runs = re.findall(r"(\d+) pages, .* (\d+\.\d+) seconds$", done.stderr, re.MULTILINE)
    ours = min((float(time) for _, time in runs), default=0)
    return int(runs[0][0]) if runs else 0, ours, max(seconds(["pdftotext", path, "/dev/null"]) - start, 0)


def percent(part, whole, decimals=1):
    return f"{part / whole:.{decimals}%}" if whole else "-"


def line(sums):
    columns = [
        f"{sums['documents']:5}",
        f"{sums['failed']:4}",
        f"{sums['over']:5}",
        f"{percent(sums['missing'], sums['size'], 2):>8}",
        f"{percent(sums['in_words'], sums['size'], 2):>7}",
        f"{sums['headings']:6}",
        f"{percent(sums['found'], sums['headings']):>7}",
        f"{percent(sums['levels'], sums['level_pairs']):>7}",
        f"{sums['others']:7}",
        f"{percent(sums['ordered'], sums['matched'], 2):>8}",
    ]
    if sums["pages"]:
        columns += [f"{sums['pages']:6} pages,", f"{sums['pages'] / sums['ours']:.0f} a second, pdftotext {sums['pages'] / sums['theirs']:.0f}"]
    return " ".join(columns)


def main():
    """Prints the comparison for the documents of a folder."""
    parser = argparse.ArgumentParser(description="Compares the Markdown of real documents with what other programs know of them.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="print the documents that fall short")
    parser.add_argument("--no-speed", action="store_true", help="measure no time")
    parser.add_argument("--only", default="", help="a format, such as .pdf")
    parser.add_argument("--markdown", type=pathlib.Path, help="a folder for the Markdown")
    options = parser.parse_args()
    program = converter()
    start = seconds(["pdftotext", "-v"], 10)
    table = collections.defaultdict(collections.Counter)
    for path in sorted(options.folder.rglob("*")):
        if path.suffix not in READERS or options.only not in ("", path.suffix):
            continue
        half = "AB"[zlib.crc32(path.name.encode()) % 2]
        rows = [table[path.suffix, name] for name in (half, "all")]
        try:
            reference = READERS[path.suffix](path)
        except Exception as error:
            # Damaged and encrypted documents have no reference.
            if options.list:
                print(f"{path.name}: no reference: {type(error).__name__}")
            continue
        if len(reference.text.strip()) < LEAST:
            continue
        done = subprocess.run([program, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=300)
        markdown = done.stdout.decode()
        if not markdown.strip():
            for row in rows:
                row["failed"] += 1
            if options.list:
                print(f"{half} {path.name}: {done.stderr.decode().strip().partition(str(path))[2]}")
            continue
        if options.markdown:
            options.markdown.mkdir(parents=True, exist_ok=True)
            (options.markdown / f"{path.name}.md").write_text(markdown)
        measured = compare(reference, markdown)
        is_over = measured.missing > 0.01 * measured.size
        pages, ours, theirs = speeds(path, program, start) if path.suffix == ".pdf" and not options.no_speed else (0, 0, 0)
        for row in rows:
            row.update({name: getattr(measured, name) for name in MEASURED})
            row.update(documents=1, over=int(is_over), others=len(measured.others), pages=pages, ours=ours, theirs=theirs)
        is_short = measured.found < 0.9 * measured.headings or measured.ordered < 0.98 * measured.matched
        if options.list and (is_over or is_short):
            print(
                f"{half} {path.name}: {percent(measured.missing, measured.size, 2)} of {measured.size} missing,",
                f"{measured.found} of {measured.headings} headings and {len(measured.others)} others,",
                f"{percent(measured.ordered, measured.matched, 2)} in order",
            )
            if is_over:
                print("    missing:", *(f"{word}*{count}" for word, count in measured.words.most_common(12)))
            if measured.lost:
                print("    lost:", " | ".join(" ".join(title.split())[:50] for title in measured.lost[:6]))
            if measured.found < 0.9 * measured.headings and measured.others:
                print("    others:", " | ".join(title[:50] for title in measured.others[:6]))
    print("format half   n fail >1 % missing   words headings found levels others   order")
    for suffix, half in sorted(table):
        print(f"{suffix[1:]:5} {half:4}", line(table[suffix, half]))


main()
