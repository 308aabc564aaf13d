"""The wheel and the archive of the source are as PyPI takes them.

`ground/check/interop` builds both into the folder of PACKAGES, and installs the wheel: the other tests use it.
"""

import email
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import zipfile

import documents
import pytest

import pg_passage

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parents[1]
FOLDER = pathlib.Path(os.environ["PACKAGES"])
VERSION = re.search(r"default_version = '(.*)'", (ROOT / "extension/pg_passage.control").read_text())[1]
MODULES = {path.name for path in (PACKAGE / "src/pg_passage").iterdir() if path.is_file()}


def wheel():
    """Returns the only wheel, as a dict from name to bytes."""
    (path,) = FOLDER.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def source():
    """Returns the only archive of the source, as a dict from name to bytes."""
    (path,) = FOLDER.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        return {member.name.split("/", 1)[1]: archive.extractfile(member).read() for member in archive if member.isfile()}


@pytest.fixture(scope="module")
def metadata():
    return email.message_from_bytes(wheel()[f"pg_passage-{VERSION}.dist-info/METADATA"])


def test_twine_accepts_both_archives():
    files = [path for path in FOLDER.iterdir() if path.suffix in (".whl", ".gz")]
    assert len(files) == 2

    done = subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *files], capture_output=True, text=True)

    assert done.returncode == 0 and done.stdout.count("PASSED") == 2, done.stdout + done.stderr


def test_the_wheel_has_the_modules_the_marker_of_types_and_the_license():
    names = set(wheel())

    assert {name.removeprefix("pg_passage/") for name in names if name.startswith("pg_passage/")} == MODULES
    assert "py.typed" in MODULES
    assert wheel()[f"pg_passage-{VERSION}.dist-info/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()


def test_pip_installs_the_package_from_a_checkout(tmp_path):
    # Without isolation, since this would download flit_core: PACKAGING has it.
    options = ["--no-index", "--no-deps", "--no-build-isolation", "--target", tmp_path]
    done = subprocess.run([sys.executable, "-m", "pip", "install", *options, PACKAGE], capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert {path.name for path in (tmp_path / "pg_passage").iterdir() if path.is_file()} == MODULES


def test_the_archive_of_the_source_builds_the_same_wheel(tmp_path):
    for name, text in source().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    build = "import sys; from flit_core import buildapi; print(buildapi.build_wheel(sys.argv[1]))"

    done = subprocess.run([sys.executable, "-c", build, tmp_path], cwd=tmp_path, capture_output=True, text=True, check=True)

    with zipfile.ZipFile(tmp_path / done.stdout.strip()) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == wheel()


def test_the_metadata_names_license_authors_keywords_and_addresses(metadata):
    assert metadata["Name"] == "pg-passage" and metadata["Version"] == VERSION == pg_passage.__version__
    assert metadata["License-Expression"] == "Apache-2.0" and metadata["License-File"] == "LICENSE"
    # A license is an expression or a classifier: PyPI rejects both.
    assert not [line for line in metadata.get_all("Classifier") if line.startswith("License ::")]
    assert "Typing :: Typed" in metadata.get_all("Classifier")
    assert metadata["Author"] and metadata["Keywords"] and metadata["Summary"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    urls = dict(line.split(", ") for line in metadata.get_all("Project-URL"))
    assert set(urls) == {"Homepage", "Documentation", "Changelog", "Issues"}
    assert urls["Changelog"].endswith(f"/v{VERSION}/CHANGELOG.md")


def test_each_link_of_the_readme_is_an_address_of_a_file_of_the_release(metadata):
    links = re.findall(r"\]\((.*?)\)", metadata.get_payload())
    release = dict(line.split(", ") for line in metadata.get_all("Project-URL"))["Homepage"] + f"/blob/v{VERSION}/"

    assert links
    for link in links:
        assert link.startswith(release) and (ROOT / link.removeprefix(release).split("#")[0]).is_file(), link


def check_types(path):
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file", PACKAGE / "pyproject.toml", path]
    return subprocess.run(command, capture_output=True, text=True).stdout


def test_the_examples_of_the_readme_have_types(tmp_path):
    (tmp_path / "readme.py").write_text("".join(documents.readme_blocks()))

    assert check_types(tmp_path / "readme.py").startswith("Success")


def test_a_type_checker_finds_a_wrong_argument(tmp_path):
    (tmp_path / "wrong.py").write_text('from pg_passage import Store\ndef f(s: Store) -> None: s.search("x", filter={"kind": "poem"})\n')

    assert 'Argument "filter" to "search"' in check_types(tmp_path / "wrong.py")
