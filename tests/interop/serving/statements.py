"""The statements that a server executes in a database."""

import asyncio
import time

import psycopg


def count(url, condition):
    """Returns the number of other sessions of the database that fulfil a condition."""
    with psycopg.connect(url) as connection:
        sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        return connection.execute(f"{sql} AND {condition}").fetchone()[0]


def active(url):
    """Returns the number of statements that other sessions execute."""
    return count(url, "state = 'active'")


def waiting(url):
    """Returns the number of statements that wait for a lock."""
    return count(url, "wait_event_type = 'Lock'")


def until(condition, seconds=20):
    """Waits until a condition is true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


async def until_async(condition):
    """Waits until a condition is true, while other tasks run."""
    await asyncio.to_thread(until, condition)
