"""Commands and servers of the client."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENT = os.environ.get("PASSAGE_CLIENT", "passage")
TOKEN = "0123456789abcdef-token"


def run(url, *arguments, folder=ROOT):
    """Runs a command of the client, and returns its standard output."""
    environment = {**os.environ, "DATABASE_URL": url}
    done = subprocess.run([CLIENT, *arguments], env=environment, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextlib.contextmanager
def started(url, command, *options, **variables):
    """Starts a server on a free port, and yields its process and its address."""
    environment = {**os.environ, "DATABASE_URL": url, **variables}
    process = subprocess.Popen([CLIENT, command, *options], env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stderr.readline()
        address = re.fullmatch(r"listening on (http://\S+)\n", line)
        assert address, line + process.stderr.read()
        yield process, address[1]
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def serving(url, command, *options, **variables):
    """Starts a server on a free port, and yields its address. It must end with exit code 0."""
    with started(url, command, *options, **variables) as (process, address):
        try:
            yield address
        finally:
            process.send_signal(signal.SIGTERM)
            _, rest = process.communicate(timeout=30)
        assert process.returncode == 0, rest
