# SPDX-License-Identifier: MIT
"""Access control: the users of a Unix socket, and TLS through stunnel."""
import contextlib
import os
import pwd
import re
import shutil
import subprocess

import harness
import ktap
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


def make_certificate(directory, name, host, issuer=None):
    """NAME.pem has a certificate and its key. Without an issuer, it is that of a CA."""
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
             "-subj", f"/CN={host}", "-keyout", f"{name}.key", "-out", f"{name}.pem"]
    if issuer:
        words += ["-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key",
                  "-addext", f"subjectAltName=DNS:{host}", "-addext", "basicConstraints=CA:FALSE"]
    subprocess.run(words, check=True, cwd=directory, stderr=subprocess.DEVNULL)
    with open(f"{directory}/{name}.key", encoding="ascii") as key, \
         open(f"{directory}/{name}.pem", "a", encoding="ascii") as both:
        both.write(key.read())


@contextlib.contextmanager
def tunnel(directory, recipe, **replaced):
    """Run stunnel with a recipe of the manual, with other paths, ports and addresses."""
    port = harness.free_port()
    recipe = recipe.replace("/etc/stunnel", directory)
    replaced["accept"] = f"127.0.0.1:{port}"
    for name, value in replaced.items():
        recipe = re.sub(rf"(?m)^{name} = .*$", f"{name} = {value}", recipe)
    with subprocess.Popen(["stunnel", "-fd", "0"], stdin=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        process.stdin.write(f"foreground = yes\npid =\n{recipe}\n".encode())
        process.stdin.close()
        try:
            harness.until(lambda: is_open(port) or process.poll() is not None)
            yield port
        finally:
            process.kill()


def is_open(port):
    with contextlib.suppress(ConnectionRefusedError):
        harness.Client(port).close()
        return True
    return False


def access_by_certificate():
    """The recipes of the manual. A client whose certificate is of another CA gets no response, nor
    does one whose server has another name."""
    if not shutil.which("stunnel"):
        raise ktap.Skip("stunnel is not installed")
    with open(os.path.join(harness.ROOM, "wheelq.8"), encoding="ascii") as manual:
        ours, theirs = re.findall(r"(?s)\.nf\n(\[wheelq\].*?)\.fi", manual.read())
    with harness.Server() as server:
        directory = server.directory
        for name, host, issuer in (("ca", "ca", None), ("stranger", "stranger", None),
                                   ("server", "queue.example", "ca"),
                                   ("client", "worker.example", "ca"),
                                   ("other", "worker.example", "stranger")):
            make_certificate(directory, name, host, issuer)
        with tunnel(directory, ours, connect=f"127.0.0.1:{server.port}") as port:
            for served, changes in ((True, {}), (False, {"cert": f"{directory}/other.pem"}),
                                    (False, {"checkHost": "another.example"})):
                with tunnel(directory, theirs, connect=f"127.0.0.1:{port}", **changes) as local:
                    client = harness.Client(local)
                    try:
                        assert client.put(b"x") and served
                    except (harness.Gone, OSError):
                        assert not served
        assert server.client().stats()["total-jobs"] == "1"


TESTS = ktap.named(globals(), "access_")
