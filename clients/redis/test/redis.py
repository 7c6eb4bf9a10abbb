# SPDX-License-Identifier: MIT
"""A Redis or Valkey server in a temporary directory, and a client."""

import os
import random
import shutil
import socket
import subprocess
import tempfile
import time


# Longest time to wait for a reply.
PATIENCE_S = 60
# Command that starts the server under test.
SERVER = os.environ.get("REDIS_SERVER", "redis-server").split()


def own_address():
    """A random address of this machine: another process may take a free port at any time."""
    return ".".join(["127"] + [str(random.randint(1, 254)) for _ in range(3)])


class ServerError(Exception):
    """The server replied with an error."""


class Client:
    """A connection. A call sends a command, and returns the reply."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        self.socket.connect(path)
        self.input = self.socket.makefile("rb")

    def __call__(self, *command):
        self.send(*command)
        return self.reply()

    def send(self, *command):
        self.socket.sendall(pack(*command))

    def reply(self):
        """Waits for the next reply or message of the server."""
        kind, rest = self._line()
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            raise ServerError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return self._bulk(int(rest))
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
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
        """The replies to many commands, sent in batches."""
        replies = []
        for begin in range(0, len(commands), at_once):
            part = commands[begin:begin + at_once]
            self.socket.sendall(b"".join(pack(*command) for command in part))
            replies += [self.reply() for _ in part]
        return replies

    def info(self, section):
        """The fields of a section of INFO, numbers as integers."""
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
    """A command in the protocol."""
    words = [word if isinstance(word, bytes) else str(word).encode()
             for word in words]
    return b"*%d\r\n" % len(words) + b"".join(
        b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


class Server:
    """A server on a socket in a temporary directory, as a context manager."""

    def __init__(self, *options, module=None, environment=None):
        self.directory = tempfile.mkdtemp(prefix="wheel-redis.")
        self.path = os.path.join(self.directory, "socket")
        self.log = os.path.join(self.directory, "log")
        self.options = ["--save", "", "--enable-debug-command", "yes",
                        "--enable-module-command", "yes"]
        if module:
            self.options += ["--loadmodule", os.path.abspath(module)]
        self.options += [str(option) for option in options]
        self.environment = dict(os.environ, **(environment or {}))
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
        shutil.rmtree(self.directory)

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*SERVER, "--dir", self.directory, "--port", "0",
                 "--unixsocket", self.path, *self.options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.directory, env=self.environment)
        while self.process.poll() is None:
            try:
                client = self.client()
            except OSError:
                time.sleep(0.01)
                continue
            self.wait_loaded(client)
            return
        raise RuntimeError("the server did not start:\n" + self.messages())

    @staticmethod
    def wait_loaded(client):
        try:
            while client.info("persistence")["loading"]:
                time.sleep(0.01)
        except ServerError as error:
            assert "NOAUTH" in str(error), error
        client.close()

    def stop(self):
        """Stops it, and returns the exit status."""
        if self.process is None:
            return None
        self.process.terminate()
        status = self.process.wait()
        self.process = None
        return status

    def client(self):
        return Client(self.path)

    def messages(self):
        """The contents of the log."""
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()
