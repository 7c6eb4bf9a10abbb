# SPDX-License-Identifier: MIT
"""A redis-server of our own in a folder of its own, and a client of it."""

import os
import random
import shutil
import socket
import subprocess
import tempfile
import time


# A server that is silent for so long says nothing any more.
PATIENCE_S = 60


def own_address():
    """An address of this machine at which nobody else is: a free port is soon another's."""
    return ".".join(["127"] + [str(random.randint(1, 254)) for _ in range(3)])


class Refused(Exception):
    """The server answered with an error."""


class Client:
    """A connection: call it with a command, and it returns the answer."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(path)
        self.input = self.socket.makefile("rb")

    def __call__(self, *command):
        self.send(*command)
        return self.answer()

    def send(self, *command):
        self.socket.sendall(pack(*command))

    def answer(self):
        """The next answer or message of the server; waits for it."""
        kind, rest = self._line()
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            raise Refused(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return self._bulk(int(rest))
        if kind == b"*":
            return [self.answer() for _ in range(int(rest))]
        raise ValueError(kind + rest)

    def _line(self):
        line = self.input.readline()
        if not line:
            raise EOFError("the server closed the connection")
        return line[:1], line[1:-2]

    def _bulk(self, length):
        if length < 0:
            return None
        return self.input.read(length + 2)[:-2].decode(errors="surrogateescape")

    def many(self, commands, at_once=1000):
        """Answers of many commands, a thousand under way at a time."""
        answers = []
        for begin in range(0, len(commands), at_once):
            part = commands[begin:begin + at_once]
            self.socket.sendall(b"".join(pack(*command) for command in part))
            answers += [self.answer() for _ in part]
        return answers

    def info(self, section):
        """INFO's fields of a section, numbers as numbers."""
        pairs = (line.split(":", 1) for line in self("INFO", section).splitlines()
                 if ":" in line)
        return {name: int(value) if value.isdigit() else value
                for name, value in pairs}

    def now_ms(self):
        seconds, micros = self("TIME")
        return int(seconds) * 1000 + int(micros) // 1000

    def close(self):
        self.input.close()
        self.socket.close()


def pack(*words):
    """A command as it goes over the wire."""
    words = [word if isinstance(word, bytes) else str(word).encode()
             for word in words]
    return b"*%d\r\n" % len(words) + b"".join(
        b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


class Server:
    """A redis-server on a socket in a scratch folder; with it stops, too.

    @under is a command that runs it, valgrind with its options for example.
    """

    def __init__(self, *options, module=None, environment=None, under=()):
        self.folder = tempfile.mkdtemp(prefix="wheel-redis.")
        self.path = os.path.join(self.folder, "socket")
        self.log = os.path.join(self.folder, "log")
        self.options = ["--save", "", "--enable-debug-command", "yes",
                        "--enable-module-command", "yes"]
        if module:
            self.options += ["--loadmodule", os.path.abspath(module)]
        self.options += [str(option) for option in options]
        self.environment = dict(os.environ, **(environment or {}))
        self.under = under
        self.process = None

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder)

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*self.under, "redis-server", "--dir", self.folder, "--port", "0",
                 "--unixsocket", self.path, *self.options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.folder, env=self.environment)
        while self.process.poll() is None:
            try:
                client = self.client()
            except OSError:
                time.sleep(0.01)
                continue
            self.wait_loaded(client)
            return
        raise RuntimeError("redis-server did not start:\n" + self.said())

    @staticmethod
    def wait_loaded(client):
        while client.info("persistence")["loading"]:
            time.sleep(0.01)
        client.close()

    def stop(self):
        """Ends it; how it ended."""
        if self.process is None:
            return None
        self.process.terminate()
        status = self.process.wait()
        self.process = None
        return status

    def client(self):
        return Client(self.path)

    def said(self):
        """Its log."""
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()
