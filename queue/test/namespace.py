# SPDX-License-Identifier: MIT
"""A network namespace with a firewall that drops packets."""
import concurrent.futures
import contextlib
import ctypes
import os
import shutil
import socket
import subprocess

import ktap
from wire import Wire

HERE, THERE = "192.0.2.1", "192.0.2.2"
CLONE_NEWNET = 0x40000000


def run(*words):
    subprocess.run(words, check=True, capture_output=True)


def enter(path):
    """Move this thread and its future children. Existing sockets stay in their namespace."""
    with open(path, encoding="ascii") as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")


@contextlib.contextmanager
def another(name):
    try:
        run("ip", "netns", "add", name)
    except subprocess.CalledProcessError as error:
        raise ktap.Skip(f"no network namespace: {error.stderr.decode().strip()}") from error
    try:
        yield name
    finally:
        run("ip", "netns", "delete", name)


@contextlib.contextmanager
def inside(name):
    """Run this test and its servers in a namespace. The network of the machine is not changed."""
    with open("/proc/thread-self/ns/net", encoding="ascii") as before:
        enter(f"/run/netns/{name}")
        try:
            yield
        finally:
            enter(f"/proc/self/fd/{before.fileno()}")


@contextlib.contextmanager
def cable():
    """Connect two namespaces, and enter one. Yields a function that makes a Cable to the other."""
    for program in ("ip", "iptables"):
        if not shutil.which(program):
            raise ktap.Skip(f"{program} is not installed")
    with another(f"wheelq{os.getpid()}") as here, another(f"wheelq{os.getpid()}there") as there:
        run("ip", "-n", here, "link", "add", "eth0", "type", "veth", "peer", "eth0", "netns", there)
        for name, address in ((here, HERE), (there, THERE)):
            run("ip", "-n", name, "address", "add", f"{address}/30", "dev", "eth0")
            run("ip", "-n", name, "link", "set", "eth0", "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
        with inside(here):
            yield lambda path: Cable(path, there)


class Cable(Wire):
    """A Wire whose listener is in the other namespace. A cut drops packets there."""

    def __init__(self, path, there):
        self.there = there
        super().__init__(path)

    def listen(self):
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            return thread.submit(self.listen_there).result()

    def listen_there(self):
        enter(f"/run/netns/{self.there}")
        return socket.create_server((THERE, 0))

    def directions(self):
        return (Rule(self.there, "INPUT", "--dport", self.port),
                Rule(self.there, "OUTPUT", "--sport", self.port))


class Rule:
    """A firewall rule with the interface of a lock. Packets are dropped while it is held."""

    def __init__(self, where, chain, of, port):
        self.where = where
        self.words = [chain, "-p", "tcp", of, str(port), "-j", "DROP"]

    def change(self, how):
        run("ip", "netns", "exec", self.where, "iptables", "-w", how, *self.words)

    def acquire(self):
        self.change("-A")

    def release(self):
        self.change("-D")

    def __enter__(self):
        """Never wait: only the firewall drops packets."""

    def __exit__(self, *_):
        pass
