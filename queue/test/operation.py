# SPDX-License-Identifier: MIT
"""As people run it: settings, addresses, limits, metrics, copies."""
import configparser
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import faults
import ktap
import load
import harness


def refusal(*options, **kinds):
    """Start a server that must fail. Return its only line of output and its exit status."""
    server = harness.Server(*options, **kinds)
    try:
        return server.refusal(), server.process.returncode
    finally:
        shutil.rmtree(server.directory, ignore_errors=True)


def unit_of_systemd():
    if not shutil.which("systemd-analyze"):
        raise ktap.Skip("systemd is not installed")
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["make", "-s", "-C", harness.ROOM, "install", f"DESTDIR={directory}"],
                       check=True)
        unit = f"{directory}/lib/systemd/system/wheelq.service"
        with open(unit, encoding="ascii") as file:
            text = file.read().replace("/usr/local/", f"{directory}/usr/local/")
        verified = f"{directory}/wheelq.service"
        with open(verified, "w", encoding="ascii") as file:
            file.write(text)
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", verified],
            check=False, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr


def unit_takes_options_from_a_file():
    """It is installed, and an administrator's file is not overwritten."""
    with open(os.path.join(harness.ROOM, "wheelq.service"), encoding="ascii") as file:
        unit = file.read()
    name = re.findall(r"^EnvironmentFile=-(\S+)$", unit, re.M)[-1]
    assert re.search(r"^ExecStart=\S+ --store \S+ \$WHEELQ_OPTIONS$", unit, re.M)
    with tempfile.TemporaryDirectory() as directory:
        install = ["make", "-s", "-C", harness.ROOM, "install", f"DESTDIR={directory}"]
        subprocess.run(install, check=True)
        with open(directory + name, "r+", encoding="ascii") as file:
            assert "\nWHEELQ_OPTIONS=\n" in file.read()
            file.write("WHEELQ_OPTIONS=--max-jobs 1\n")
        subprocess.run(install, check=True)
        with open(directory + name, encoding="ascii") as file:
            assert file.read().endswith("--max-jobs 1\n")


def unit_is_started_after_the_clock_is_set_and_however_often():
    """If PostgreSQL is unavailable for a minute, the server exits many times. By default, systemd
    stops restarting a unit after five starts within ten seconds. A server that another one has
    replaced exits with status 0."""
    unit = configparser.ConfigParser(strict=False)
    unit.optionxform = str
    unit.read(os.path.join(harness.ROOM, "wheelq.service"))
    assert unit["Service"]["Restart"] == "always"
    assert unit["Unit"].get("StartLimitIntervalSec") == "0"
    assert "time-sync.target" in unit["Unit"]["After"].split()
    assert "time-sync.target" in unit["Unit"]["Wants"].split()


def ask_at(path, text):
    """The first line of the response."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(harness.PATIENCE)
        s.connect(path)
        # A connection that is refused may be closed before this.
        with contextlib.suppress(BrokenPipeError):
            s.sendall(text)
        return s.makefile("rb").readline()


def moved_to_a_socket(server):
    """Restart the server on a Unix socket, and return its path."""
    server.stop()
    path = os.path.join(server.directory, "socket")
    server.options = ("--listen", f"unix:{path}")
    server.start()
    return path


def listens_in_a_directory():
    with harness.Server() as server:
        path = moved_to_a_socket(server)
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o666, "the directory limits access"
        assert ask_at(path, b"put 0 0 60 1\r\nx\r\n") == b"INSERTED 1\r\n"
        assert "in use" in refusal("--listen", f"unix:{path}")[0]
        assert ask_at(path, b"list-tube-used\r\n") == b"USING default\r\n"
        # The socket of a killed server is replaced. A file that is not a socket is kept.
        server.kill()
        server.start()
        assert ask_at(path, b"delete 1\r\n") == b"DELETED\r\n"
        file = os.path.join(server.directory, "file")
        with open(file, "w", encoding="ascii") as mine:
            mine.write("mine")
        assert "in use" in refusal("--listen", f"unix:{file}")[0]
        with open(file, encoding="ascii") as kept:
            assert kept.read() == "mine"
        assert refusal("--listen", "unix:" + "x" * 108)[1] == 2


def listens_to_what_was_sent_before_the_end():
    """As with TCP, complete commands run after the client has closed; responses are dropped."""
    with harness.Server() as server:
        path = moved_to_a_socket(server)
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(path)
            s.sendall(b"put 0 0 60 1\r\nx\r\n" * 100)
        harness.until(lambda: ask_at(path, b"peek 100\r\n") == b"FOUND 100 1\r\n")


def listens_on_loopback_alone():
    with harness.Server() as server:
        with open("/proc/net/tcp", encoding="ascii") as sockets:
            mine = [line.split()[1] for line in sockets
                    if f":{server.port:04X} 00000000:0000 0A" in line]
        assert mine == [f"0100007F:{server.port:04X}"], mine


def store_that_keeps_nothing_is_refused():
    """SQLite has names for databases in memory, whose commits would not be durable."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        try:
            for name, said in (("", "--store is required"), (":memory:", "no write-ahead log")):
                done = subprocess.run([harness.PROGRAM, "--store", name, "--port",
                                       str(harness.free_port())], check=False, capture_output=True,
                                      text=True, timeout=harness.PATIENCE)
                assert done.returncode and said in done.stderr, done
        finally:
            os.chdir(before)


def starts_only_with_a_known_backend():
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run([harness.PROGRAM, "--store", os.path.join(directory, "store"), "--port",
                               str(harness.free_port())], check=False, capture_output=True,
                              text=True, timeout=harness.PATIENCE,
                              env={**os.environ, "LIBWHEEL_BACKEND": "foo"})
        assert done.returncode == 2, done
        assert done.stderr == "wheelq: LIBWHEEL_BACKEND=foo: must be kernel, user or auto\n", done


def store_is_its_owners_alone():
    with harness.Server(preexec=lambda: os.umask(0)) as server:
        server.client().put(b"a secret")
        modes = {name: stat.S_IMODE(os.stat(os.path.join(server.directory, name)).st_mode)
                 for name in os.listdir(server.directory)}
        assert len(modes) == 4 and set(modes.values()) == {0o600}, modes


def options_of_nonsense():
    for options in (["--max-jobs", "x"], ["--max-tubes", "0"], ["--max-loaded", "-1"], ["what"],
                    ["--horizon", "99999999999999999999"], ["--port", "99999"], ["--port", "0"],
                    ["--port", "http"], ["--max-job-size", str(2**29 + 1)], ["--nothing"]):
        assert refusal(*options)[1] == 2, options


def limit_of_bytes_counts_what_is_there():
    with harness.Server("--max-bytes", "1000000") as server:
        client = server.client()
        numbers = []
        while True:
            client.send(b"put 0 60 60 10000\r\n" + b"x" * 10000 + b"\r\n")
            answer = client.answer()
            if answer == "OUT_OF_MEMORY":
                break
            numbers.append(int(answer.split()[1]))
        assert 70 < len(numbers) < 110, len(numbers)
        for number in numbers[:50]:
            assert client.ask(f"delete {number}") == "DELETED"
        client.put(b"there is room again")


def limit_of_files_refuses_and_serves():
    """Connections beyond the limit on open files are rejected; the others are served."""
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))

    said, status = refusal("--max-connections", "1000", preexec=few)
    assert "open files" in said and "allows 36" in said and status == 1, said
    with harness.Server(preexec=few) as server:
        # The timers and the store need fewer files than are set aside for them.
        clients = [server.client() for _ in range(100)]
        answers = [client.answer() for client in clients[36:]]
        assert set(answers) == {"OUT_OF_MEMORY"}, answers
        for client in clients[:36]:
            assert client.ask("list-tube-used") == "USING default"
        clients[0].close()
        harness.until(lambda: server.client().ask("stats") != "OUT_OF_MEMORY")


def limit_of_files_that_sinks_later():
    """If no file descriptor is left, new connections are rejected with OUT_OF_MEMORY."""
    with harness.Server() as server:
        client = server.client()
        assert client.ask("list-tube-used") == "USING default"
        pid = server.process.pid
        files = len(os.listdir(f"/proc/{pid}/fd"))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (files, files))
        for _ in range(3):
            assert server.client().answer() == "OUT_OF_MEMORY"
        assert client.put(b"x") == 1


def listens_without_delay():
    """A second response is sent before the client acknowledges the first (TCP_NODELAY)."""
    with harness.Server() as server:
        worker, client = server.client(), server.client()
        worker.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)
        worker.send(b"reserve\r\nreserve\r\n")
        for wanted in ("1", "0"):
            harness.until(lambda: client.stats()["current-waiting"] == "1")
            client.put(b"x")
            harness.until(lambda: client.stats()["current-waiting"] == wanted)
        worker.socket.setblocking(False)
        assert worker.socket.recv(1000).count(b"RESERVED") == 2


def timer_of(ends):
    """The timer of a connection, as a number of /proc/net/tcp; 02 is keepalive."""
    with open("/proc/net/tcp", encoding="ascii") as sockets:
        return next(line.split()[5][:2] for line in sockets if ends in line)


def listens_to_who_may_be_gone():
    """TCP detects unreachable peers, because a keepalive timer is set."""
    with harness.Server() as server:
        client = server.client()
        assert client.ask("list-tube-used") == "USING default"
        ends = f":{server.port:04X} 0100007F:{client.socket.getsockname()[1]:04X} 01"
        harness.until(lambda: timer_of(ends) == "02")


def processor_time(client):
    said = client.stats()
    return float(said["rusage-utime"]) + float(said["rusage-stime"])


def starts_with_many_tubes():
    """At the start, the CPU time per tube does not depend on the number of tubes. It is about the
    CPU time of its put, not twenty times as much."""
    tubes = 9000
    with harness.Server() as server:
        client = server.client()
        for at in range(0, tubes, load.PIPELINE):
            client.send("".join(f"use t{number}\r\nput 0 1000 60 1\r\nx\r\n"
                                for number in range(at, at + load.PIPELINE)))
            for _ in range(load.PIPELINE):
                assert client.answer().startswith("USING t")
                assert client.answer().startswith("INSERTED")
        filled = processor_time(client)
        server.kill()
        client = server.start().client()
        harness.until(lambda: client.stats()["jobs-in-memory"] == str(tubes))
        loaded = processor_time(client)
        assert loaded < 8 * filled, f"{loaded} s to load, {filled} s to put"


def looks_past_what_has_become_due():
    """20,000 jobs are ready in memory, but still delayed in the store. They are skipped
    efficiently: ten peeks, and ten kicks, each take less CPU time than the puts took."""
    with harness.Server() as server:
        client = server.client()
        load.pipelined(client, [0.5] * 20000)
        number = client.put(b"later", delay=1000)
        for _ in range(10):
            client.put(b"later still", delay=2000)
        filled = processor_time(client)
        harness.until(lambda: client.stats()["current-jobs-ready"] == "20000")
        before = processor_time(client)
        for _ in range(10):
            assert client.ask("peek-delayed") == (f"FOUND {number} 5", b"later")
        looked = processor_time(client) - before
        assert looked < filled, f"{looked} s to look, {filled} s to put"
        for _ in range(10):
            assert client.ask("kick 1") == "KICKED 1"
        kicked = processor_time(client) - before - looked
        assert kicked < filled, f"{kicked} s to kick, {filled} s to put"


def stops_in_less_time_than_it_was_filled():
    """At the end, the CPU time per job does not depend on the number of jobs."""
    with harness.Server() as server:
        client = server.client()
        load.pipelined(client, [0] * 100000)
        assert client.stats()["jobs-in-memory"] == "100000"
        filled = processor_time(client)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        server.stop()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - filled
        assert ended < filled, f"{ended} s to stop, {filled} s to put"


def http(server, path, **request):
    url = f"http://127.0.0.1:{server.port}{path}"
    with urllib.request.urlopen(urllib.request.Request(url, **request),
                                timeout=harness.PATIENCE) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def read_metrics(text):
    """Parse with the Prometheus client of Debian's Python: {(name, label...): value}."""
    script = os.path.join(harness.ROOM, "test", "clients", "prometheus.py")
    done = subprocess.run(["/usr/bin/python3", script], input=text, text=True,
                          capture_output=True, check=False)
    if "not installed" in done.stderr:
        raise ktap.Skip(done.stderr.strip())
    return {tuple(key): value for _, *key, value in json.loads(done.stdout)}


def metrics_for_prometheus():
    with harness.Server() as server:
        client = server.client()
        client.ask("use a-tube/$")
        client.put(b"x", delay=100)
        client.put(b"y")
        kind, text = http(server, "/metrics")
        assert kind == "text/plain; version=0.0.4", kind
        samples = read_metrics(text)
        assert samples["wheelq_jobs", "delayed"] == samples["wheelq_jobs", "ready"] == 1
        assert samples["wheelq_tube_jobs", "a-tube/$", "delayed"] == 1
        assert samples["wheelq_commands_total", "put"] == 2
        assert samples["wheelq_connections",] == 2
        said = client.stats()
        assert samples["wheelq_jobs_put_total",] == int(said["total-jobs"])
        assert samples["wheelq_store_bytes",] == int(said["store-bytes"])
        try:
            http(server, "/else")
            raise AssertionError("another path is served")
        except urllib.error.HTTPError as error:
            assert error.code == 404


def metrics_of_times():
    """Lateness and the age of the oldest ready job, of all tubes and of one, and commits."""
    with harness.Server() as server:
        client = server.client()
        client.ask("use a")
        client.put(b"x", delay=0.02)
        client.put(b"y", pri=9)
        harness.until(lambda: client.stats("stats-tube a")["current-jobs-ready"] == "2")
        harness.until(lambda: float(client.stats("stats-tube a")["ready-age"]) > 0.1)
        said, tube = client.stats(), client.stats("stats-tube a")
        assert said["late-count"] == tube["late-count"] == "1"
        assert client.stats("stats-tube default")["late-count"] == "0"
        assert client.stats("stats-tube default")["ready-age"] == "0.000"
        assert int(said["commit-count"]) == int(said["store-commits"]) > 2
        assert int(said["resident-bytes"]) > 1 << 20
        text = http(server, "/metrics")[1].splitlines()
        for line in ('wheelq_lateness_seconds_bucket{le="+Inf"} 1',
                     "wheelq_lateness_seconds_count 1",
                     'wheelq_tube_ready_age_seconds{tube="default"} 0.000'):
            assert line in text, line

        def is_late():
            client.put(b"z", delay=0.05)
            server.process.send_signal(signal.SIGSTOP)
            time.sleep(0.2)
            server.process.send_signal(signal.SIGCONT)
            harness.until(lambda: client.stats()["current-jobs-delayed"] == "0")
            said = client.stats()
            return float(said["late-sum"]) > 0.1 and said["late-within-10ms"] < said["late-count"]

        harness.until(is_late)


def unit_is_notified():
    """systemd starts other units when the server serves."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard, harness.Server() as server:
        server.stop()
        server.env["NOTIFY_SOCKET"] = os.path.join(server.directory, "notify")
        heard.bind(server.env["NOTIFY_SOCKET"])
        heard.settimeout(harness.PATIENCE)
        server.start()
        assert heard.recv(100) == b"READY=1\nSTATUS=serving"
        assert server.stop() == 0
        assert heard.recv(100) == b"STOPPING=1"


def metrics_are_all_that_http_gets():
    """A page in a browser must not be able to put jobs. All input after the first line of an HTTP
    request is ignored, regardless of the line's length."""
    with harness.Server() as server:
        for line in ("POST / HTTP/1.1", "GET /x HTTP/1.1", "OPTIONS * HTTP/1.1",
                     "POST /metrics HTTP/1.0", f"POST /{'x' * 300} HTTP/1.1",
                     f"GET /?{'x' * 100000} HTTP/1.1"):
            client = server.client()
            try:
                client.send(f"{line}\r\nHost: x\r\n\r\nput 0 0 60 1\r\nx\r\n")
                said = client.file.read()
            except ConnectionResetError:
                said = b""
            assert b"INSERTED" not in said, said
        client = server.client()
        client.send("GET /metrics HTTP/1.1\r\n" + "x" * 100000)
        try:
            assert client.file.read() == b""
        except ConnectionResetError:
            pass
        assert server.client().stats()["total-jobs"] == "0"


def manual_on_copies():
    """The commands of the manual page, while the server runs."""
    with harness.Server() as server:
        client = server.client()
        numbers = [client.put(b"kept", delay=1000) for _ in range(50)]
        copy = os.path.join(server.directory, "copy")
        try:
            subprocess.run(f'umask 077; sqlite3 {server.store} "VACUUM INTO \'{copy}\'"',
                           check=True, shell=True)
        except FileNotFoundError as error:
            raise ktap.Skip("sqlite3 is not installed") from error
        assert stat.S_IMODE(os.stat(copy).st_mode) == 0o600
        lost = client.put(b"later than the copy")
        server.stop()
        for suffix in ("-wal", "-shm"):
            with open(server.store + suffix, "wb") as file:
                file.write(b"of another store")
            os.unlink(server.store + suffix)
        os.rename(copy, server.store)
        client = server.start().client()
        assert client.stats()["current-jobs-delayed"] == "50"
        assert all(client.ask(f"delete {number}") == "DELETED" for number in numbers)
        assert client.ask(f"peek {lost}") == "NOT_FOUND"


def manual_on_disk_space():
    """The file does not become smaller by itself. VACUUM returns the space."""
    with harness.Server() as server:
        client = server.client()
        kept = client.put(b"kept", delay=1000)
        numbers = [client.put(b"x" * 60000, delay=1000) for _ in range(50)]
        load.delete(client, numbers)
        server.stop()
        before = os.stat(server.store)
        try:
            subprocess.run(["sqlite3", server.store, "VACUUM"], check=True)
        except FileNotFoundError as error:
            raise ktap.Skip("sqlite3 is not installed") from error
        after = os.stat(server.store)
        assert after.st_size < before.st_size / 10, (before.st_size, after.st_size)
        assert (before.st_mode, before.st_uid) == (after.st_mode, after.st_uid)
        assert server.start().client().ask(f"peek {kept}") == (f"FOUND {kept} 4", b"kept")


def store_that_is_created_halfway():
    """After a crash while the store is created, it is created again."""
    crashes = 0
    for call in [*range(1, 60, 20), *range(60, 100)]:
        directory = tempfile.mkdtemp(prefix="wheelq.")
        doomed = harness.Server(directory=directory, env=faults.preload(FAULT_AT=call, FAULT_KILL=1))
        try:
            doomed.start()
            doomed.kill()
        except RuntimeError:
            crashes += 1
        with harness.Server(directory=directory) as server:
            client = server.client()
            number = client.put(b"x")
            assert client.reserve(0) == (number, b"x")
    print(f"# {crashes} crashes")
    assert crashes > 3


TESTS = ktap.named(globals(), "listens_", "limit_", "metrics_", "looks_", "manual_", "options_",
                   "starts_", "stops_", "store_", "unit_")
