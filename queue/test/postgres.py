# SPDX-License-Identifier: MIT
"""Debian's PostgreSQL in a temporary directory, run by an unprivileged user."""
import atexit
import contextlib
import functools
import glob
import itertools
import os
import shutil
import subprocess
import tempfile

import ktap
import harness

# PostgreSQL refuses to run as root.
ORDINARY = {"user": "nobody", "group": "nogroup", "extra_groups": []}


class Postgres:
    """Listens only on a socket in its directory."""

    def __init__(self, programs, directory=None, primary=None):
        """A replica of @primary, or a new one."""
        self.programs = programs
        self.directory = directory or tempfile.mkdtemp(prefix="postgres.")
        self.name = "replica" if primary else "primary"
        self.who = ORDINARY if os.geteuid() == 0 else {}
        self.numbers = itertools.count(1)
        if self.who:
            shutil.chown(self.directory, ORDINARY["user"], ORDINARY["group"])
        if primary:
            self.run("pg_basebackup", "-h", primary.directory, "-U", "wheelq", "-R", "-c", "fast")
        else:
            self.run("initdb", "-A", "trust", "-U", "wheelq", "--no-sync", "--locale=C")
        self.start()
        if not primary:
            sql(self.uri("postgres"), "CREATE ROLE jobs LOGIN")

    def run(self, program, *words):
        subprocess.run([os.path.join(self.programs, program), "-D",
                        os.path.join(self.directory, "data"), *words], check=True,
                       stdout=subprocess.DEVNULL, cwd=self.directory, **self.who)

    def start(self):
        # After a crash, PostgreSQL syncs all its files, which takes long on a busy disk.
        self.run("pg_ctl", "-w", "-t", str(int(harness.PATIENCE)),
                 "-l", os.path.join(self.directory, "log"), "-o",
                 f"-k {self.directory} -c listen_addresses= -c recovery_init_sync_method=syncfs"
                 f" -c cluster_name={self.name}", "start")

    def crash(self):
        self.run("pg_ctl", "-m", "immediate", "stop")

    def remove(self):
        self.crash()
        shutil.rmtree(self.directory)

    @property
    def socket(self):
        return os.path.join(self.directory, ".s.PGSQL.5432")

    def runs(self):
        return os.path.exists(os.path.join(self.directory, "data", "postmaster.pid"))

    def pid(self):
        """The id of the first process, as text."""
        with open(os.path.join(self.directory, "data", "postmaster.pid"), encoding="ascii") as file:
            return file.readline().strip()

    def processes(self):
        """The ids of all processes: sessions and background processes."""
        parent = self.pid()
        children = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if parent_of(name) == parent:
                    children.append(name)
        return [parent, *children]

    def uri(self, database, role="wheelq"):
        return f"postgresql://{role}@/{database}?host={self.directory}"

    def new_store(self, _directory=None):
        """The URI of an empty database, with a role that has no privileges but in it."""
        name = f"store{next(self.numbers)}"
        sql(self.uri("postgres"), f"CREATE DATABASE {name} OWNER jobs")
        return self.uri(name, "jobs")


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        return stat.read().rsplit(")", 1)[1].split()[1]


def through(host, port, store):
    """The URI of the same store through a TCP port."""
    role, database = store.split("?")[0].split("@/")
    return f"{role}@{host}:{port}/{database}"


def sql(uri, text):
    return subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", text, uri],
                          check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


@functools.cache
def started():
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not programs or not shutil.which("psql"):
        raise ktap.Skip("PostgreSQL is not installed: apt-get install postgresql")
    refused = subprocess.run([harness.PROGRAM, "--store", "postgresql:///?host=/nowhere"],
                             check=False, stderr=subprocess.PIPE, text=True).stderr
    if "without PostgreSQL" in refused:
        raise ktap.Skip(refused.strip())
    postgres = Postgres(programs[-1])
    atexit.register(postgres.remove)
    return postgres


@contextlib.contextmanager
def stores():
    """Within this context, each new server uses a new database."""
    before, harness.new_store = harness.new_store, started().new_store
    try:
        yield
    finally:
        harness.new_store = before
