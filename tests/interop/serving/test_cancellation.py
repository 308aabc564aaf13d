"""Statements end with their callers, after the time limit, and with the server."""

import contextlib
import json
import signal

import psycopg

from http_calls import answer, connect, request, send
from servers import serving, started
from statements import count, until, waiting

SERVE = ["serve", "--no-embed", "--listen", "127.0.0.1:0"]
SEARCH = {"query": "log", "ranking": {"mode": "text"}}


@contextlib.contextmanager
def locked(url):
    """Locks the chunks, and yields the connection."""
    with psycopg.connect(url) as lock:
        lock.execute("LOCK TABLE rag.chunks")
        yield lock


@contextlib.contextmanager
def searching(url, address):
    """Sends a search that waits for a lock, and yields its connection."""
    with connect(address) as client:
        send(client, "/search", json.dumps(SEARCH).encode(), Connection="close")
        until(lambda: waiting(url) == 1)
        yield client


def test_a_request_ends_with_its_caller_and_after_the_time_limit(handbook):
    with serving(handbook, *SERVE, "--timeout", "2") as address, locked(handbook):
        status, late = request(f"{address}/search", SEARCH)
        assert status == 504 and "cancelled" in late["error"]["message"]
        until(lambda: waiting(handbook) == 0)
    with serving(handbook, *SERVE, "--timeout", "60") as address:
        with locked(handbook):
            with searching(handbook, address):
                pass
            until(lambda: waiting(handbook) == 0)
        assert request(f"{address}/search", SEARCH)[0] == 200


def test_an_open_request_is_answered_after_the_signal(handbook):
    with started(handbook, *SERVE, "--timeout", "60") as (server, address):
        with locked(handbook) as lock, searching(handbook, address) as client:
            server.send_signal(signal.SIGTERM)
            until(lambda: not listens(address))
            lock.rollback()
            assert answer(client).startswith(b"HTTP/1.1 200")
        assert server.wait(timeout=30) == 0


def test_the_end_of_the_server_cancels_requests_that_do_not_end(handbook):
    with started(handbook, *SERVE, "--timeout", "60") as (server, address):
        with locked(handbook), searching(handbook, address):
            server.send_signal(signal.SIGTERM)
            assert server.wait(timeout=30) == 0
            until(lambda: waiting(handbook) == 0)


def test_postgresql_ends_the_statement_of_a_server_that_was_killed(handbook):
    with started(handbook, *SERVE, "--timeout", "60") as (server, address):
        with locked(handbook), searching(handbook, address):
            server.kill()
            until(lambda: waiting(handbook) == 0)


def test_postgresql_ends_the_statement_of_a_server_that_hangs(handbook):
    with started(handbook, *SERVE, "--timeout", "1") as (server, address):
        with locked(handbook), connect(address) as client:
            # The server must stop before its own time limit.
            send(client, "/search", json.dumps(SEARCH).encode(), Connection="close")
            until(lambda: waiting(handbook) == 1)
            server.send_signal(signal.SIGSTOP)
            until(lambda: waiting(handbook) == 0)
            # Its connections are still open.
            assert count(handbook, "backend_type = 'client backend' AND state <> 'active'") >= 1
            server.send_signal(signal.SIGCONT)
            assert answer(client).startswith(b"HTTP/1.1 504")


def listens(address):
    try:
        connect(address).close()
    except OSError:
        return False
    return True


def test_a_read_is_repeated_once_if_its_connection_is_lost(handbook):
    terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with serving(handbook, *SERVE) as address, psycopg.connect(handbook, autocommit=True) as admin:
        with locked(handbook) as lock, searching(handbook, address) as client:
            admin.execute(terminate)
            until(lambda: waiting(handbook) == 1)
            lock.rollback()
            assert answer(client).startswith(b"HTTP/1.1 200")
        # Once only: a statement that ends its connection each time is an error.
        with locked(handbook), searching(handbook, address) as client:
            for _ in range(2):
                until(lambda: waiting(handbook) == 1)
                admin.execute(terminate)
            assert answer(client).startswith(b"HTTP/1.1 503")
