# SPDX-License-Identifier: MIT
"""Verify the commands and responses of several clients across many crashes."""
import collections
import contextlib
import random
import time

import harness

CLIENTS = 3
# So long that no reservation times out.
TTR = 100000


def now():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Asked:
    """A command that was sent, with its job and its time."""

    def __init__(self, line, kind, number=None, body=None, delay=0):
        self.line, self.kind, self.number = line, kind, number
        self.body, self.delay = body, delay
        self.sent = None
        self.time = None


class History:
    """Records the acknowledged and the possible changes of each job."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.bodies = {}
        self.earliest = {}
        self.deleted = {}
        self.maybe_deleted = set()
        self.seen = set()
        self.worker_of = {}
        # Jobs with a release or bury that has no response yet: they may still be reserved.
        self.loose = collections.Counter()
        self.steps = self.tokens = 0

    def command(self, client):
        dice = self.random.random()
        if dice < 0.45 or not self.bodies:
            return self.put()
        if dice < 0.65:
            return Asked(b"reserve-with-timeout 0\r\n", "reserve")
        mine = [number for number, worker in self.worker_of.items() if worker == client]
        number = self.random.choice(mine if mine and dice < 0.9 else list(self.bodies))
        delay = self.random.choice([0, 0.002, 0.02, 3600])
        lines = {"delete": f"delete {number}", "release": f"release {number} 1 {delay}",
                 "bury": f"bury {number} 1", "kick": f"kick-job {number}",
                 "touch": f"touch {number}"}
        kind = self.random.choice(list(lines))
        return Asked(lines[kind].encode() + b"\r\n", kind, number, delay=delay)

    def put(self):
        self.tokens += 1
        body = f"t{self.tokens}".encode() * self.random.choice([1, 1, 1, 1000])
        delay = self.random.choice([0, 0, 0.005, 0.05, 3600])
        if self.random.random() < 0.2:
            line = b"put-at 1 %d %d" % ((time.time() + delay) * 1000, TTR)
            # It uses the wall clock. Another test verifies that it is not early.
            delay = 0
        else:
            line = b"put %d %g %d" % (self.random.randrange(3), delay, TTR)
        line += b" %d\r\n%s\r\n" % (len(body), body)
        return Asked(line, "put", body=body, delay=delay)

    def pipeline(self, client):
        """Random commands to send together."""
        commands = [self.command(client) for _ in range(self.random.randrange(1, 40))]
        for asked in commands:
            self.steps += 1
            asked.sent, asked.time = self.steps, now()
            if asked.kind == "delete":
                self.maybe_deleted.add(asked.number)
            if asked.kind in ("delete", "release", "bury"):
                self.worker_of.pop(asked.number, None)
            if asked.kind in ("release", "bury"):
                self.loose[asked.number] += 1
            if asked.kind in ("release", "kick"):
                # The job may be due before the response is read.
                self.earliest[asked.number] = 0
        return commands

    def told(self, client, asked, answer):
        self.steps += 1
        if asked.kind in ("release", "bury"):
            self.loose[asked.number] -= 1
        if asked.kind == "put":
            number = int(answer.split()[1])
            assert number not in self.bodies, f"id {number} was used twice"
            self.bodies[number] = asked.body
            self.earliest[number] = asked.time + asked.delay
        elif asked.kind == "delete" and answer == "DELETED":
            self.deleted[asked.number] = self.steps
        elif asked.kind == "reserve" and isinstance(answer, tuple):
            self.handed_out(client, asked, int(answer[0].split()[1]), answer[1])

    def talk(self, clients):
        """Send commands of all clients together. Return each client with the commands whose
        responses were not read."""
        unread = []
        sent = [self.pipeline(number) for number in range(len(clients))]
        for client, commands in zip(clients, sent):
            client.send(b"".join(asked.line for asked in commands))
        for number, (client, commands) in enumerate(zip(clients, sent)):
            heard = self.random.randrange(len(commands) + 1)
            for asked in commands[:heard]:
                self.told(number, asked, client.answer())
            unread.append((client, commands[heard:]))
        return unread

    def hear(self, unread):
        """Read late responses, possibly of a stopped server. They are true, except for
        reservations. Return their number."""
        late = 0
        for client, commands in unread:
            with contextlib.suppress(harness.Gone, OSError):
                for asked in commands:
                    answer = client.answer()
                    late += 1
                    if answer == "DELETED" or asked.kind == "put" and answer != "OUT_OF_MEMORY":
                        self.told(0, asked, answer)
            client.close()
        return late

    def handed_out(self, client, asked, number, body):
        gone = self.deleted.get(number)
        assert not gone or asked.sent < gone, f"Q3: job {number} was reserved after DELETED"
        assert self.bodies.get(number, body) == body, f"Q2: another body of job {number}"
        early = self.earliest.get(number, 0) - now()
        assert early <= 0, f"Q4: job {number} was reserved {early} s early"
        assert number not in self.worker_of, \
            f"Q7: {client} got job {number}, but {self.worker_of[number]} has reserved it"
        if not self.loose[number]:
            self.worker_of[number] = client
        self.seen.add(number)

    def crashed(self):
        """A crash ends all reservations."""
        self.worker_of.clear()
        self.loose.clear()

    def rest(self, number, body):
        """Record a job that was reserved at the end, after all jobs were kicked."""
        asked = Asked(b"", "reserve")
        asked.sent = self.steps
        self.earliest.clear()
        self.handed_out(0, asked, number, body)

    def lost(self):
        """The acknowledged jobs that were never reserved or deleted. Call this last."""
        return set(self.bodies) - self.seen - set(self.deleted) - self.maybe_deleted
