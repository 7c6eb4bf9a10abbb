# SPDX-License-Identifier: MIT
"""Access control: a token, and the users of a Unix socket."""
import os
import pwd
import urllib.error

import harness
from operation import ask_at, http, moved_to_a_socket, refusal, write

TOKEN = "correct-horse/battery+staple"


def with_token(server):
    """Restart the server with a token."""
    server.stop()
    server.options = ("--token-file", write(server.directory, "token", TOKEN + "\n"))
    return server.start()


def access_needs_the_token():
    with harness.Server() as server:
        client = with_token(server).client()
        for line in ("list-tube-used", "reserve", "peek 1", "stats", "use a", "kick 1",
                     "put 0 0 60 5\r\nstats", "put-key a 0 0 60 5\r\nstats"):
            assert client.ask(line) == "DENIED", line
        assert client.ask("auth " + TOKEN) == "AUTHORIZED"
        assert client.put(b"x") == 1
        assert server.client().ask("peek 1") == "DENIED"


def access_with_a_wrong_token_closes():
    with harness.Server() as server:
        with_token(server)
        for wrong in (TOKEN[:-1], TOKEN + "x", "x" + TOKEN[1:], TOKEN.upper()):
            client = server.client()
            client.send(f"auth {wrong}\r\nput 0 0 60 1\r\nx\r\n")
            assert client.answer() == "DENIED"
            assert client.file.read() == b"", wrong
        client = server.client()
        assert client.ask("auth") == client.ask("auth a b") == "BAD_FORMAT"
        client.ask("auth " + TOKEN)
        assert client.stats()["total-jobs"] == "0"


def access_to_metrics_needs_the_token():
    with harness.Server() as server:
        with_token(server)
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            try:
                raise AssertionError(http(server, "/metrics", headers=headers))
            except urllib.error.HTTPError as error:
                assert error.code == 401
        assert "wheelq_jobs" in http(server, "/metrics",
                                     headers={"Authorization": f"Bearer {TOKEN}"})[1]


def access_of_users():
    me = os.geteuid()
    with harness.Server() as server:
        path = moved_to_a_socket(server)
        for users, served in (([str(me)], True), ([pwd.getpwuid(me).pw_name], True),
                              ([str(me + 1)], False), ([str(me + 1), str(me)], True)):
            server.stop()
            server.options = ("--listen", f"unix:{path}",
                              *(word for user in users for word in ("--allow-user", user)))
            server.start()
            assert ask_at(path, b"list-tube-used\r\n") == \
                (b"USING default\r\n" if served else b"DENIED\r\n"), users


def access_of_nonsense():
    with harness.Server() as server:
        for options, wrong in (
                (("--token-file", os.path.join(server.directory, "none")), "No such file"),
                (("--token-file", write(server.directory, "empty", "")), "no token"),
                (("--token-file", write(server.directory, "blank", "\n")), "1 to 200 characters"),
                (("--token-file", write(server.directory, "long", "x" * 201)), "1 to 200 characters"),
                (("--allow-user", "0"), "requires --listen unix:PATH"),
                (("--allow-user", "nobody-has-this-name"), "must be a number")):
            said, status = refusal(*options)
            assert wrong in said and status == 2, said


TESTS = [value for name, value in list(globals().items()) if name.startswith("access_")]
