# SPDX-License-Identifier: MIT
"""Servers and a simple client."""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOM = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("WHEELQ", os.path.join(ROOM, "build", "wheelq"))
# Timeout of all waits, in seconds; so long that it never expires on a busy machine.
PATIENCE = float(os.environ.get("WHEELQ_PATIENCE", "300"))


def free_port():
    with contextlib.closing(socket.socket()) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def until(happened):
    """Wait until @happened returns true."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, "timeout"
        time.sleep(0.01)


class Gone(Exception):
    """The server closed the connection."""


class Client:
    """A connection that sends lines unchanged and returns bodies as bytes."""

    def __init__(self, port, room=None):
        """@room is the size of the receive buffer, in bytes."""
        self.socket = socket.socket()
        self.socket.settimeout(PATIENCE)
        if room:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())

    def line(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise Gone(line)
        return line[:-2].decode()

    def answer(self):
        """Read a response: a line, or (line, body)."""
        line = self.line()
        words = line.split()
        if words[0] not in ("RESERVED", "FOUND", "OK"):
            return line
        size = int(words[-1])
        body = self.file.read(size + 2)
        if len(body) != size + 2:
            raise Gone(line)
        return line, body[:-2]

    def ask(self, text):
        self.send(text + "\r\n")
        return self.answer()

    def put(self, body=b"", pri=0, delay=0, ttr=60):
        """Put a job, and return its id."""
        self.send(f"put {pri} {delay} {ttr} {len(body)}\r\n".encode() +
                  body + b"\r\n")
        answer = self.answer()
        assert answer.startswith("INSERTED "), answer
        return int(answer.split()[1])

    def reserve(self, timeout=None):
        """Return (id, body), or the response if no job was reserved."""
        answer = self.ask("reserve" if timeout is None else
                          f"reserve-with-timeout {timeout}")
        if isinstance(answer, str):
            return answer
        return int(answer[0].split()[1]), answer[1]

    def stats(self, text="stats"):
        answer = self.ask(text)
        if isinstance(answer, str):
            return answer
        pairs = (line.split(": ", 1)
                 for line in answer[1].decode().splitlines()[1:])
        return {key: value.strip('"') for key, value in pairs}

    def close(self):
        self.file.close()
        self.socket.close()


def new_store(directory):
    return os.path.join(directory, "jobs")


class Server:
    """wheelq with its own port and directory."""

    def __init__(self, *options, directory=None, env=None, preexec=None):
        self.directory = directory or tempfile.mkdtemp(prefix="wheelq.")
        self.store = new_store(self.directory)
        self.options = options
        self.env = dict(os.environ, **(env or {}))
        self.preexec = preexec
        self.port = free_port()
        self.process = None
        self.said = b""

    def start(self):
        """Return when it serves. Raises RuntimeError if it fails."""
        return self.launch().serves()

    def launch(self):
        command = [PROGRAM, "--store", self.store, "--port", str(self.port),
                   *self.options]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=self.env,
                                        preexec_fn=self.preexec)
        return self

    def serves(self):
        """Wait until it serves."""
        line = self.process.stdout.readline()
        if not line.startswith(b"wheelq: serves"):
            self.wait()
            raise RuntimeError(self.said.decode())
        return self

    def refusal(self):
        """Start it, which must fail. Return its only line of output."""
        try:
            self.start()
        except RuntimeError as refused:
            lines = str(refused).splitlines()
            assert len(lines) == 1, lines
            return lines[0]
        self.stop()
        raise AssertionError(f"it serves with {self.options}")

    def client(self):
        return Client(self.port)

    def wait(self):
        """Return its exit status, and store its stderr in self.said."""
        self.said = self.process.communicate(timeout=PATIENCE)[1]
        return self.process.returncode

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        return self.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def __enter__(self):
        try:
            return self.start()
        except RuntimeError:
            self.__exit__()
            raise

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
