# SPDX-License-Identifier: MIT
"""Access control: the users of a Unix socket."""
import os
import pwd

import harness
from operation import ask_at, moved_to_a_socket, refusal


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
                (("--allow-user", "0"), "requires --listen unix:PATH"),
                (("--allow-user", "nobody-has-this-name"), "must be a number")):
            said, status = refusal(*options)
            assert wrong in said and status == 2, said


TESTS = [value for name, value in list(globals().items()) if name.startswith("access_")]
