# SPDX-License-Identifier: MIT
"""Power cuts, and disks that fail: in a guest, whose disks are ours."""
import contextlib
import os
import random
import subprocess

import ktap
import promises
import rig
import writelog

# The disk, the log of its writes, the disk at a power cut, and a copy to look at.
DISK, LOG, THEN, LOOK = (f"/dev/ram{n}" for n in range(4))
NAME = "wheelq-disk"
BYTES = 64 << 20
MAPPED = f"/dev/mapper/{NAME}"
ROUNDS = int(os.environ.get("WHEELQ_ROUNDS", "40"))
CUTS = int(os.environ.get("WHEELQ_CUTS", "60"))


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def needs_disks():
    if not os.environ.get("WHEELQ_DISKS"):
        raise ktap.Skip("it overwrites /dev/ram0 to ram3: WHEELQ_DISKS=yes says that it may")


@contextlib.contextmanager
def mapped(kind, *words):
    """A disk of the device mapper's, over the first one."""
    run("dmsetup", "create", NAME, "--table",
        f"0 {BYTES // 512} {kind} {DISK} {' '.join(words)}")
    try:
        yield
    finally:
        run("dmsetup", "remove", NAME)


@contextlib.contextmanager
def mounted(disk):
    folder = f"/tmp/on-{os.path.basename(disk)}"
    os.makedirs(folder, exist_ok=True)
    run("mount", "-t", "ext4", disk, folder)
    try:
        yield folder
    finally:
        run("umount", folder)


class Ledger:
    """What was acknowledged before each mark of the log."""

    def __init__(self):
        self.dice = random.Random(promises.SEED)
        self.put, self.asked, self.deleted = {}, {}, {}
        self.mark = 0

    def round(self, client):
        # A round without puts has deletes alone, and a commit for these.
        puts = self.dice.choice([0, self.dice.randrange(1, 30)])
        delays = [self.dice.choice([0, 3600]) for _ in range(puts)]
        known = sorted(set(self.put) - set(self.asked))
        gone = self.dice.sample(known, min(len(known), 5))
        client.send(b"".join(b"put 1 %d 60 %d\r\n%s\r\n" % (delay, 2000 + n, b"x" * (2000 + n))
                             for n, delay in enumerate(delays)) +
                    b"".join(b"delete %d\r\n" % number for number in gone))
        self.mark += 1
        self.asked.update((number, self.mark) for number in gone)
        for n, delay in enumerate(delays):
            number = int(client.answer().split()[1])
            assert number not in self.put, f"the number {number} was given twice"
            self.put[number] = (self.mark, 2000 + n, delay)
        for number in gone:
            assert client.answer() == "DELETED"
            self.deleted[number] = self.mark
        run("dmsetup", "message", NAME, "0", f"mark {self.mark}")

    def agrees(self, client, mark):
        """With a server that has what was on the disk after that mark, or a little more."""
        client.send("".join(f"peek {number}\r\nstats-job {number}\r\n" for number in self.put))
        for number, (put_at, size, delay) in self.put.items():
            found, stats = client.answer(), client.answer()
            if self.deleted.get(number, mark + 1) <= mark:
                assert found == "NOT_FOUND", f"Q3: job {number} is there after DELETED"
            elif put_at <= mark and self.asked.get(number, mark + 2) > mark + 1:
                assert found != "NOT_FOUND", f"Q2: job {number} is lost"
            if found != "NOT_FOUND":
                assert found[1] == b"x" * size, f"Q2: another body of job {number}"
                state = b"state: delayed\n" if delay else b"state: ready\n"
                assert state in stats[1], f"Q4: job {number}: {stats[1]}"
        known = [number for number, (put_at, _, _) in self.put.items() if put_at <= mark]
        assert client.put(b"new") > max(known, default=0), "a number was given twice"


def record(ledger):
    """A server's life on a disk of which each write is logged, with a crash and an end."""
    with mapped("log-writes", LOG):
        run("mkfs.ext4", "-q", MAPPED)
        run("dmsetup", "message", NAME, "0", "mark 0")
        with mounted(MAPPED) as folder:
            server = rig.Server(folder=folder)
            for end in (server.kill, server.stop, server.kill):
                client = server.start().client()
                for _ in range(ROUNDS // 3):
                    ledger.round(client)
                client.close()
                end()


@contextlib.contextmanager
def serving(folder):
    """A server that is gone before its disk is."""
    server = rig.Server(folder=folder)
    try:
        yield server.start()
    finally:
        server.kill()


def look(ledger, mark):
    with mounted(LOOK) as folder, serving(folder) as server:
        ledger.agrees(server.client(), mark)


def marks(log):
    """For each flush the last mark before the next one: until then the disk may be as it was."""
    told, flush, mark = {}, None, 0
    for n, entry in enumerate(log):
        if entry.mark and entry.mark.isdigit():
            mark = int(entry.mark)
        elif entry.is_kept:
            flush = n
        told[flush] = mark
    return told


def q1_q2_q3_power_cuts():
    """At flushes of the disk, all or so many at random."""
    needs_disks()
    ledger = Ledger()
    print(f"# WHEELQ_SEED={promises.SEED}")
    record(ledger)
    log = list(writelog.entries(LOG))
    begun = next(n for n, entry in enumerate(log) if entry.mark == "0")
    points = [n for n, entry in enumerate(log) if entry.is_kept and n > begun]
    chosen = set(ledger.dice.sample(points, min(CUTS, len(points))) + points[-1:])
    replay, told = writelog.Replay(LOG, THEN, BYTES), marks(log)
    for n, entry in enumerate(log):
        if not entry.mark:
            replay.write(entry)
        if n in chosen:
            replay.copy_to(LOOK)
            look(ledger, told[n])
    assert told[points[-1]] == ledger.mark
    print(f"# {len(chosen)} power cuts at {len(points)} flushes, {len(log)} entries, "
          f"{len(ledger.put)} jobs acknowledged, {len(ledger.deleted)} deleted")


def change(kind, *words):
    """Under its file system the disk becomes another."""
    run("dmsetup", "suspend", "--nolockfs", NAME)
    run("dmsetup", "load", NAME, "--table",
        f"0 {BYTES // 512} {kind} {DISK} {' '.join(words)}")
    run("dmsetup", "resume", NAME)


def q1_disk_that_fails_ends_it():
    """Each write fails from some moment on; after the repair nothing is missing."""
    needs_disks()
    with mapped("linear", "0"):
        run("mkfs.ext4", "-q", MAPPED)
        acknowledged = []
        with mounted(MAPPED) as folder:
            server = rig.Server(folder=folder)
            client = server.start().client()
            acknowledged += [client.put(b"x" * 3000) for _ in range(20)]
            # It is up for no second, and fails for a day.
            change("flakey", "0", "0", "86400", "1", "error_writes")
            with contextlib.suppress(rig.Gone, OSError):
                while True:
                    acknowledged.append(client.put(b"x" * 3000))
            assert server.wait() == 1
            lines = server.said.decode().splitlines()
            assert len(lines) == 1 and "nothing more is accepted" in lines[0], lines
            change("linear", "0")
        with mounted(MAPPED) as folder, serving(folder) as server:
            client = server.client()
            for number in acknowledged:
                assert client.ask(f"peek {number}") != "NOT_FOUND", f"job {number} is lost"
            print(f"# {lines[0]}; {len(acknowledged)} jobs acknowledged")


TESTS = [q1_disk_that_fails_ends_it, q1_q2_q3_power_cuts]
