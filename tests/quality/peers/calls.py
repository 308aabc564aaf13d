"""Compares a call of `search` with one of the retrievers of LangChain and LlamaIndex, and prints a table in Markdown.

    calls.py [OPTION...]      the options of measure.py; the set is tests/quality by default

`ground/bench/peers calls` calls it with the variables of measure.py and SUPERUSER_URL. Every framework has a process with
its own packages. In each round every method asks all questions, in an order that is turned from round to round, so other
load on the machine affects all. The first round fills caches, and does not count.
"""

import contextlib
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

import psycopg
from llama_index.core.utils import get_tokenizer

import measure
import options
import sets

ROUNDS = 15
OURS = "`search`"
# The share of the machine's processor time that others may use, and the spread of a ratio, before a row is noisy.
MAX_OTHERS, MAX_SPREAD = 0.1, 0.25
# Statements that only begin or end a transaction, or set a variable.
AROUND = re.compile(r"\s*(BEGIN|COMMIT|ROLLBACK|SET|SHOW)\b", re.I)


class Worker:
    """A process of worker.py, and the methods that it has."""

    def __init__(self, name, address, arguments):
        environment = {**os.environ, "PYTHONPATH": os.environ[measure.PACKAGES[name]], "EMBEDDINGS_URL": address}
        command = [sys.executable, measure.HERE / "worker.py", name, *arguments]
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.methods = self.read()

    def read(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else sys.exit("peers: a worker failed")

    def ask(self, method):
        print(method, file=self.process.stdin, flush=True)
        return self.read()


class Server:
    """What the server does for a method."""

    def __init__(self, url):
        self.connection = psycopg.connect(url, autocommit=True)
        self.connection.execute("SET log_statement = 'none'")

    def index(self):
        """Adds an HNSW index to every table of the frameworks, which have none by default, as the store of pg_passage has one."""
        find = """SELECT attrelid::regclass, attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
            WHERE atttypid = 'vector'::regtype AND relkind = 'r' AND relname ~ '(langchain|llamaindex)_'"""
        for table, column in self.connection.execute(find).fetchall():
            self.connection.execute(f"CREATE INDEX ON {table} USING hnsw ({column} vector_cosine_ops)")
        self.connection.execute("VACUUM ANALYZE")

    def log(self, value):
        self.connection.execute(f"ALTER SYSTEM SET log_statement = '{value}'")
        self.connection.execute("SELECT pg_reload_conf()")
        time.sleep(1)
        return self.connection.execute("SELECT pg_read_file(current_setting('unix_socket_directories') || '/log')").fetchone()[0]

    @contextlib.contextmanager
    def statements(self):
        """Yields a list that has the statements of other sessions at the end."""
        found, before = [], len(self.log("all"))
        yield found
        found += re.findall(r"LOG:  (?:statement|execute [^:]*): (.*)", self.log("none")[before:])

    def processes(self, user):
        """Returns the processes of the sessions of a user."""
        return [pid for (pid,) in self.connection.execute("SELECT pid FROM pg_stat_activity WHERE usename = %s", (user,))]


def numbers(path):
    """Returns the first line of a file of the kernel, without the name of a processor or program."""
    line = pathlib.Path(path).read_text().split("\n", 1)[0]
    return [int(field) for field in re.split(r"\) . |cpu ", line)[-1].split()]


def seconds(processes):
    """Returns the processor time of sessions, exactly."""
    return sum(numbers(f"/proc/{process}/schedstat")[0] for process in processes) / 1e9


def machine(processes):
    """Returns the processor time of the whole machine, and how much of it others than these processes used."""
    everything = numbers("/proc/stat")[:8]
    idle = everything[3] + everything[4]
    own = sum(sum(numbers(f"/proc/{process}/stat")[10:12]) for process in processes)
    return sum(everything), sum(everything) - idle - own


class Method:
    """The figures of a method, a list for each of its rounds."""

    def __init__(self, worker, name):
        self.worker, self.name = worker, name
        self.medians, self.server, self.client, self.machine = [], [], [], []

    def count(self, server, data, encode):
        """Counts the statements of a round, and the tokens and complete answers of its results."""
        with server.statements() as found:
            results = self.worker.ask(self.name)["results"]
        around = sum(bool(AROUND.match(statement)) for statement in found)
        self.statements = [number / len(results) for number in (len(found) - around, around)]
        texts = ("\n".join(data.text(*place) for place in result) for result in results)
        self.tokens = statistics.mean(len(encode(text)) for text in texts)
        self.complete = statistics.mean(data.is_answered(number, result) for number, result in enumerate(results))

    def measure(self, server):
        sessions = server.processes("owner")
        own = [os.getpid(), self.worker.process.pid, *sessions, *server.processes("postgres")]
        (everything, others), used = machine(own), seconds(sessions)
        round = self.worker.ask(self.name)
        self.server.append((seconds(sessions) - used) / len(round["seconds"]) * 1e3)
        self.client.append(round["processor"] / len(round["seconds"]) * 1e3)
        self.medians.append(statistics.median(round["seconds"]) * 1e3)
        self.machine.append([after - before for after, before in zip(machine(own), (everything, others))])

    def row(self, ours):
        """Returns the cells of the method, and the reasons for which it may be noisy."""
        low, ratio, high = statistics.quantiles([one / other for one, other in zip(self.medians, ours.medians)], n=4)
        first, middle, third = statistics.quantiles(self.medians, n=4)
        everything, others = (sum(part) for part in zip(*self.machine))
        others /= everything
        noisy = {
            "others used more than a tenth of the machine": others > MAX_OTHERS,
            "the quartiles are more than a quarter of the ratio apart": high - low > MAX_SPREAD * ratio,
        }
        queries, around = self.statements
        return [
            self.name,
            f"{queries:.1f} + {around:.1f}",
            f"{middle:.1f} ({first:.1f} to {third:.1f})",
            "" if self is ours else f"{ratio:.2f} ({low:.2f} to {high:.2f})",
            f"{statistics.median(self.server):.1f} + {statistics.median(self.client):.1f}",
            f"{self.tokens:.0f}",
            f"{self.complete:.3f}".removeprefix("0"),
            f"{others * 100:.0f} %",
        ], noisy


HEAD = ["method", "statements", "ms (quartiles)", f"ratio to {OURS}", "processor ms", "tokens", "complete", "others"]


def main(*arguments):
    if not {"--data", "--set"} & set(arguments):
        arguments = [*arguments, "--set", "tests/quality"]
    given = options.parse(arguments)
    url = os.environ["DATABASE_URL"]
    data, *others = sets.read(given.data, given.set, given.questions)
    if others:
        sys.exit("peers: several sets: name one with --set")
    measure.load(url, data)
    server, encode = Server(os.environ["SUPERUSER_URL"]), get_tokenizer()
    with measure.servers.serving(url, "serve", "--listen", "127.0.0.1:0", "--store", data.store, "--timeout", "600") as address:
        workers = [Worker(name, address, arguments) for name in measure.PACKAGES]
    server.index()
    methods = [Method(worker, name) for worker in workers for name in worker.methods]
    for method in methods:
        method.count(server, data, encode)
    for number in range(ROUNDS):
        turn = number % len(methods)
        for method in methods[turn:] + methods[:turn]:
            method.measure(server)
        print(f"peers: round {number + 1} of {ROUNDS}", file=sys.stderr, flush=True)
    ours = next(method for method in methods if method.name == OURS)
    rows = [method.row(ours) for method in methods]
    print(f"{datetime.date.today()}, {len(data.questions)} questions of {data.name}, {ROUNDS} rounds\n")
    for cells in [HEAD, ["---"] * len(HEAD)] + [cells for cells, _ in rows]:
        print("|", " | ".join(cells), "|")
    print()
    for reason in rows[0][1]:
        if names := [cells[0] for cells, noisy in rows if noisy[reason]]:
            print(f"- noisy: {reason}: {'all rows' if len(names) == len(rows) else '; '.join(names)}")
    for worker in workers:
        worker.process.stdin.close()
        worker.process.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
