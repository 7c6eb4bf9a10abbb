# SPDX-License-Identifier: MIT
"""Send the same commands to wheelq and to Debian's beanstalkd, and compare the responses."""
import contextlib
import re
import shutil
import subprocess

import ktap
import harness

# Each case uses a new tube. A line may begin with the name of its client. The default is
# A. "#" stands for the id of the last job. "!" sends a line and waits until the client
# waits for a job; "?" only reads a response. The lines of a tuple are sent together, so
# that a busy machine does not delay one of them.
CASES = {
    "put": ["put 10 0 60 5\r\nhello", "stats-job #"],
    "put_with_a_delay": ["put 1 100 60 1\r\nx", "stats-job #", "peek-delayed", "peek-ready"],
    "put_an_empty_body": ["put 1 0 60 0\r\n", "reserve"],
    "put_of_any_bytes": ["put 1 0 60 4\r\n\r\n\0\r", "reserve"],
    "put_without_crlf": ["put 1 0 60 2\r\nabcd"],
    "put_too_big": ["put 1 0 60 65536\r\n" + "x" * 65536, "stats-tube T"],
    "put_the_biggest": ["put 1 0 60 65535\r\n" + "x" * 65535, "stats-tube T"],
    "put_the_largest_numbers": ["put 4294967295 4294967295 4294967295 1\r\nx", "stats-job #"],
    "put_beyond_them": ["put 4294967296 0 1 1", "put 0 4294967296 1 1", "put 0 0 4294967296 1",
                        "put -1 0 1 1", "put a 0 1 1", "put 0 b 1 1", "put 0 0 c 1",
                        "put 0 0 1 d", "put 0 0 1 -5"],
    "put_with_too_few_words": ["put 1", "put 1 2", "put 1 2 3"],
    "put_with_too_many_words": ["put 1 2 3 4 5"],
    "a_ttr_of_0_is_1": ["put 1 0 0 1\r\nx", "stats-job #"],
    "use": ["use other", "list-tube-used", "use -bad", "use", "use a b", "use " + "n" * 200,
            "use " + "n" * 201, "use /;.$_()+-a", "use \xe9"],
    "reserve_in_order": ["put 5 0 60 1\r\na", "put 3 0 60 1\r\nb", "put 3 0 60 1\r\nc",
                         "reserve", "reserve", "reserve", "reserve-with-timeout 0"],
    "reserve_times_out": ["reserve-with-timeout 0", "reserve-with-timeout 1"],
    "reserve_of_nonsense": ["reserve-with-timeout", "reserve-with-timeout x",
                            "reserve-with-timeout -1", "reserve x", "reserve-with-timeout 1 2"],
    "deadline_soon": ["put 1 0 2 1\r\nx", ("reserve", "reserve", "reserve-with-timeout 0")],
    "deadline_soon_at_once": [("put 1 0 1 1\r\nx", "reserve", "reserve-with-timeout 0")],
    "deadline_soon_but_a_job": [("put 1 0 2 1\r\nx", "reserve", "put 1 0 99 1\r\ny", "reserve")],
    "reserve_job": ["put 1 0 60 1\r\nx", "reserve-job #", "reserve-job #", "B reserve-job #",
                    "put 1 50 60 1\r\ny", "reserve-job #", "bury # 1", "reserve-job #",
                    "reserve-job 99999", "reserve-job x", "reserve-job"],
    "delete": ["put 1 0 60 1\r\nx", "delete #", "delete #", "put 1 50 60 1\r\nx", "delete #",
               "put 1 0 60 1\r\nx", "reserve", "B delete #", "delete #", "delete", "delete x",
               "delete 1 2", "delete -1", "delete 99999999999999999999"],
    "release": ["put 1 0 60 1\r\nx", "release # 1 0", "reserve", "B release # 1 0",
                "release # 7 0", "stats-job #", "reserve", "release # 1 100", "stats-job #",
                "release", "release #", "release # 1", "release # x 1", "release # 1 x"],
    "release_keeps_the_order": ["put 1 0 60 1\r\na", "put 1 0 60 1\r\nb", "B reserve",
                                "B release 1 1 0", "reserve"],
    "bury_and_kick": ["put 1 0 60 1\r\nx", "bury # 1", "reserve", "B bury # 1", "bury # 5",
                      "stats-job #", "peek-buried", "kick 10", "stats-job #", "kick 10",
                      "put 1 99 60 1\r\ny", "kick 1", "stats-job #", "bury", "bury 1",
                      "bury 1 x", "kick", "kick x", "kick 1 2", "kick 9223372036854775807"],
    "kick_takes_the_buried_first": ["put 1 0 60 1\r\na", "reserve", "bury # 1",
                                    "put 1 99 60 1\r\nb", "kick 10", "stats-tube T", "kick 10",
                                    "stats-tube T"],
    "kick_job": ["put 1 99 60 1\r\nx", "kick-job #", "kick-job #", "reserve", "kick-job #",
                 "bury # 1", "kick-job #", "kick-job 99999", "kick-job x", "kick-job"],
    "touch": ["put 1 0 60 1\r\nx", "touch #", "reserve", "touch #", "B touch #", "touch",
              "touch x", "touch 99999"],
    "watch_and_ignore": ["watch one", "watch two", "watch one", "list-tubes-watched",
                         "ignore T", "ignore never", "ignore one", "ignore two", "ignore",
                         "watch", "watch -x", "ignore -x", "watch a b"],
    "peek": ["put 1 0 60 1\r\nx", "peek #", "peek 99999", "peek x", "peek", "peek-ready",
             "peek-ready x", "peek-buried", "peek-buried x", "peek-delayed", "peek-delayed x"],
    "peek_the_shortest_delay": ["put 1 90 60 1\r\na", "put 9 30 60 1\r\nb", "put 1 60 60 1\r\nc",
                                "peek-delayed"],
    "pause_tube": ["put 1 0 60 1\r\nx", "pause-tube T 99", "reserve-with-timeout 0",
                   "peek-ready", "pause-tube T 1", "reserve", "pause-tube none 1",
                   "put 1 0 60 1\r\nx", "pause-tube T 99", "stats-tube T",
                   ("pause-tube T 0", "reserve-with-timeout 0"), "stats-tube T",
                   "pause-tube", "pause-tube T", "pause-tube T x", "pause-tube -x 1"],
    "stats_of_a_tube": ["put 1 0 60 1\r\nx", "put 2000 0 60 1\r\nx", "put 1 99 60 1\r\nx",
                        "stats-tube T", "reserve", "delete #", "stats-tube T",
                        "stats-tube default", "stats-tube none", "stats-tube",
                        "stats-tube -x", "stats-tube a b"],
    "stats_of_a_job": ["stats-job 99999", "stats-job x", "stats-job"],
    "lists": ["list-tube-used", "list-tubes-watched", "list-tubes x", "list-tube-used x",
              "list-tubes-watched x"],
    "unknown": ["", " ", "hello", "PUT 1 2 3 4", "stat", "\0", "put\0 1 2 3 4"],
    "a_line_too_long": ["use " + "x" * 300, "list-tube-used", "x" * 1000, "list-tube-used"],
    "quit": ["quit"],
    "a_pipeline": [("put 1 0 60 1\r\na", "put 1 0 60 1\r\nb", "reserve", "reserve", "none")],
    "a_waiting_worker": ["B! reserve", "put 1 0 60 1\r\nx", "B?", "B delete #"],
}

# Here, beanstalkd 1.12 differs from its protocol.txt, and wheelq does not.
BETTER = {
    "reserve-with-timeout x",
    "reserve-with-timeout",
    "reserve-with-timeout -1",
    "reserve-with-timeout 1 2",
    "kick 1 2",
}
# These values depend on the time or the process.
# beanstalkd does not have these.
OURS = re.compile(rb"^(ready-age|late-[\w-]+|shard|address|port): [\"\d.]+\n", re.M)
# beanstalkd 1.12 does not quote these.
QUOTED = re.compile(rb'^(name|tube|hostname|platform): "(.*)"$', re.M)
LOOSE = re.compile(rb"(age|time-left|pause-time-left|file|delay|cmd-\w+(-\w+)*): \d+\n")
ERRORS = ("BAD_FORMAT", "UNKNOWN_COMMAND")


class Side:
    """The clients of one server."""

    def __init__(self, port, tube):
        self.tube, self.first, self.last = tube, None, "0"
        self.clients = {}
        self.port = port

    def client(self, name):
        if name not in self.clients:
            client = self.clients[name] = harness.Client(self.port)
            for line in (f"use {self.tube}", f"watch {self.tube}", "ignore default"):
                client.ask(line)
        return self.clients[name]

    def plain(self, answer):
        """A response without the values that differ between servers."""
        if isinstance(answer, tuple):
            line, body = answer
            if line.startswith("OK"):
                line, body = "OK", QUOTED.sub(rb"\1: \2", OURS.sub(b"", LOOSE.sub(b"", body)))
            return self.plain(line), body
        words = answer.split()
        if words and words[0] == "INSERTED":
            self.last = words[1]
            self.first = self.first or int(words[1])
        if len(words) > 1 and words[0] in ("INSERTED", "RESERVED", "FOUND"):
            words[1] = str(int(words[1]) - (self.first or 0))
        return " ".join(words)

    def say(self, line):
        """Send a line, or several together, and return the responses."""
        name, how, lines = "A", "", [line]
        if isinstance(line, tuple):
            lines, line = line, "\r\n".join(line)
        if re.match(r"[AB][!?]? ?", line):
            name, how, line = re.match(r"([AB])([!?]?) ?(.*)", line, re.S).groups()
        client = self.client(name)
        line = line.replace("#", self.last).replace("T", self.tube)
        line = line.replace("release 1 1", f"release {self.first} 1")
        if how != "?":
            client.send(line.encode("latin-1") + b"\r\n")
        if how == "!":
            harness.until(self.waits)
            return "waits"
        try:
            return [self.plain(client.answer()) for _ in lines]
        except harness.Gone:
            return "closed"

    def waits(self):
        return self.client("C").stats(f"stats-tube {self.tube}")["current-waiting"] != "0"


def normal(answers):
    """Remove ids, which differ between servers."""
    return re.sub(r"id: \d+", "id: N", repr(answers))


def converse(ours, theirs, case):
    for line in case:
        a = ours.say(line)
        if line in BETTER:
            assert a == ["BAD_FORMAT"], f"{line!r}: {a!r}"
            continue
        b = theirs.say(line)
        if normal(a) == normal(b):
            continue
        both_refuse = str(a[0]) in ERRORS and str(b[0]) in ERRORS
        assert both_refuse, f"{line!r:.60}: wheelq {a!r:.300}, beanstalkd {b!r:.300}"


def compare(name, case):
    with Beanstalkd() as beanstalkd, harness.Server() as server:
        converse(Side(server.port, f"{name}-tube"), Side(beanstalkd.port, f"{name}-tube"), case)


class Beanstalkd:
    """Debian's beanstalkd."""

    def __init__(self, *options):
        self.port = harness.free_port()
        self.options = options
        self.process = None

    def __enter__(self):
        program = shutil.which("beanstalkd")
        if not program:
            raise ktap.Skip("beanstalkd is not installed")
        self.process = subprocess.Popen([program, "-l", "127.0.0.1", "-p", str(self.port),
                                         *self.options])
        harness.until(self.serves)
        return self

    def serves(self):
        """It accepts connections before it has read its log. Its first response is later."""
        try:
            with contextlib.closing(harness.Client(self.port)) as client:
                return client.stats()
        except ConnectionRefusedError:
            return False

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def seconds_left(port):
    """time-left of a reserved and of a delayed job, and pause-time-left, once they are set."""
    client = harness.Client(port)
    reserved = client.put(b"x", ttr=1000)
    client.reserve(0)
    delayed = client.put(b"x", delay=2000)
    client.ask("pause-tube default 3000")
    return (int(client.stats(f"stats-job {reserved}")["time-left"]),
            int(client.stats(f"stats-job {delayed}")["time-left"]),
            int(client.stats("stats-tube default")["pause-time-left"]))


def protocol_seconds_that_are_left_are_rounded_down():
    with Beanstalkd() as beanstalkd, harness.Server() as server:
        for port in (beanstalkd.port, server.port):
            left = seconds_left(port)
            assert all(most - harness.PATIENCE < seconds < most
                       for seconds, most in zip(left, (1000, 2000, 3000))), left


def protocol_names_are_quoted():
    """As by beanstalkd 1.13: a parser of YAML would read the name 007 as a number."""
    with harness.Server() as server:
        client = harness.Client(server.port)
        client.ask("use 007")
        number = client.put(b"x")
        said = b"".join(client.ask(command)[1] for command in
                        (f"stats-job {number}", "stats-tube 007", "stats")).splitlines()
        assert b'tube: "007"' in said and b'name: "007"' in said, said
        for name in (b"hostname", b"platform", b"os", b"version"):
            assert any(re.fullmatch(name + b': ".*"', line) for line in said), (name, said)


TESTS = [protocol_seconds_that_are_left_are_rounded_down, protocol_names_are_quoted]
TESTS += [ktap.bound(f"protocol_{name}", compare, name, case) for name, case in CASES.items()]
