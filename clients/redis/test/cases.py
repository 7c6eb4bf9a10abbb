# SPDX-License-Identifier: MIT
"""What wheel_expire promises, each a test on a server of its own."""

import time

from redis import Server

module = None


def listening(server, events="Ex"):
    """A connection that hears of keyspace events of all databases."""
    client = server.client()
    client("CONFIG", "SET", "notify-keyspace-events", events)
    client.send("PSUBSCRIBE", "__key*__:*")
    client.answer()
    return client


def expired(listener):
    """The next key that expires, and when we heard of it."""
    _, _, _, key = listener.answer()
    return key, time.time() * 1000


def test_key_expires_without_being_looked_at():
    # Redis itself has no reason to look at one of so many.
    with Server(module=module) as server:
        client, listener = server.client(), listening(server)
        client("DEBUG", "SET-ACTIVE-EXPIRE", "1")
        client("DEBUG", "POPULATE", 100000)
        due = client.now_ms() + 300
        client("SET", "mine", "1", "PXAT", due)
        key, heard = expired(listener)
        assert key == "mine", key
        assert heard > due, (heard, due)
        assert client("DBSIZE") == 100000
        assert client.info("wheel_expire")["wheel_expire_expired"] == 1
